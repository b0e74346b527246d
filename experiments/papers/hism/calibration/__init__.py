"""What the HiSM paper leaves open about its machine and programs, searched for the nearest to Table 2."""
