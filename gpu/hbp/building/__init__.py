"""HBP made on the device, from a matrix in CRS that is there.

====================  ======================================================================
``row_counts``        entries of each row in each block, and where they begin (algorithm 2)
``counted_order``     rows of blocks put in order by the published hash, by classes, and by a sort
``dynamic_order``     groups cut by the dynamic programme, after the sort
``filling``           the arrays of the format
``blocks``            all of it one after the other
``slots``             kernels for the slots of the repaired form
``active``            the repaired form
====================  ======================================================================
"""
