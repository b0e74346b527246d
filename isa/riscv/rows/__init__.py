"""The rows of the table, by what instructions are about."""
