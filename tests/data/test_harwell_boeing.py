import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from vecsim.data import read
from vecsim.support.errors import UserError

# [10 0 0]
# [ 0 3 9]   by columns: (1; 10) (2, 3; 3, 7) (2; 9)
# [ 0 7 0]
POINTERS = "   1   2   4   5"
ROWS = "   1   2   3   2"
VALUES = ["  1.00000000D+01      3.00000E+00", "       7.000+000             9.00"]


def text(
    kind="RUA",
    values=VALUES,
    pointers=POINTERS,
    rows=ROWS,
    sizes=(3, 3, 4),
    formats="(16I4)          (16I4)          (2E17.8)            ",
    rhs=0,
):
    value_lines = len(values)
    head = [
        "Title".ljust(72) + "KEY     ",
        f"{2 + value_lines:14d}{1:14d}{1:14d}{value_lines:14d}{rhs:14d}",
        kind.ljust(14) + "".join(f"{size:14d}" for size in (*sizes, 0)),
        formats,
    ]
    if rhs:
        head.append("F".ljust(14) + f"{1:14d}{0:14d}")
    return "\n".join([*head, pointers, rows, *values, *(["1.0 2.0 3.0"] if rhs else [])]) + "\n"


def damaged(number, line=""):
    """Return a file with another line in the place of one."""
    lines = text().split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


def written(tmp_path, contents, name="m.rua"):
    path = tmp_path / name
    path.write_bytes(contents.encode())
    return path


@pytest.mark.parametrize("rhs", [0, 1])
def test_real_unsymmetric(tmp_path, rhs):
    matrix = read(written(tmp_path, text(rhs=rhs), "small.rua"))
    assert matrix.name == "small"
    np.testing.assert_array_equal(matrix.csr.toarray(), [[10, 0, 0], [0, 3, 9], [0, 7, 0]])


def test_pattern_and_rectangular(tmp_path):
    matrix = read(written(tmp_path, text("PRA", [], sizes=(5, 3, 4)), "small.pra"))
    np.testing.assert_array_equal(matrix.csr.toarray(), [[1, 0, 0], [0, 1, 1], [0, 1, 0], [0] * 3, [0] * 3])


@pytest.mark.parametrize("kind", ["RSA", "rsa", "PSA"])
def test_half_stored_matrices_are_expanded(tmp_path, kind):
    values = [] if kind == "PSA" else ["  1.00000000D+01      3.00000E+00", "       7.000+000"]
    contents = text(kind, values, "   1   2   4   4", "   1   2   3", (3, 3, 3))
    d, m, o = (1, 1, 1) if kind == "PSA" else (10, 3, 7)
    matrix = read(written(tmp_path, contents, f"small.{kind.lower()}"))
    np.testing.assert_array_equal(matrix.csr.toarray(), [[d, 0, 0], [0, m, o], [0, o, 0]])


def test_a_skew_symmetric_matrix_is_expanded_with_the_opposite_sign(tmp_path):
    contents = text("RZA", ["  1.00000000D+01      3.00000E+00"], "   1   2   3   3", "   2   3", (3, 3, 2))
    matrix = read(written(tmp_path, contents, "small.rza"))
    np.testing.assert_array_equal(matrix.csr.toarray(), [[0, -10, 0], [10, 0, -3], [0, 3, 0]])


def test_complex_values_lose_their_imaginary_part(tmp_path):
    matrix = read(written(tmp_path, text("CUA", VALUES, "   1   1   2   3", "   1   2", (3, 3, 2)), "m.cua"))
    assert matrix.csr.data.tolist() == [10, 7]
    assert "real part" in matrix.warnings[0]


def test_complex_values_are_kept_when_asked_for(tmp_path):
    path = written(tmp_path, text("CUA", VALUES, "   1   1   2   3", "   1   2", (3, 3, 2)), "m.cua")
    assert read(path, complex=True).csr.data.tolist() == [10 + 3j, 7 + 9j]


def one(field, format_, width=20, kind="RUA"):
    """A matrix of one entry, whose value stands in a field of a format."""
    formats = f"{'(2I4)':16}{'(2I4)':16}{format_:20}"
    return text(kind, [field.rjust(width)], "   1   2", "   1", (1, 1, 1), formats)


