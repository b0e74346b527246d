"""Table II and what the paper says of memory: throughput, and the bytes of the format."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.hbp.printed import MEMORY_OF_THE_4090, TABLE_2
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import LARGE, id_of
from experiments.papers.hbp.texts import PRODUCTS
from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import NOT_MEASURED, MatrixRecord
from experiments.report.agreement import outcome_of_number
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS, WARP

PUBLISHED = "hbp-probing"
METHODS = ("crs-scalar", PUBLISHED, "hbp", "hbp-active")
THE_PAPERS = "the paper's GPU"
NEEDS_THE_PROFILER = "of an RTX 4090, by Nsight Compute"
ENTRY_BYTES = 16
"""Of an entry of HBP in float64: value, column, add_sign."""
SLOT_BYTES = 8
"""Of a row of a block: zero_row and output_hash."""
SUM_BYTES = 8
SEGMENT_BYTES = 8 * BLOCK_COLUMNS
COUNTING_BYTES = 8
"""Of a row of a block while a matrix is converted: its first entry, and how many there are."""
UNPLACED = ("m4", *LARGE)
"""What the paper says does not fit on its RTX 4090."""


def make(results: Results) -> Item:
    """Make Table II: the printed numbers, and bytes that a product must move, counted, over its time."""
    rows = [row for matrix in results.matrices for row in _rows(results, matrix)]
    return results.item(
        "hbp-table2",
        "Table II: memory throughput",
        "The paper reads Mem Busy and the memory throughput of CSR and HBP from Nsight Compute "
        "on an RTX 4090. That is not testable on another GPU. Here bytes are counted: those that a product "
        "keeps on the device, x once and y once, over its time, GB/s. What is read more than once is not in "
        "it, and what is kept and not read is: HBP passes over the slots of groups of 32 rows without "
        "entries, so that its numbers are too high, of circuits and device-like matrices by a quarter to "
        "nearly twice.",
        rows,
        verdicts=(_direction(results), _unneeded(results)),
        notes=(_coincidences(results),),
    )


def counted_rate(results: Results, matrix: MatrixRecord, method: str) -> float | None:
    """Return the counted bytes of a product in float64 over its time, GB/s; None if it was not measured."""
    record = results.record(matrix, method, "float64")
    if record is None or not record.median_us or not record.nbytes:
        return None
    return (record.nbytes + 16 * matrix.rows) / (record.median_us * 1e3)


def _rows(results: Results, matrix: MatrixRecord) -> Iterator[Comparison]:
    printed = TABLE_2.get(id_of(matrix))
    if printed is not None:
        numbers = {
            "CSR, Mem Busy, %": printed.csr_busy,
            "HBP, Mem Busy, %": printed.hbp_busy,
            "CSR, throughput, GB/s": printed.csr_rate,
            "HBP, throughput, GB/s": printed.hbp_rate,
        }
        for quantity, paper in numbers.items():
            yield Comparison(matrix.label, quantity, paper, None, NEEDS_THE_PROFILER, THE_PAPERS)
    for method in METHODS:
        rate = counted_rate(results, matrix, method)
        absent = results.absent(matrix, method, "float64") or NOT_MEASURED
        yield Comparison(matrix.label, f"{PRODUCTS[method]}, counted, GB/s", "", rate, "counted", absent)


def _direction(results: Results) -> Verdict:
    """Show the entries of HBP alone, which it reads for certain, next to all that CSR keeps."""
    claim = "On m1 the memory throughput of HBP is higher than that of CSR"
    for matrix in results.matrices:
        time, csr = results.time(matrix, PUBLISHED, "float64"), counted_rate(results, matrix, "crs-scalar")
        if id_of(matrix) == "m1" and time and csr:
            least = ENTRY_BYTES * matrix.nnz / (time * 1e3)
            return Verdict(
                claim,
                None,
                "not testable: throughput was not measured, and the matrix for m1 is generated; counted, "
                f"{least:.0f} GB/s at least next to {csr:.2f}, which only repeats that HBP takes less time",
            )
    return Verdict(claim, None, NOT_MEASURED)


def _unneeded(results: Results) -> Verdict:
    """Judge by the segments of x and the slots that blocks take, once each, against all that CSR keeps."""
    claim = "HBP transfers much data that is not needed: segments of x, and the format itself (most matrices)"
    ratios = {
        matrix.name: (SEGMENT_BYTES + SLOT_BYTES * BLOCK_ROWS) * blocks.filled / crs
        for matrix in results.matrices
        if (blocks := results.blocks_of(matrix.name)) and (crs := _bytes(results, matrix, "crs-scalar"))
    }
    if not ratios:
        return Verdict(claim, None, NOT_MEASURED)
    larger = sum(ratio > 1 for ratio in ratios.values())
    detail = (
        f"segments and slots of blocks with entries have {mean_ratio(ratios)} times the bytes of CSR, more "
        f"than CSR on {larger} of {len(ratios)} matrices"
    )
    return Verdict(claim, 2 * larger > len(ratios), detail)


def coincidences(results: Results) -> dict[str, tuple[float, str]]:
    """Return counted rates that happen to be near a printed one: ours and that one, by what they are of."""
    matches = {}
    for matrix in results.matrices:
        printed = TABLE_2.get(id_of(matrix))
        if printed is None:
            continue
        for method, paper in (("crs-scalar", printed.csr_rate), (PUBLISHED, printed.hbp_rate)):
            rate = counted_rate(results, matrix, method)
            if rate is not None and outcome_of_number("timed", float(paper), rate) == "confirmed":
                matches[f"{PRODUCTS[method]} on {matrix.name}"] = rate, paper
    return matches


def _coincidences(results: Results) -> str:
    numbers = "; ".join(
        f"{what}: {ours:.3g}, the paper has {paper}" for what, (ours, paper) in coincidences(results).items()
    )
    return (
        "A counted rate near a printed one is a coincidence: the GPU is another, the matrix only resembles "
        f"the paper's, and counted bytes are not measured ones. Within 15 %: {numbers or 'none'}."
    )


def _bytes(results: Results, matrix: MatrixRecord, method: str) -> int | None:
    record = results.record(matrix, method, "float64")
    return None if record is None else record.nbytes


def converted_bytes(results: Results, matrix: MatrixRecord) -> int | None:
    """Return the bytes of a conversion: CRS, the rows of blocks counted, HBP with its sums."""
    crs, hbp = (_bytes(results, matrix, method) for method in ("crs-scalar", PUBLISHED))
    blocks = results.blocks_of(matrix.name)
    if crs is None or hbp is None or blocks is None:
        return None
    return crs + hbp + COUNTING_BYTES * blocks.blocks * BLOCK_ROWS


def storage_verdicts(results: Results) -> Iterator[Verdict]:
    """Yield what the paper says of the memory that HBP takes (section IV-C)."""
    ratios = {
        matrix.name: whole / crs
        for matrix in results.matrices
        if (whole := converted_bytes(results, matrix)) and (crs := _bytes(results, matrix, "crs-scalar"))
    }
    mean = mean_ratio(ratios)
    yield Verdict(
        "The conversion takes several times the storage of the original matrix",
        mean.value > 2 if mean else None,
        f"{mean} times CSR, {min(ratios.values()):.1f} to {max(ratios.values()):.1f}"
        if mean
        else NOT_MEASURED,
    )
    sizes = {
        matrix.name: size
        for matrix in results.matrices
        if id_of(matrix) in UNPLACED and (size := converted_bytes(results, matrix))
    }
    yield _fixed_storage(results)
    too_large = [name for name, size in sizes.items() if size > MEMORY_OF_THE_4090]
    detail = "; ".join(f"{name} {size / 1e9:.1f} GB" for name, size in sizes.items())
    yield Verdict(
        "Therefore an RTX 4090 with 24 GB cannot handle m4 to m7",
        len(too_large) == len(sizes) if sizes else None,
        f"{detail}; too large: {', '.join(too_large) or 'none'}" if sizes else NOT_MEASURED,
    )


def _fixed_storage(results: Results) -> Verdict:
    """Judge by the bytes on the device, with sums and a ticket, against those of entries and slots alone."""
    claim = "The storage of HBP is fixed by the entries, the rows and the column blocks: nothing is padded"
    differences = {}
    for matrix in results.matrices:
        blocks, there = results.blocks_of(matrix.name), _bytes(results, matrix, PUBLISHED)
        if blocks is not None and there is not None:
            slots = blocks.blocks * BLOCK_ROWS
            expected = ENTRY_BYTES * matrix.nnz + (SLOT_BYTES + SUM_BYTES) * slots + 4 * (slots // WARP + 2)
            differences[matrix.name] = there - expected
    if not differences:
        return Verdict(claim, None, NOT_MEASURED)
    most = max(map(abs, differences.values()))
    return Verdict(
        claim, most == 0, f"{most} bytes more or less on each of {len(differences)} matrices at most"
    )
