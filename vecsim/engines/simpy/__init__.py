"""The reference engine: a SimPy model with one process for issue and for each queue, unit and memory port.

======================  ======================================================================
``engine``              the protocol, around everything else
``clocked``             a process and the phases of a cycle
``issue``, ``flight``   in-order issue; how a vector instruction enters flight, and what it waits for
``dispatch``            the queue in front of a unit
``memory``              a port and the banks
``arithmetic``          the add and the multiply unit
``sparse``              the unit of MIPA and BMIPA
``core``, ``accounts``  what they share: instructions in flight; waits and charges
======================  ======================================================================
"""
