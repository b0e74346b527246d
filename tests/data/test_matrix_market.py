import gzip

import numpy as np
import pytest

from vecsim.data import MAX_DIMENSION, read
from vecsim.errors import UserError

GENERAL = "%%MatrixMarket matrix coordinate real general\n"


def written(tmp_path, text, name="m.mtx"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def banner(layout, field, symmetry):
    return f"%%MatrixMarket matrix {layout} {field} {symmetry}\n"


@pytest.mark.parametrize("zipped", [False, True])
def test_reads_plain_and_gzipped(tmp_path, zipped):
    text = (GENERAL + "% a comment\n\n2 3 3\n2 3 -1.5e2\n1 1 0\n1 2 2.5\n").encode()
    path = written(
        tmp_path, gzip.compress(text) if zipped else text, "small.mtx.gz" if zipped else "small.mtx"
    )
    matrix = read(path)
    assert (matrix.name, matrix.source, matrix.warnings) == ("small", str(path), ())
    assert matrix.csr.format == "csr"
    assert matrix.csr.dtype == np.float64
    np.testing.assert_array_equal(matrix.csr.toarray(), [[0, 2.5, 0], [0, 0, -150]])
    # The explicit zero is kept.
    assert matrix.csr.indices.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("head", "entries", "dense"),
    [
        (("coordinate", "integer", "general"), "2 2 1\n2 1 7\n", [[0, 0], [7, 0]]),
        (("coordinate", "pattern", "general"), "2 2 1\n2 1\n", [[0, 0], [1, 0]]),
        (("coordinate", "real", "symmetric"), "2 2 2\n1 1 3\n2 1 7\n", [[3, 7], [7, 0]]),
        (("coordinate", "pattern", "symmetric"), "2 2 1\n2 1\n", [[0, 1], [1, 0]]),
        (("coordinate", "real", "skew-symmetric"), "2 2 1\n2 1 7\n", [[0, -7], [7, 0]]),
        (("array", "real", "general"), "2 2\n1\n0\n3\n4\n", [[1, 3], [0, 4]]),
        (("array", "integer", "symmetric"), "2 2\n1\n2\n3\n", [[1, 2], [2, 3]]),
        (("ARRAY", "Real", "General"), "1 2\n1\n2\n", [[1, 2]]),
    ],
)
def test_fields_and_symmetries(tmp_path, head, entries, dense):
    matrix = read(written(tmp_path, banner(*head) + entries))
    np.testing.assert_array_equal(matrix.csr.toarray(), dense)
    assert matrix.csr.nnz == np.count_nonzero(dense)
    assert matrix.warnings == ()


def test_complex_values_lose_their_imaginary_part_with_a_warning(tmp_path):
    text = banner("coordinate", "complex", "hermitian") + "2 2 2\n1 1 3 0\n2 1 7 1\n"
    matrix = read(written(tmp_path, text))
    np.testing.assert_array_equal(matrix.csr.toarray(), [[3, 7], [7, 0]])
    assert len(matrix.warnings) == 1
    assert "real part" in matrix.warnings[0]


def test_duplicates_are_summed_with_a_warning(tmp_path):
    matrix = read(written(tmp_path, GENERAL + "2 2 3\n1 1 1\n1 1 2\n2 2 5\n"))
    assert matrix.csr.data.tolist() == [3, 5]
    assert "1 duplicate" in matrix.warnings[0]


