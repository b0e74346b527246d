"""HBP: blocks of a matrix whose rows a nonlinear hash puts in order (Yan, Diao, Liu, An, Xu).

======================  ======================================================================
``hashing``             the hash: aggregation, dispersion, linear mapping; and its sampled parameters
``ordering``            orders of the rows of a block: by the hash, by a better one, by sorting
``container``           the format as it was published
``building``            the same made on the device; there rows are also inserted and probed as published
``product``             its product
``active``              the format repaired: rows without entries in a block take no place
``balance``             how unlike the rows are that a warp takes up at once, before and after
======================  ======================================================================
"""
