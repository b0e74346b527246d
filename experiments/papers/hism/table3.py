"""Table 3: steps to insert an element into HiSM, against JD, CRS and BBCS (HiSM paper, section 3.2)."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from experiments.papers.hism.six_matrices import (
    MATRICES,
    NO_REMARKS,
    QUANTITIES,
    SECTION_SIZE,
    TableMatrix,
    missing_rows,
    remark_on,
)
from experiments.report.agreement import outcome_of_number
from experiments.report.comparison import Comparison, Kind
from experiments.report.item import Verdict
from experiments.report.number_tables import three_digits
from vecsim.formats import BBCS, CRS, JD, HiSM
from vecsim.formats.insertion import Steps
from vecsim.formats.insertion.empty_positions import (
    EmptyPositions,
    empty_by_block_array,
    empty_by_block_column,
    empty_by_row,
    empty_in_blocks,
    mean_over,
    mean_steps,
)
from vecsim.formats.insertion.record import sum_of_parts
from vecsim.formats.jd.insertion import jd_swap_steps

TITLE = "Table 3: steps to insert an element, HiSM compared to JD, CRS and BBCS, section size 64"

CAPTION = (
    "Steps to insert one element in another format, divided by those in HiSM: above 1 where HiSM needs "
    "fewer. First by the model that gives the paper's numbers; then, in the rows ending in “, counted”, as "
    "counted by inserting into the four formats: the exact mean over all empty positions of the matrix."
)

VALUE_LABEL, LOGARITHMIC = "steps / steps of HiSM (vs BBCS: steps of HiSM)", True
NOTES = (
    "The paper's column “vs BBCS” holds no ratio but HiSM's own number of steps. Rows ending in “, BBCS as "
    "meant” give the ratio that its text speaks of, with nnz steps for BBCS (half the entries searched, half "
    "moved); rows ending in “, counted steps of HiSM” stand next to the column as printed.",
    "The model, decoded from the paper's numbers: HiSM searches half an array of mean length on each level "
    "and moves half a level-0 array: n0 div 2 + n0 div 2 + n1 div 2 (+ n2 div 2), where n0, n1, n2 are the "
    "mean numbers of entries of an array of each level, without remainder. CRS moves nnz / 2 entries and "
    "searches nothing. JD takes M / 3 steps: the mean distance of two rows, as we read it. HiSM's numbers "
    "are reproduced exactly, with the divisions without remainder, which were chosen after seeing the "
    "numbers. With remainders they are 0.5 to 2.1 steps higher. The ratios are reproduced within one unit of "
    "the last printed digit: the paper cuts some (43.5 to 43, 0.068 to 0.06) and rounds others. The model "
    "was decoded without the blocks of cavity16, and then reproduced their 346 steps.",
    "Counted: a comparison is a stored position compared with the new one, in a search from the first entry "
    "on; a displacement an entry, pointer or row number moved; an update a pointer, length, flag or count "
    "changed in place; all are steps. Each block array of HiSM and each block column of BBCS has an address "
    "and a length, so its neighbours stay where they are; rows of CRS and diagonals of JD are "
    "stored end to end, so all that is after moves. JD searches the row in the permutation and, as the "
    "format does here, moves it past others to keep rows of equal length in order.",
    "Rows ending in “, counted in stored blocks” are means over the empty positions of non-empty 64 x 64 "
    "blocks only, the case that the model supposes. Elsewhere an insertion into HiSM only searches the upper "
    "levels and writes a new array of one entry.",
    "Rows ending in “, counted with room” give the others what they can have too: room after each row and "
    "diagonal, the paper's “elbow room”, so that no later entry moves, and no updates; and rows of equal "
    "length in any order, so that JD swaps two rows. JD then agrees with the paper: ahead of HiSM in the "
    "small matrices, worse in cavity16 and memplus. CRS takes far fewer steps than HiSM: what the paper's "
    "comparison with CRS measures are the moves of later entries, which room avoids.",
)

PRINTED = {
    "cavity16": ("4.4", "200", "346"),
    "gre_185": ("0.42", "3.46", "145"),
    "memplus": ("43", "464", "136"),
    "fs_183_3": ("0.5", "4.38", "122"),
    "mbeause": ("0.25", "30.5", "672"),
    "tols90": ("0.06", "2", "438"),
}
"""The paper's numbers by matrix, in the order of `QUANTITIES`."""

LARGE = ("cavity16", "memplus")
"""Labels of the matrices that the paper's text calls average or large, where it sees HiSM ahead of JD."""

