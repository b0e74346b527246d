"""The timing of the record of a run: for one machine, or for any number side by side.

What a program computes does not depend on time, so what it does on machines of one section size is one
list of events. A machine times it by the rules of :mod:`vecsim.engines.rules`, element by element, without a
branch that depends on a cycle: so one source times machines in the lanes of a processor's vector registers
and in the threads of a GPU.

==============  ====================================================================
``events``      the list of events, and the rows of a program as the timing reads them
``rows``        what makes these rows
``places``      where the times and numbers of a machine are in its memory
``operations``  the few operations on times that each target has its own form of
``issue``       issue, scalar registers, attribution
``elements``    arithmetic and sparse instructions
``accesses``    vector accesses
``words``       their words, on machines whose memory is banks alone
``notes``       what is noted of words on other machines
``memory``      their words there
``lines``       the lines of caches, and the path of main memory
``renaming``    renamed registers
``variants``    what replaces what there
``timing``      the loop over events
==============  ====================================================================

What functions have in common:

Parameters
----------
t
    The times and numbers of a machine by their places, of all machines that go side by side.
e
    The events of the run.
rows, row
    The rows of the program, one after the other; where that of the instruction begins.
shape
    Sizes and places: what :meth:`vecsim.engines.trace_timing.places.Sizes.places` returns.
kind, number
    The unit of the instruction; which one it is of all those of its unit that have elements.
n, k
    How many elements it has; the number of an element.
slice_
    Its slice of the vector cache; negative for none.
cycle
    A cycle: what is returned is no earlier.
mask
    Where among the events the bits of its mask are; 0 for none.
clear
    From when registers let an element or a word go.
answered
    Up to when all cycles are attributed.
base, count, store
    The first byte of an access, and how many bytes; 1 of a store, 0 of a load.
begin, end, stop
    From which cycle, place or number on, and to which (exclusive).
at, cause, latency
    Where a list begins; a cause of cycles; cycles.
last, result
    The cycle of the last element or word, and from when its result is ready.
first, element, followed
    The first element of the vector cache; one of a vector register; the access that a scalar one follows.
named
    What :func:`vecsim.engines.trace_timing.elements.registers_of` returns.
looks, j
    What :func:`vecsim.engines.trace_timing.elements.seen_together` returns; how far after the first.
look
    What :func:`vecsim.engines.trace_timing.elements.seen` returns.
notes
    Where among the events the notes on the words of an access begin.
level, bank
    0 of ``l1`` and 1 of ``l2``; the number of a bank.
noted, look_up
    What is noted of a word or a line; of a look-up.
arrival
    From when a word or a line is where it goes.
before
    How many instructions before; or what was returned of the element or word before.
"""
