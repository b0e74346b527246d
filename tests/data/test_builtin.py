import numpy as np
import pytest

from vecsim.data import BUILTINS, DEFAULT_BUILTIN, MAX_DIMENSION, load, load_builtin
from vecsim.support.errors import UserError

# Rows of each family by its number.
ROWS = {
    "randomwalk-N": lambda n: (n + 1) * (n + 2) // 2,
    "laplace1d-N": lambda n: n,
    "laplace2d-N": lambda n: n**2,
    "laplace3d-N": lambda n: n**3,
    "ninepoint-N": lambda n: n**2,
    "stencil27-N": lambda n: n**3,
    "pde-N": lambda n: n**2,
    "convdiff2d-N": lambda n: n**2,
    "convdiff3d-N": lambda n: n**3,
    "olmstead-N": lambda n: 2 * n,
    "brusselator1d-N": lambda n: 2 * n,
    "brusselator2d-N": lambda n: 2 * n**2,
    "tubular-N": lambda n: 2 * n,
    "tolosa-N": lambda n: 90 + 5 * n,
    "grcar-N": lambda n: n,
    "ising-N": lambda n: 2 * n,
    "boundary-N": lambda n: n,
    "primes-N": lambda n: n,
    "beam-N": lambda n: 4 * n - 2,
    "wathen-N": lambda n: 3 * n**2 + 4 * n + 1,
    "butterfly-N": lambda n: n * 2**n,
    "debruijn-N": lambda n: 2**n,
    "diagonal-N": lambda n: n,
    "arrowhead-N": lambda n: n,
    "dense-N": lambda n: n,
}


def test_the_table_has_every_family():
    assert set(ROWS) == {name for name, builtin in BUILTINS.items() if builtin.is_family}


@pytest.mark.parametrize("family", ROWS)
def test_a_family_loads_the_same_twice(family):
    low, high = BUILTINS[family].limits
    assert ROWS[family](high) <= MAX_DIMENSION
    for number in (low, low + 1, low + 5):
        name = family.replace("N", str(number))
        matrix, again = load(name), load(name)
        assert (matrix.name, matrix.source) == (name, "built-in")
        assert matrix.csr.shape == (ROWS[family](number),) * 2
        assert matrix.csr.has_canonical_format
        assert matrix.csr.dtype == np.float64
        assert np.isfinite(matrix.csr.data).all()
        assert (matrix.csr != again.csr).nnz == 0


def test_the_default_is_large_enough_to_show_three_levels():
    matrix = load(DEFAULT_BUILTIN).csr
    assert matrix.shape[0] > 64 * 64
    assert matrix.nnz >= 10_000


@pytest.mark.parametrize("name", ["laplace2d-1", "laplace2d-999999"])
def test_the_number_of_a_family_has_limits(name):
    with pytest.raises(UserError, match="N must be from 2 to"):
        load(name)


@pytest.mark.parametrize(
    "name", ["pde226", "tols95", "laplace2d-", "laplace2d-01", "bibd_9_4", "laplace2d-N"]
)
def test_load_builtin_refuses_other_names(name):
    with pytest.raises(UserError, match=f"'{name}' is not a built-in matrix"):
        load_builtin(name)
