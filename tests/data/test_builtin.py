import re

import numpy as np
import pytest

from vecsim.data import BUILTINS, DEFAULT_BUILTIN, MAX_DIMENSION, load, load_builtin
from vecsim.data.synthetic.random_graphs import kronecker
from vecsim.results.digests import matrix_sha256
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


# Of each random family a small matrix: its shape and the beginning of its SHA-256.
RANDOM = {
    "rmat-S-D": ("rmat-5-4", (32, 32), "54b832afb388014a"),
    "powerlaw-N-M-A": ("powerlaw-60-5-2.1", (60, 60), "57895f5448c69b6e"),
    "uniform-N-K": ("uniform-50-4", (50, 50), "885234a7cf9d712a"),
    "banded-N-W-K-P": ("banded-60-4-5-0.2", (60, 60), "63fc4e0b4e0309b0"),
    "block-N-B-K": ("block-48-4-3", (48, 48), "734864df894a59ac"),
    "attachment-N-M": ("attachment-60-3", (60, 60), "c48797a3bc07f803"),
    "chunglu-N-M-A": ("chunglu-60-5-2.5", (60, 60), "0e59aec3cb7db407"),
    "communities-N-B-K-P": ("communities-60-5-6-0.2", (60, 60), "a6e35d014dc951a1"),
    "hyperbolic-N-K-A": ("hyperbolic-80-6-2.5", (80, 80), "f99e49df093f033e"),
    "ratings-M-N-K-A": ("ratings-60-30-4-2.5", (60, 30), "825be89ceae99230"),
    "web-N-K-P-Q": ("web-60-5-0.5-0.8", (60, 60), "1d986e74667413d5"),
    "zipf-N-K-A": ("zipf-60-5-1", (60, 60), "d9411cf9e156d1a9"),
    "denserows-N-K-R-P": ("denserows-60-3-2-0.5", (60, 60), "dbd20ba53fe158e4"),
    "hypersparse-N-E": ("hypersparse-90-40", (90, 90), "36aa6d51ceae5819"),
    "staircase-T-M-N-K": ("staircase-5-8-10-4", (40, 50), "dfac99cbbb84f5d7"),
    "shuffled3d-N-R": ("shuffled3d-5-3", (125, 125), "c770bed26f8cf956"),
}
# Compiling the others takes seconds each.
COMPILED_SOON = (
    "rmat-S-D",
    "powerlaw-N-M-A",
    "uniform-N-K",
    "banded-N-W-K-P",
    "block-N-B-K",
    "shuffled3d-N-R",
)


def test_the_tables_have_every_family():
    assert {*ROWS, *RANDOM} == {name for name, builtin in BUILTINS.items() if builtin.is_family}
    assert set(RANDOM) == {name for name, builtin in BUILTINS.items() if builtin.is_random}


@pytest.mark.parametrize("family", ROWS)
def test_a_family_loads_the_same_twice(family):
    (parameter,) = BUILTINS[family].parameters
    low, high = parameter.least, parameter.most
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


@pytest.mark.parametrize(
    "family", [each if each in COMPILED_SOON else pytest.param(each, marks=pytest.mark.ci) for each in RANDOM]
)
def test_a_random_matrix_is_the_same_everywhere(family):
    name, shape, digest = RANDOM[family]
    matrix = load(name)
    assert (matrix.name, matrix.source, matrix.shape) == (name, "built-in", shape)
    assert matrix_sha256(matrix.csr)[:16] == digest
    assert (load(f"{name}-seed1").csr != matrix.csr).nnz == 0
    assert (load(f"{name}-seed2").csr != matrix.csr).nnz > 0


def test_rmat_is_the_kronecker_graph_of_the_gpu_suite():
    assert (load("rmat-5-4").csr != kronecker(5, 4, 1)).nnz == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rmat-6", "unknown matrix 'rmat-6'; write rmat-S-D[-seedX] with S from 1 to 27, D from 1 to"),
        ("rmat-6-8-2", "unknown matrix 'rmat-6-8-2'; write rmat-S-D[-seedX]"),
        ("rmat-6.5-8", "unknown matrix 'rmat-6.5-8'; write rmat-S-D[-seedX]"),
        ("rmat-6:9-8", "unknown matrix 'rmat-6:9-8'; write rmat-S-D[-seedX]"),
        ("rmat-28-8", "in rmat-S-D, S must be from 1 to 27"),
        ("banded-60-4-5-1.5", "in banded-N-W-K-P, P must be from 0 to 1"),
        ("uniform-9-2-seed4294967296", "in uniform-N-K, seed must be from 0 to 4294967295"),
        ("uniform-9-20", "'uniform-9-20' is not a built-in matrix: in uniform-N-K, K 20 is not possible"),
        ("uniform-100000000-100000", "uniform-100000000-100000: a matrix of 100,000,000 rows"),
        ("laplace2d-x", "unknown matrix 'laplace2d-x'; write laplace2d-N with N from 2 to 4096"),
    ],
)
def test_wrong_numbers_are_reported_with_what_would_be_right(name, message):
    with pytest.raises(UserError, match=re.escape(message)):
        load(name)


def test_a_random_matrix_without_entries():
    # Half a dozen seeds: rows of the power law may all be empty.
    with pytest.raises(UserError, match="an empty matrix has no product"):
        for seed in range(6):
            load(f"powerlaw-3-1-1.01-seed{seed}")


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
