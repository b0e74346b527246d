"""Matrix Market files, right and wrong: ``python -m tests.fuzz.matrix_market --count 10000``."""

from __future__ import annotations

import gzip
import random

from tests.data.plain_readers import Plain, matrix_market
from tests.fuzz.campaign import Case, Fuzzer, main
from tests.fuzz.damage import damaged

FIELDS = ("real", "real", "integer", "pattern", "complex", "unsigned-integer", "double", "Real", "REAL")
SYMMETRIES = ("general", "general", "symmetric", "skew-symmetric", "Symmetric")
STRANGE_WORDS = (
    "quaternion",
    "odd",
    "hermitian",
    "pattern",
    "skew-symmetric",
    "symmetric",
    "",
    "general general",
)
REALS = (
    "1", "-2.5", "0", ".5", "5.", "+3", "1e5", "1E+05", "1.5D-3", "1d2", "1.5-100", "2+3", "-0",
    "1e-320", "1e308", "1e-400",
    "0.1000000000000000055511151231257827021181583404541015625", "9007199254740993",
    "2.2250738585072011e-308", "007.50",
    "179769313486231580793728971405301199e273", "1e0000000000000000000000000000003",
    "123456789012345678901234567890",
    "4.9406564584124654e-324", "2.4703282292062328e-324", "2.4703282292062327e-324", "1.7976931348623158e308",
)  # fmt: skip
INTEGERS = (
    "1",
    "-7",
    "0",
    "+3",
    "-0",
    "007",
    "9223372036854775807",
    "-9223372036854775808",
    "9007199254740993",
)
NATURALS = ("1", "0", "+3", "18446744073709551615", "9223372036854775808", "000")
WRONG = (
    "", "x", "1.2.3", "3e", "3e+", "e5", ".", "-", "+", "--1", "+-1", "1-", "1.5-", "nan", "NaN",
    "inf", "-Infinity", "0x10",
    "0b1", "1_0", "1,5", "1e5.5", "1e5e5", "1.5D", "1e400", "-1e999999999999", "3.7", "3e2",
    "9223372036854775808", "-1",
    "18446744073709551616", "1e", "\u0665", "1;", "1 2", "0", "99999999999999999999999", "4294967297",
    "2147483648", "%", "1f",
    "1" * 400, "1e" + "9" * 400, "." + "0" * 400 + "1", "true", "None", "1L", "1.0j", "infinity",
    "1.#INF", "(1,2)",
)  # fmt: skip
BLANKS = (" ", " ", " ", "  ", "\t", " \t ")
ENDS = ("\n", "\n", "\n", "\r\n", " \n", "\t\r\n")
LAST_ENDS = ("\n", "\n", "", " ", "\r", "\r\n", "\n\n", "\n \n", "\t", "\x1a", "\0")
COMMENTS = (
    "%\n",
    "% text\n",
    "\n",
    " \n",
    "%%\n",
    "% \x85 \xff\n",
    "% " + "c" * 3000 + "\n",
    " % indented\n",
    "\r\n",
)


