"""Files of earlier versions are read, with the names of today."""

from pathlib import Path

import pytest

from experiments.gpu_bench import former_names
from experiments.gpu_bench.records import STATUSES, Record, read_run
from gpu.kernel_registry import KERNELS

ROOT = Path(__file__).parents[3]
KEPT = sorted((ROOT / "benchmarks" / "results").glob("gpu-*.json"))
FORMER = (*former_names.FIELDS, *former_names.STATUSES, *former_names.FORMATS)

BLANK = Record(
    matrix="m",
    class_="small",
    generated=False,
    rows=0,
    cols=0,
    nnz=0,
    dtype="float64",
    operation="spmv",
    method="crs",
    parameters={},
    library="vecsim",
    device="a GPU",
    commit="abc",
    date="2026-11-22",
)


def test_a_record_is_read_as_it_was_written():
    assert Record.from_document(BLANK.document()) == BLANK


def test_every_former_name_is_still_read():
    document = BLANK.document()
    for former, name in former_names.FIELDS.items():
        document[former] = document.pop(name)
    document |= {
        "floor_us": 1.5,
        "share_of_floor": 0.75,
        "status": "not_at_hand",
        "method": "sliced-ell-8-lanes",
        "parameters": {"format": "sliced-ell-blocks-3-lanes", "transposed": "copy"},
    }
    record = Record.from_document(document)
    assert (record.bound_us, record.share_of_bound, record.status) == (1.5, 0.75, "not_found")
    assert record.method == "sliced-ell-8-threads"
    assert record.parameters == {"format": "sliced-ell-blocks-3-threads", "transposed": "copy"}
    # What was read stays as it is.
    assert document["parameters"]["format"] == "sliced-ell-blocks-3-lanes"


def test_former_names_stand_for_names_of_today():
    assert set(former_names.FIELDS.values()) <= set(BLANK.document())
    assert set(former_names.STATUSES.values()) <= set(STATUSES)
    assert set(former_names.FORMATS.values()) <= set(KERNELS)
    assert set(FORMER).isdisjoint({*BLANK.document(), *STATUSES, *KERNELS})


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_kept_results_name_formats_of_today(file):
    run = read_run(file)
    ours = [record for record in run.records if record.ours and record.status != "not_found"]
    assert ours
    assert {record.method for record in ours} <= {*KERNELS, "auto"}
    assert {record.parameters.get("format", "crs") for record in ours} <= set(KERNELS)
    assert all(record.share_of_bound for record in ours if record.median_us)
