"""The loop for any machine: the rules of time, compiled, cycle by cycle."""