BBCS_SUFFIX = ", BBCS as meant"
"""Ends the label of the ratio that the paper's BBCS column should hold, by the model."""
COUNTED_SUFFIX = ", counted"
"""Ends the label of steps that were counted, as a mean over all empty positions."""
IN_BLOCKS_SUFFIX = ", counted in stored blocks"
"""Ends the label of the same over the empty positions of non-empty blocks."""
ROOM_SUFFIX = ", counted with room"
"""Ends the label of the first again, with room after every row and diagonal and rows of JD in any order."""
COMPARISONS_SUFFIX = ", counted comparisons of HiSM"
"""Ends the label of those of HiSM's counted steps that search, as a mean over all empty positions."""
HISM_SUFFIX = ", counted steps of HiSM"
"""Ends the label of HiSM's own counted steps, which stand next to the paper's BBCS column."""


def crs_model_steps(entries: int) -> float:
    """Return the steps of an insertion into CRS as the paper counts: half of the entries move."""
    return entries / 2


def jd_model_steps(rows: int) -> float:
    """Return the steps of an insertion into JD as the paper counts: a third of the rows."""
    return rows / 3


def bbcs_model_steps(entries: int) -> float:
    """Return the steps of an insertion into BBCS as the paper words it, O(nnz): half searched, half moved."""
    return float(entries)


def hism_model_steps(hism: HiSM) -> int:
    """Return the steps of an insertion into HiSM as the paper counts.

    Half an array of mean length is searched on each level, and half a level-0 array moved; means and
    halves without remainder.
    """
    halves = [
        entries // arrays // 2 for entries, arrays in zip(hism.level_entries, hism.level_arrays, strict=True)
    ]
    return halves[0] + sum(halves)


def rows(matrices: Mapping[str, Any], remarks: Mapping[str, str] = NO_REMARKS) -> list[Comparison]:
    """Fill the table, by the paper's model first, then counted in each way.

    Parameters
    ----------
    matrices
        SciPy CSR matrices by name, explicit zeros kept; those of `MATRICES` that are missing get no number.
    remarks
        What a reader must know of a matrix, by its name; it goes into the notes.
    """
    modelled: list[Comparison] = []
    others: dict[str, list[Comparison]] = {}
    for matrix in MATRICES:
        if matrix.name not in matrices:
            modelled += missing_rows(matrix, PRINTED[matrix.name], _expected(matrix))
            continue
        csr = matrices[matrix.name]
        hism = HiSM.from_scipy(csr, section_size=SECTION_SIZE)
        modelled += _model_rows(matrix, csr, hism, remark_on(matrix, csr, remarks))
        for row in (*_as_meant(matrix, hism), *_counted_rows(matrix, csr, hism)):
            others.setdefault(row.row.removeprefix(matrix.label), []).append(row)
    return modelled + [row for result in others.values() for row in result]


WORST_CASE = 10_000, 64, 6144
"""Dimension, section size, and the comparisons that the paper prints for them (section 3.2)."""


def of_no_matrix() -> tuple[Comparison, ...]:
    """Return the comparisons of a search in full blocks: on average half of s x s entries at each level."""
    dimension, section_size, printed = WORST_CASE
    levels = _levels(dimension, section_size)
    top = math.ceil(dimension / section_size ** (levels - 1)) ** 2
    exact = ((levels - 1) * section_size**2 + top) / 2
    row = Comparison(
        f"worst case, {dimension:,} x {dimension:,}, s = {section_size}",
        "comparisons",
        str(printed),
        _worst_comparisons(dimension, section_size),
        f"by arithmetic only: {levels} levels of full blocks; the top level of a matrix of {dimension:,} "
        f"holds {top} entries at most, which makes it {exact:,g}",
        kind="decoded",
        measure="counted",
    )
    return (row,)


def _levels(dimension: int, section_size: int) -> int:
    levels, covered = 1, section_size
    while covered < dimension:
        levels, covered = levels + 1, covered * section_size
    return levels


def _worst_comparisons(dimension: int, section_size: int = SECTION_SIZE) -> float:
    return _levels(dimension, section_size) * section_size**2 / 2


