"""Transposition in HiSM and in CRS, in cycles: the table of docs/transposition.md."""
