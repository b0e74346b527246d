"""The kernels by name: a kernel for each format, what they share with it, and the table of docs/gpu.md."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from gpu.format_registry import FORMATS
from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.formats.mixed_sliced.slicing import MixedSlicing
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from gpu.kernel_registry import ALIASES, KERNELS, kernel_of

DOCS = Path(__file__).parents[2] / "docs" / "gpu.md"
MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))


def test_formats_for_gpus_have_a_kernel_of_their_name():
    assert {name for name, format in FORMATS.items() if format.for_gpu} < set(KERNELS)
    for name in set(FORMATS) & set(KERNELS):
        assert KERNELS[name].format is FORMATS[name]
        assert KERNELS[name].historical == FORMATS[name].historical
    others = {name: kernel.format.name for name, kernel in KERNELS.items() if name not in FORMATS}
    assert others == {
        **dict.fromkeys(("crs-scalar", "crs-split", "crs-adaptive", "crs-half-warp"), "crs"),
        "pellr-near": "pellr",
        "sell-segments-direct": "sell-segments",
        "hbp-active-direct": "hbp-active",
        "hisparse-queues": "hisparse",
    }


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_converts_into_its_format(name):
    kernel = KERNELS[name]
    assert type(kernel.convert(MATRIX)) is kernel.format.container


def test_what_goes_to_the_device_at_once_is_not_copied():
    for name, kernel in KERNELS.items():
        shares = np.shares_memory(getattr(kernel.convert(MATRIX), "values", np.zeros(0)), MATRIX.data)
        assert shares == (kernel.format.name in ("crs", "coo")), name


def test_auto_leaves_historical_kernels_out():
    historical = {
        "hyb",
        "hyb-third",
        "hyb-mean",
        "biell",
        "bijad",
        "jd",
        "bbcs",
        "hism",
        "hbp",
        "crs-half-warp",
    }
    assert {name for name, kernel in KERNELS.items() if kernel.historical} == historical
    unestimated = {*historical, "pellr-near", "hisparse", "hbp-active"}
    unestimated |= {"hbp-active-direct", "hisparse-queues"}
    assert {name for name, kernel in KERNELS.items() if kernel.work is None} == unestimated


def test_other_names_are_those_of_the_formats():
    assert ALIASES["csr"] == "crs"
    assert ALIASES["csr-split"] == "crs-split"
    assert ALIASES["jad"] == "jd"
    assert set(ALIASES.values()) == {name for name, kernel in KERNELS.items() if kernel.format.aliases}
    assert not set(ALIASES) & set(KERNELS)


@pytest.mark.parametrize(
    ("stored", "actual"),
    [
        (FORMATS["crs"].from_scipy(MATRIX), ("crs", "crs")),
        (FORMATS["hism"].from_scipy(MATRIX, section_size=4), ("hism", "hism")),
        (FORMATS["pellr"].from_scipy(MATRIX), ("pellr", "pellr")),
        (FORMATS["bijad"].from_scipy(MATRIX), ("bijad", "bijad")),
        (FORMATS["sell-hubs"].from_scipy(MATRIX), ("sell-hubs", "sell-hubs")),
        (Sliced.from_scipy(MATRIX, slicing=Slicing(row_cap=2)), ("sliced", "ell")),
        (MixedSliced.from_scipy(MATRIX, slicing=MixedSlicing(steps=3)), ("sliced", "sell-near")),
        (MATRIX, None),
    ],
)
def test_the_kernel_of_a_matrix_that_is_in_a_format(stored, actual):
    assert kernel_of(stored) == actual


def test_the_documentation_has_the_table():
    rows = [f"| {_named(name)} | {kernel.summary} |" for name, kernel in KERNELS.items()]
    table = "\n".join(["| name | what it is |", "|---|---|", *rows])
    assert f"\n\n{table}\n\n" in DOCS.read_text(encoding="utf-8"), f"docs/gpu.md must have\n{table}"


def test_the_documentation_names_the_formats_that_are_not_deterministic():
    refused = [f"`{name}`" for name, kernel in KERNELS.items() if not kernel.deterministic]
    text = " ".join(DOCS.read_text(encoding="utf-8").split())
    assert f"equal from run to run: all but {', '.join(refused[:-1])} and {refused[-1]}." in text


def _named(name):
    other = [f"`{alias}`" for alias, known in ALIASES.items() if known == name]
    return f"`{name}`" + (f" ({', '.join(other)})" if other else "")
