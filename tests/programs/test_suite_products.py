"""The programs on the HiSM paper's suite: right, on poisoned memory, and pipelined faster than plain."""

from itertools import product
from pathlib import Path
from statistics import geometric_mean

import numpy as np
import pytest
from random_products import ALLOWED, LOOPS, MACHINES, machine_of, multiply

from experiments.papers.hism import suite
from experiments.papers.hism.suite.origin import needs_no_file
from programs.measurement import measure, multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.data import values_as
from vecsim.engines.running import run
from vecsim.machine import load_machine

FIRST = load_machine(str(Path(__file__).with_name("vs2003_of_the_first_calibration.toml")))
"""What vs2003 was when the pipelined programs were written."""

AT_MOST = {"crs": 0.72, "jd": 0.97, "bbcs": 0.75, "hism": 0.86, "chism": 1.0}
"""Cycles pipelined / plain, geometric mean."""

MEMBERS = sorted(suite.members(), key=lambda member: member.size)
GENERATED = [member for member in MEMBERS if any(map(needs_no_file, member.origins))]
SOME = [member for member in GENERATED if 1000 < member.size < 6000][::3]

every_member = pytest.mark.parametrize(
    "member",
    [pytest.param(m, marks=pytest.mark.ci if m in SOME[::4] else pytest.mark.nightly) for m in MEMBERS],
    ids=lambda member: member.name,
)


def values_of(member):
    """Return the matrix in float32; skip the test where its file is not found."""
    if member in suite.missing():
        pytest.skip(f"{member.origin} is not here")
    return values_as(suite.load(member), 4)[0]


@every_member
@pytest.mark.usefixtures("real_matrices")
def test_products_of_the_suite(member):
    """On the presets' own s; up to 20,000 entries on all others too, up to 5,000 in SimPy as well."""
    values = values_of(member)
    x = multiplicand(values.shape[1], 0, values.dtype)
    machines = [load_machine(name) for name in MACHINES]
    if member.size <= 20_000:
        machines += [machine_of("vs2003", s) for s in (4, 8, 16, 32, 128, 256)]
    for machine, (name, schedule) in product(machines, LOOPS):
        result = multiply(name, values, machine, x, {"schedule": schedule}, "nan")
        assert result.relative_error <= ALLOWED[values.dtype], (machine.label, name, schedule)
        if member.size <= 5_000 and machine in machines[: len(MACHINES)]:
            prepared = prepare(name, values, machine, x, {"schedule": schedule})
            model = run(prepared.program, prepared.loaded.memory, machine, engine="simpy")
            assert (model.cycles, model.cycles_by_cause) == (result.run.cycles, result.run.cycles_by_cause)
            np.testing.assert_array_equal(prepared.loaded.result(model.state.memory), result.y)


@pytest.mark.parametrize(
    "members", [SOME, pytest.param(MEMBERS, marks=pytest.mark.nightly)], ids=["some", "all"]
)
@pytest.mark.usefixtures("real_matrices")
def test_pipelined_over_plain(members):
    ratios = {name: [] for name in PROGRAMS}
    for values in (values_of(member) for member in members):
        for name, actual in ratios.items():
            plain, pipelined = (
                measure(name, values, FIRST, options={"schedule": schedule}).cycles
                for schedule in ("plain", "pipelined")
            )
            actual.append(pipelined / plain)
    assert {
        name: geometric_mean(actual) <= AT_MOST[name] for name, actual in ratios.items()
    } == dict.fromkeys(PROGRAMS, True), {name: geometric_mean(actual) for name, actual in ratios.items()}


@pytest.mark.usefixtures("real_matrices")
def test_a_matrix_of_one_level():
    """The paper's smallest, bcsstm01, has 48 rows: no level 1, and so nothing that CHiSM does otherwise."""
    values = values_of(next(member for member in MEMBERS if member.name == "bcsstm01"))
    assert prepare("chism", values, FIRST, np.ones(48)).loaded.symbols["LEVELS"] == 1
    for schedule in ("plain", "pipelined"):
        hism, chism = (measure(p, values, FIRST, options={"schedule": schedule}) for p in ("hism", "chism"))
        assert hism.cycles == chism.cycles
