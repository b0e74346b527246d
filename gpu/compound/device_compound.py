"""A matrix with compound entries on the device, in one layout, and its product under one schedule."""

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.compound.component_layout import AOS, ComponentLayout
from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.outer_layout import ArrangedPattern, arranged, slicing_of
from gpu.compound.placement import DeviceEntries, DevicePattern
from gpu.compound.product_kernel import form_of, product_kernel
from gpu.compound.reference import checked_vector
from gpu.compound.schedule import Schedule, register_limit
from gpu.formats.sliced.slicing import Slicing
from gpu.runtime.cuda import SIMULATED, cuda, require_gpu
from gpu.runtime.launches import LaunchedInTurn, X, Y, compile_for, launches_of
from gpu.runtime.memory import all_or_nothing, upload
from vecsim.support.errors import UserError

SIMULATED_MULTIPROCESSORS = 2


@dataclass(frozen=True)
class Layout:
    """Where everything stands.

    Attributes
    ----------
    outer
        A name of `gpu.compound.outer_layout.OUTER_LAYOUTS`, or an arrangement.
    inner, vector
        Of the components of the entries, and of those of x and y.
    """

    outer: str | Slicing = "csr"
    inner: ComponentLayout = AOS
    vector: ComponentLayout = AOS

    @property
    def name(self) -> str:
        """A name as the paper has it: outer-inner-vector."""
        outer = self.outer if isinstance(self.outer, str) else repr(self.outer)
        return f"{outer}-{self.inner.name}-{self.vector.name}"


NATURAL = Layout()
"""CSR with arrays of structures, which the paper compares with."""


class PlacedMatrix:
    """A matrix with compound entries on the device, in one layout.

    Parameters
    ----------
    matrix
        The matrix; its real components have the type that is computed in.
    layout
        Where everything stands.
    threads_per_row
        Threads that are to share a row, which sliced layouts depend on.
    pattern, entries
        The matrix's pattern in this outer layout, and its entries, where they are on the device already.

    Attributes
    ----------
    layout, threads_per_row, entry, shape, dtype
        Of what it was made.
    pattern
        The places of the entries.
    arrays
        All arrays on the device, in the order of the kernel's parameters.

    Raises
    ------
    NotRepresentableError
        If the outer layout cannot hold the matrix.
    OutOfDeviceMemoryError
        If the device has too little memory; nothing is left there.
    UserError
        Both are; and if the outer layout is unknown or not possible with this many threads a row.
    """

    def __init__(
        self,
        matrix: CompoundMatrix,
        layout: Layout = NATURAL,
        threads_per_row: int = 1,
        pattern: DevicePattern | None = None,
        entries: DeviceEntries | None = None,
    ) -> None:
        require_gpu()
        self.layout, self.threads_per_row, self.entry = layout, threads_per_row, matrix.entry
        self.shape, self.dtype = matrix.shape, matrix.dtype

        def put() -> tuple[ArrangedPattern, list[Any]]:
            places = pattern or placed_pattern(matrix, layout.outer, threads_per_row)
            return places.host, _arrays(places, entries or DeviceEntries(matrix), layout.inner)

        self.pattern, self.arrays = all_or_nothing(put)

    def with_vectors(self, vector: ComponentLayout) -> Self:
        """Return the same matrix, its arrays shared, for vectors in another layout."""
        result = copy.copy(self)
        result.layout = Layout(self.layout.outer, self.layout.inner, vector)
        return result

    @property
    def nbytes(self) -> int:
        """Bytes that are stored of the matrix, padding included."""
        entry = self.entry
        reals = self.layout.inner.length(self.pattern.places, len(entry.reals)) * self.dtype.itemsize
        marks = self.pattern.places * len(entry.integers) * entry.integer_type.itemsize
        return int(reals + marks + self.pattern.nbytes)

    @property
    def read_bytes(self) -> int:
        """Bytes that a product reads of the matrix: without padding where rows end at their own length."""
        slicing = self.pattern.slicing
        if slicing is None or not slicing.row_lengths:
            return self.nbytes
        of_entry = self.entry.entry_bytes(self.dtype) + self.pattern.columns.dtype.itemsize
        return int(self.nbytes - (self.pattern.places - self.pattern.entries) * of_entry)


