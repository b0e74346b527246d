"""Texts that passed once without doing what their exercise asks.

The cases were the same in every grading then: sizes, numbers, matrices and addresses. Some of these texts
have the answers of those cases in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from docs.blocks import blocks
from experiments.course.registry import EXERCISES
from programs.measurement import multiplicand
from tests.experiments.course import texts
from tests.included_texts import whole_text
from vecsim.data import load

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Cheat:
    """A text that must not pass.

    Attributes
    ----------
    name
        What it tries.
    exercise
        Its number.
    text
        The text.
    problem
        As what it must be refused.
    """

    name: str
    exercise: int
    text: str
    problem: str


def old_numbers(count, seed):
    return np.random.default_rng(seed).integers(-8, 9, count).astype(np.float32)


def lines(directive, values):
    values = [str(value) for value in values]
    return "\n".join(f"{directive} {', '.join(values[k : k + 16])}" for k in range(0, len(values), 16))


def solution(number):
    return texts.solution(EXERCISES[f"exercise-{number:02}"]).read_text(encoding="utf-8")


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def precomputed_by_if():
    """Put z = 3 x + y of every size where the result belongs, and halt."""
    parts = []
    for n in (1, 64, 100, 1000):
        z = 3 * old_numbers(n, 1) + old_numbers(n, 2)
        parts.append(f".if N - {n}\n.else\n.data Z\n{lines('.float', z.tolist())}\n.endif")
    return "\n".join(parts) + "\n.text\nhalt\n"


def precomputed_by_arithmetic():
    """Choose r = x y by an expression in N, without .if."""
    chosen = []
    for n in (1, 64, 130, 1000):
        r = np.float32(old_numbers(n, 3) @ old_numbers(n, 4))
        chosen.append(f"{int(r.view(np.uint32))} * (({n} / N) * (N / {n}))")
    # 1 of 64 / 64, 0 of any other pair of these sizes
    return f".data R\n.word {' + '.join(chosen)}\n.text\nhalt\n"


def answers_in_input():
    """Take r = x y from a table in the text's own data, by the size."""
    text = "start: li x3, N\nli x5, R\n"
    for n in (1, 64, 130, 1000):
        r = np.float32(old_numbers(n, 3) @ old_numbers(n, 4))
        text += f"li x4, {n}\nli x6, {int(r.view(np.uint32))}\nbeq x3, x4, done\n"
    return text + "done: sw x6, (x5)\nhalt\n"


def precomputed_product():
    """Put y = A x of every matrix where the result belongs."""
    parts = []
    for name in ("laplace2d-8", "randomwalk-12", "arrowhead-150"):
        csr = load(name).csr.astype(np.float32)
        y = csr.astype(np.float64) @ multiplicand(csr.shape[1], 0, np.float32)
        rows = csr.shape[0]
        values = [repr(float(np.float32(each))) for each in y]
        values = [each if "e" not in each else f"{float(each):.20f}" for each in values]
        parts.append(f".if ROWS - {rows}\n.else\n.data Y\n{lines('.float', values)}\n.endif")
    return "\n".join(parts) + "\n.text\nhalt\n"


CLIP_BY_LIMITS = """\
start:
        li      x3, X
        li      x5, Z
        li      x6, N
        li      x7, LOW
        fl.w    f1, (x7)
        li      x7, HIGH
        fl.w    f2, (x7)
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        maxvs.s v2, v1, f1
        minvs.s v3, v2, f2
        sv.w    v3, (x5)
        {dead}
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        {end}
        halt
        {behind}
"""

BLOCK_BY_CACHE = """\
start:
        li      x3, ROOT
        li      x4, ROOT_LENGTH
        li      x5, X
        li      x6, Y
        li      x7, 64
        li      x8, 0
        setvl   x7
        lv.f    v1, (x5)
        beqz    x4, store
section:
        ldb.f   v3, v4, (x3), x4, POSITION_BYTES
        bmipac.f x8, v1, v3, v4
        bnez    x4, section
store:
        li      x8, 0
        li      x9, 64
        stc.f   x8, (x6), x9
        li      x12, B
        setvl   x7
        lv.f    v5, (x12)
        lv.f    v6, (x6)
        subvv.f v5, v5, v6
        sv.f    v5, (x6)
        halt
        bmipa.f v2, v1, v3, v4
"""


def fixed_addresses():
    """Work at the addresses that arrays had, by the size, and never ask for them."""
    first, gap = 4096, 64
    text = "start: li x6, N\n"
    for n in (1, 64, 100, 1000):
        size = (4 * n + gap + 15) & ~15
        x = first + 80
        y, z = x + size, x + 2 * size
        text += f"li x10, {n}\nli x3, {x}\nli x4, {y}\nli x5, {z}\nbeq x6, x10, go\n"
    tail = changed(
        solution(1).split("start:")[1].split("        li      x6, N")[1], ("li      x7, A", "li x7, 4096")
    )
    return text + "go:\n" + tail.split("\n", 1)[1]


