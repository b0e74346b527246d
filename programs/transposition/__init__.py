"""Transposition of a matrix in memory: HiSM by the unit of its authors, CRS by counting and scattering."""
