"""Programs of another instruction set, timed by the rules of this machine.

A front end runs the program and records what depended on values: how many elements each vector instruction
had, the addresses of accesses, which branches were taken. Here the record becomes a program of the machine.
Its rows say what each instruction does to units and registers, and their semantics read the record. Both
engines run it like any other program, so sweeps, traces and cycle attribution work as they are.

===========  =====================================================================
``events``   the record of a run, and the semantics that read it
``rows``     the kinds of instructions that a recorded program consists of
``program``  the program: rows with registers, costs and successors
===========  =====================================================================
"""
