"""Products of matrices with compound entries: complex numbers, quaternions, small blocks, your types.

J. S. Mueller-Roemer, A. Stork, D. W. Fellner: *Joint Schedule and Layout Autotuning for Sparse Matrices with
Compound Entries on GPUs*, Vision, Modeling and Visualization, 2019. What an entry is, how it multiplies and
adds up, is declared once (`EntryType`); the reference product and every kernel come from that declaration.
"""

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.reference import reference_product
from gpu.compound.standard_types import COMPLEX, DUAL, QUATERNION, UNIT_QUATERNION, blocks

__all__ = [
    "COMPLEX",
    "DUAL",
    "QUATERNION",
    "UNIT_QUATERNION",
    "CompoundMatrix",
    "EntryType",
    "blocks",
    "reference_product",
]
