"""Products that an iteration can take, with their vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.component_layout import ComponentLayout
from gpu.compound.device_compound import CompoundProduct
from gpu.runtime.cuda import cuda
from gpu.runtime.memory import upload


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
    owner
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
    owner: Any = None


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
