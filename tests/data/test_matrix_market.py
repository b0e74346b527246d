import gzip

import numpy as np
import pytest

from vecsim.data import MAX_DIMENSION, read
from vecsim.data.matrix_market import scanning
from vecsim.support.errors import UserError

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


@pytest.mark.parametrize(
    ("symmetry", "lines", "dense"),
    [
        ("general", ["1 1 3 2", "2 1 7 1"], [[3 + 2j, 0], [7 + 1j, 0]]),
        ("symmetric", ["1 1 3 2", "2 1 7 1"], [[3 + 2j, 7 + 1j], [7 + 1j, 0]]),
        ("hermitian", ["1 1 3 0", "2 1 7 1"], [[3, 7 - 1j], [7 + 1j, 0]]),
        ("skew-symmetric", ["2 1 7 1"], [[0, -7 - 1j], [7 + 1j, 0]]),
    ],
)
def test_complex_values_are_kept_when_asked_for(tmp_path, symmetry, lines, dense):
    text = "\n".join([f"2 2 {len(lines)}", *lines, ""])
    matrix = read(written(tmp_path, banner("coordinate", "complex", symmetry) + text), complex=True)
    assert matrix.csr.dtype == np.complex128
    np.testing.assert_array_equal(matrix.csr.toarray(), dense)
    assert matrix.warnings == ()


def test_real_values_stay_real_where_complex_ones_would_be_kept(tmp_path):
    matrix = read(written(tmp_path, GENERAL + "1 1 1\n1 1 5\n"), complex=True)
    assert matrix.csr.dtype == np.float64


def test_an_infinite_imaginary_part_is_refused(tmp_path):
    path = written(tmp_path, banner("coordinate", "complex", "general") + "1 1 1\n1 1 5 1e999\n")
    with pytest.raises(UserError, match="finite"):
        read(path, complex=True)


def test_duplicates_are_summed_with_a_warning(tmp_path):
    matrix = read(written(tmp_path, GENERAL + "2 2 3\n1 1 1\n1 1 2\n2 2 5\n"))
    assert matrix.csr.data.tolist() == [3, 5]
    assert "1 duplicate" in matrix.warnings[0]


def test_windows_line_ends_and_fortran_exponents(tmp_path):
    matrix = read(written(tmp_path, (GENERAL + "1 1 1\n1 1 1.5D+02\n").replace("\n", "\r\n")))
    assert matrix.csr.data.tolist() == [150]


# After the last number.


@pytest.mark.parametrize("end", ["", " ", "\r", "\t ", "\n", "\r\n", " \r\n", "\n\n", "\n \n\t\r\n"])
@pytest.mark.parametrize(
    ("head", "line"),
    [
        (("coordinate", "real", "general"), "1 1 5"),
        (("coordinate", "integer", "general"), "1 1 5"),
        (("coordinate", "complex", "general"), "1 1 5 0"),
        (("coordinate", "pattern", "general"), "1 1"),
        (("array", "real", "general"), "5"),
    ],
)
def test_the_last_line_may_end_as_it_likes(tmp_path, head, line, end):
    sizes = "1 1 1" if head[0] == "coordinate" else "1 1"
    matrix = read(written(tmp_path, f"{banner(*head)}{sizes}\n{line}{end}"))
    assert matrix.csr.toarray().tolist() == [[1.0 if head[1] == "pattern" else 5.0]]


# Numbers: each as Fortran and C print them, nothing else.


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1.5-100", 1.5e-100),
        ("1.5+100", 1.5e100),
        ("-.5+003", -500),
        ("5-300", 5e-300),
        ("1.5D+02", 150),
        ("1.5d2", 150),
        ("+1.5E+02", 150),
        ("+1.5+02", 150),
        ("1.e2", 100),
        (".5", 0.5),
        ("5.", 5),
        ("007", 7),
        ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
        ("2.2250738585072011e-308", 2.2250738585072011e-308),
        ("1e-400", 0),
        ("123456789012345678901234567890", 123456789012345678901234567890.0),
    ],
)
def test_numbers_are_read_as_they_stand(tmp_path, word, value):
    matrix = read(written(tmp_path, GENERAL + f"2 2 2\n1 1 {word}\n2 2 1.5E+02\n"))
    assert matrix.csr.data.tolist() == [value, 150]


