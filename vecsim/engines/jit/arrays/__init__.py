"""The arrays of a run: one table of addresses, and views of it inside compiled code."""
