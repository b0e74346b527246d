"""The compiled engine of a machine with several memory ports: cycle by cycle, like the SimPy model.

Ports meet at the banks, so no access can be timed before the older ones are. Every unit acts at most once a
cycle, in phases: queues dispatch, instructions issue, units and ports start elements, ports in the order
of the age of their access. What a unit does another sees in the next cycle. Each names the cycle in which to
look at it again, or sleeps until something goes on elsewhere, and cycles in which nobody acts are left out.

The record is used as the SimPy model uses it, so a snapshot of the one is good for the other; it is also
right for one port, and for a snapshot with instructions in flight.

======================  ======================================================================
``cycle``               the phases of a cycle, and the way to the next
``issue``, ``flight``   in-order issue; how a vector instruction enters and leaves flight
``queues``              the queues in front of the units
``memory``              a port and the banks
``arithmetic``          the add and the multiply unit
``sparse``              the unit of MIPA and BMIPA
``operands``            when an element may start, and what it leaves behind
``accounts``, ``rows``  waits and charges; rows of the timeline
``places``              room to work in, and lists that are rebuilt from the record
======================  ======================================================================
"""