@pytest.mark.parametrize(
    ("field", "word", "reason"),
    [
        ("real", "1.2.3", "not a number"),
        ("real", "3e", "not a number"),
        ("real", "3e+", "not a number"),
        ("real", "3-", "not a number"),
        ("real", "1.5-100-3", "not a number"),
        ("real", "1e5e5", "not a number"),
        ("real", "1e5.5", "not a number"),
        ("real", "--5", "not a number"),
        ("real", "+-5", "not a number"),
        ("real", ".", "not a number"),
        ("real", "-", "not a number"),
        ("real", "e5", "not a number"),
        ("real", "0x10", "not a number"),
        ("real", "1,5", "not a number"),
        ("real", "5\x00", "not a number"),
        ("real", "\u0665", "not a number"),
        ("integer", "3e2", "not an integer"),
        ("integer", "3.7", "not an integer"),
        ("integer", "3.", "not an integer"),
        ("integer", "9223372036854775808", "out of range"),
        ("integer", "-9223372036854775809", "out of range"),
        ("unsigned-integer", "-1", "not a natural number"),
        ("unsigned-integer", "18446744073709551616", "out of range"),
    ],
)
def test_what_is_no_number_of_the_field_is_named_with_its_place(tmp_path, field, word, reason):
    head = banner("coordinate", field, "general")
    path = written(tmp_path, f"{head}2 2 2\n1 1 1\n 2 2  {word}\n")
    with pytest.raises(UserError, match=rf"line 4, column 7: '.*' is {reason}"):
        read(path)


@pytest.mark.parametrize("word", ["9223372036854775807", "-9223372036854775808", "+7", "-0"])
def test_integers_of_64_bits(tmp_path, word):
    matrix = read(written(tmp_path, f"{banner('coordinate', 'integer', 'general')}1 1 1\n1 1 {word}\n"))
    assert matrix.csr.data.tolist() == [float(word)]


def test_the_least_integer_has_an_image_of_the_opposite_sign(tmp_path):
    head = banner("coordinate", "integer", "skew-symmetric")
    matrix = read(written(tmp_path, f"{head}2 2 1\n2 1 -9223372036854775808\n"))
    np.testing.assert_array_equal(matrix.csr.toarray(), [[0, 2.0**63], [-(2.0**63), 0]])


@pytest.mark.parametrize(
    "text",
    [
        GENERAL + "1 1 1\n1 1 \x1b[1m5\n",
        GENERAL + "1 1 1\n1 1 5\r\x00\n",
        GENERAL + "1 \x1b\t1 1\n1 1 5\n",
        "%%MatrixMarket matrix coord\x0binate real general\n",
        "%%MatrixMarket matrix coordinate re\x9bal general\n",
        "%%MatrixMarket matrix coordinate real gen\x07eral\n",
    ],
)
def test_a_message_has_no_letters_that_a_terminal_obeys(tmp_path, text):
    with pytest.raises(UserError) as caught:
        read(written(tmp_path, text))
    assert str(caught.value).isprintable()


# Every line, not only the first.


@pytest.mark.parametrize("line", ["1 1", "1 1 1 1", "1", "1 1 1 x", "1 1 1\v", "% no comment here", "+1 1 1"])
def test_every_line_is_checked(tmp_path, line):
    text = GENERAL + "3 3 3\n1 1 1\n2 2 2\n" + line + "\n"
    with pytest.raises(UserError, match=r"m\.mtx, line 5, column \d+: "):
        read(written(tmp_path, text))


