"""Transposition in memory, against SciPy: by the unit of HiSM's authors, and by counting and scattering."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from experiments.whatif.transposition.__main__ import row
from programs.transposition.measurement import transpose
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

SMALL = load_machine("vs2003", ["section_size=4"])


def matrix(rows, columns, density, seed=0):
    return sp.random_array((rows, columns), density=density, rng=np.random.default_rng(seed), format="csr")


@pytest.mark.parametrize("format", ["hism", "crs"])
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from([0, 0.05, 0.4, 1]), st.integers(0, 1 << 30))
@examples(60)
def test_it_is_scipys_transpose(format, rows, columns, density, seed):
    transpose(format, matrix(rows, columns, density, seed), SMALL, engine="simpy")


@pytest.mark.nightly
@pytest.mark.parametrize("format", ["hism", "crs"])
@pytest.mark.parametrize("preset", ["vs2003", "wide"])
def test_engines_agree(format, preset):
    some = matrix(300, 200, 0.01)
    engines = ("simpy", "jit", "jit-multiport")
    actual = {transpose(format, some, load_machine(preset), engine=engine).run.cycles for engine in engines}
    assert len(actual) == 1


def test_the_unit_is_faster_than_scattering():
    some = matrix(60, 60, 0.1)
    hism, crs = (
        transpose(format, some, load_machine("vs2003"), engine="simpy") for format in ("hism", "crs")
    )
    assert hism.run.cycles * 5 < crs.run.cycles
    assert hism.cycles_per_nnz == hism.run.cycles / some.nnz


def test_another_format():
    with pytest.raises(UserError, match="must be hism or crs, not 'jd'"):
        transpose("jd", matrix(3, 3, 1), SMALL)


PAGE = (Path(__file__).parents[2] / "docs" / "transposition.md").read_text(encoding="utf-8")


def test_the_code_of_the_page(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(
        compile(
            block.replace('load_machine("vs2003")', 'load_machine("vs2003"), engine="simpy"'), "page", "exec"
        ),
        {},
    )
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["hism", "crs"]


@pytest.mark.ci
@pytest.mark.parametrize("name", ["olm1000", "jpwh_991"])
def test_the_cycles_of_the_page(name, real_matrices, real_matrix):
    real_matrix(name)
    actual = row(name)
    assert f"| {name} | {actual[1]:,} | {actual[2]:.1f} | {actual[3]:,} |" in PAGE
    assert f" | {actual[4]:,} | " in PAGE
