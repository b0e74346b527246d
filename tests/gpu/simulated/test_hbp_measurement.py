"""The measurement of the HBP experiment, with a clock that does not measure."""

import numpy as np
import pytest

from experiments.gpu_bench.matrix_supply import Supplied, make
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hbp import measurement, preparation_measurement
from experiments.papers.hbp.orders import Blocks, compared_on_the_device, measured
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import in_order_of_kinds, subjects
from experiments.papers.kit.measurement import Run
from experiments.papers.kit.results import read_results
from gpu.hbp.ordering import ON_THE_HOST
from gpu.measure.timing import Timing

DEVICE = ("simulated", {})
TINY = SuiteMatrix(
    "m4-kronecker-18",
    "skewed",
    "a stencil",
    generator="stencils.grid_diffusion",
    arguments={"points": [1, 5, 8], "seed": 1},
    stands_for=({"paper": "hbp", "name": "kron_g500-logn18"},),
)


def timings(operations):
    return [Timing(5.0, 0.01, 20, 100) for _ in operations]


@pytest.mark.nightly
def test_what_is_recorded(monkeypatch, tmp_path):
    monkeypatch.setattr(preparation_measurement, "RUNS", 1)
    monkeypatch.setattr(preparation_measurement, "ORDERS", ("hash", "probing"))
    monkeypatch.setattr(measurement, "DTYPES", ("float32",))
    monkeypatch.setattr(measurement, "LARGE", ("m4",))
    supplied = [make(TINY, transposed=False), Supplied(TINY, None, {}, status="not_found", missing="no file")]
    doing = []
    actual = measurement.measure_matrices(
        (TINY, TINY), supplied, DEVICE, timings, lambda what, share: doing.append(share), Run()
    )
    assert doing == [0, 1 / 2]
    assert [each.missing for each in actual.matrices] == ["", "no file"]
    assert {(r.method, r.operation): r.status for r in actual.records if r.operation} == {
        ("active", "all"): "ok",
        **{(method, stage): "ok" for method in ("hash", "probing") for stage in ("order", "all")},
    }
    products = {(each.method, each.dtype): each for each in actual.records}
    assert products["cusparse", "float32"].status == "failed"  # the simulator has none
    repaired = {"hbp-active", "hbp-active-direct"}
    for method in (*measurement.PUBLISHED, *repaired, "crs", "crs-scalar"):
        each = products[method, "float32"]
        assert (each.status, each.median_us) == ("ok", 5.0), each.reason
        assert each.error < 1
        assert each.nbytes > 8 * 40
        # There are no slots in so small a matrix.
        combined = method in measurement.PUBLISHED and method != "hbp-probing-direct"
        assert (each.parts.get("combine") == 5.0) == combined
    (blocks,) = actual.blocks
    assert (blocks.blocks, blocks.filled, blocks.filled_rows) == (1, 1, 40)
    file = tmp_path / "r.json"
    file.write_bytes(actual.to_json())
    recorded = read_results(file, Results)
    assert [each.method for each in recorded.records] == [each.method for each in actual.records]
    assert (len(recorded.orders), recorded.blocks) == (len(actual.orders), actual.blocks)


def test_conversions_take_turns():
    calls = []
    times = preparation_measurement.wall_in_turn(
        {name: lambda name=name: calls.append(name) for name in ("a", "b")}
    )
    assert calls == ["a", "b"] * (preparation_measurement.RUNS + 1)
    assert {name: len(each) for name, each in times.items()} == dict.fromkeys(
        "ab", preparation_measurement.RUNS
    )


def test_a_probed_order_is_measured_on_the_blocks_of_the_sample():
    counts = np.zeros((2, 64), np.int32)
    counts[0, ::2], counts[1, 5] = 3, 64
    for each in compared_on_the_device("a", Blocks(counts, counts, 100)):
        assert (each.matrix, each.blocks, each.block_columns) == ("a", 2, 100)
        # All rows without entries begin at place 0 and fill the first half, but for those of the last groups.
        assert each.deviation < measured(counts.ravel(), np.arange(128) % 32 == 0)[0]
        assert each.lanes == pytest.approx(160 / (32 * each.steps))


def test_no_matrix_is_begun_after_the_limit():
    actual = measurement.measure_matrices((TINY,), (), DEVICE, None, None, Run(limit=-1.0))
    assert actual.matrices[0].missing == "left out: -1 seconds were over"


def test_nothing_more_of_a_matrix_is_measured_when_it_is_late(monkeypatch):
    monkeypatch.setattr(preparation_measurement, "ORDERS", ("classes",))
    supplied = [make(TINY, transposed=False)]
    actual = measurement.measure_matrices(
        (TINY,), supplied, DEVICE, None, lambda *message: None, Run(late=-1.0)
    )
    assert {(each.status, each.reason) for each in actual.records} == {("left_out", "the time was over")}
    assert len([each for each in actual.records if not each.operation]) == 2 * (
        len(measurement.PUBLISHED) + 5
    )
    assert not actual.orders or {each.method for each in actual.orders} <= set(ON_THE_HOST)


def test_one_of_each_kind_comes_first_and_the_large_ones_last():
    names = [each.name for each in in_order_of_kinds(subjects())]
    assert names[:4] == ["m1-circuit", "m3-device", "m4-kronecker-18", "m8-optimisation"]
    assert names[-3:] == ["m5-kronecker-19", "m6-kronecker-20", "m7-kronecker-21"]
    assert sorted(names) == sorted(each.name for each in subjects())