@pytest.mark.parametrize(
    ("head", "body", "message"),
    [
        (("coordinate", "pattern", "general"), "1 1 1\n1 1 5\n", "line 3, column 5: .* row, column, not 3"),
        (
            ("coordinate", "complex", "general"),
            "1 1 1\n1 1 5\n",
            "column 6: .* imaginary part, not 3 numbers",
        ),
        (
            ("coordinate", "real", "skew-symmetric"),
            "2 2 2\n2 1 5\n  2 2 1\n",
            "line 4, column 3: the entry in row 2, column 2 is on the diagonal: .* stores what is below",
        ),
        (
            ("coordinate", "real", "symmetric"),
            "2 2 2\n1 1 5\n1 2 1\n",
            "line 4, column 1: the entry in row 1, column 2 is above the diagonal: .* on and below",
        ),
        (("coordinate", "pattern", "symmetric"), "2 2 1\n1 2\n", "line 3, column 1: .* above the diagonal"),
        (("coordinate", "complex", "hermitian"), "2 2 1\n1 2 1 1\n", "line 3, column 1: .* above the diag"),
        (
            ("coordinate", "complex", "hermitian"),
            "2 2 1\n2 2 1 1\n",
            "line 3, column 1: the diagonal of a hermitian matrix is real, but the entry of row 2 is not",
        ),
        (("array", "complex", "hermitian"), "1 1\n1 1\n", "line 3, column 1: the diagonal of a hermitian"),
        (("coordinate", "real", "hermitian"), "1 1 1\n1 1 5\n", "line 1: .* real matrix cannot be hermitian"),
        (("coordinate", "pattern", "skew-symmetric"), "2 2 1\n2 1\n", "line 1: .* needs values with a sign"),
        (("coordinate", "real", "general"), "1_0 2 1\n1 1 5\n", "line 2: the size line"),
        (("coordinate", "real", "general"), "1 1\r 1\n1 1 5\n", "line 2: the size line"),
        (("coordinate", "real", "general\r "), "1 1 1\n1 1 5\n", r"line 1: unknown symmetry 'general\\r'"),
        (("coordinate", "real", "general"), f"{'9' * 5000} 2 1\n1 1 5\n", "line 2: the size line"),
        (("coordinate", "real", "general"), " % no comment\n1 1 1\n1 1 5\n", "line 2: the size line"),
    ],
)
def test_what_the_declared_kind_does_not_allow(tmp_path, head, body, message):
    with pytest.raises(UserError, match=message):
        read(written(tmp_path, banner(*head) + body))


@pytest.mark.parametrize("symmetry", ["symmetric", "skew-symmetric"])
def test_half_of_a_dense_matrix_is_stored_column_by_column(tmp_path, symmetry):
    first = 1 if symmetry == "skew-symmetric" else 0
    places = [(row, column) for column in range(4) for row in range(column + first, 4)]
    body = "".join(f"{k + 1}\n" for k in range(len(places)))
    dense = np.zeros((4, 4))
    for k, (row, column) in enumerate(places):
        dense[row, column] = k + 1
        dense[column, row] = (k + 1) * (1 if symmetry == "symmetric" else -1)
    matrix = read(written(tmp_path, f"{banner('array', 'real', symmetry)}4 4\n{body}"))
    np.testing.assert_array_equal(matrix.csr.toarray(), dense)


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
        (GENERAL, "a line with rows and columns must be among the first 46 bytes"),
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
            "line 2: 3 entries announced, but 1 line found: the file was cut off",
        ),
        (GENERAL + "2 2 2\n1 1 1\n2 2 2", None),
        (GENERAL + "2 2 1\n1 1 1\n2 2 2\n", "line 2: 1 entry announced, but 2 lines found"),
        (GENERAL + "2 2 900000000000\n1 1 1\n", "900,000,000,000 entries announced, but 1 line found"),
        (
            banner("array", "real", "general") + "99999999 99999999\n1\n",
            "9,999,999,800,000,001 entries announced",
        ),
        (GENERAL + f"{MAX_DIMENSION + 1} 1 1\n1 1 1\n", "address space"),
        (GENERAL + "2 2 1\n3 1 1\n", "line 3, column 1: '3' is out of bounds: rows run from 1 to 2"),
        (GENERAL + "2 2 1\n1 0 1\n", "line 3, column 3: '0' is out of bounds: columns run from 1 to 2"),
        (GENERAL + "2 2 1\n1 1 abc\n", "line 3, column 5: 'abc' is not a number"),
        (GENERAL + "2 2 2\n1 1 1\n1 2 2.5x\n", "line 4, column 5: '2.5x' is not a number"),
        (GENERAL + "2 2 2\n1 1 1\n1 2 2_5\n", "line 4, column 5: '2_5' is not a number"),
        (
            GENERAL + "2 2 1\n1 1 3 4\n",
            "line 3, column 7: a line of this file must give row, column, real value, not 4 numbers",
        ),
        (
            banner("array", "real", "general") + "1 2\n1 2\n",
            "line 3, column 3: a line of this file must give real value, not 2 numbers",
        ),
        (GENERAL + "2 2 1\n1.5 1 3\n", "line 3, column 1: '1.5' is not an index"),
        (GENERAL + "2 2 1\n1 1\n", "line 3, column 4: .* must give row, column, real value, not 2 numbers"),
        (
            banner("coordinate", "pattern", "general") + "2 2 1\nx 1\n",
            "line 3, column 1: 'x' is not a number",
        ),
        (banner("array", "real", "general") + "1 2\n1\nx\n", "line 4, column 1: 'x' is not a number"),
        (
            banner("coordinate", "integer", "general") + "1 1 1\n1 1 99999999999999999999\n",
            "line 3, column 5: .* out of range",
        ),
        (GENERAL + "2 2 2\n1 1 1\n2 1 nan\n", "line 4, column 5: 'nan' is no value: values must be finite"),
        (GENERAL + "2 2 1\n1 2 -inf\n", "line 3, column 5: '-inf' is no value: values must be finite"),
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
    with pytest.raises(UserError, match="the gzip file is incomplete"):
        read(written(tmp_path, whole[:-9], "cut.mtx.gz"))
    with pytest.raises(UserError, match="damaged"):
        read(written(tmp_path, whole[:20] + b"\xff" * 8 + whole[28:], "bad.mtx.gz"))
    assert read(written(tmp_path, whole, "zipped_without_suffix.mtx")).csr.nnz == 1


