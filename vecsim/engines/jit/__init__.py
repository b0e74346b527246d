"""The engine that Numba compiles: the whole machine as plain functions over flat arrays.

==========================================  ==================================================
``engine``                                  the protocol, around everything else
``general_loop``, ``rules``                 the loop for any machine; the rules of time, compiled
``one_port``, ``scalars``, ``quick_runs``   the loop for one port; its scalar side
``word_accesses``, ``record_accesses``,     its accesses: contiguous, of 32-bit elements and of
``element_accesses``, ``cache_accesses``,   others; strided and indexed; of the vector cache;
``access``, ``port``, ``banks``             which is which; what they share
``chains``, ``arithmetic``,                 its arithmetic and sparse instructions
``sparse_rows``
``tracks``, ``operands``, ``rings``,        what it keeps: cycles of registers, latest dispatches
``accounts``, ``timeline_rows``             and accesses, charges, rows of the timeline
``general``                                 its part that is compiled apart
``code``                                    what it knows of a program beforehand
``arrays``, ``views``, ``cells``,            the arrays of a run, inside compiled code;
``status``                                  why that came back
``semantics``, ``calls``, ``operations``    semantics, compiled, and called by their address
``functions``, ``target``, ``integers``     how Numba is used
``parts``, ``compilation``,                 the parts of the engine, as object files
``part_process``, ``machine_code``
``code_cache``, ``fingerprints``,           the files that are kept
``background``, ``compiler_messages``       compiling meanwhile; what the compiler says
==========================================  ==================================================

What all functions of this package name alike is described here; their own sections describe the rest.

Parameters
----------
w
    The address of the table of a run, :mod:`vecsim.engines.jit.arrays.table`.
m, r, scratch
    The views of its state, its record and its room to work in, :mod:`vecsim.engines.jit.arrays.views`.
code, machine
    ``program`` and ``machine`` of ``Scratch``.
i
    Where in ``code`` the row of the instruction begins.
n
    How many elements the instruction works on, 1 or more.
s
    The section size.
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
age
    The number of an instruction in program order.
issue
    The cycle in which the instruction issued.
retired
    The cycle by which all older instructions have retired: all before it has been charged to them.
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
track, add
    The number of a track, :mod:`vecsim.engines.jit.single_port.registers`, and what is added to its cycles.
depth
    ``unit_queue`` + 1.
"""