def extremes(result: Sequence[Comparison]) -> Iterator[Verdict]:
    """Yield whether the speed-ups of the table are those that the abstract and the conclusions name."""
    for quantity, claim, low, high in (
        ("vs CRS", "HiSM inserts 2 to 400 times faster than CRS", 2.0, 400.0),
        ("vs JD", "HiSM inserts up to 43 times faster than JD", None, 43.0),
    ):
        ratios = _by_matrix(result, quantity, "")
        if not ratios:
            yield Verdict(claim, None, NO_MATRIX, "decoded")
            continue
        least, most = min(ratios.values()), max(ratios.values())
        printed = max(float(row[QUANTITIES.index(quantity)]) for row in PRINTED.values())
        holds = all(
            outcome_of_number("counted", bound, ours) == "confirmed"
            for bound, ours in ((low, least), (high, most))
            if bound is not None
        )
        detail = (
            f"{three_digits(least)} to {three_digits(most)} by the paper's model; its Table 3 has {printed:g}"
        )
        yield Verdict(claim, holds, detail, "decoded", implied=quantity == "vs JD")


def verdicts(result: Sequence[Comparison]) -> Iterator[Verdict]:
    """Yield whether the rows confirm what the paper says.

    Its comparisons stand first by its model, where its printed numbers imply them, then as counted.
    """
    yield from _comparisons_of_formats(result)
    yield _gain_of_large(result)
    yield from _of_room(result)
    yield _of_order_n(result)
    yield from _of_search(result)
    yield _FEW_ARRAYS
    yield from extremes(result)
    small = {name: ratio for name, ratio in _by_matrix(result, "vs JD", "").items() if name not in LARGE}
    claim = f"HiSM has a slight disadvantage against JD in small matrices: a factor of {SLIGHT:g} at most"
    yield _verdict(claim, small, _is_slight, "decoded")


_FEW_ARRAYS = Verdict(
    "HiSM loses to JD in small matrices because their elements fit into a few block arrays",
    None,
    "no run isolates this cause",
)


def _comparisons_of_formats(result: Sequence[Comparison]) -> Iterator[Verdict]:
    for counted, suffix, bbcs_suffix in (
        ("by the paper's model", "", BBCS_SUFFIX),
        ("as counted", COUNTED_SUFFIX, COUNTED_SUFFIX),
    ):
        by_crs = _by_matrix(result, "vs CRS", suffix)
        by_jd = _by_matrix(result, "vs JD", suffix)
        by_bbcs = _by_matrix(result, "vs BBCS", bbcs_suffix)
        large = {name: ratio for name, ratio in by_jd.items() if name in LARGE}
        small = {name: ratio for name, ratio in by_jd.items() if name not in LARGE}
        kind: Kind = "predicted" if suffix else "decoded"
        for claim, ratios, holds in (
            ("HiSM always takes fewer steps than CRS", by_crs, _is_above_one),
            ("HiSM takes more steps than JD in small matrices", small, _is_below_one),
            ("HiSM takes fewer steps than JD in large matrices", large, _is_above_one),
            ("HiSM always takes fewer steps than BBCS", by_bbcs, _is_above_one),
        ):
            yield replace(_verdict(f"{claim}, {counted}", ratios, holds, kind), implied=not suffix)


def _gain_of_large(result: Sequence[Comparison]) -> Verdict:
    """Return whether HiSM gains more on BBCS in each large matrix than in each small one."""
    by_bbcs = _by_matrix(result, "vs BBCS", COUNTED_SUFFIX)
    of_small = [ratio for name, ratio in by_bbcs.items() if name not in LARGE]
    of_large = {name: ratio for name, ratio in by_bbcs.items() if name in LARGE}
    claim, most = "HiSM gains most on BBCS in large matrices, as counted", max(of_small, default=0.0)
    verdict = _verdict(claim, of_large if of_small else {}, lambda ratio: ratio > most, "predicted")
    if verdict.holds is None:
        return verdict
    return replace(verdict, detail=f"{verdict.detail}; in small ones up to {most:.3g}")


