"""BiELL and BiJAD: more threads for the longer rows of a warp."""
