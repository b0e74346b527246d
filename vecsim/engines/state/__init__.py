"""The state of a run, declared once: for the reference engine, for compiled code, for records and snapshots.

======================  ======================================================================
``run``                 ``Run``: all arrays of a run by their names, what the rules call ``r``
``row``                 what a row is: a record with named fields
``control``             issue and retirement; what the rules tell the engine
``instruction``         an instruction of the program
``machine``             the numbers of the machine
``flight``              a vector instruction in flight
``registers``           scalar and vector registers, slices of the vector cache
``units``               units, memory ports and banks
``memory``              caches and main memory
``accounts``            cycle attribution, pending retirements, rows of the timeline
``counters``            what every run counts
``causes``              why an instruction waits
======================  ======================================================================
"""