def test_windows_line_ends_and_fortran_exponents(tmp_path):
    matrix = read(written(tmp_path, (GENERAL + "1 1 1\n1 1 1.5D+02\n").replace("\n", "\r\n")))
    assert matrix.csr.data.tolist() == [150]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        (" \n\n", "file is empty"),
        ("1 2 3\n", "line 1: not a Matrix Market file"),
        (b"\x00\xff\x80", "line 1: not a Matrix Market file"),
        ("%%MatrixMarket vector coordinate real general\n1 1\n", "line 1: the header must read"),
        ("%%MatrixMarket matrix coordinate real\n", "line 1: the header must read"),
        (banner("coordinate", "quaternion", "general"), "unknown field 'quaternion': use one of real"),
        (banner("coordinate", "real", "odd"), "unknown symmetry 'odd': use one of general"),
        (banner("array", "pattern", "general"), "needs values"),
        (GENERAL, "ends before the line with its rows"),
        (GENERAL + "% c\n2 2\n", "line 3: the size line must give rows, columns, entries, not '2 2'"),
        (GENERAL + "a b c\n", "line 2: the size line"),
        (banner("array", "real", "general") + "2 2 2\n", "must give rows, columns, not '2 2 2'"),
        (banner("coordinate", "real", "symmetric") + "3 2 1\n2 1 1\n", "must be square, not 3 x 2"),
        (GENERAL + "-2 2 1\n1 1 1\n", "negative"),
        (GENERAL + "0 2 0\n", "0 rows, 2 columns and 0 entries: an empty matrix"),
        (GENERAL + "2 0 0\n", "an empty matrix"),
        (GENERAL + "2 2 0\n", "an empty matrix"),
        (banner("array", "real", "general") + "1 1\n0\n", "0 entries: an empty matrix"),
        (
            GENERAL + "2 2 3\n1 1 1\n",
            "line 2: 3 entries are announced, but 1 lines follow: the file was cut off",
        ),
        (GENERAL + "2 2 2\n1 1 1\n2 2 2", None),
        (GENERAL + "2 2 1\n1 1 1\n2 2 2\n", "line 2: 1 entries are announced, but 2 lines follow"),
        (GENERAL + "2 2 900000000000\n1 1 1\n", "900000000000 entries are announced, but 1 lines follow"),
        (
            banner("array", "real", "general") + "99999999 99999999\n1\n",
            "9999999800000001 entries are announced",
        ),
        (GENERAL + f"{MAX_DIMENSION + 1} 1 1\n1 1 1\n", "address space"),
        (GENERAL + "2 2 1\n3 1 1\n", "line 3: Row index out of bounds: rows run from 1 to 2"),
        (GENERAL + "2 2 1\n1 0 1\n", "line 3: Column index out of bounds"),
        (GENERAL + "2 2 1\n1 1 abc\n", "line 3: 'abc' is not a number"),
        (GENERAL + "2 2 2\n1 1 1\n1 2 2.5x\n", "line 4: '2.5x' is not a number"),
        (GENERAL + "2 2 2\n1 1 1\n1 2 2_5\n", "line 4: '2_5' is not a number"),
        (GENERAL + "2 2 1\n1 1 3 4\n", "line 3: .* must give 3 numbers .*, not 4"),
        (banner("array", "real", "general") + "1 2\n1 2\n", "line 3: .* must give 1 numbers"),
        (GENERAL + "2 2 1\n1.5 1 3\n", "line 3: .*row, column, real value, got '1.5 1 3'"),
        (GENERAL + "2 2 1\n1 1\n", "line 3: .*got '1 1'"),
        (banner("coordinate", "pattern", "general") + "2 2 1\nx 1\n", "line 3: 'x' is not a number"),
        (banner("array", "real", "general") + "1 2\n1\nx\n", "line 4: 'x' is not a number"),
        (banner("coordinate", "integer", "general") + "1 1 1\n1 1 99999999999999999999\n", "line 3: "),
        (GENERAL + "2 2 2\n1 1 1\n2 1 nan\n", "row 2, column 1 is nan: values must be finite"),
        (GENERAL + "2 2 1\n1 2 -inf\n", "row 1, column 2 is -inf"),
        (GENERAL + "2 2 1\n1 2 1e999\n", "row 1, column 2 is inf"),
        (GENERAL + "1 1 2\n1 1 1e308\n1 1 1e308\n", "row 1, column 1 is inf"),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path, text, message):
    path = written(tmp_path, text)
    if message is None:
        assert read(path).csr.nnz == 2
        return
    with pytest.raises(UserError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match=r"gone\.mtx: no such file"):
        read(tmp_path / "gone.mtx")
    with pytest.raises(UserError, match="is a directory"):
        read(tmp_path)
    with pytest.raises(UserError, match="cannot be read: Not a directory"):
        read(written(tmp_path, GENERAL) / "below.mtx")
    with pytest.raises(UserError, match="cannot be read"):
        read("a\0b.mtx")


def test_damaged_gzip_files(tmp_path):
    whole = gzip.compress((GENERAL + "1 1 1\n1 1 2\n").encode())
    with pytest.raises(UserError, match="ends too early"):
        read(written(tmp_path, whole[:-9], "cut.mtx.gz"))
    with pytest.raises(UserError, match="damaged"):
        read(written(tmp_path, whole[:20] + b"\xff" * 8 + whole[28:], "bad.mtx.gz"))
    assert read(written(tmp_path, whole, "zipped_without_suffix.mtx")).csr.nnz == 1