def _of_room(result: Sequence[Comparison]) -> Iterator[Verdict]:
    """Yield what the rows with room say of CRS, and JD's, which the claims as counted stand for.

    Flexible is, as in the paper, what takes few steps to insert an element.
    """
    by_jd = _by_matrix(result, "vs JD", ROOM_SUFFIX)
    small = {name: ratio for name, ratio in by_jd.items() if name not in LARGE}
    large = {name: ratio for name, ratio in by_jd.items() if name in LARGE}
    for claim, ratios, holds in (
        ("HiSM takes more steps than JD in small matrices, counted with room", small, _is_below_one),
        ("HiSM takes fewer steps than JD in large matrices, counted with room", large, _is_above_one),
    ):
        yield replace(_verdict(claim, ratios, holds, "predicted"), implied=True)
    by_crs = _by_matrix(result, "vs CRS", ROOM_SUFFIX)
    slower = _by_matrix(result, "vs CRS", COUNTED_SUFFIX)
    ahead = {name: ratio for name, ratio in by_crs.items() if slower[name] > 1}
    claim = "HiSM outperforms CRS mainly because CRS has a linear structure"
    linear = _verdict(claim, ahead, _is_below_one, "predicted")
    words = "where HiSM is ahead, CRS with room, so that no later entry moves: "
    yield replace(linear, detail=words + linear.detail) if ahead else linear
    yield _verdict("With elbow room CRS remains less flexible than HiSM", by_crs, _is_above_one, "predicted")


def _of_search(result: Sequence[Comparison]) -> Iterator[Verdict]:
    """Yield what the counted comparisons of HiSM say of the paper's worst case, and of O(s)."""
    counted = _by_matrix(result, "comparisons", COMPARISONS_SUFFIX)
    claim = "HiSM's search takes considerably fewer comparisons than the worst case, half of s x s a level"
    shares = {
        m.label: counted[m.label] / _worst_comparisons(m.dimension) for m in MATRICES if m.label in counted
    }
    of_worst = ", ".join(f"{label} {share:.3f}" for label, share in shares.items())
    holds = all(share < CONSIDERABLE for share in shares.values()) if shares else None
    yield Verdict(claim, holds, f"counted over the worst case: {of_worst or NO_MATRIX}")
    of_s = ", ".join(f"{label} {number / SECTION_SIZE:.2f} s" for label, number in counted.items())
    yield Verdict(
        "HiSM's search takes O(s) comparisons, 2.18 s on average, rather than O(s^2)",
        None,
        f"one section size cannot show how comparisons grow with s; counted: {of_s}" if of_s else NO_MATRIX,
    )


def _of_order_n(result: Sequence[Comparison]) -> Verdict:
    """Return the steps of BBCS over the n non-zeros, which cannot show a growth."""
    ratios, own = _by_matrix(result, "vs BBCS", COUNTED_SUFFIX), _by_matrix(result, "vs BBCS", HISM_SUFFIX)
    steps = {m.label: ratios[m.label] * own[m.label] / m.size for m in MATRICES if m.label in ratios}
    claim = "An insertion into BBCS takes O(n) steps, as counted"
    if not steps:
        return Verdict(claim, None, NO_MATRIX)
    detail = ", ".join(f"{label} {three_digits(share)} n" for label, share in steps.items())
    return Verdict(
        claim, None, f"{len(steps)} matrices of different kinds cannot show how steps grow: {detail}"
    )


def _is_above_one(ratio: float) -> bool:
    return ratio > 1


def _is_below_one(ratio: float) -> bool:
    return ratio < 1


CONSIDERABLE = 0.5
"""Below this share of the worst case comparisons count as considerably fewer."""
NO_MATRIX = "no matrix of the table is available"
SLIGHT = 2.0
"""Up to this factor a disadvantage counts as slight."""


def _is_slight(ratio: float) -> bool:
    return ratio >= 1 / SLIGHT


def _by_matrix(result: Sequence[Comparison], quantity: str, suffix: str) -> dict[str, float]:
    numbers = {row.row: row.ours for row in result if row.quantity == quantity and row.ours is not None}
    labels = [matrix.label for matrix in MATRICES]
    return {label: numbers[label + suffix] for label in labels if label + suffix in numbers}


def _verdict(claim: str, ratios: Mapping[str, float], holds: Callable[[float], bool], kind: Kind) -> Verdict:
    if not ratios:
        return Verdict(claim, None, "no matrix of the table that it is about is available", kind)
    detail = ", ".join(f"{label} {three_digits(ratio)}" for label, ratio in ratios.items())
    holds_in_all = all(holds(ratio) for ratio in ratios.values())
    return Verdict(claim, holds_in_all, f"steps over those of HiSM: {detail}", kind)


def _expected(matrix: TableMatrix) -> dict[str, str]:
    """Return what the model gives for the printed size and steps of a matrix."""
    steps = float(PRINTED[matrix.name][2])
    model = {"vs JD": jd_model_steps(matrix.dimension), "vs CRS": crs_model_steps(matrix.size)}
    return {
        quantity: f"the model gives {others / steps:.3f} for its printed size and {steps:.0f} steps"
        for quantity, others in model.items()
    }


