"""The HiSparse paper (A. Derler et al., ICS 2017): storage, products and sums of a hierarchy."""
