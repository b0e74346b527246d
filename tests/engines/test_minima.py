"""The least and the greatest of two floats, by IEEE 754-2019, in every engine and every form."""

import itertools
import math

import numpy as np
import pytest

from isa.assembler import assemble
from vecsim.engines.running import run
from vecsim.machine import load_machine

VALUES = (0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan)
PAIRS = list(itertools.product(VALUES, VALUES))
KINDS = {"s": ("w", np.float32), "d": ("d", np.float64)}
A, B, LEAST, GREATEST = 1024, 2048, 3072, 4096


def text(suffix):
    """Write all forms: f5 and f6 are the least and the greatest of 0 and -0."""
    load, dtype = KINDS[suffix]
    size, lines = np.dtype(dtype).itemsize, [f"li x1, {len(PAIRS)}", "setvl x1"]
    lines += [f"lv.{load} v1, {A}(x0)", f"lv.{load} v2, {B}(x0)"]
    for name, place in (("min", LEAST), ("max", GREATEST)):
        lines += [f"{name}vv.{suffix} v3, v1, v2", f"sv.{load} v3, {place}(x0)"]
        lines += [f"fl.{load} f1, {B + size}(x0)", f"{name}vs.{suffix} v4, v1, f1"]
        lines += [f"extf f{5 if name == 'min' else 6}, v4, x0"]
    lines += ["li x5, 0", f"li x6, {size * len(PAIRS)}"]
    lines += ["again:", f"fl.{load} f2, {A}(x5)", f"fl.{load} f3, {B}(x5)"]
    for name, place in (("min", LEAST), ("max", GREATEST)):
        lines += [f"f{name}.{suffix} f4, f2, f3", f"fs.{load} f4, {place + 2048}(x5)"]
    return "\n".join([*lines, f"addi x5, x5, {size}", "blt x5, x6, again", "halt"])


def least(a, b):
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return min((a, b), key=lambda value: (value, math.copysign(1, value)))


@pytest.mark.parametrize("engine", ["simpy", "jit", pytest.param("jit-multiport", marks=pytest.mark.ci)])
@pytest.mark.parametrize("suffix", KINDS)
def test_all_pairs(suffix, engine):
    dtype = KINDS[suffix][1]
    memory = np.zeros(8192, np.uint8)
    for place, column in ((A, 0), (B, 1)):
        values = np.array([pair[column] for pair in PAIRS], dtype)
        memory[place : place + values.nbytes] = values.view(np.uint8)
    result = run(assemble(text(suffix)), memory, load_machine("vs2003"), engine=engine)
    floats = result.state.fs[::2] if suffix == "s" else result.state.fd
    assert np.signbit(floats[5:7]).tolist() == [True, False]
    expected = {LEAST: [least(*pair) for pair in PAIRS]}
    expected[GREATEST] = [-least(-a, -b) for a, b in PAIRS]
    for place, values in expected.items():
        right = np.array(values, dtype)
        right[np.isnan(right)] = np.nan
        for actual in (place, place + 2048):
            assert result.state.memory[actual : actual + right.nbytes].tobytes() == right.tobytes()