@pytest.mark.parametrize(
    ("field", "format_", "value"),
    [
        ("150", "(F20.2)", 1.5),
        ("-150", "(F20.2)", -1.5),
        ("5", "(F20.3)", 0.005),
        ("150E2", "(E20.2)", 150),
        ("1.50", "(F20.2)", 1.5),
        ("150.", "(F20.2)", 150),
        (".5", "(F20.2)", 0.5),
        ("1.5", "(1PF20.2)", 0.15),
        ("1.5", "(-2P,F20.2)", 150),
        ("150", "(1P,F20.2)", 0.15),
        ("1.5E0", "(1PE20.2)", 1.5),
        ("1.5+0", "(1P,4E20.2)", 1.5),
        ("1.5D-10", "(3(1PD20.2))", 1.5e-10),
        ("1.5E 02", "(E20.2)", 150),
        ("1.5-100", "(E20.2)", 1.5e-100),
        ("1.5E-0100", "(1PE20.2E4)", 1.5e-100),
        ("1.5", "(G20.10)", 1.5),
        ("1.5", "(ES20.10)", 1.5),
        ("150", "( f 20 . 2 )", 1.5),
        ("0001" * 5, "(F20.0)", 10001000100010001.0),
        ("15", "(I20)", 15),
        ("1E999999999999", "(E20.2)", None),
    ],
)
def test_numbers_are_read_by_the_rules_of_fortran(tmp_path, field, format_, value):
    path = written(tmp_path, one(field, format_))
    if value is None:
        with pytest.raises(UserError, match="row 1, column 1 is inf"):
            read(path)
    else:
        assert read(path).csr.data.tolist() == [value]


@pytest.mark.parametrize(
    ("field", "format_"),
    [
        ("1_0", "(F20.2)"),
        ("1 0", "(F20.2)"),
        ("- 1", "(F20.2)"),
        ("1.2.3", "(F20.2)"),
        ("1.5E", "(F20.2)"),
        ("E5", "(F20.2)"),
        (".", "(F20.2)"),
        ("", "(F20.2)"),
        ("\t5", "(F20.2)"),
        ("inf", "(F20.2)"),
        ("1_0", "(I20)"),
        ("1.5", "(I20)"),
        ("9" * 19, "(I20)"),
    ],
)
def test_what_fortran_does_not_read_is_named_with_its_place(tmp_path, field, format_):
    with pytest.raises(UserError, match=r"m\.rua, line 7, column 1: ('.*' (is|must be) |a field is blank)"):
        read(written(tmp_path, one(field, format_)))


@pytest.mark.parametrize(
    "format_",
    [
        "F20.2",
        "(F20)",
        "(20F)",
        "(0F20.2)",
        "(F0.2)",
        "(2XF20.2)",
        "(F20.2,)",
        "(F20.2,I3)",
        "(F20.2E3)",
        "(BZ,F20.2)",
        "('a',F20.2)",
        "(F20.2,2(1X))",
        "(9999(99F1.0))",
        "(*(F20.2))",
        "(3(F20.2)",
        "(F20.2))",
        "(A20)",
    ],
)
def test_what_is_no_format_of_numbers(tmp_path, format_):
    with pytest.raises(UserError, match=r"line 4: '.*' is not a Fortran format"):
        read(written(tmp_path, one("1.5", format_)))


def test_an_infinite_imaginary_part_is_named_without_a_warning(tmp_path):
    contents = text("CUA", ["              1.0            1E999"], "   1   2", "   1", (1, 1, 1))
    with pytest.raises(UserError, match=r"row 1, column 1 is \(1\+infj\)"):
        read(written(tmp_path, contents))


@pytest.mark.parametrize("letter", ["\x85", "\f", "\v", "\x1c", "\xa0", "\r"])
def test_a_title_may_hold_what_others_end_lines_at(tmp_path, letter):
    contents = f"Ti{letter}tle".ljust(72) + text()[72:]
    path = tmp_path / "m.rua"
    path.write_bytes(contents.encode("latin-1"))
    np.testing.assert_array_equal(read(path).csr.toarray(), [[10, 0, 0], [0, 3, 9], [0, 7, 0]])
    path.write_bytes(contents.replace("\n", "\r\n").encode("latin-1"))
    np.testing.assert_array_equal(read(path).csr.toarray(), [[10, 0, 0], [0, 3, 9], [0, 7, 0]])


