"""How the commands print: consoles, tables, JSON and dumps."""
