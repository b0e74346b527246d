"""The benchmark of propagation blocking: matrices from other processes, and its table."""

import numpy as np
import pytest
import scipy.sparse

from benchmarks import propagation_blocking
from experiments.gpu_bench.matrix_supply import Supplied
from experiments.gpu_bench.suite import select


@pytest.mark.nightly
def test_what_other_processes_convert_is_the_matrix_again():
    matrix = scipy.sparse.random_array((50, 40), density=0.2, rng=1, format="csr")
    more = propagation_blocking.converted(None, matrix)
    made = Supplied(select("uniform-1M-16")[0], matrix, {}, more=more)
    for sizes in propagation_blocking.SIZES:
        stored = propagation_blocking.stored_in(made, sizes, "float32")
        stored.check()
        np.testing.assert_array_equal(stored.to_scipy().toarray(), matrix.astype(np.float32).toarray())


def test_variants_have_sizes_that_there_are():
    variants = propagation_blocking.VARIANTS
    assert {each.sizes for each in variants} == set(propagation_blocking.SIZES)
    assert len({each.name for each in variants}) == len(variants)


def test_a_table_by_hand():
    record = {"matrix": "m", "dtype": "float32", "name": "default", "us": 80.0, "bound_us": 40.0}
    rivals = {"cusparse": "csr_alg2", "cusparse_us": 120.0, "auto": "sell-near", "auto_us": 100.0}
    right = {"right": True, "same_bits": True, "error": 1e-9}
    other = {"right": False, "same_bits": False, "error": 0.5, "name": "other"}
    records = [{**record, **rivals, **right}, {**record, **rivals, **other}]
    lines = propagation_blocking.tables({"records": records}).splitlines()
    assert (
        lines[2]
        == "| m, float32 | default | 80.0 | 0.50 | 1.50 (csr_alg2, 120.0) | 1.25 (sell-near, 100.0) |"
    )
    assert "| other WRONG: 5.0e-01 BITS DIFFER |" in lines[3]


def test_without_a_gpu_it_says_so(capsys):
    assert propagation_blocking.main([]) == 2
    assert capsys.readouterr().err.startswith("error: ")
