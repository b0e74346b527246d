"""A and B of the sums, both as they are and transposed, made by other processes while the GPU measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import scipy.sparse
from numpy.typing import NDArray

from experiments.gpu_bench.matrix_supply import Supplied
from experiments.gpu_bench.product_case import typed
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hisparse.moved import moved

SECOND, FIRST_TURNED, SECOND_TURNED = "B", "A turned", "B turned"
PARTS = ("data", "indices", "indptr")


@dataclass(frozen=True, eq=False)
class Operands:
    """What is added.

    Attributes
    ----------
    first, second
        A and B: canonical scipy.sparse.csr_array of one shape and type.
    first_turned, second_turned
        Their transposes, likewise.
    """

    first: Any
    second: Any
    first_turned: Any
    second_turned: Any

    def astype(self, dtype: str) -> Operands:
        """Return them with values of a type."""
        return Operands(*(typed(each, dtype) for each in vars(self).values()))


def arrays(matrix: SuiteMatrix, csr: Any) -> Mapping[str, NDArray[Any]]:
    """Make B and the transposes as arrays by names, for `experiments.gpu_bench.matrix_supply.supply`.

    Parameters
    ----------
    matrix
        Of the suite.
    csr
        A.
    """
    second = moved(csr)
    result = {SECOND: second, FIRST_TURNED: csr.T.tocsr(), SECOND_TURNED: second.T.tocsr()}
    return {f"{name} {part}": getattr(each, part) for name, each in result.items() for part in PARTS}


def operands(supplied: Supplied) -> Operands:
    """Return what `arrays` made of a matrix; where it made nothing, make it now."""
    csr = supplied.csr
    more = supplied.more or arrays(supplied.matrix, csr)

    def matrix(name: str, shape: tuple[int, ...]) -> Any:
        result = scipy.sparse.csr_array(tuple(more[f"{name} {part}"] for part in PARTS), shape=shape)
        result.has_canonical_format = True
        return result

    transposed = csr.shape[::-1]
    return Operands(
        csr, matrix(SECOND, csr.shape), matrix(FIRST_TURNED, transposed), matrix(SECOND_TURNED, transposed)
    )
