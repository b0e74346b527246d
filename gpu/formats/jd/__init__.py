"""The products of JD on a GPU."""
