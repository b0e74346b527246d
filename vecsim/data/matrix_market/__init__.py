"""Matrix Market files (coordinate and array): checked to the last byte here, converted by SciPy.

R. Boisvert, R. Pozo, K. Remington: *The Matrix Market Exchange Formats: Initial Design*, NISTIR 5935, 1996.
"""

from vecsim.data.matrix_market.header import BANNER, Header, parse_header
from vecsim.data.matrix_market.parsing import most_bytes, parse_matrix_market

__all__ = ["BANNER", "Header", "most_bytes", "parse_header", "parse_matrix_market"]
