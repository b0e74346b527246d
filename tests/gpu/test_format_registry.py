"""The registry of formats: what it says of each, and that no format is missing."""

import numpy as np
import pytest
import scipy.sparse

from gpu.format_registry import FORMATS, find, format_of
from gpu.formats.biell.container import BiELL
from gpu.formats.hyb.container import HYB
from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.formats.mixed_sliced.slicing import MixedSlicing
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from vecsim.formats.base import FormatBase
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))


def containers(base=FormatBase):
    """Yield every class of a format that there is."""
    for each in base.__subclasses__():
        if (
            each.__module__.startswith(("vecsim.formats.", "gpu."))
            and each.__module__ != "vecsim.formats.base"
        ):
            yield each
        yield from containers(each)


def test_every_container_has_a_name():
    assert {each.container for each in FORMATS.values()} == set(containers())


def test_names_and_aliases_are_distinguished():
    names = [name for each in FORMATS.values() for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    assert all(find(name).name == name for name in FORMATS)
    assert find("csr") is FORMATS["crs"]
    assert find("jad") is FORMATS["jd"]


def test_each_is_described_in_its_own_line():
    assert len({each.summary for each in FORMATS.values()}) == len(FORMATS)
    for each in FORMATS.values():
        assert 0 < len(each.summary) <= 110 and "\n" not in each.summary
        assert each.source


@pytest.mark.parametrize(
    ("name", "can"),
    [
        ("crs", "image insertion paper"),
        ("jd", "image insertion paper historical"),
        ("bbcs", "image insertion paper sections historical"),
        ("hism", "image insertion paper sections historical"),
        ("hisparse", "gpu"),
        ("hbp", "gpu historical"),
        ("hbp-active", "gpu"),
        ("coo", ""),
        ("hyb", "gpu historical"),
        ("pellr", "gpu"),
        ("sell-hubs", "gpu"),
    ],
)
def test_what_each_can_do(name, can):
    each = FORMATS[name]
    actual = {
        "image": each.has_image,
        "insertion": each.takes_insertion,
        "paper": "paper" in each.accountings,
        "sections": each.needs_section_size,
        "gpu": each.for_gpu,
        "historical": each.historical,
    }
    assert {ability for ability, has in actual.items() if has} == set(can.split())


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("selll-hubs", "; did you mean 'sell-hubs'?"),
        ("CSR", "; did you mean 'csr'?"),
        ("zzz", ""),
    ],
)
def test_an_unknown_name(name, ending):
    with pytest.raises(UserError) as caught:
        find(name)
    assert str(caught.value) == f"unknown format {name!r}; use one of {', '.join(FORMATS)}{ending}"


def test_a_section_size_is_for_those_that_need_one():
    assert FORMATS["hism"].from_scipy(MATRIX, section_size=4).section_size == 4
    assert FORMATS["hism"].from_scipy(MATRIX).section_size == 64
    assert FORMATS["crs"].from_scipy(MATRIX, section_size=4).nnz == MATRIX.nnz
    assert FORMATS["hism"].from_scipy(MATRIX, section_size=4, order=("column",)).order == ("column",)
    with pytest.raises(UserError, match="section size 5 is not possible"):
        FORMATS["bbcs"].from_scipy(MATRIX, section_size=5)


def test_a_matrix_knows_its_format():
    # Blocks choose their threads a row and index widths by the matrix, and HYB keeps its width, not the rule.
    by_rule = {name for name in FORMATS if "-blocks-" in name or name.startswith("hyb-")}
    for name in set(FORMATS) - by_rule:
        assert format_of(FORMATS[name].from_scipy(MATRIX)) is FORMATS[name]
    assert format_of(HYB.from_scipy(MATRIX, split=1)) is FORMATS["hyb"]
    assert format_of(BiELL.from_scipy(MATRIX, sorted_globally=True)) is FORMATS["bijad"]
    assert format_of(Sliced.from_scipy(MATRIX, slicing=Slicing(row_cap=2))) is None
    assert format_of(MixedSliced.from_scipy(MATRIX, slicing=MixedSlicing(steps=3))) is None
    assert format_of(MATRIX) is None
