"""Products that an iteration can take: ours, or one of cuSPARSE's forms, each with vectors of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.component_layout import AOS, ComponentLayout
from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.cusparse_forms import CusparseForm
from gpu.compound.device_compound import CompoundProduct
from gpu.runtime.cuda import cuda
from gpu.runtime.memory import upload
from gpu.runtime.vectors import as_device_array


@dataclass(frozen=True, eq=False)
class Operator:
    """q = A p.

    Attributes
    ----------
    p, q
        Device arrays of plain numbers, padding 0.
    enqueue
        Puts the product on a stream of `gpu.runtime.cuda_driver`, or on the default stream for None.
    count, size
        Elements, and their components.
    vector
        The layout of the vectors.
    arranged, separated
        Make an array of the layout of elements of (count, size), and the other way round.
    kept
        What must live as long as this.
    """

    p: Any
    q: Any
    enqueue: Callable[[Any], None]
    count: int
    size: int
    vector: ComponentLayout
    arranged: Callable[[NDArray[Any]], NDArray[Any]]
    separated: Callable[[NDArray[Any]], NDArray[Any]]
    kept: Any = None


def of_product(product: CompoundProduct) -> Operator:
    """Take one of our products, whatever its layout and schedule.

    Parameters
    ----------
    product
        Of a square matrix.
    """
    layout, count = product.placed.layout.vector, product.placed.shape[0]
    size = len(product.placed.entry.vector)
    length = max(1, layout.length(count, size))
    p, q = (upload(np.zeros(length, product.dtype)) for _ in range(2))
    one, zero = product.dtype.type(1), product.dtype.type(0)

    def enqueue(stream: Any) -> None:
        product.launch(p, q, one, zero, cuda.external_stream(stream.address) if stream else 0)

    return Operator(
        p,
        q,
        enqueue,
        count,
        size,
        layout,
        product.arranged_vector,
        lambda array: product.separated_vector(array, count),
        product,
    )


class _There:
    """Memory of another library, as an array."""

    def __init__(self, address: int, length: int, dtype: np.dtype[Any]) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": (length,),
            "typestr": dtype.str,
            "version": 3,
        }


def at_address(address: int, length: int, dtype: np.dtype[Any]) -> Any:
    """Give memory of another library on the device as an array of Numba.

    Parameters
    ----------
    address, length, dtype
        Where it lies, and the elements that it has.
    """
    return as_device_array(_There(address, length, dtype))


def of_cusparse(matrix: CompoundMatrix, form: CusparseForm) -> Operator:
    """Take a form of cuSPARSE; its vectors are those of the form, as real numbers.

    A quaternion in complex form has its four numbers in another order and with other signs, which changes no
    scalar product and no solution of a matrix whose preconditioner is plain.

    Parameters
    ----------
    matrix
        n x n entries.
    form
        One of `gpu.compound.cusparse_forms.cusparse_forms` that has a vector, no columns.
    """
    from gpu.baseline.cusparse import SparseProduct

    product = SparseProduct(form.method, form.store(), form.shape)
    size, count = len(matrix.entry.vector), matrix.shape[0]
    x_address, y_address = product.addresses
    p, q = (at_address(address, count * size, matrix.dtype) for address in (x_address, y_address))

    def arranged(elements: NDArray[Any]) -> NDArray[Any]:
        found = form.vector(np.asarray(elements, matrix.dtype))
        return np.ascontiguousarray(found).ravel().view(matrix.dtype)

    def separated(array: NDArray[Any]) -> NDArray[Any]:
        kind = form.vector(np.zeros((1, size), matrix.dtype)).dtype
        return form.result(array.view(kind))

    return Operator(p, q, product.enqueue, count, size, AOS, arranged, separated, product)
