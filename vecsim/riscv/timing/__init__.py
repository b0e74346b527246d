"""RISC-V programs on the machine: what ran is recorded, and becomes a program that both engines time.

=============  ==========================================================================
``recording``  the interpreter that records a run
``program``    the record as a recorded program
``costs``      what its rows cost on a machine
=============  ==========================================================================
"""
