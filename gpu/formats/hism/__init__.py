"""The products of HiSM on a GPU."""