def _model_rows(matrix: TableMatrix, csr: Any, hism: HiSM, remark: str) -> list[Comparison]:
    steps = hism_model_steps(hism)
    by_jd = _ratio(jd_model_steps(csr.shape[0]), steps)
    by_crs = _ratio(crs_model_steps(hism.nnz), steps)
    own = "; ".join(filter(None, ("steps of HiSM, not a ratio", remark)))
    columns = ((by_jd, remark), (by_crs, remark), (float(steps), own))
    return [
        Comparison(matrix.label, quantity, paper, number, note)
        for quantity, paper, (number, note) in zip(QUANTITIES, PRINTED[matrix.name], columns, strict=True)
    ]


def _as_meant(matrix: TableMatrix, hism: HiSM) -> list[Comparison]:
    ratio = _ratio(bbcs_model_steps(hism.nnz), hism_model_steps(hism))
    return [Comparison(matrix.label + BBCS_SUFFIX, "vs BBCS", "", ratio)]


def _ratio(steps: float, of_hism: float) -> float | None:
    return steps / of_hism if of_hism else None


@dataclass(frozen=True)
class _MeanSteps:
    """Mean steps of an insertion into each format."""

    jd: Steps[float]
    crs: Steps[float]
    bbcs: Steps[float]
    hism: Steps[float]


def _counted_rows(matrix: TableMatrix, csr: Any, hism: HiSM) -> list[Comparison]:
    if hism.nnz == csr.shape[0] * csr.shape[1]:
        return []
    crs, jd = CRS.from_scipy(csr), JD.from_scipy(csr)
    bbcs = BBCS.from_scipy(csr, section_size=SECTION_SIZE)
    by_row = empty_by_row(crs)
    anywhere = _MeanSteps(
        _mean(jd, by_row),
        _mean(crs, by_row),
        _mean(bbcs, empty_by_block_column(bbcs)),
        _mean(hism, empty_by_block_array(hism)),
    )
    result = _ratios(matrix.label + COUNTED_SUFFIX, anywhere, lambda steps: steps.total, _all_kinds)
    own = Comparison(matrix.label + HISM_SUFFIX, "vs BBCS", "", anywhere.hism.total, "steps, not a ratio")
    searched = anywhere.hism.comparisons
    result += [own, Comparison(matrix.label + COMPARISONS_SUFFIX, "comparisons", "", searched)]
    stored = empty_in_blocks(hism)
    if len(stored.count):
        in_blocks = _MeanSteps(*(_mean(form, stored) for form in (jd, crs, bbcs, hism)))
        label = matrix.label + IN_BLOCKS_SUFFIX
        result += _ratios(label, in_blocks, lambda steps: steps.total, _all_kinds)
    swapped = sum_of_parts(mean_over(by_row, jd_swap_steps(jd, by_row.row, by_row.column)))
    with_room = replace(anywhere, jd=swapped)
    return result + _ratios(matrix.label + ROOM_SUFFIX, with_room, _with_room, _within_arrays)


def _mean(form: CRS | JD | BBCS | HiSM, positions: EmptyPositions) -> Steps[float]:
    return sum_of_parts(mean_steps(form, positions))


def _with_room(steps: Steps[float]) -> float:
    return steps.comparisons + steps.displacements


def _ratios(
    label: str,
    means: _MeanSteps,
    count: Callable[[Steps[float]], float],
    message: Callable[[Steps[float]], str],
) -> list[Comparison]:
    note = "; ".join(
        f"{name} {count(steps):,.1f} ({message(steps)})"
        for name, steps in (("HiSM", means.hism), ("JD", means.jd), ("CRS", means.crs), ("BBCS", means.bbcs))
    )
    return [
        Comparison(label, quantity, "", _ratio(count(steps), count(means.hism)), note)
        for quantity, steps in zip(QUANTITIES, (means.jd, means.crs, means.bbcs), strict=True)
    ]


def _all_kinds(steps: Steps[float]) -> str:
    later = f", {steps.later:,.1f} later ones moved" if steps.later else ""
    return (
        f"{steps.comparisons:,.1f} comparisons, {steps.displacements:,.1f} displaced{later}, "
        f"{steps.updates:,.1f} updates"
    )


def _within_arrays(steps: Steps[float]) -> str:
    return f"{steps.comparisons:,.1f} comparisons, {steps.displacements:,.1f} displaced"
