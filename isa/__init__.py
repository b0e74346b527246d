"""The vector instruction set: its table, its assembler, its binary form."""
