"""The loop for machines with one memory port: every instruction is timed to its end when it issues.

================  =============================================================================
``preparation``   what the loop knows of a program and a machine before it starts
``loop``          instructions in program order; vector instructions issue
``scalars``       scalar instructions and branches issue
``closed_forms``  vector instructions that nothing, or one operand, holds up
``parts``         parts of arithmetic of recorded programs, which nothing holds up
``slow_paths``    what the loop calls for all other vector instructions
``accesses``      of these the accesses
``arithmetic``    of these arithmetic and sparse instructions
``registers``     when elements of vector registers are ready and taken
``port``          the latest dispatches and accesses; how an access begins and ends
``banks``         which words hold up the banks, and up to which cycle
``accounts``      waits, cycle attribution and rows of the timeline
================  =============================================================================
"""
