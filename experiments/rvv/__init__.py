"""The study of sparse formats on RISC-V Vector (docs/papers/hism-on-rvv.md).

============  ==================================================================
``cases``     machines, matrices, register lengths; the measurement of a case
``recorded_cycles``  what was measured
``results``   means and conclusions
============  ==================================================================
"""
