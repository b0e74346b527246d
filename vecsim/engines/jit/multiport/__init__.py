"""The loop for any machine: the timing rules, compiled, cycle by cycle."""
