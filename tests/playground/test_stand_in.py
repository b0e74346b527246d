"""The stand-in for NumPy: what it lays out is what NumPy lays out, bit for bit."""

import json
import subprocess
import sys

import numpy as np
import pytest

from vecsim.engines.jit.arrays.table import FAR, PLACES
from vecsim.playground.worker.stand_in import functions, kinds, strided

LAID_OUT = """
import hashlib, itertools, json, sys
if sys.argv[1] == "stand-in":
    from vecsim.playground.worker.stand_in import install
    install()
    sys.modules["llvmlite"] = None  # the page has none
from isa.assembler import assemble
from vecsim.engines.targets.wasm.engine import WasmEngine
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import load_machine
import numpy as np

TEXT = '''
        li      x1, N
        li      x5, 512
loop:   setvl   x2, x1
        lv.f    v1, (x5)
        lvi.w   v4, (x5), v1
        addvv.s v2, v1, v1
        sgtvs.s v2, f1
        mulvs.s v3, v2, f1
        sumv.s  f2, v3
        sv.f    v3, (x5)
        sub     x1, x1, x2
        bnez    x1, loop
        halt
        .data 64
        .float 1.5, -2, 3e9
'''
CHANGED = {"chaining": False, "banks": 61}
MACHINES = ("vs2003", {}), ("t0", {}), ("vs2003", CHANGED), ("cray1", {"memory_ports": 2})
FAR = set(json.loads(sys.argv[2]))
for name, changes in MACHINES:
    machine = load_machine(name, changes)
    program = assemble(TEXT, symbols={"N": 100})
    run = WasmEngine(program, np.zeros(4096, np.uint8), machine, TimelineRequest())
    packed = run.packed()
    size = int.from_bytes(packed[:4], "little")
    header = json.loads(packed[4 : 4 + size])
    at, parts = 4 + size, {}
    for key, length in header["contents"]:
        content = bytearray(packed[at : at + length])
        if key == "table":
            for place in FAR:  # addresses, which the host writes
                content[8 * place : 8 * place + 8] = bytes(8)
        parts[key] = hashlib.sha256(content).hexdigest()
        at += length
    del header["contents"]
    print(json.dumps([header, parts], sort_keys=True))

from vecsim.playground.worker.lesson import Lesson
from vecsim.playground.worker.products import on_matrix

FULL = [[row, column, row - 0.3 * column] for row in range(20) for column in range(20) if row != column]
MATRICES = ((1, 1), []), ((5, 64), [[3, 2, 1.5], [0, 60, -2]]), ((20, 20), FULL), ((64, 2), [[63, 1, 1]])
X = bytes(range(64, 80))
for key in ("crs", "jd", "bbcs", "hism", "chism-any"):
    lesson = Lesson(key, symbols={"X": 0}, memory=X, shape=(4, 4))
    for size, (shape, entries) in itertools.product((4, 16, 64), MATRICES):
        machine = load_machine("vs2003", {"section_size": size})
        laid = on_matrix(lesson, {"shape": shape, "entries": entries}, machine)
        digest = hashlib.sha256(laid.memory).hexdigest()
        print(json.dumps([key, size, sorted(laid.symbols.items()), digest]))
"""


def laid_out(whose):
    far = json.dumps([PLACES[name].begin for name in FAR])
    command = [sys.executable, "-c", LAID_OUT, whose, far]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_runs_are_laid_out_as_by_numpy():
    actual, expected = laid_out("stand-in"), laid_out("numpy")
    assert len(expected) == 4 + 5 * 3 * 4
    assert actual == expected


def both(build):
    """Return what an expression is in NumPy, and in the stand-in, as lists."""

    class Stand:
        def __getattr__(self, name):
            return next(getattr(each, name) for each in (functions, strided, kinds) if hasattr(each, name))

    return tuple(
        result.tolist() if hasattr(result, "tolist") else result for result in (build(np), build(Stand()))
    )


TABLE = [[3, -1, 7], [0, 5, 5]]


