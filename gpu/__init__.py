"""The sparse formats of :mod:`vecsim.formats` on real GPUs. Empty until its first kernel lands."""
