"""CUDA itself: the driver, memory, streams, launches, kept kernels, vectors of callers, the simulator."""
