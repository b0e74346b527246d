"""HBP: blocks of a matrix whose rows a nonlinear hash puts in order (Yan, Diao, Liu, An, Xu).

======================  ======================================================================
``hashing``             the hash: aggregation, dispersion, linear mapping; and its sampled parameters
``placing``             where the rows of a block come to stand, in the order of their hash where they collide
``container``           the format as it was published
``active``     the format repaired: rows without entries in a block take no place
``balance``             how unlike the rows are that a warp takes up at once, before and after
======================  ======================================================================
"""
