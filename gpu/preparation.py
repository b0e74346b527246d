"""From a SciPy matrix to a matrix on the device, by the name of a format."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from gpu.choice.cost_model import ranked
from gpu.choice.structure import Structure
from gpu.choice.timed import fastest
from gpu.compound.complex_product import ComplexProduct, complex_csr
from gpu.device_matrix import DeviceMatrix
from gpu.entry_places import EntrySource, PairSource, numbered
from gpu.formats.coo.container import COO
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from gpu.kernel_registry import ALIASES, KERNELS, SLICED, Kernel, kernel_of, kernels_of, work_counts_of
from gpu.other_matrices import taken_from
from gpu.runtime.cuda import THREADS_PER_BLOCK, require_gpu
from gpu.runtime.memory import all_or_nothing, copied, free_bytes, require_room
from gpu.runtime.vectors import current_device
from gpu.sums.device_csr import DeviceCsr, operand
from gpu.sums.transposition import transposed as transposed_csr
from gpu.vector_products import Product
from vecsim.formats import CRS, NotRepresentableError
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.representable import MAX_GROWTH
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest


def prepare(
    matrix: Any,
    format: str | Slicing = "auto",
    *,
    dtype: Any = None,
    transpose: bool | str | Slicing = False,
    deterministic: bool = False,
    tune: bool | str = False,
    updatable: bool = False,
    threads_per_block: int = THREADS_PER_BLOCK,
) -> DeviceMatrix:
    """Convert a matrix and put it on the device.

    Parameters
    ----------
    matrix
        Any SciPy sparse matrix or array; or a matrix in a format of `vecsim.formats`, which is taken as it is
        where neither `format` nor `dtype` asks for another. A `gpu.DeviceHiSparse` is multiplied where it is,
        as ``hisparse-queues``; another format needs a copy on the host. Other matrices of the device are a
        `gpu.DeviceCsr`, such as a sum of `gpu.add`, a sparse matrix of CuPy, a sparse tensor of torch. The
        formats of CRS copy them on the device; all others, and ``auto``, copy them to the host first.
    format
        One of `KERNELS`, or another name of one, as ``csr`` is of ``crs``; an arrangement of the sliced
        container; or ``auto``, which takes what should be fastest by the estimated time of a product
        (`gpu.choice.cost_model`).
    dtype
        float32 or float64; the matrix's own without it, where all but float32 becomes float64. complex64 or
        complex128 for complex values, which ``auto`` alone takes, as format ``complex``.
    transpose
        Whether to make the transposed copy at once, which otherwise the first use of ``M.T`` makes: True in
        the format that ``auto`` takes for it, or the name of one. ``hisparse`` multiplies both ways by one
        copy: it needs none, and with True makes none.
    deterministic
        Take only formats whose results are equal to the last bit from run to run.
    tune
        How ``auto`` chooses: False by the estimate alone; True by times of products on the device, after
        conversion into the two formats with the least estimates and up to six more that could be faster by
        estimate and times so far; ``"full"`` by those of all formats that ``auto`` may take. With True no
        more are tried once that would take over five times as long as the first conversion. Timing takes up
        to a tenth of the time of the conversions. What was fastest is remembered for matrices with equal
        features (`gpu.choice.timed`) until the program ends.
    updatable
        Whether to prepare `DeviceMatrix.update_values` at once, as otherwise its first use does: the matrix
        is converted a second time, and 4 bytes for each stored value are kept on the device. The formats of
        CRS and ``coo`` need neither. Every format that ``auto`` may take can be updated.
    threads_per_block
        A multiple of 32, up to 1024.

    Returns
    -------
    DeviceMatrix
        For ``M @ x`` and the rest; its `format` says what ``auto`` took.

    Raises
    ------
    NotRepresentableError
        If the format cannot hold the matrix, or only in more than four times the bytes of CRS.
    OutOfDeviceMemoryError
        If the device has too little memory. Nothing is left there.
    UserError
        Both are; and, in one line: there is no GPU, the format is unknown or not deterministic, the matrix is
        not of numbers or has over 2^31 - 1 rows, columns or entries.
    """
    if threads_per_block not in range(32, 1025, 32):
        raise UserError(
            f"threads_per_block {threads_per_block} is not possible: use a multiple of 32 up to 1024"
        )
    if tune not in (False, True, "full"):
        raise UserError(f"tune {tune!r} is not possible: use False, True or 'full'")
    if not isinstance(format, str | Slicing) or not isinstance(transpose, bool | str | Slicing):
        raise UserError(f"format {format!r}, transpose {transpose!r}: use the names of formats")
    dtype = _dtype(dtype)
    if tune and format != "auto":
        raise UserError(f"tune={tune!r} chooses a format: leave out format, or use format='auto'")
    require_gpu()
    wanted = _Wanted(deterministic, threads_per_block, tune, updatable)
    transposed = None if transpose is False else "auto" if transpose is True else transpose
    matrix = taken_from(matrix)
    return all_or_nothing(lambda: _both(wanted, matrix, format, dtype, transposed))


def _dtype(dtype: Any) -> Any:
    try:
        return None if dtype is None else np.dtype(dtype)
    except TypeError:
        raise UserError(f"dtype {dtype!r} is not possible: use float32 or float64") from None


def _both(
    wanted: "_Wanted", matrix: Any, format: str | Slicing, dtype: Any, transposed: str | Slicing | None
) -> DeviceMatrix:
    """Make the matrix and, in the format `turned`, its transposed copy."""
    direct = wanted.make(matrix, format, dtype)
    if transposed is not None and not (direct.transposes_itself and transposed in ("auto", direct.format)):
        direct.keep_transposed(wanted.make(_transposed(matrix), transposed, direct.dtype))
    if wanted.updatable:
        direct.prepare_new_values()
    return direct


COMPLEX = "complex"
"""What a matrix with complex entries is called: its layout follows from the lengths of its rows."""


def _is_complex(matrix: Any, dtype: Any) -> bool:
    types = (getattr(matrix, "dtype", None), dtype)
    return scipy.sparse.issparse(matrix) and any(
        each is not None and np.dtype(each).kind == "c" for each in types
    )


def _transposed(matrix: Any) -> Any:
    if isinstance(matrix, DeviceCsr):
        return transposed_csr(matrix)
    return (matrix.to_scipy() if kernel_of(matrix) else matrix).T


@dataclass(frozen=True)
class _Wanted:
    """What holds for a matrix and its transposed copy alike."""

    deterministic: bool
    threads_per_block: int
    tune: bool | str = False
    updatable: bool = False

    def make(self, matrix: Any, format: str | Slicing, dtype: Any) -> DeviceMatrix:
        """Convert one matrix and put it on the device."""
        if result := kernel_of(matrix):
            name, kernel_name = result
            if self.updatable:
                raise UserError("updatable=True needs a SciPy matrix: use matrix.to_scipy()")
            if format in ("auto", name) and dtype in (None, matrix.dtype):
                product = self.allowed(kernel_name).product(matrix, self.threads_per_block)
                return self.placed(matrix, product, name, EntrySource.of_stored(matrix))
            matrix = matrix.to_scipy()
        if isinstance(matrix, DeviceCsr):
            name = "" if isinstance(format, Slicing) else ALIASES.get(format, format)
            stays = name in kernels_of(CRS) and matrix.nnz and dtype in (None, matrix.dtype)
            if stays:
                return self.copied(operand("the matrix", matrix), name)
            matrix = matrix.to_scipy()
        if _is_complex(matrix, dtype):
            return self.complex(matrix, format, dtype)
        matrix = _checked(matrix, dtype)
        if isinstance(format, Slicing):
            kernel = self.allowed(kernels_of(Sliced)[0])
            _require_room(matrix, kernel, known=False)
            convert = partial(Sliced.from_scipy, slicing=format)
            return self.place(matrix, convert, kernel.product, SLICED, arrangement=format)
        name = ALIASES.get(format, format)
        if name != "auto":
            return self.convert(matrix, name)
        counts = work_counts_of(deterministic=self.deterministic)
        formats = ranked(counts, matrix)
        if self.tune:
            how = (current_device(), self.deterministic, self.threads_per_block)
            of_name = partial(self.convert, matrix)
            return fastest(formats, of_name, matrix, every=self.tune == "full", how=how)
        return self.first_possible(matrix, (name for name, _ in formats))

    def complex(self, matrix: Any, format: str | Slicing, dtype: Any) -> DeviceMatrix:
        """Put a complex matrix on the device.

        Parameters
        ----------
        matrix
            Of SciPy.
        format
            ``auto`` or ``complex``.
        dtype
            complex64 or complex128; its own without it.
        """
        if format not in ("auto", COMPLEX):
            raise UserError(
                f"format {format!r} has no complex values: leave out format, or use format='auto'"
            )
        csr = complex_csr(matrix, dtype)
        require_room(2 * (csr.data.nbytes + 4 * csr.nnz))
        product = ComplexProduct(csr, self.threads_per_block)
        source = PairSource.of_csr(csr, None, in_order=False)
        return self.placed(csr, product, COMPLEX, replace(source, stored=product.stored, given=None))

    def allowed(self, name: str) -> Kernel:
        """Return the entry of a format."""
        if name not in KERNELS:
            names = ["auto", *KERNELS]
            raise UserError(f"unknown format {name!r}; use one of {', '.join(names)}{nearest(name, names)}")
        if self.deterministic and not KERNELS[name].deterministic:
            raise UserError(
                f"format {name!r} is not deterministic: use auto or one of "
                + ", ".join(other for other, kernel in KERNELS.items() if kernel.deterministic)
            )
        return KERNELS[name]

    def convert(self, matrix: Any, name: str) -> DeviceMatrix:
        """Convert into a named format."""
        kernel = self.allowed(name)
        _require_room(matrix, kernel)
        return self.place(matrix, kernel.convert, kernel.product, name)

    def first_possible(self, matrix: Any, names: Iterable[str]) -> DeviceMatrix:
        """Convert into the first of these formats that can hold the matrix: estimates may be wrong."""
        refusal = "no format can hold this matrix"
        for name in names:
            try:
                return self.convert(matrix, name)
            except NotRepresentableError as error:
                refusal = str(error)
        raise NotRepresentableError(refusal)

    def place(
        self,
        matrix: Any,
        convert: Callable[[Any], Any],
        product: Callable[[Any, int], Product],
        name: str,
        *,
        arrangement: Slicing | None = None,
    ) -> DeviceMatrix:
        """Convert a CSR matrix and put it on the device.

        Parameters
        ----------
        matrix
            scipy.sparse CSR of (m, n).
        convert, product
            Make the format of a matrix, and its product for a number of threads per block.
        name
            Of the format.
        arrangement
            Of the sliced container, where the format has no name.
        """
        host = convert(matrix)
        placed = product(host, self.threads_per_block)
        several = getattr(placed, "values", None) is None
        if several and self.updatable:
            raise UserError(f"the format {name} cannot be updatable: use auto, or a format that it may take")
        in_order = isinstance(host, CRS | COO)
        source = EntrySource.of_csr(matrix, None if several else convert, in_order=in_order)
        return self.placed(host, placed, name, source, arrangement)

    def copied(self, matrix: DeviceCsr, name: str) -> DeviceMatrix:
        """Copy CSR on the device into a format of CRS; only the row pointers come to the host.

        Parameters
        ----------
        matrix
            With entries.
        name
            Of the format.
        """
        kernel = self.allowed(name)
        require_room(2 * matrix.nbytes)
        pointers, shape = matrix.pointers.copy_to_host(), matrix.shape
        product: Any = kernel.product(
            CRS(shape, pointers, copied(matrix.columns), copied(matrix.values)), self.threads_per_block
        )

        def numbers() -> Any:
            return numbered(pointers, product.columns.copy_to_host()[: matrix.nnz].view(np.int32), shape)

        source = EntrySource(matrix.dtype, numbers, kernel.convert, in_order=True)
        return self.placed(matrix, product, name, source)

    def placed(
        self,
        host: Any,
        product: Product,
        name: str,
        source: EntrySource,
        arrangement: Slicing | None = None,
    ) -> DeviceMatrix:
        """Return the matrix of a product, with what its one copy serves.

        Parameters
        ----------
        host
            The format, or a matrix of the device.
        product
            Of this format.
        name
            Of the format.
        source
            Where its entries come from.
        arrangement
            As of `place`.
        """
        rest = {"dtype": host.dtype, "nnz": host.nnz}
        threads = self.threads_per_block
        again = partial(prepare, deterministic=self.deterministic, threads_per_block=threads)
        built = DeviceMatrix(
            product,
            shape=host.shape,
            format=name,
            source=source,
            again=again,
            arrangement=arrangement,
            **rest,
        )
        transposed = getattr(product, "transposed", None)
        if transposed is not None:
            built.keep_transposed(DeviceMatrix(transposed, shape=host.shape[::-1], format=name, **rest))
        return built


def _checked(matrix: Any, dtype: Any) -> Any:
    """Return the matrix as sorted CSR with values of the type asked for, of its type, or of float64.

    Arrays that are so already are shared, and only read until their copies lie on the device.
    """
    if dtype is not None and dtype not in (np.float32, np.float64):
        raise UserError(f"dtype {dtype} is not possible: use float32 or float64")
    return canonical_csr(matrix, dtype)


def _require_room(matrix: Any, kernel: Kernel, *, known: bool = True) -> None:
    """Refuse a matrix that cannot find room on the device, before it is converted."""
    values = matrix.nnz * matrix.dtype.itemsize
    most = MAX_GROWTH * (values + 4 * (matrix.nnz + matrix.shape[0] + 1))
    if most <= free_bytes():
        return
    work = kernel.work(Structure.of(matrix)) if kernel.work and known else None
    require_room(values if work is None else work.stored_bytes)
