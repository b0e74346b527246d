"""The engine on an NVIDIA GPU: a machine in each thread times the record of a run.

==========  =====================================================
``cuda``    Numba CUDA, or its simulator
``kernel``  the kernel: what a block of threads times
``batch``   machines and records as blocks, and what they come to
==========  =====================================================
"""
