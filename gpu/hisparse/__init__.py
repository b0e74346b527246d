"""HiSparse: a tree of nodes of d x d entries, sparse or dense, that can be shared and edited."""
