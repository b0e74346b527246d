"""HYB: the first entries of each row in ELL, the rest as coordinates."""
