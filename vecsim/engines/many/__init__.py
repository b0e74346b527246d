"""Many machines at once: one run of a program is recorded, and any number of machines times the record.

What a program computes does not depend on time, so what it does on machines of one section size is one list
of events. Each machine times it by the rules of :mod:`vecsim.engines.rules`, element by element, without a
branch that depends on a cycle: so the same source times machines side by side, in the lanes of vector
registers of a processor or in the threads of a GPU.

=================  ==================================================================
``events``         the list of events, and the rows of a program as the timing reads them
``recording``      the loop that runs a program and records it
``places``         where the times and numbers of a machine are in its memory
``operations``     the few operations on times that each target has its own form of
``issue``          issue, scalar registers, attribution
``elements``       arithmetic and sparse instructions
``accesses``       vector accesses
``timing``         the loop over events
``lanes``          times of machines side by side, for the processor
``trace``          the record of a run
``batch``          machines timed together on a trace
=================  ==================================================================
"""
