"""Harwell-Boeing and Rutherford-Boeing files: columns in fixed-width Fortran lines.

Read here, not by ``scipy.io.hb_read``: that one takes only real unsymmetric matrices without right-hand
sides and no F format, which leaves out most of the collection (symmetric, pattern, complex).

I. S. Duff, R. G. Grimes, J. G. Lewis: *Users' Guide for the Harwell-Boeing Sparse Matrix Collection*, 1992;
*The Rutherford-Boeing Sparse Matrix Collection*, RAL-TR-97-031, 1997.
"""

from vecsim.data.harwell_boeing.header import ASSEMBLED, SUFFIXES
from vecsim.data.harwell_boeing.parsing import most_bytes, parse_harwell_boeing

__all__ = ["ASSEMBLED", "SUFFIXES", "most_bytes", "parse_harwell_boeing"]
