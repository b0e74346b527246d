"""A program of the user's own: another text for the format, symbols and options of one of ours."""

import pytest

import vecsim
from programs.registry import PROGRAMS, find
from vecsim.cli import main
from vecsim.support.errors import UserError


@pytest.fixture
def own(tmp_path):
    """A copy of the plain CRS program that does one thing more than it must."""
    text = PROGRAMS["crs"].text("plain").read().replace("    halt", "    addi    x1, x1, 0\n    halt")
    path = tmp_path / "my.s"
    path.write_text(text)
    return path


def test_it_runs_as_the_program_that_it_is_like(own):
    plain = {"schedule": "plain", "sums": "scalar"}
    actual = vecsim.measure(f"crs:{own}", "laplace2d-10", options={"sums": "scalar"})
    assert actual.instructions == vecsim.measure("crs", "laplace2d-10", options=plain).instructions + 1
    assert actual.relative_error < 1e-6
    assert actual.program == f"crs:{own}"
    assert actual.options == {"sums": "scalar", "products": "row", "accumulate": "no"}


def test_a_wrong_product_is_seen(own):
    own.write_text(own.read_text().replace("mulvv.f", "addvv.f"))
    assert vecsim.measure(f"crs:{own}", "laplace2d-10").relative_error > 0.01


def test_it_can_be_explained(own):
    actual = vecsim.why(f"crs:{own}", "laplace2d-3")
    assert actual.in_words().startswith("my.s on laplace2d-3: ")
    assert actual.lines[0].place.startswith(f"{own}:")


def test_it_has_a_page(own, tmp_path):
    page, how = tmp_path / "page.html", ["--like", "crs", "--engine", "simpy"]
    assert main(["view", "laplace2d-3", "--program", str(own), *how, "--out", str(page)]) == 0
    assert "my.s on laplace2d-3" in page.read_text(encoding="utf-8")


def test_mistakes_are_reported(own, tmp_path):
    with pytest.raises(UserError, match=r"unknown program 'crss'.* did you mean 'crs'"):
        find(f"crss:{own}")
    with pytest.raises(UserError, match=r"none\.s: no such file"):
        find(f"crs:{tmp_path / 'none.s'}")
    with pytest.raises(UserError, match="has no option 'schedule'; it has: sums, products, accumulate"):
        vecsim.measure(f"crs:{own}", "laplace2d-3", options={"schedule": "plain"})
    own.write_text("lv.q v1, 0(x0)\n")
    with pytest.raises(UserError, match=r"my\.s:1:1: unknown instruction"):
        vecsim.measure(f"crs:{own}", "laplace2d-3")
