"""Cycles of many machines on a GPU: the timing of :mod:`vecsim.engines.many`, a machine in each thread.

==========  =================================================================
``kernel``  the kernel: what a block of threads times
``batch``   machines and traces as blocks, and what they come to
==========  =================================================================
"""
