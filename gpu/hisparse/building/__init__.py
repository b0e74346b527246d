"""Make a HiSparse tree on the device from triplets."""
