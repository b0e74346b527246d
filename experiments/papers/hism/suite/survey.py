"""Measure the matrices of the Matrix Market that can be had: ``-m experiments.papers.hism.suite.survey``.

It writes candidates.csv again, from the files and meshes that are found, the built-in matrices, and those
rows of candidates.csv itself that are made: a new one is written there by hand, and the numbers of its row by
this module. What it writes does not depend on any run.
"""

import csv
import dataclasses
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from experiments.papers.hism.suite.candidates import CANDIDATES_FILE, matrix_market
from experiments.papers.hism.suite.member import (
    ALTERNATIVE,
    Criterion,
    Member,
    Provenance,
    read_members,
    write_members,
)
from experiments.papers.hism.suite.origin import fetch, file_of, is_available
from experiments.papers.hism.suite.stated_by_paper import NAMED, RANGES
from vecsim.data.builtin import BUILTINS
from vecsim.data.collections import Entry, counterpart
from vecsim.data.limits import large_file
from vecsim.data.metrics import metrics
from vecsim.data.search_path import matrix_folders
from vecsim.results.digests import pattern_sha256
from vecsim.support.input_files import TABLE, file_sha256, read_text

_KINDS = "index/suitesparse_collection_2904.csv"
"""Below the folder of matrices: what each matrix of SuiteSparse comes from."""
_KIND_OF_SET = {"SPARSKIT/drivcav": "computational fluid dynamics"}
"""The kind of a set that SuiteSparse does not have."""
_NOT_A_KIND = re.compile(r"\b(sequence|subsequent|duplicate|problem)\b")


def survey() -> list[Member]:
    """Return what may be chosen, one for each pattern, by rising size.

    All matrices of the Matrix Market whose files are available, those of its families that are built in, and
    those that are made. Of several with the same pattern the first stays (what the paper names, then a file
    before a made one); what lies outside the paper's ranges goes.
    """
    market = matrix_market()
    kinds = _kinds(market)
    matches = [_measured(source, market, kinds) for source in _sources(market)]
    unlike = _one_for_each_pattern(member for member in matches if _in_ranges(member))
    return sorted(unlike, key=lambda member: (member.size, member.name))


class Source(NamedTuple):
    """Where a candidate may be had.

    Attributes
    ----------
    name, provenance, origin, note
        As in `Member`.
    original
        The collection's matrix that it is, has the pattern of, or stands for, as the collection names it.
    """

    name: str
    provenance: Provenance
    origin: str
    original: str
    note: str = ""


def _sources(market: dict[str, Entry]) -> Iterator[Source]:
    for name in market:
        if is_available(f"file {name}"):
            yield Source(name, "file", f"file {name}", name)
    yield from _built_in(market)
    yield from (source for source in sources() if is_available(source.origin))


def _built_in(market: dict[str, Entry]) -> Iterator[Source]:
    return (Source(name, "generated", f"builtin {name}", name) for name in BUILTINS if name in market)


def sources() -> Iterator[Source]:
    """Yield the candidates of the file that are made; of one that is also a file, what makes the same."""
    for each in read_members(CANDIDATES_FILE):
        for origin in each.origins:
            if origin not in (f"file {each.name}", f"builtin {each.original}"):
                provenance = "generated" if each.provenance == "file" else each.provenance
                yield Source(each.name, provenance, origin, each.original, each.note)


def _measured(source: Source, market: dict[str, Entry], kinds: dict[str, str]) -> Member:
    csr = fetch(source.origin)
    measured = metrics(csr)
    place = market[source.original].path.rpartition("/")[0]
    is_file = source.provenance == "file"
    return Member(
        name=source.name,
        provenance=source.provenance,
        origin=source.origin,
        collection=place,
        application=kinds.get(source.original) or kinds.get(place, ""),
        rows=csr.shape[0],
        columns=csr.shape[1],
        size=measured.size,
        locality=round(measured.locality, 6),
        average_per_row=round(measured.average_per_row, 6),
        pattern_sha256=pattern_sha256(csr),
        file_sha256=file_sha256(file_of(source.origin), large_file("a matrix file")) if is_file else "",
        stands_in_for="" if source.name == source.original else source.original,
        note=source.note,
    )


def _kinds(market: dict[str, Entry]) -> dict[str, str]:
    """Application by name of a matrix, and by set of the collection what most of its matrices have."""
    kinds: dict[str, str] = {}
    sets: dict[str, Counter[str]] = defaultdict(Counter)
    for folder in matrix_folders():
        if not (folder / _KINDS).is_file():
            continue
        for row in csv.DictReader(read_text(folder / _KINDS, TABLE).splitlines()):
            entry = market.get(row["name"])
            twin = counterpart(entry) if entry else None
            if entry and twin and twin.path == f"{row['group']}/{row['name']}":
                kind = " ".join(_NOT_A_KIND.sub("", row["kind"]).split())
                kinds[row["name"]] = kinds[entry.name] = kind
                sets[entry.path.rpartition("/")[0]][kind] += 1
        break
    return _KIND_OF_SET | {place: counts.most_common(1)[0][0] for place, counts in sets.items()} | kinds


def _in_ranges(member: Member) -> bool:
    # The paper prints the ends with few digits: bcspwr10 has 0.0702, psmigr_1 172.98.
    values: dict[Criterion, float] = {
        "size": member.size,
        "locality": round(member.locality, 2),
        "average_per_row": int(member.average_per_row),
    }
    return all(low <= values[criterion] <= high for criterion, (low, high) in RANGES.items())


def _one_for_each_pattern(matches: Iterable[Member]) -> Iterator[Member]:
    """The first of each pattern; of one matrix with several origins, one candidate with all of them."""
    alike: dict[str, list[Member]] = defaultdict(list)
    for member in matches:
        alike[member.pattern_sha256].append(member)
    for group in alike.values():
        first = next((member for member in group if member.original in NAMED), group[0])
        origins = [member.origin for member in group if member.name == first.name]
        yield dataclasses.replace(first, origin=ALTERNATIVE.join(origins))


def main() -> int:
    """Measure, and write candidates.csv next to this module."""
    matches = survey()
    sys.stdout.write(f"{write_members(matches, CANDIDATES_FILE)}: {len(matches)} candidates\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
