"""Columns of the flat arrays that the engines share, as plain integers: a module for each array.

A column is named with its module (``flight.ELEMENT``, ``instruction.READS``), so that those of two arrays are
not mixed up.

======================  ======================================================================
``control``             ``TimingRecord.control``
``flight``              ``slots``, the vector instructions in flight
``waits``               ``depends``, what an instruction in flight waits for in another
``history``             ``port_history``, the accesses that ended last
``causes``              ``charged``, ``waited`` and ``waits``
``counters``            ``counters``
``instruction``         the program, :mod:`vecsim.engines.program_table`
``parameter``           the machine
======================  ======================================================================
"""
