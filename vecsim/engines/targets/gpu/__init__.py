"""The engine on an NVIDIA GPU: each thread times the record of a run for a few machines.

===================  =======================================================
``cuda``             Numba CUDA, or its simulator
``lanes``            times of the machines of a thread, and tables
``simulated_lanes``  the same in the simulator
``kept``             kernels in the cache of the engine
``kernel``           the kernel: what a block of threads times
``batch``            machines and records as blocks, and what they come to
===================  =======================================================
"""
