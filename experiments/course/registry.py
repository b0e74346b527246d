"""The exercises, in the order in which a course takes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from experiments.course import matrices, vectors
from experiments.course.designing import rate, saved, transfer
from experiments.course.exercise import Claim, Design, Draw, Exercise, Products
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

STARTERS = Path(__file__).parent / "starters"


def _exercise(
    number: int,
    title: str,
    cases: Draw | Products,
    hints: Mapping[str, str],
    *,
    forbidden: tuple[str, ...] = (),
    needed: tuple[str, ...] = (),
    what_if: tuple[str, ...] = (),
    design: Design | None = None,
) -> Exercise:
    name = f"exercise-{number:02}"
    starter = (STARTERS / f"{name}.s").read_text(encoding="utf-8")
    return Exercise(name, title, number, starter, cases, hints, forbidden, needed, what_if, design=design)


_DECLARE = (
    "exercise 17 says how an instruction is declared and what its hardware costs. All elements must go "
    "through it, and the results must come from it"
)
_LANES = "percent of the cycles of the last case that lanes=4 saves"
_PORTS = "percent of the cycles of the last case that memory_ports=2 saves"

_ALL = (
    _exercise(
        1,
        "strip-mine a loop",
        vectors.axpy,
        {
            "unwritten": "only one strip is done: take as many elements as setvl gave from those that are "
            "left, move all addresses on by their bytes, and branch back while any are left",
            "stray": "setvl must see what is left in every strip: the last one is shorter",
            "fault": "is setvl in the loop? It must see what is left in every strip: the last is shorter. "
            "If not, what is left jumps over 0, and the loop goes on to the end of memory",
            "wrong": "all three addresses move on after a strip, by 4 bytes for each of its elements; and "
            "the store comes after the result",
        },
    ),
    _exercise(
        2,
        "one sum at the end",
        vectors.dot,
        {
            "budget": "what does the scalar add wait for, in every strip? Multiply-add (maddvv) keeps sums "
            "in a vector register; sumv then comes once, after the loop",
            "wrong": "with how many elements does the last sumv work? setvl again before it; and the "
            "register of sums must begin with zeros in all its elements",
        },
    ),
    _exercise(
        3,
        "choose by the mask",
        vectors.clip,
        {
            "wrong": "is it the lower or the upper end? A second compare and a second mergev do what the "
            "first do, with the operands in the other order"
        },
        needed=("mergev",),
    ),
    _exercise(
        4,
        "why does chaining matter?",
        vectors.horner,
        {
            "budget": "how often does each element pass the memory port? Keep the result of one "
            "operation in a register for the next; the store comes last"
        },
        what_if=("chaining=false",),
    ),
    _exercise(
        5,
        "find the bank conflict",
        vectors.columns,
        {
            "budget": "64 words apart with 16 banks: which bank has each element of a column? Rows are "
            "contiguous: add them to one vector register that holds the sums of all columns"
        },
        what_if=("banks=61",),
    ),
    _exercise(
        6,
        "find the fault",
        vectors.gather,
        {
            "fault": "`vecsim isa lvi.w`: what is an index multiplied with already?",
            "wrong": "`vecsim isa lvi.w`: what is an index multiplied with already?",
        },
        needed=("lvi",),
    ),
    _exercise(
        7,
        "a sparse matrix, row by row",
        Products("crs", matrices.rows_of_all_kinds, 2.5, {"schedule": "plain"}),
        {
            "budget": "entries one by one: lv of values and columns, lvi of x, mulvv and sumv do a row of up "
            "to 64 at once",
            "wrong": "a row of more than 64 entries takes several strips, an empty one none; the arrow has "
            "a long one. After a strip the addresses of values and columns move on by bytes, not by elements",
        },
    ),
    _exercise(
        8,
        "long vectors by sorting rows",
        Products("jd", matrices.rows_of_all_kinds, 1.25, {"schedule": "plain"}, extra=60),
        {
            "wrong": "the sums stand in the order of the sorted rows: PERM says to which row of y each "
            "belongs; svi scatters them from WORK"
        },
    ),
    _exercise(
        9,
        "a block by LDB and BMIPA",
        Products("hism", matrices.one_block, 1.1, {"schedule": "plain"}, extra=60),
        {
            "wrong": "LDB leaves in its last register how many entries are left: there may be more than one "
            "section"
        },
        needed=("ldb", "bmipa"),
    ),
    _exercise(
        10,
        "LDB's cousin",
        Products("hism", matrices.one_block, 4.0, {"schedule": "plain", "positions": "two"}, extra=60),
        {
            "wrong": "records of 8 bytes: values are 8 bytes apart, and so are positions. lvws loads "
            "elements that are so far apart",
            "uses": "LDB is what is to be replaced: lvws loads elements that are some bytes apart",
        },
        forbidden=("ldb",),
    ),
    _exercise(
        11,
        "running sums",
        vectors.running_sums,
        {
            "budget": "each element waits for the sum before it. Sum 64 pieces side by side (lvws, addvv, "
            "svws). Then, piece by piece, add what all before it sum up to: elements of a piece are "
            "contiguous, so lv, addvs and sv do it faster than strided accesses"
        },
    ),
    _exercise(
        12,
        "beat CHiSM on small matrices",
        Products("chism", matrices.few_blocks, 0.5, {"schedule": "plain"}, extra=200),
        {
            "budget": "how many elements of the vector cache are moved between it and memory, and how many "
            "rows has the matrix? What does the cache hold when a run begins?"
        },
        needed=("bmipac",),
    ),
    _exercise(
        13,
        "keep what is above a bound",
        vectors.kept,
        {
            "budget": "sgtvs, compressv and popm do a strip at once; an fblt for each element does not",
            "stray": "setvl again before the store: popm says how many elements there are. Z moves on "
            "by 4 bytes for each of these, X by 4 for each of the strip. Elements equal to T are not kept",
            "wrong": "which elements does the mask keep? Z moves on by 4 bytes for each element that is "
            "kept, X by 4 for each of the strip; K counts over all strips",
        },
    ),
    _exercise(
        14,
        "a matrix times a vector",
        vectors.rows,
        {
            "budget": "x stays in a register. And fs waits for the sum of its row: store that of the row "
            "before it, after the next sumv is issued. A copy of the sum waits as well: two registers take "
            "turns instead, with two rows in a loop",
            "wrong": "which row does each sum belong to? It must be stored before a sumv writes its register "
            "again. The last one is stored after the loop",
            "unwritten": "the sum of the last row is stored after the loop",
            "fault": "a matrix may have one row, and there is none after the last: what does the loop load?",
        },
    ),
    _exercise(
        15,
        "transpose without a bank conflict",
        vectors.transposed,
        {
            "budget": "rows in SCRATCH that begin an odd number of words after each other: then the elements "
            "of a column are in all banks in turn",
            "stray": "how many bytes do your rows take in SCRATCH?",
            "fault": "how many bytes do your rows take in SCRATCH?",
            "wrong": "rows lie in SCRATCH as far apart when a column is loaded as when they were stored; the "
            "next column begins 4 bytes after this one",
            "unwritten": "a word of SCRATCH that nobody wrote counts as never written in Z, too: are rows as "
            "far apart when a column is loaded as when they were stored?",
        },
    ),
    _exercise(
        16,
        "the largest element, and where it is",
        vectors.largest,
        {
            "budget": "maxvv in the loop and maxv once, after it; then seqvs and firstm, strip by strip, "
            "until one has it. The loop of maxvv begins with the second strip: the first is loaded once",
            "endless": "a search that finds nothing does not end: is the largest element right? maxv works "
            "on as many elements as setvl said last, and no place may begin with 0 or with what nobody wrote",
            "wrong": "the first strip fills all places that a later one compares with; setvl again before "
            "maxv, to the length of the first strip; K counts elements from 0, also those of the strips "
            "before, and is that of the first that is as large",
        },
    ),
    _exercise(
        17,
        "define an instruction",
        vectors.distance,
        {
            "uses": _DECLARE,
            "budget": "how often does an element go through the add unit? The rule of one instruction can "
            "subtract, take the absolute value and compare",
            "wrong": "is the order of the operands that of the declaration? min(a, b) is the lesser of both",
        },
        design=Design(3),
    ),
    _exercise(
        18,
        "implement a kernel with it",
        vectors.differences,
        {
            "uses": f"{_DECLARE}: also the sum must",
            "budget": "what does the scalar add wait for, in every strip? The rule can add to vd if it is "
            "declared as vd+; sumv then comes once, after the loop",
            "wrong": "with how many elements does the last sumv work? setvl again before it; and the "
            "register of sums must begin with zeros in all its elements",
        },
        design=Design(3),
    ),
    _exercise(
        19,
        "measure what it takes",
        vectors.between,
        {
            "uses": _DECLARE,
            "budget": "one instruction can do the difference, the product and the sum: an element then goes "
            "through the multiply unit once, and not through the add unit",
            "claim": "RATE: subtract the cycles of the last two cases, and divide by the elements between "
            "them. PORT: how many words does an element move? LANES4: many strips, so that startup hardly "
            "counts",
        },
        design=Design(
            5,
            (
                Claim("RATE", "cycles that 100 more elements take, from the two last cases", rate, 6),
                Claim("PORT", "the least cycles of the memory port for 100 elements", transfer, 1),
                Claim("LANES4", _LANES, saved("lanes=4"), 6),
            ),
        ),
    ),
    _exercise(
        20,
        "argue for an instruction",
        vectors.far,
        {
            "uses": _DECLARE,
            "budget": "how often does an element go through the add unit? The instruction is used for each "
            "of the places; what is left to do between two of them?",
            "claim": "measure on many strips. Which unit is used most in a strip, and would it be faster?",
        },
        design=Design(
            4,
            (
                Claim("LANES4", _LANES, saved("lanes=4"), 5),
                Claim("PORTS2", _PORTS, saved("memory_ports=2"), 5),
            ),
        ),
    ),
)

EXERCISES = {each.name: each for each in _ALL}
"""By name."""


def find(name: str, folder: str = "") -> Exercise:
    """Return an exercise by its name or its number, also of a folder of a teacher's own.

    Raises
    ------
    UserError
        There is none, or the folder is wrong.
    """
    exercises = all_exercises(folder)
    known = f"exercise-{int(name):02}" if name.isdecimal() and len(name) < 3 else name
    if known not in exercises:
        raise UserError(f"no exercise {name!r}; vecsim grade lists them{nearest(name, exercises)}")
    return exercises[known]


def all_exercises(folder: str = "") -> dict[str, Exercise]:
    """Return those that come with vecsim, and those of a folder of a teacher's own, by name.

    Raises
    ------
    UserError
        The folder is wrong, or has an exercise of a name that is taken.
    """
    if not folder:
        return EXERCISES
    from experiments.course.own_exercises import read_exercises

    own = read_exercises(folder)
    for name in own.keys() & EXERCISES.keys():
        raise UserError(f"{folder}/{name}.toml: vecsim has an exercise of this name; use another")
    return {**own, **EXERCISES}
