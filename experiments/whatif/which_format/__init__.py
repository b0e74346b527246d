"""Which format is fastest on a million machines, and which number of the machine decides it."""
