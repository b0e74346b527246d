"""Families of matrices that a published definition determines entirely.

Where the name of a built-in is that of a matrix of a collection (see `vecsim.data.builtin`), the result is
that matrix, entry by entry, up to the digits printed in its file; each function says which files
it was compared with.
"""
