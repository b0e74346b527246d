"""Edit a HiSparse tree on the device."""