def fixed_sizes():
    """Sum only what the sizes of all cases have: the last strip has 1, 64, 36 or 40 elements, or nothing."""
    return changed(
        solution(1),
        ("strip:\n", "strip:\n li x10, 64\n bge x6, x10, take\n"
         + "".join(f" li x10, {n}\n beq x6, x10, take\n" for n in (1, 36, 40)) + " halt\ntake:\n"),
    )  # fmt: skip


def shipped(path):
    """Return a text of the repository with those that it includes: a submission has no folder."""
    return whole_text(ROOT / path)


def tutorial(name):
    """Return a text of the first tutorial by its caption."""
    page = shipped("docs/tutorial/own-program.md")
    return page.split(f":caption: {name}\n", 1)[1].split("```", 1)[0]


AXPY_HARD_CODED = changed(
    solution(1),
    ("        li      x7, A\n        fl.w    f1, (x7)\n", "        li      x7, 3\n        fcvt.s.w f1, x7\n"),
)
CLIP_HARD_CODED = changed(
    solution(3),
    (
        "        li      x7, LOW\n        fl.w    f1, (x7)\n",
        "        li      x7, -3\n        fcvt.s.w f1, x7\n",
    ),
    (
        "        li      x7, HIGH\n        fl.w    f2, (x7)\n",
        "        li      x7, 5\n        fcvt.s.w f2, x7\n",
    ),
)
HORNER_HARD_CODED = changed(
    solution(4),
    *(
        (
            f"        fl.w    f{k}, {'' if not k else 4 * k}(x7)\n",
            f"        li      x9, {c}\n        fcvt.s.w f{k}, x9\n",
        )
        for k, c in enumerate((-7, 5, -3, 2))
    ),
)
INEXACT = changed(
    solution(2),
    (
        "        fs.w    f1, (x5)\n",
        "        li x10, 0x3f80002a\n mxf f5, x10\n fmul.s f1, f1, f5\n        fs.w    f1, (x5)\n",
    ),
)
ONCE = "        li      x7, 1\n        setvl   x7\n        mergev  v9, v8, v7\n"

AS_A_MOVE = changed(
    CLIP_BY_LIMITS.format(dead="", end="", behind=""),
    ("sv.w    v3,", "mergev v4, v3, v3\n        sv.w    v4,"),
)
TESTED_FIRST = changed(
    CLIP_BY_LIMITS.format(dead="mergev v9, v1, v1", end="", behind="broken: halt"),
    (
        "strip:\n",
        "li x7, 8\n setvl x7\n li x9, 1\n cvi v10, x9\n seqvv.w v10, v10\n mergev v11, v10, v12\n"
        " li x9, 3\n extx x10, v11, x9\n bne x9, x10, broken\nstrip:\n",
    ),
)
HALF = changed(
    solution(3),
    ("        sltvv.s v1, v2 ", "        xori    x11, x11, 1\n        bnez    x11, chosen\n"
     "        maxvs.s v5, v1, f1\n        minvs.s v3, v5, f2\n        mergev  v9, v1, v1\n"
     "        j       stored\nchosen:\n        sltvv.s v1, v2 "),
    ("        sv.w    v3, (x5)\n", "stored: sv.w    v3, (x5)\n"),
)  # fmt: skip
LATER_FILE = '.if ROWS - 64\n.data Y\n.incbin "my.s"\n.endif\n.text\n' + solution(7)
DESTROYED = changed(
    solution(7), ("        halt\n", "        li x3, VALUES\n        sw zero, (x3)\n        halt\n")
)
NO_EMPTY_ROWS = changed(solution(7), ("empty:\n        fs.f    f4, (x14)\n", "empty:\n"))
NO_END = changed(
    solution(7),
    (
        "        fs.f    f4, (x14)\n        bnez    x4, row\n",
        "        fs.f    f4, (x14)\n        bnez    x10, row\n",
    ),
)

