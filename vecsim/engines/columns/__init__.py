"""Columns of the flat arrays that the engines share, as plain integers: a module for each array.

A column is named with its module (``flight.ELEMENT``, ``instruction.READS``), so that those of two arrays are
not mixed up.

======================  ======================================================================
``control``             ``TimingRecord.control``
``flight``              ``slots``, the vector instructions in flight
``waits``               ``depends``, what an instruction in flight waits for in another
``history``             ``port_history``, the accesses that ended last
``causes``              ``waits``, and the waits in ``ledger``
``ledger``              ``ledger``, what each instruction of the program came to
``hidden``              ``hidden``, instructions yet to be charged
``counters``            ``counters``
``instruction``         the program, :mod:`vecsim.engines.program_table`
``parameter``           the machine, :mod:`vecsim.engines.machine_numbers`
``work``, ``facts``     what the rules of time keep beside the record
``renaming``            ``displaced`` and ``physical``
``starts``              when elements and words start, for a trace
``wakes``               of the compiled loop for any machine: when its parts act next
``outcomes``            of the compiled loop for one port: what timing an instruction gives
``quick_run``           of the same: runs of scalar instructions, timed beforehand
======================  ======================================================================
"""
