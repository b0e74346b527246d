"""The measurement of the HiSparse experiment, with a clock that does not measure."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.gpu_bench.matrix_supply import Supplied, make
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hisparse import measurement
from experiments.papers.hisparse.methods import (
    BEST,
    CSR,
    CSR_EDIT,
    CSR_SUM,
    DTYPES,
    DUAL_SUM,
    EDIT,
    OWN,
    PRODUCT_METHODS,
    PRODUCTS,
    SUMS,
    TREE_EDIT,
    TREE_SUM,
)
from experiments.papers.hisparse.results import Results
from experiments.papers.hisparse.sum_measurement import GEAM_RECORDS
from experiments.papers.kit.measurement import Run
from experiments.papers.kit.results import read_results
from gpu.measure.timing import Timing

TIMING = Timing(5.0, 0.01, 20, 100)
GPU = ("simulated", {})
TINY = SuiteMatrix(
    "tiny",
    "other",
    "a stencil",
    generator="stencils.grid_diffusion",
    arguments={"points": [1, 3, 4], "seed": 1},
    transposed=True,
    stands_for=({"paper": "hisparse", "name": "dense"},),
)
TIMERS = measurement.Timers(
    lambda operations: [TIMING] * len(operations),
    lambda captured, others: [TIMING] * (len(captured) + len(others)),
    lambda operations: [5.0] * len(operations),
)
OF_SUMS = [(operation, method) for operation in SUMS for method in (DUAL_SUM, TREE_SUM, CSR_SUM)]
"""Our sums."""
LOST = replace(TINY, name="lost", stands_for=())


@pytest.fixture
def measured():
    supplied = [make(TINY, transposed=True), Supplied(LOST, None, {}, status="not_found", missing="no file")]
    doing = []
    actual = measurement.measure_matrices(
        (TINY, LOST),
        supplied,
        GPU,
        TIMERS,
        lambda what, share: doing.append((what, share)),
        Run(),
    )
    assert doing == [("measuring tiny", 0), ("measuring lost", 1 / 2)]
    return actual


@pytest.mark.nightly
def test_every_method_both_ways(measured, tmp_path):
    tiny, lost = measured.matrices
    assert lost.missing == "no file"
    assert (tiny.name, tiny.stands_for, tiny.rows, tiny.nnz, tiny.longest) == ("tiny", "dense", 12, 46, 5)
    assert len(tiny.sha256) == 64
    assert {(tree.node_size, tree.dtype, tree.leaves) for tree in tiny.trees} == {
        (256, "float64", 1),
        (256, "float32", 1),
        (128, "float32", 1),
    }
    by_name = {(each.operation, each.method, each.dtype): each for each in measured.records}
    of_products = {(o, m, d) for o in PRODUCTS for m in PRODUCT_METHODS for d in DTYPES}
    of_edits = {(EDIT, method, "float64") for method in (TREE_EDIT, CSR_EDIT)}
    for each in of_edits:
        record = by_name.pop(each)
        assert (record.status, record.median_us) == ("ok", 5.0)
        assert record.nbytes > 0
    assert set(by_name) == of_products | {(o, m, d) for d in DTYPES for o, m in (*OF_SUMS, *GEAM_RECORDS)}
    for (operation, method, dtype), record in by_name.items():
        if (operation, method) in OF_SUMS:
            assert (record.median_us, record.error, record.same_bits) == (5.0, 0, True)
            conversion = {"conversion"} if method == CSR_SUM and operation != "sum" else set()
            passes = set() if method == DUAL_SUM else {"symbolic", "numeric"}
            assert record.parts == dict.fromkeys(passes | conversion, 5.0)
            continue
        if method in (CSR, BEST) or (operation, method) in GEAM_RECORDS:  # there is no cuSPARSE here
            assert (record.status, bool(record.reason)) == ("failed", True)
            continue
        assert (record.status, record.median_us, record.reason) == ("ok", 5.0, "")
        assert record.error <= (1e-15 if dtype == "float64" else 1e-6)
        assert record.nbytes > tiny.nnz * (2 + np.dtype(dtype).itemsize)
        assert record.same_bits is (True if method == OWN else None)
    path = tmp_path / "results.json"
    path.write_bytes(measured.to_json())
    again = read_results(path, Results)
    assert again.matrices[0].trees == tiny.trees
    assert replace(again.records[0], error=0) == replace(measured.records[0], error=0)


def test_when_time_is_up_what_is_left_is_named():
    actual = measurement.measure_matrices((TINY,), iter(()), GPU, TIMERS, lambda *_: None, Run(limit=-1.0))
    assert [each.missing for each in actual.matrices] == ["left out: -1 seconds were over"]
