"""The products of CRS on a GPU."""
