"""Device functions that several kernels are made of: loads, batches of them, sums, how a row ends."""