class CompoundProduct(LaunchedInTurn):
    """The product y = A x of a matrix on the device, under one schedule; vectors begin at whole 16 bytes.

    Parameters
    ----------
    placed
        The matrix.
    schedule
        Who multiplies what; it has the threads a row that the matrix was placed for.

    Attributes
    ----------
    placed, schedule
        As given.

    Raises
    ------
    UserError
        If the matrix was placed for another number of threads a row.
    """

    def __init__(self, placed: PlacedMatrix, schedule: Schedule) -> None:
        if placed.threads_per_row != schedule.threads_per_row:
            raise UserError(
                f"threads_per_row of the schedule must be {placed.threads_per_row}, as the matrix "
                "was placed, not "
                f"{schedule.threads_per_row}"
            )
        self.placed, self.schedule = placed, schedule
        pattern, layout = placed.pattern, placed.layout
        chunks = -(-pattern.positions // schedule.rows_of_chunk)
        blocks = chunks
        if schedule.assignment != "whole":
            blocks = min(chunks, _multiprocessors() * schedule.blocks_per_sm)
        self._tickets = upload(np.zeros(1, np.uint32))
        real: Any = placed.dtype.type
        kernel = _kernel(placed.entry, real, pattern, layout, schedule)
        sizes = (pattern.positions, placed.shape[0], pattern.places, placed.shape[1], chunks)
        arguments = [*placed.arrays, *sizes, self._tickets, X, Y]
        self.launches = launches_of(
            kernel,
            blocks,
            schedule.threads_per_block,
            arguments,
            real,
            registers=register_limit(schedule),
        )
        self.device_arrays = [*self.placed.arrays, self._tickets]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of real components, float32 or float64."""
        return self.placed.dtype

    def arranged_vector(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return a vector of (count, components) as a product takes it: one array in the vector layout."""
        return self.placed.layout.vector.arranged(np.asarray(x, dtype=self.dtype))

    def separated_vector(self, array: NDArray[Any], count: int) -> NDArray[Any]:
        """Return the (count, components) that stand in an array in the vector layout."""
        return self.placed.layout.vector.separated(array, count, len(self.placed.entry.vector))

    def result_length(self) -> int:
        """Return the elements of the array that y is written to."""
        return self.placed.layout.vector.length(self.placed.shape[0], len(self.placed.entry.vector))

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Multiply a vector of the host, (N, components); return one of (M, components).

        Raises
        ------
        UserError
            If x does not fit.
        """
        on_device = upload(self.arranged_vector(checked_vector(self.placed, x)))
        y = cuda.to_device(np.full(max(1, self.result_length()), np.nan, self.dtype))
        one, zero = self.dtype.type(1), self.dtype.type(0)
        self.launch(on_device, y, one, zero, 0)
        return self.separated_vector(y.copy_to_host(), self.placed.shape[0])


def prepare(
    matrix: CompoundMatrix, layout: Layout = NATURAL, schedule: Schedule | None = None
) -> CompoundProduct:
    """Put a matrix on the device and return its product; raise as `PlacedMatrix`.

    Parameters
    ----------
    matrix
        The matrix; its real components have the type that is computed in.
    layout
        Where everything stands; CSR with arrays of structures without it.
    schedule
        Who multiplies what; a thread a row without it.
    """
    schedule = schedule or Schedule()
    return CompoundProduct(PlacedMatrix(matrix, layout, schedule.threads_per_row), schedule)


def compile_product(matrix: CompoundMatrix, layout: Layout, schedule: Schedule) -> None:
    """Compile the kernel of products, and put nothing on the device.

    Parameters
    ----------
    matrix, layout, schedule
        Any matrix with such entries, and what it is multiplied by.

    Raises
    ------
    NotRepresentableError
        If the outer layout cannot hold the matrix.
    UserError
        It is; and if the outer layout is unknown or not possible with this many threads a row.
    """
    slicing, real = slicing_of(layout.outer, schedule.threads_per_row), matrix.dtype.type
    pattern = arranged(matrix.shape, matrix.indptr, matrix.indices, slicing)
    arrays = [np.zeros(0, real), np.zeros(0, matrix.entry.integer_type), *pattern.stored]
    arguments = [*arrays, *range(5), np.zeros(0, np.uint32), X, Y]
    kernel = _kernel(matrix.entry, real, pattern, layout, schedule)
    compile_for(kernel, arguments, real, register_limit(schedule))


def _kernel(entry: EntryType, real: Any, pattern: ArrangedPattern, layout: Layout, schedule: Schedule) -> Any:
    permuted, form = len(pattern.perm) > 0, form_of(entry, real, schedule)
    return product_kernel(entry, real, pattern.slicing, permuted, layout.inner, layout.vector, form)


def placed_pattern(matrix: CompoundMatrix, outer: str | Slicing, threads_per_row: int = 1) -> DevicePattern:
    """Put the pattern of a matrix on the device in an outer layout; raise as `PlacedMatrix`.

    Parameters
    ----------
    matrix
        The matrix.
    outer, threads_per_row
        The layout, and how many threads are to share a row.
    """
    slicing = slicing_of(outer, threads_per_row)
    return DevicePattern(arranged(matrix.shape, matrix.indptr, matrix.indices, slicing))


def _arrays(pattern: DevicePattern, entries: DeviceEntries, inner: ComponentLayout) -> list[Any]:
    """Return the arrays of a product on the device, in the order of the kernel's parameters."""
    return [entries.reals_at(pattern, inner), entries.integers_at(pattern), *pattern.arrays]


def _multiprocessors() -> int:
    if SIMULATED:
        return SIMULATED_MULTIPROCESSORS
    return int(cuda.get_current_device().MULTIPROCESSOR_COUNT)
