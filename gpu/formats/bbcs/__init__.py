"""The products of BBCS on a GPU."""
