"""HBP made on the device, from a matrix in CRS that is there.

====================  ======================================================================
``row_counts``        entries of each row in each block, and where they begin (algorithm 2)
``row_hash``          the hash in kernels
``probed_order``      rows of blocks inserted into the hash table as published, with atomics and probing
``counted_order``     rows of blocks put in order by counting: by the hash, by classes, and by a sort
``filling``           the arrays of the format
``blocks``            all of it one after the other
``slots``             kernels for the slots of the repaired form
``active``            the repaired form
====================  ======================================================================
"""
