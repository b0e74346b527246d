"""The rules of time, each written once, in the order of docs/timing.md.

They are plain functions over flat arrays. The SimPy engine calls them, the compiled engine compiles them, as
both do with the semantics of instructions, and so they keep to what both read in the same way
(docs/engines.md, "What semantics must obey"). A rule says what happens in a cycle and from which cycle on
something may; whoever calls it decides when to look and whom to wake.

======================  ======================================================================
``issue``               Issue
``queues``              Queues and dispatch
``addresses``           Accesses: what an instruction touches
``ports``, ``banks``    Accesses; Banks
``operands``            Chaining; WAR and WAW hazards: of elements, and of whole registers
``renaming``            Renaming
``hazards``             Chaining; WAR and WAW hazards: who waits for whom
``arithmetic``          Arithmetic
``sparse``              Sparse unit
``vector_cache``        Vector cache
``memory_order``        Memory order
``flight``              An instruction enters flight, and leaves it
``accounts``            The end; Waiting and charging
``rows``, ``starts``    The rows of the timeline; when elements and words start, for a trace
``numbers``             What all use
======================  ======================================================================

What all functions name alike:

Parameters
----------
r
    All arrays of a run: those of the record (:class:`vecsim.engines.record.TimingRecord`), flat; ``x``,
    ``special``, ``vw``, ``address`` and ``row`` of the state; ``program``, ``machine``, ``work``, ``order``,
    ``facts``, ``timeline`` and ``starts``, whose columns are in :mod:`vecsim.engines.columns`.
cycle
    The cycle that is looked at.
i, j
    Where in ``program`` the row of an instruction begins; j is that of an older one.
slot
    A row of ``slots``, the table of instructions in flight.
older, position
    The slot of an older instruction; the place of one in ``order``, the oldest at 0.
at
    Where in ``slots`` that row begins.
store
    1 for a store, 0 for a load.
n
    How many elements the instruction works on.
unit, port
    The number of an :class:`isa.declaration.Unit`; the number of a memory port.
element
    The number of an element of a vector register.
address
    Of a word: its byte address divided by four.
earliest
    The cycle from which on nothing else holds something up.
done, needed
    How many elements of an access have passed before a word; the end of those that it touches.
slice_
    A slice of the vector cache, -1 for none.
last, result, retire
    The cycle in which the last element starts, from which the last result is ready, of retirement.
cause, begin, end
    Why an instruction waited, the number of a :class:`vecsim.engines.cause.Cause`; the first cycle of the
    wait, and the one after the last.

Functions that say when to look again give a cycle, or ``NEVER`` while that depends on what others do.
"""
