"""The compiled engine as object files: its parts, how they are compiled, and where they are kept."""
