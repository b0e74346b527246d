"""The kernels for RISC-V Vector: the one place where each is declared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

HERE = Path(__file__).parent
HEADERS = "kernel.h", "sparse.h"
"""What kernels include; the second includes the first."""


@dataclass(frozen=True)
class Kernel:
    """A kernel, which checks its own result against a scalar computation.

    Attributes
    ----------
    name
        Of its files ``kernels/NAME.c`` and ``kernels/NAME.elf``.
    title
        What it does.
    summary
        What it shows.
    unit
        What its variable ``work`` counts; cycles are divided by it.
    plain
        Whether it is plain C that the compiler vectorises; otherwise it uses intrinsics.
    """

    name: str
    title: str
    summary: str
    unit: str = "element"
    plain: bool = False

    @property
    def source(self) -> Path:
        """Its text in C."""
        return HERE / "kernels" / f"{self.name}.c"

    @property
    def elf(self) -> Path:
        """The built program."""
        return HERE / "kernels" / f"{self.name}.elf"

    @property
    def contents(self) -> dict[str, bytes]:
        """Its built program, its text, and all else that it is built from, by the names of files."""
        text = self.source.read_bytes()
        headers = [each for each in HEADERS if f'"{each}"'.encode() in text]
        names = [self.elf.name, self.source.name, *dict.fromkeys([*headers, HEADERS[0]])]
        paths = [*(HERE / "kernels" / name for name in names), HERE / "start.S", HERE / "link.ld"]
        return {path.name: path.read_bytes() for path in paths}

    @property
    def written_as(self) -> str:
        """``plain C`` or ``intrinsics``."""
        return "plain C" if self.plain else "intrinsics"


_KERNELS = (
    Kernel("axpy", "y = a x + y", "strips of eight registers (LMUL 8)"),
    Kernel("dot", "r = x . y", "a sum in any order: one for each lane until the end", plain=True),
    Kernel(
        "gemv", "y = A x, A dense", "a sum in the order of the source (vfredosum)", "multiply-add", plain=True
    ),
    Kernel("gemm", "C = A B, dense", "four rows of C in registers share each load of B", "multiply-add"),
    Kernel("stencil", "a 5-point stencil", "neighbours in the row by slides", "point"),
    Kernel(
        "jacobi-2d",
        "two steps of Jacobi's method",
        "neighbours by further loads, masks made by the compiler",
        "point",
        True,
    ),
    Kernel(
        "fft", "a Fourier transform, radix 2", "segments of complex numbers, indexed ones too", "butterfly"
    ),
    Kernel("exp", "y = e^x", "a polynomial, and bits of floating-point numbers"),
    Kernel("black-scholes", "prices of options", "divisions, roots, constants in registers", "option"),
    Kernel(
        "mandelbrot", "a picture of the Mandelbrot set", "a loop under a mask until none is left", "point"
    ),
    Kernel("prefix-sum", "y[i] = x[0] + ... + x[i]", "slides by 1, 2, 4, ... places"),
    Kernel("histogram", "h[x[i]] += 1", "counters for each lane, fractional LMUL, reductions"),
    Kernel("compaction", "copy the elements above a limit", "vcompress, and a count of the mask"),
    Kernel("hex", "bytes as hexadecimal digits", "a table in a register (vrgather)", "byte"),
    Kernel("transpose", "B = A^T, dense", "strided loads"),
    Kernel("memcpy", "copy bytes", "eight registers of bytes at any alignment", "byte"),
    Kernel("strlen", "lengths of strings", "loads that stop at the first fault", "byte"),
    Kernel("grey", "grey values of colours", "segments of three, widening, rounding and narrowing", "pixel"),
    Kernel("fir", "a filter in fixed point", "16 bits times 16 bits added in 32, and a clip", "multiply-add"),
    Kernel(
        "pathfinder",
        "the cheapest way through a grid",
        "minima of three neighbours, masks made by the compiler",
        "cell",
        True,
    ),
    Kernel("particle-filter", "resampling of particles", "a search under a mask, then a gather", "particle"),
    Kernel(
        "streamcluster",
        "the nearest centre of each point",
        "many short sums, scalar ones where registers are longer",
        "multiply-add",
        True,
    ),
    Kernel("spmv-csr", "y = A x in compressed rows", "a gather and a sum for each row", "non-zero"),
    Kernel("spmv-ellpack", "y = A x in ELLPACK", "long vectors with padding", "non-zero", plain=True),
    Kernel("spmv-sell", "y = A x in SELL-C-sigma", "padding within slices, a scatter of y", "non-zero"),
    Kernel("spmv-jd", "y = A x in jagged diagonals", "long vectors, 16-bit indices", "non-zero"),
)
KERNELS = {each.name: each for each in _KERNELS}


def find(name: str) -> Kernel:
    """Return the kernel of a name.

    Raises
    ------
    UserError
        There is none.
    """
    if name not in KERNELS:
        raise UserError(
            f"no kernel {name!r} in the course{nearest(name, KERNELS)}; they are {', '.join(KERNELS)}"
        )
    return KERNELS[name]