LOST = [
    (
        "real",
        "1 1 0\n\n2 2 -1.5d-400\n",
        "line 5: 1 value too small for 64 bits became zero, the first is -1.5",
    ),
    (
        "real",
        f"1 1 0.{'0' * 330}1\n2 2 0\n",
        "line 3: 1 value too small for 64 bits became zero, the first is 0.",
    ),
    (
        "complex",
        "1 1 1-999 0\n2 2 2 0\n",
        "line 3: 1 value too small for 64 bits became zero, the first is 1",
    ),
    (
        "integer",
        f"1 1 4\n2 2 {-(2**53) - 1}\n",
        f"1 whole number rounded, the first {-(2**53) - 1} in row 2, col",
    ),
    (
        "unsigned-integer",
        f"2 1 {2**64 - 1}\n2 2 3\n",
        f"1 whole number rounded, the first {2**64 - 1} in row 2, c",
    ),
    (
        "complex",
        "1 1 1 0\n2 2 2 3\n",
        "complex values, only their real part is used; 1 imaginary part lost, the",
    ),
]


@pytest.mark.parametrize(("field", "lines", "warning"), LOST)
def test_what_64_bits_lose_is_reported(tmp_path, field, lines, warning):
    path = written(tmp_path, banner("coordinate", field, "general") + "2 2 2\n" + lines)
    [shown_text] = read(path).warnings
    assert shown_text.startswith(str(path))
    assert warning in shown_text


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ("real", "1 1 0e-400\n2 2 -0.0e-999\n"),
        ("real", "1 1 0\n2 2 4.95e-324\n"),
        ("real", "1 1 0\n2 2 9007199254740993\n"),
        ("integer", f"1 1 0\n2 2 {2**53 + 2}\n"),
        ("complex", "1 1 1 0\n2 2 2 -0.0\n"),
    ],
)
def test_where_nothing_is_lost_nothing_is_reported(tmp_path, field, lines):
    path = written(tmp_path, banner("coordinate", field, "general") + "2 2 2\n" + lines)
    assert read(path).warnings == ()


def test_more_entries_than_a_byte_counts_are_counted_interpreted(monkeypatch, tmp_path):
    monkeypatch.setattr(scanning, "_run", getattr(scanning._run, "py_func", scanning._run))
    path = written(tmp_path, GENERAL + "300 1 300\n" + "".join(f"{row} 1 2\n" for row in range(1, 301)))
    assert read(path).csr.nnz == 300
