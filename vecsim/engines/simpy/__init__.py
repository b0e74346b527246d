"""The reference engine: a SimPy model with one process for issue and for each queue, unit and memory port.

Processes decide when to look and whom to wake; what happens then is a call of a rule of
:mod:`vecsim.engines.rules`.

======================  ======================================================================
``engine``              the protocol, around everything else
``clocked``             a process and the phases of a cycle
``parts``               the parts of the machine, each a process
======================  ======================================================================
"""
