"""The matrices that come with vecsim, by name; each is generated when asked for."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isa.errors import UserError

from . import generators
from .matrix import Matrix

# What `vecsim run` takes without an argument: more than 64 x 64 rows, so three levels of blocks.
DEFAULT_BUILTIN = "randomwalk-100"


@dataclass(frozen=True)
class Builtin:
    """A built-in matrix, or a family of them if the name holds a number to choose.

    Attributes
    ----------
    name
        As it is typed; in a family, N stands for the number.
    description
        What it is, in a few words.
    source
        Who defined it.
    generator
        Makes the csr_array.
    arguments
        What a single matrix passes to the generator; empty for a family, which passes its number.
    limits
        Smallest and largest number of a family.
    """

    name: str
    description: str
    source: str
    generator: Callable[..., Any]
    arguments: tuple[int, ...] = ()
    limits: tuple[int, int] = (0, 0)

    @property
    def is_family(self) -> bool:
        """Whether the name holds a number to choose."""
        return not self.arguments

    def arguments_in(self, name: str) -> tuple[int, ...] | None:
        """Return what `name` passes to the generator, None if it is the name of something else."""
        if not self.is_family:
            return self.arguments if name == self.name else None
        match = re.fullmatch(re.escape(self.name).replace("N", r"(0|[1-9]\d{0,9})"), name)
        return (int(match[1]),) if match else None


_ELMAN = "H. Elman 1982, NEP collection"
_MEERBERGEN = "K. Meerbergen 1994, NEP collection"
_SAAD = "Y. Saad 1992, NEP collection"
_TREFETHEN = "N. Trefethen 2002, SuiteSparse JGD_Trefethen"

# Families end where their generator would need more than a few GB.
_ALL = (
    Builtin(
        "randomwalk-N",
        "random walk on a triangular grid, N steps a side, (N + 1)(N + 2) / 2 rows",
        "G. W. Stewart 1978, MVMRWK in the NEP collection",
        generators.random_walk,
        limits=(1, 4096),
    ),
    Builtin(
        "laplace2d-N",
        "five-point Laplacian on an N x N grid, N * N rows",
        "standard finite differences",
        generators.laplace2d,
        limits=(2, 4096),
    ),
    *(
        Builtin(f"pde{x * y}", f"elliptic operator on {x} x {y} points", _ELMAN, generators.pde, (x, y))
        for x, y in ((15, 15), (30, 30), (47, 63))
    ),
    *(
        Builtin(f"olm{n}", f"Olmstead flow model, {n} rows", _MEERBERGEN, generators.olmstead, (n,))
        for n in (100, 500, 1000, 2000, 5000)
    ),
    *(
        Builtin(f"bwm{n}", f"Brusselator wave model, {n} rows", _SAAD, generators.brusselator_wave, (n,))
        for n in (200, 2000)
    ),
    *(
        Builtin(
            f"Trefethen_{n}",
            f"primes, and ones at powers of two, {n} rows",
            _TREFETHEN,
            generators.trefethen,
            (n,),
        )
        for n in (20, 150, 200, 300, 500, 700, 2000, 20000)
    ),
)

BUILTINS: dict[str, Builtin] = {builtin.name: builtin for builtin in _ALL}


def find_builtin(name: str) -> Builtin | None:
    """Return the built-in that `name` names or belongs to, None if there is none."""
    return next((builtin for builtin in _ALL if builtin.arguments_in(name) is not None), None)


def load_builtin(name: str) -> Matrix:
    """Generate a built-in matrix.

    Parameters
    ----------
    name
        A name of `BUILTINS`, in a family with the number in place of N.

    Raises
    ------
    UserError
        If there is no such built-in or the number is out of range.
    """
    builtin = find_builtin(name)
    if builtin is None:
        raise UserError(f"there is no built-in matrix '{name}'")
    arguments = builtin.arguments_in(name) or ()
    low, high = builtin.limits
    if builtin.is_family and not low <= arguments[0] <= high:
        raise UserError(f"there is no built-in '{name}': in {builtin.name}, N runs from {low} to {high}")
    return Matrix(name, builtin.generator(*arguments), "built-in")
