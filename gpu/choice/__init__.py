"""Which format `auto` takes: what the pattern of a matrix tells, the work of each product, its time."""