@pytest.mark.parametrize(
    "build",
    [
        lambda n: n.array(TABLE)[:, 1],
        lambda n: n.array(TABLE)[::-1, ::2],
        lambda n: n.array(TABLE)[n.array(TABLE) > 2],
        lambda n: n.array(TABLE)[n.array([1, 0, 1])],
        lambda n: n.array(TABLE)[:, n.array([2, 0])],
        lambda n: n.array(TABLE)[n.array([0, 1])[:, None], n.arange(2)],
        lambda n: n.array(TABLE).T.reshape(-1),
        lambda n: n.array(TABLE, n.int32).view(n.uint8).sum(axis=1),
        lambda n: n.array([1.5, -2.25], n.float32).view(n.uint32),
        lambda n: n.array([300, -1]).astype(n.uint8),
        lambda n: (n.array([200, 7], n.uint8) * n.array([2, 2], n.uint8)) ^ n.array([1, 0], n.uint8),
        lambda n: n.where(n.array(TABLE) == 5, -1, n.array(TABLE)),
        lambda n: n.select([n.array([True, False, False]), n.array([True, True, False])], [1, 2], 0),
        lambda n: n.unique(n.array([4, 2, 4]), return_inverse=True)[1],
        lambda n: n.argsort(n.array(TABLE), axis=1, kind="stable"),
        lambda n: n.take_along_axis(n.array(TABLE), n.array([[2, 0], [1, 1]]), axis=1),
        lambda n: n.bitwise_or.reduce(n.array(TABLE), axis=1),
        lambda n: n.stack([n.arange(3), n.arange(3, 6)], axis=1),
        lambda n: n.column_stack([n.array(TABLE), n.array([8, 9])]),
        lambda n: n.concatenate([n.zeros(1, n.int64), n.arange(2)]),
        lambda n: n.repeat((1, 2, 3), (2, 0, 1)),
        lambda n: n.float32(0.1) * n.float32(3) - n.float32(0.3) + 1,
        lambda n: -abs(n.array([-0.7], n.float32)[0] / 7) / n.float32(-0.3),
        lambda n: 2 * n.float32(0.1) - 3 * n.float64(0.1),
        lambda n: n.append(
            n.outer(n.array([1, 2]), n.array([3, 4])).ravel(), n.bincount([1, 1, 3], minlength=2)
        ),
        lambda n: n.cumsum(n.diff(n.array([1, 4, 2]))),
        lambda n: n.flatnonzero(n.array([0, 3, 0, 1])),
        lambda n: n.array(TABLE).any(axis=0),
        lambda n: n.array(TABLE).max(initial=9),
        lambda n: n.array(TABLE) // 2 % 3,
        lambda n: n.array([1, 2]) / n.array([2, 4]),
        lambda n: n.zeros(0, n.int64).max(initial=4),
    ],
)
def test_arrays_are_those_of_numpy(build):
    expected, actual = both(build)
    assert actual == expected


def test_assignments_are_those_of_numpy():
    def build(n):
        values = n.zeros((3, 4), n.int64)
        values[1] = [1, 2, 3, 4]
        values[:, 2] = 7
        values[n.array([0, 2]), n.array([0, 3])] += n.array([5, 6])
        values[values == 7] = -7
        n.add.at(values[0], n.array([1, 1]), n.array([2, 3]))
        return values

    expected, actual = both(build)
    assert actual == expected


def test_structures_are_those_of_numpy():
    def build(n):
        kind = n.dtype([("a", n.int64), ("b", [("count", n.int64), ("numbers", n.int64, (2,))])])
        rows = n.zeros((3, 4), n.int64).view(kind)[..., 0]
        rows["a"] = n.arange(3)
        rows["b"]["numbers"] = n.array([[1, 2], [3, 4], [5, 6]])
        rows[1]["a"] = 9
        return n.concatenate([rows, rows[1:]]).view(n.int64)

    expected, actual = both(build)
    assert actual == expected


def test_what_does_not_fit_is_refused():
    for wrong in (lambda n: n.arange(3)[3], lambda n: n.arange(3) + n.arange(2)):
        for module in (np, functions):
            with pytest.raises((IndexError, ValueError)):
                wrong(module)
