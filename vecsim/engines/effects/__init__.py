"""What user-defined semantics do to a machine, compared with what their instruction declares."""
