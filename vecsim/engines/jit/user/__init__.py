"""User-defined code, compiled with checks."""