def test_agrees_with_scipy(tmp_path):
    rng = np.random.default_rng(90125)
    expected = scipy.sparse.random_array((37, 37), density=0.1, rng=rng, format="csc")
    path = tmp_path / "random.rb"
    scipy.io.hb_write(path, expected)
    matrix = read(path).csr
    assert (matrix != expected.tocsr()).nnz == 0
    zipped = tmp_path / "random.rua.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert read(zipped).name == "random"
    assert (read(zipped).csr != matrix).nnz == 0


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("one\ntwo\n", "at least 4 lines, this has 2"),
        (text("RUE"), "line 3: an elemental matrix"),
        (text("XUA"), "line 3: unknown matrix type 'XUA'"),
        (damaged(2), "line 2: is blank, but must have the numbers of lines in a Harwell-Boeing file"),
        (damaged(3), "line 3: is blank, but must have the matrix type and the sizes"),
        (damaged(3, "\0" * 80), "line 3: is blank, but must have the matrix type"),
        (damaged(3, "RSE"), "line 3: an elemental matrix"),
        (damaged(3, "RUA  "), "line 3: no sizes follow the matrix type RUA"),
        (damaged(4), "line 4: is blank, but must have the formats of the numbers"),
        (
            damaged(4, "(16I5)"),
            r"line 4: columns 17 to 32 are blank, but must have a Fortran format of I, such as \(",
        ),
        (text().replace(f"{4:14d}", "         four "), "line [23]: the header must have integers"),
        (text("RSA", sizes=(5, 3, 4)), "must be square, not 5 x 3"),
        (text(formats="(16X4)          (16I4)          (2E17.8)"), "line 4: .* is not a Fortran format"),
        (text(sizes=(3, 3, 0)), "an empty matrix"),
        (
            text(sizes=(3, 3, 10**12)),
            "line 2: 1 line of row indices announced, but lines 3 and 4 need 62500000000",
        ),
        (text(values=VALUES[:1]), "line 2: 1 line of values announced, but lines 3 and 4 need 2"),
        (
            text()[: -len(VALUES[1]) - 1],
            "lines 7 to 8: 4 numbers announced, but the file ends with line 7; fetch it again",
        ),
        (
            text(values=["              1.0              xyz", VALUES[1]]),
            "line 7, column 18: 'xyz' must be a number",
        ),
        (text(rows="   1   2   x   2"), "line 6, column 9: 'x' must be an integer"),
        (text(rows="   1   2   4   2"), r"row indices must be from 1 to 3"),
        (text(rows="   0   2   3   2"), r"row indices must be from 1 to 3"),
        (text(pointers="   1   4   2   5"), "column pointers must rise from 1 to 5"),
        (text(pointers="   1   2   4   6"), "column pointers must rise from 1 to 5"),
        (text(pointers="   1   2 1_0   5"), "line 5, column 9: '1_0' must be an integer"),
        (text().replace(f"{3:14d}", f"{'3_0':>14}"), "line 3: the header must have integers"),
        (text("PUA"), "line 2: 2 lines of values announced, but lines 3 and 4 need 0"),
        (
            text("RSA"),
            r"line 6, column 13: '2' is wrong: the entry in row 2, column 3 is above the diagonal",
        ),
        (
            text("RZA", VALUES[:1], "   1   2   3   3", "   1   3", (3, 3, 2)),
            "line 6, column 1: '1' is wrong: the entry in row 1, column 1 is on the diagonal",
        ),
        (
            text(values=["              nan              1.0", VALUES[1]]),
            "line 7, column 1: 'nan' must be a number",
        ),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path, contents, message):
    path = written(tmp_path, contents)
    with pytest.raises(UserError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


LAID_OUT = [
    ("(1X,8I4)", " " + POINTERS),
    ("(1x,2i4)", f" {POINTERS[:8]}\n {POINTERS[8:]}"),
    ("(2(1X,I4))", f" {POINTERS[:4]} {POINTERS[4:8]}\n {POINTERS[8:12]} {POINTERS[12:]}"),
    ("(1X,2(I4))", f" {POINTERS[:8]}\n{POINTERS[8:]}"),
    ("(2I4/)", f"{POINTERS[:8]}\n\n{POINTERS[8:]}\n"),
    ("(I4,3I4,2X)", POINTERS),
    ("(T5,4I4)", "xxxx" + POINTERS),
    ("(SP,BN,4I4:)", POINTERS),
    ("(TR2,TL1,4I4)", " " + POINTERS),
]


@pytest.mark.parametrize(("format_", "lines"), LAID_OUT)
def test_formats_with_positions_and_groups(tmp_path, format_, lines):
    contents = text(pointers=lines, formats=f"{format_:16}{'(16I4)':16}{'(2E17.8)':20}")
    count = lines.count("\n") + 1
    contents = contents.replace(f"{4:14d}{1:14d}{1:14d}{2:14d}", f"{3 + count:14d}{count:14d}{1:14d}{2:14d}")
    actual = read(written(tmp_path, contents)).csr.toarray()
    np.testing.assert_array_equal(actual, [[10, 0, 0], [0, 3, 9], [0, 7, 0]])


@pytest.mark.parametrize(
    ("format_", "line", "values"),
    [
        ("(2F5.0,1P,2F5.0)", "  1.5  2.5  3.5  4.5", [1.5, 2.5, 0.35, 0.45]),
        ("(1P2F5.0,0P2F5.0)", "  1.5  2.5  3.5  4.5", [0.15, 0.25, 3.5, 4.5]),
        ("(F5.1,E9.2,2D5.0)", "  150 1.50E+01    7    8", [15.0, 15.0, 7.0, 8.0]),
    ],
)
def test_a_scale_factor_holds_from_its_place_on(tmp_path, format_, line, values):
    contents = text(values=[line], formats=f"{'(16I4)':16}{'(16I4)':16}{format_:20}")
    assert read(written(tmp_path, contents)).csr.toarray().T[[0, 1, 1, 2], [0, 1, 2, 1]].tolist() == values


@pytest.mark.parametrize("name", ["m.rse", "m.pse", "m.cue.gz"])
def test_an_elemental_file_is_refused_by_that_name(tmp_path, name):
    contents = text(name[2:5].upper()).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(contents) if name.endswith(".gz") else contents)
    with pytest.raises(UserError, match=r"an elemental matrix .* is not supported: assemble it first"):
        read(path)
