"""The timing rules, each written once, in the order of docs/timing.md.

They are plain functions over the state of a run (:mod:`vecsim.engines.state`). The SimPy engine calls them,
the compiled engine compiles them, as both do with the semantics of instructions, and so they keep to what
both read in the same way (docs/engines.md, "What semantics must obey"). A rule says what happens in a cycle
and from which cycle on something may happen; its caller decides when to look and whom to wake. The docstring
of each names the section of docs/timing.md that it implements.

======================  ======================================================================
``issue``               Issue
``units``               Queues and dispatch: which unit of a kind
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
``flight``              How an instruction enters flight, and how it leaves it
``accounts``            The end; Waits and cycle attribution
``timeline``            The rows of the timeline
``starts``              When elements and words start, for a trace
``numbers``             What all use
======================  ======================================================================

Names that all functions share:

Parameters
----------
r
    The state of the run, :class:`vecsim.engines.state.run.Run`.
cycle
    The cycle that is looked at.
instruction
    A row of the program, or one with physical registers in the place of those that it names
    (:func:`vecsim.engines.rules.renaming.instruction_of`).
slot
    A vector instruction in flight.
older, position
    The slot of an older instruction; the place of one in ``r.order``, the oldest at 0.
store
    1 for a store, 0 for a load.
n
    How many elements the instruction works on.
unit, port
    The number of an :class:`isa.declaration.Unit`; the number of a memory port.
element
    The number of an element of a vector register.
v, register, registers
    The number of a vector register; the state of one; numbers of registers.
address
    Of a word: its byte address divided by four.
earliest
    The cycle from which on nothing else holds something up.
done, needed
    How many elements of an access have passed before a word; the end of those that it touches.
slice_
    A slice of the vector cache, -1 for none.
level, place, number
    A cache, 0 for the one next to the ports, -1 for main memory; the place of a line among its lines; the
    number of a line, its first byte divided by the bytes of a line.
pc
    The place in the program of the instruction that needs a word.
arrival, ready
    The cycle from which a word or a line has arrived; from which what is loaded is ready.
until
    The cycle before which words go.
last, result, retire
    The cycle in which the last element starts, from which the last result is ready, of retirement.
first, end
    Of bytes the first and the one after the last.
cause, begin, end
    Why an instruction waited, the number of a :class:`vecsim.engines.cause.Cause`; the first cycle of the
    wait, and the one after the last.

Functions that say when to look again return a cycle, or ``NEVER`` while that depends on what others do.
"""