PASS, PASS2 = '"passv.s vd=, va", "va"', '"passv.s vd=, va", "va + 0 + 0"'
DECLARED = {
    17: '"distv.s vd=, va, vb, fa", "min(abs(va - vb), fa)"',
    18: '"sadv.s vd+, va, vb", "vd + abs(va - vb)"',
    19: '"lerpv.s vd=, va, vb, fa", "va + fa * (vb - va)"',
}
CHEATS = (
    Cheat("answers of all sizes by .if and .data", 1, precomputed_by_if(), "assembly"),
    Cheat("answers by arithmetic in the size", 2, precomputed_by_arithmetic(), "assembly"),
    Cheat("answers in the text's own data", 2, answers_in_input(), "wrong"),
    Cheat("answers of products", 7, precomputed_product(), "assembly"),
    Cheat("the needed instruction after halt", 3,
          CLIP_BY_LIMITS.format(dead="", end="", behind="mergev v4, v1, v2"), "uses"),
    Cheat("the needed instruction on one element", 3,
          CLIP_BY_LIMITS.format(dead="", end=ONCE, behind=""), "uses"),
    Cheat("the needed instruction on no element", 3,
          CLIP_BY_LIMITS.format(dead="", end="setvl zero\nmergev v9, v8, v7", behind=""), "uses"),
    Cheat("the needed instruction for nothing", 3,
          CLIP_BY_LIMITS.format(dead="mergev v9, v1, v1", end="", behind=""), "uses"),
    Cheat("the needed instruction as a move", 3, AS_A_MOVE, "uses"),
    Cheat("the needed instruction for nothing, but tested", 3, TESTED_FIRST, "uses"),
    Cheat("the needed instruction in every second strip", 3, HALF, "uses"),
    Cheat("another instruction than the needed one", 9, BLOCK_BY_CACHE, "uses"),
    Cheat("the factor of all cases", 1, AXPY_HARD_CODED, "wrong"),
    Cheat("the limits of all cases", 3, CLIP_HARD_CODED, "wrong"),
    Cheat("the polynomial of all cases", 4, HORNER_HARD_CODED, "wrong"),
    Cheat("the sizes of all cases", 1, fixed_sizes(), "unwritten"),
    Cheat("the addresses of all cases", 1, fixed_addresses(), "unwritten"),
    Cheat("results within the tolerance", 2, INEXACT, "wrong"),
    Cheat("a file for later matrices", 7, LATER_FILE, "assembly"),
    Cheat("inputs as a place for results", 7, DESTROYED, "stray"),
    Cheat("empty rows left out", 7, NO_EMPTY_ROWS, "unwritten"),
    Cheat("no end after an empty last row", 7, NO_END, "endless"),
    Cheat("crs that comes with vecsim", 7, shipped("programs/crs/plain.s"), "wrong"),
    Cheat("crs of the tutorial", 7, tutorial("my.s"), "wrong"),
    Cheat("faster crs of the tutorial", 7, tutorial("my2.s"), "wrong"),
    Cheat("jd that comes with vecsim", 8, shipped("programs/jd/plain.s"), "wrong"),
    Cheat("hism that comes with vecsim", 9, shipped("programs/hism/plain.s"), "wrong"),
    Cheat("an instruction where none is allowed", 1, f".instruction {PASS}\n{solution(1)}", "assembly"),
    Cheat("a useless instruction", 17, changed(solution(17), (DECLARED[17], PASS), (
        "distv.s v3, v1, v2, f1", "subvv.s v3, v1, v2\nabsv.s v3, v3\nminvs.s v3, v3, f1\npassv.s v3, v3",
    )), "budget"),
    Cheat("a useless instruction for the sum", 18, changed(solution(18), (DECLARED[18], PASS), (
        "sadv.s  v3, v1, v2", "subvv.s v2, v1, v2\nabsv.s v2, v2\npassv.s v2, v2\naddvv.s v3, v3, v2",
    )), "budget"),
    Cheat("an instruction next to the result", 19, changed(solution(19), (DECLARED[19], PASS), (
        "lerpv.s v3, v1, v2, f1",
        "passv.s v4, v1\nsubvv.s v3, v2, v1\nmulvs.s v3, v3, f1\naddvv.s v3, v1, v3",
    )), "budget"),
    Cheat("too much hardware", 20, changed(solution(20), ("abs(va - fa)", "abs(va - fa) * 1")), "uses"),
    Cheat("hardware in two instructions", 20, changed(
        solution(20), ("start:", f".instruction {PASS2}\nstart:"), ("sv.w    v2", "passv.s v2, v2\nsv.w v2"),
    ), "uses"),
    Cheat("hism in the place of chism", 12, shipped("programs/hism/plain.s"), "uses"),
)  # fmt: skip


def texts_that_come_with_vecsim():
    """Return every text of the repository that halts, by its file, or its page and line."""
    texts = {}
    for folder in ("programs", "experiments", "docs"):
        for path in sorted((ROOT / folder).rglob("*.s")):
            name = str(path.relative_to(ROOT))
            texts[name] = shipped(name)
    for path in [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]:
        for block in blocks(path.read_text(encoding="utf-8")):
            if "halt" in block.text and block.language != "console":
                texts[f"{path.relative_to(ROOT)}:{block.line}"] = block.text
    return texts


SHIPPED = texts_that_come_with_vecsim()
