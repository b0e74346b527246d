"""The paper on layouts of compound entries: its tables and figures made again."""
