"""Rows cut by segments of the columns that fit into shared memory."""
