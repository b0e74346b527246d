"""What our products are compared with: cuSPARSE, with everything done beforehand that can be."""