def make(source: random.Random) -> Case:
    """Make up a file: right in every way that comes to mind, then often with one thing wrong, or several."""
    layout = source.choice(("coordinate", "coordinate", "coordinate", "array"))
    field, symmetry = _banner_words(source, layout)
    rows = source.choice((1, 1, 2, 3, 3, 4, 7))
    columns = rows if symmetry != "general" or source.random() < 0.5 else source.choice((1, 2, 5))
    rightly = source.random() < 0.6
    entries = [
        _words(source, field, place if layout == "coordinate" else ())
        for place in _places(source, layout, symmetry, rows, columns)
    ]
    if not rightly and entries:
        for _ in range(source.choice((0, 1, 1, 2))):
            _spoil(source, entries, rows, columns)
    count = len(entries) + (0 if rightly else source.choice((0, 0, 0, 0, 0, 1, -1, 10**6, 10**17)))
    sizes = [str(rows), str(columns), *([str(count)] if layout == "coordinate" else [])]
    if not rightly and source.random() < 0.08:
        sizes[source.randrange(len(sizes))] = source.choice((*WRONG, "-1", "+2", "134217728", "134217729"))
    lines = [f"%%MatrixMarket matrix {layout} {field} {symmetry}{source.choice(ENDS)}"]
    lines += [source.choice(COMMENTS) for _ in range(source.choice((0, 0, 0, 1, 2)))]
    lines.append(source.choice(BLANKS).join(sizes) + source.choice(ENDS))
    for words in entries:
        blank = source.choice(BLANKS)
        lines.append(source.choice(("", "", " ", "\t")) + blank.join(words) + source.choice(ENDS))
        if source.random() < 0.03:
            lines.append(source.choice(("\n", " \n", "\r\n", "% late\n")))
    text = "".join(lines).removesuffix("\n") + source.choice(LAST_ENDS)
    data = text.encode("utf-8" if source.random() < 0.9 else "utf-16", "replace")
    if not rightly:
        data = damaged(source, data, source.choice((0, 0, 1, 1, 2, 4)))
    if source.random() < 0.05:
        return Case("case.mtx.gz", gzip.compress(data, 1, mtime=0))
    return Case("case.mtx", data)


def _banner_words(source: random.Random, layout: str) -> tuple[str, str]:
    """Return field and symmetry, most of the time some that go together."""
    field, symmetry = source.choice(FIELDS), source.choice(SYMMETRIES)
    if source.random() < 0.05:
        return source.choice((*FIELDS, *STRANGE_WORDS)), source.choice((*SYMMETRIES, *STRANGE_WORDS))
    if field == "pattern" and layout == "array":
        field = "real"
    if field == "complex" and source.random() < 0.3:
        symmetry = "hermitian"
    if field in ("pattern", "unsigned-integer") and symmetry == "skew-symmetric":
        symmetry = "symmetric"
    return field, symmetry


def _places(
    source: random.Random, layout: str, symmetry: str, rows: int, columns: int
) -> list[tuple[int, int]]:
    """Return places of entries, from 1: all that a dense file has, or some of a sparse one."""
    first = {"general": None, "odd": None, "skew-symmetric": 1}.get(symmetry.lower(), 0)
    every = [
        (row + 1, column + 1)
        for column in range(columns)
        for row in range(0 if first is None else column + first, rows)
    ]
    if layout == "array":
        return every
    return [source.choice(every) for _ in range(source.choice((1, 1, 2, 3, 6, 20)))] if every else []


def _words(source: random.Random, field: str, place: tuple[int, ...]) -> list[str]:
    indices = [source.choice(("", "", "", "00")) + str(index) for index in place]
    spelled = {"integer": INTEGERS, "unsigned-integer": NATURALS}.get(field.lower(), REALS)
    count = {"pattern": 0, "complex": 2}.get(field.lower(), 1)
    values = [source.choice(spelled) for _ in range(count)]
    if field == "complex" and place and len(set(place)) == 1 and source.random() < 0.9:
        values[1] = "0"
    return [*indices, *values]


def _spoil(source: random.Random, entries: list[list[str]], rows: int, columns: int) -> None:
    """Make one thing wrong with one of the lines."""
    words = source.choice(entries)
    way = source.random()
    if way < 0.5 and words:
        words[source.randrange(len(words))] = source.choice(WRONG)
    elif way < 0.65:
        words.insert(source.randrange(len(words) + 1), source.choice((*REALS, *WRONG)))
    elif way < 0.8 and words:
        del words[source.randrange(len(words))]
    elif len(words) > 1:
        words[source.randrange(2)] = str(source.choice((0, rows, columns, rows + 1, columns + 1)))


def judge(case: Case) -> Plain:
    """Read with the plain reader."""
    packed = case.name.endswith(".gz")
    return matrix_market(gzip.decompress(case.data) if packed else case.data)


FUZZER = Fuzzer("matrix_market", make, judge)

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
