"""The engine that Numba compiles: the whole machine as plain functions over the state of a run.

=================  =============================================================================
``engine``         the protocol, around everything else
``interface``      what Python and compiled code both name: operations, parts, why a loop ended
``state``          what compiled code keeps in addition to the state of a run
``semantics``      the semantics of instructions, compiled
``rules``          the timing rules, compiled
``single_port/``   the loop for machines with one memory port, with closed formulas
``multiport/``     the loop for any machine, which calls the timing rules
``arrays/``        the arrays of a run, in one table of addresses, and views of it
``user/``          user-defined code, compiled with checks
``compiler/``      how Numba and LLVM are used
``object_files/``  the parts of the engine: compiled, kept on disk and loaded
=================  =============================================================================

What all functions of this package name alike is described here; their own sections describe the rest.

Parameters
----------
w
    The address of the table of a run, :mod:`vecsim.engines.jit.arrays.table`.
r
    All arrays of a run by their names, :mod:`vecsim.engines.jit.arrays.views`, as the timing rules take them.
instruction
    A row of the program.
n
    How many elements the instruction works on, 1 or more.
v
    A vector register.
element
    The number of an element of a vector register.
slice_
    The slice of the vector cache that the instruction adds to, -1 for none.
cache_first
    The first element of the vector cache that an access moves.
unit
    The number of an :class:`isa.declaration.Unit`.
issue
    The cycle in which the instruction issued.
cycle
    The cycle in which an instruction issues, or an element starts.
ready
    The cycle from which something is ready.
port, slot
    The number of a memory port; a vector instruction in flight.
moving
    What the loop for any machine knows of the access that a port transfers,
    :class:`vecsim.engines.jit.state.MovingAccess`.
now
    The cycle in which words go.
word
    The number of a word in its access.
stop_count
    After how many instructions to stop.
capacity
    The rows of the timeline that there is room for, -1 for no timeline.
retired
    The cycle before which all older instructions have retired: all before it has been attributed to them.
last
    The cycle in which the last element starts, or the last word is transferred.
result
    The cycle from which the last result is ready.
retire
    The cycle in which the instruction retires.
cause
    Why it waited, the number of a :class:`vecsim.engines.cause.Cause`.
begin, end
    The first cycle of a wait, and the one after the last.
schedule, add
    The number of a schedule (:mod:`vecsim.engines.jit.single_port.registers`), and what is added to its
    cycles.
"""
