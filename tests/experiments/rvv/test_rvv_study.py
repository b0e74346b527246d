"""The study of formats on RISC-V Vector: its record is whole and is what is measured."""

import math

import numpy as np
import pytest

from experiments.rvv.cases import CLASSIC_PROGRAMS, LENGTHS, LMULS, MACHINES, MATRICES, Cycles, machine_of
from experiments.rvv.recorded_cycles import recorded
from experiments.rvv.results import STANDARD, Best, best_standard, conclusions, means, over_standard
from programs.measurement import multiplicand
from programs.rvv.sparse.arrays import FORMATS
from programs.rvv.sparse.measurement import GROUPS, run_product
from vecsim.data import load


def test_every_case_is_recorded():
    groups = sum(lmul <= GROUPS[product] for product in FORMATS for lmul in LMULS)
    of_matrix = len(LENGTHS) * (len(MACHINES) * groups + len(CLASSIC_PROGRAMS))
    cases = {(each.matrix, each.machine, each.product, each.vlen, each.lmul) for each in recorded()}
    assert len(cases) == len(recorded()) == len(MATRICES) * of_matrix


@pytest.mark.ci
@pytest.mark.parametrize("machine", MACHINES)
def test_recorded_cycles_are_measured(machine):
    matrix = load("laplace2d-30").csr.astype(np.float32)
    x = multiplicand(matrix.shape[1], 0, np.float32).astype(np.float32)
    cases = (("hism", 256, 8), ("hism", 16384, 1), ("jd", 2048, 4), ("bbcs", 512, 2), ("chism", 512, 2))
    for product, vlen, lmul in cases:
        cycles = run_product(product, matrix, x, machine_of(machine, vlen), lmul=lmul).run.cycles
        assert Cycles("laplace2d-30", machine, product, vlen, lmul, matrix.nnz, cycles) in recorded()


def test_means_have_the_best_groups():
    def of(product, lmul, *cycles):
        return [Cycles(f"m{k}", "m", product, 256, lmul, 10, each) for k, each in enumerate(cycles)]

    others = [each for name in STANDARD[1:] for each in of(name, 1, 400, 400)]
    mean = means([*of("hism", 1, 100, 400), *of("hism", 2, 90, 160), *of("crs", 1, 150, 216), *others])
    assert mean["m", "hism", 256] == Best(pytest.approx(12), 2)
    assert best_standard(mean, "m", 256) == "crs"
    assert over_standard(mean, "m", 256) == pytest.approx(math.sqrt(150 * 216) / 120)


def test_conclusions_say_both_machines():
    assert all("`vs2003`" in each for each in conclusions())
