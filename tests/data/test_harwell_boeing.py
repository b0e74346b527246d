import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from vecsim.data import read
from vecsim.errors import UserError

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


@pytest.mark.parametrize(("kind", "sign"), [("RSA", 1), ("rsa", 1), ("RZA", -1), ("PSA", 1)])
def test_half_stored_matrices_are_expanded(tmp_path, kind, sign):
    values = [] if kind == "PSA" else ["  1.00000000D+01      3.00000E+00", "       7.000+000"]
    contents = text(kind, values, "   1   2   4   4", "   1   2   3", (3, 3, 3))
    d, m, o = (1, 1, 1) if kind == "PSA" else (10, 3, 7)
    matrix = read(written(tmp_path, contents, f"small.{kind.lower()}"))
    np.testing.assert_array_equal(matrix.csr.toarray(), [[d, 0, 0], [0, m, sign * o], [0, o, 0]])


def test_complex_values_lose_their_imaginary_part(tmp_path):
    matrix = read(written(tmp_path, text("CUA", VALUES, "   1   1   2   3", "   1   2", (3, 3, 2)), "m.cua"))
    assert matrix.csr.data.tolist() == [10, 7]
    assert "real part" in matrix.warnings[0]


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
        (text().replace(f"{4:14d}", "         four "), "line [23]: the header must have integers"),
        (text("RSA", sizes=(5, 3, 4)), "must be square, not 5 x 3"),
        (text(formats="(16X4)          (16I4)          (2E17.8)"), "line 4: .* is not a Fortran format"),
        (text(sizes=(3, 3, 0)), "an empty matrix"),
        (text(sizes=(3, 3, 10**12)), "1000000000000 numbers were announced, but the file holds 4"),
        (text(values=VALUES[:1]), "lines 7 to 7: 4 numbers were announced, but the file holds 2"),
        (text(values=["              1.0              xyz", VALUES[1]]), "line 7: 'xyz' is not a number"),
        (text(rows="   1   2   x   2"), "line 6: 'x' is not a number"),
        (text(rows="   1   2   4   2"), r"row indices must lie in 1 \.\. 3"),
        (text(rows="   0   2   3   2"), r"row indices must lie in 1 \.\. 3"),
        (text(pointers="   1   4   2   5"), "column pointers must rise from 1 to 5"),
        (text(pointers="   1   2   4   6"), "column pointers must rise from 1 to 5"),
        (text(values=["              nan              1.0", VALUES[1]]), "row 1, column 1 is nan"),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path, contents, message):
    path = written(tmp_path, contents)
    with pytest.raises(UserError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
