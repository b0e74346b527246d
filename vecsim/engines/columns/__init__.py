"""Columns of the flat arrays that the engines share, as plain integers: a module for each array.

A column is named with its module (``flight.ELEMENT``, ``instruction.READS``), so that those of two arrays are
not mixed up.

======================  ======================================================================
``control``             ``TimingRecord.control``
``flight``              ``slots``, the vector instructions in flight; ``depends`` and ``facts``,
                        what they wait for
``history``             ``port_history``, the accesses that ended last
``causes``              ``waits``, and the waits in ``ledger``
``ledger``              ``ledger``, what each instruction of the program came to; ``hidden``,
                        instructions yet to be charged
``counters``            ``counters``
``instruction``         the program, :mod:`vecsim.engines.flat_arrays`
``parameter``           the machine, :mod:`vecsim.engines.flat_arrays`
``work``                what the timing rules keep in addition to the record
``renaming``            ``displaced`` and ``physical``
``starts``              when elements and words start, for a trace
``outcomes``            of the single-port loop: what timing an instruction gives
``tracks``              of the same: in which cycles elements pass
``quick_run``           of the same: runs of scalar instructions, timed beforehand
======================  ======================================================================
"""
