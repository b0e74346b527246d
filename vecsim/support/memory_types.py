"""The types of what is in simulated memory, by the names that users give them."""

TYPES = {"word": "<i4", "float": "<f4", "double": "<f8", "byte": "u1"}
"""NumPy's name of each type of memory."""
