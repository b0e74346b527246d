"""Formats made on the device: COO sorted there and built into HiSparse, and batches of edits of HiSparse."""
