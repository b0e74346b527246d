"""What each exercise asks again, in plain Python, on sizes and places that the grader does not draw.

It knows the statements of the exercises and shares nothing with `experiments.course` but their numbers.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse

import vecsim
from programs.loading import place_vectors
from programs.registry import find
from vecsim.formats import Layout
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

MACHINE = load_machine("vs2003")
OWN = 8192
"""What is below is the text's own."""
NAN = struct.pack("<I", 0x7FC12345)
MOST_CYCLES = 300_000
NEEDED = {3: ("mergev",), 6: ("lvi",), 9: ("ldb", "bmipa"), 12: ("bmipac",)}
FORBIDDEN = {10: ("ldb",)}
DESIGNED = range(17, 21)
"""Whose texts declare an instruction, which would be compiled each time."""


@dataclass
class Task:
    """Memory, symbols, results, where else a text may write, and how much there is to do."""

    memory: bytearray
    symbols: dict[str, int]
    results: dict[str, list[float] | list[int]]
    free: list[tuple[int, int]] = field(default_factory=list)
    work: int = 0


def whole(source, count, most=30):
    return [float(source.choice((-1, 1)) * source.randint(1, most)) for _ in range(count)]


def task(source, constants, inputs, results, work):
    """Place arrays with random gaps, inputs in front of results or after them."""
    memory, symbols = bytearray(OWN + 4 * source.randrange(1, 400)), dict(constants)
    names = [*inputs, *results]
    source.shuffle(names)
    for name in names:
        memory += NAN * source.randrange(20, 60)
        memory += b"\0" * (-len(memory) % 16)
        symbols[name] = len(memory)
        if name in inputs:
            kind, values = inputs[name]
            memory += struct.pack(f"<{len(values)}{kind}", *values)
        else:
            memory += NAN * len(results[name])
    memory += NAN * 16
    symbols["SCRATCH"] = len(memory)
    memory += NAN * ((16384 + 4096) // 4)
    memory += b"\0" * (-len(memory) % 16)
    return Task(memory, symbols, results, [(symbols["SCRATCH"], len(memory))], work)


def sizes(source):
    return (1, 2, 63, 64, 65, 128, source.randrange(3, 300))


def axpy(source):
    for n in sizes(source):
        (a,), x, y = whole(source, 1), whole(source, n), whole(source, n)
        z = [a * x[k] + y[k] for k in range(n)]
        yield task(source, {"N": n}, {"A": ("f", [a]), "X": ("f", x), "Y": ("f", y)}, {"Z": z}, n)


def dot(source):
    for n in sizes(source):
        x, y = whole(source, n), whole(source, n)
        r = sum(x[k] * y[k] for k in range(n))
        yield task(source, {"N": n}, {"X": ("f", x), "Y": ("f", y)}, {"R": [r]}, n)


def clip(source):
    for n in sizes(source):
        x = whole(source, n, 100)
        low, high = float(source.randint(-80, 10)), float(source.randint(11, 80))
        z = [low if each < low else high if each > high else each for each in x]
        inputs = {"LOW": ("f", [low]), "HIGH": ("f", [high]), "X": ("f", x)}
        yield task(source, {"N": n}, inputs, {"Z": z}, n)


def horner(source):
    for n in sizes(source):
        x, c = whole(source, n, 20), whole(source, 4, 9)
        z = [c[0] + c[1] * each + c[2] * each**2 + c[3] * each**3 for each in x]
        yield task(source, {"N": n}, {"C": ("f", c), "X": ("f", x)}, {"Z": z}, n)


def columns(source):
    for rows in (1, 2, 17, 70):
        a = whole(source, 64 * rows)
        s = [sum(a[64 * i + j] for i in range(rows)) for j in range(64)]
        yield task(source, {"ROWS": rows}, {"MATRIX": ("f", a)}, {"S": s}, rows)


def gather(source):
    for n in sizes(source):
        table = whole(source, 3000)
        index = [source.randrange(3000) for _ in range(n)]
        inputs = {"TABLE": ("f", table), "INDEX": ("i", index)}
        yield task(source, {"N": n}, inputs, {"Z": [table[each] for each in index]}, n)


def running_sums(source):
    for pieces in (1, 3, 7):
        x = whole(source, 64 * pieces)
        z = [sum(x[: k + 1]) for k in range(len(x))]
        yield task(source, {"N": len(x)}, {"X": ("f", x)}, {"Z": z}, len(x))


def residual(source, like, rows, density, options=()):
    """Return y = b - A x with A of random places."""
    program = find(like)
    chosen = program.symbols(program.choose({"schedule": "plain", **dict(options)}))
    # Rows of all kinds: empty, short, full.
    kinds = [
        source.choice((0.0, density, density, density, 1.0 if rows < 200 else density)) for _ in range(rows)
    ]
    a = np.zeros((rows, rows), np.float32)
    for i in range(rows):
        for j in range(rows):
            if source.random() < kinds[i]:
                a[i, j] = whole(source, 1)[0]
    x, b = whole(source, rows), whole(source, rows)
    y = [b[i] - sum(float(a[i, j]) * x[j] for j in np.flatnonzero(a[i])) for i in range(rows)]
    image = program.load(
        scipy.sparse.csr_array(a), MACHINE, Layout(OWN + 16 * source.randrange(99), 4), chosen
    )
    loaded = place_vectors(image, a.shape, np.array(x, np.float32), MACHINE, 4)
    memory, symbols = bytearray(loaded.memory.tobytes()), chosen | dict(loaded.symbols)
    symbols["B"] = len(memory)
    memory += struct.pack(f"<{rows}f", *b) + bytes(4 * (-rows % 64)) + NAN * 32
    stack = len(memory)
    memory += bytes(4096 + image.stack_bytes)
    memory += bytes(-len(memory) % 16)
    for at in range(symbols["Y"], symbols["WORK"], 4):
        memory[at : at + 4] = NAN
    work_end = symbols["WORK"] + 4 * image.work_elements
    free = [(symbols["Y"], symbols["WORK"]), (symbols["WORK"], work_end), (stack, len(memory))]
    return Task(memory, symbols, {"Y": y}, free, int(np.count_nonzero(a)))


def crs(source):
    for rows in (3, 70, 130):
        yield residual(source, "crs", rows, source.choice((0.02, 0.1)))


def jd(source):
    for rows in (3, 70, 130):
        yield residual(source, "jd", rows, source.choice((0.02, 0.1)))


def block(source):
    for rows in (1, 5, 64):
        yield residual(source, "hism", rows, source.choice((0.02, 0.3)))


def block_without_ldb(source):
    for rows in (1, 5, 64):
        yield residual(source, "hism", rows, source.choice((0.02, 0.3)), {"positions": "two"}.items())


def blocks(source):
    for rows in (30, 64, 65, 150):
        yield residual(source, "chism", rows, 0.05)


def kept(source):
    for n in sizes(source):
        x, (bound,) = whole(source, n), whole(source, 1, 9)
        x[source.randrange(n)] = 99.0
        z = [each for each in x if each > bound]
        inputs = {"T": ("f", [bound]), "X": ("f", x)}
        yield task(source, {"N": n}, inputs, {"Z": z, "K": [len(z)]}, n)


def rows(source):
    for count in (1, 2, 3, 50):
        a, x = whole(source, 64 * count), whole(source, 64)
        y = [sum(a[64 * i + j] * x[j] for j in range(64)) for i in range(count)]
        yield task(source, {"ROWS": count}, {"MATRIX": ("f", a), "X": ("f", x)}, {"Y": y}, count)


def transposed(source):
    for n in (16, 32, 48):
        x = whole(source, n * n)
        z = [x[n * j + i] for i in range(n) for j in range(n)]
        yield task(source, {"N": n}, {"X": ("f", x)}, {"Z": z}, n)


def largest(source):
    for n in sizes(source):
        x = whole(source, n)
        yield task(source, {"N": n}, {"X": ("f", x)}, {"M": [max(x)], "K": [x.index(max(x))]}, n)


def distance(source):
    for n in sizes(source):
        x, y, (most,) = whole(source, n), whole(source, n), whole(source, 1)
        z = [min(abs(x[k] - y[k]), abs(most)) for k in range(n)]
        inputs = {"L": ("f", [abs(most)]), "X": ("f", x), "Y": ("f", y)}
        yield task(source, {"N": n}, inputs, {"Z": z}, n)


def differences(source):
    for n in sizes(source):
        x, y = whole(source, n), whole(source, n)
        r = sum(abs(x[k] - y[k]) for k in range(n))
        yield task(source, {"N": n}, {"X": ("f", x), "Y": ("f", y)}, {"R": [r]}, n)


def between(source):
    for n in sizes(source):
        x, y, t = whole(source, n), whole(source, n), source.choice((0.25, 0.5, 2.0))
        z = [x[k] + t * (y[k] - x[k]) for k in range(n)]
        yield task(source, {"N": n}, {"T": ("f", [t]), "X": ("f", x), "Y": ("f", y)}, {"Z": z}, n)


def far(source):
    for n in sizes(source):
        x, places = whole(source, n), whole(source, 4)
        z = [sum(abs(each - place) for place in places) for each in x]
        yield task(source, {"N": n}, {"P": ("f", places), "X": ("f", x)}, {"Z": z}, n)


TASKS = {1: axpy, 2: dot, 3: clip, 4: horner, 5: columns, 6: gather, 7: crs, 8: jd, 9: block,
         10: block_without_ldb, 11: running_sums, 12: blocks, 13: kept, 14: rows, 15: transposed,
         16: largest, 17: distance, 18: differences, 19: between, 20: far}  # fmt: skip


def objection(number: int, text: str, seed: int) -> str:
    """Return why a text does not do what an exercise asks; empty if it does."""
    for each in TASKS[number](random.Random(f"plain {number} {seed}")):
        actual = _objection(number, text, each)
        if actual:
            return f"{actual} (ROWS or N is {each.symbols.get('N', each.symbols.get('ROWS'))})"
    return ""


def _objection(number, text, task):
    before = np.frombuffer(bytes(task.memory), np.uint8)
    try:
        program = vecsim.assemble(text, symbols=task.symbols)
        for segment in program.data:
            if segment.end > OWN:
                return f"data at {segment.address}"
        done = vecsim.run(
            program, before, "vs2003", engine="simpy" if number in DESIGNED else "jit", max_cycles=MOST_CYCLES
        )
    except UserError as error:
        return str(error)
    after = done.state.memory
    may = np.zeros(len(before), bool)
    may[:OWN] = True
    for begin, end in task.free:
        may[begin:end] = True
    for name, values in task.results.items():
        begin = task.symbols[name]
        may[begin : begin + 4 * len(values)] = True
        for k, value in enumerate(values):
            (actual,) = struct.unpack_from("<i" if isinstance(value, int) else "<f", after, begin + 4 * k)
            if actual != value:
                return f"{name}[{k}] is {actual}, not {value}"
    if np.any((after[: len(before)] != before) & ~may):
        return "it writes where it must not"
    executed = {}
    for pc in range(len(program)):
        name = program.instruction(pc).mnemonic.split(".")[0]
        executed[name] = executed.get(name, 0) + int(done.attribution.elements[pc])
    for name in NEEDED.get(number, ()):
        if executed.get(name, 0) < task.work:
            return f"{name} is not used for all of the work"
    for name in FORBIDDEN.get(number, ()):
        if executed.get(name, 0):
            return f"{name} is used"
    return ""
