import gzip
import io
import tarfile

import numpy as np
import pytest

from vecsim.data import read
from vecsim.data.archive import is_archive
from vecsim.support.errors import UserError


def text(value):
    return f"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 {value}\n".encode()


def archive(**members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def written(tmp_path, data, name="here.tar.gz"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    return path


def refused(path, message):
    with pytest.raises(UserError, match=message) as error:
        read(path)
    assert str(error.value).startswith(f"{path}")
    assert "\n" not in str(error.value)


HARWELL_BOEING = b"\n".join(
    [
        b"Title",
        b"             2             1             1             0",
        b"PUA                        1             1             1             0",
        b"(2I4)           (2I4)",
        b"   1   2",
        b"   1",
        b"",
    ]
)


@pytest.mark.parametrize(
    ("members", "name", "value"),
    [
        ({"a/a.mtx": text(7), "a/a_b.mtx": text(8), "a/a_coord.mtx": text(9)}, "a", 7),
        ({"a/a_b.mtx": text(8), "./a/a.mtx": text(7)}, "a", 7),
        ({"readme.txt": b"?", "deep/in/some.mtx": text(7), "more.txt": b"?"}, "some", 7),
        ({"a/a.rb": HARWELL_BOEING, "a/a.txt": b"?"}, "a", 1),
        ({"a/a_b.mtx": b"no matrix", "a/a.mtx": text(7)}, "a", 7),
    ],
)
@pytest.mark.parametrize("suffix", ["tar", "tar.gz"])
def test_the_matrix_is_the_file_named_like_its_folder_or_the_only_one(tmp_path, members, name, value, suffix):
    data = archive(**members)
    assert is_archive(data)
    matrix = read(written(tmp_path, data, f"here.{suffix}"))
    np.testing.assert_array_equal(matrix.csr.toarray(), [[value]])
    assert matrix.name == name


@pytest.mark.parametrize(
    ("members", "held"),
    [
        ({"a/b.mtx": b"", "a/c.mtx": b""}, "a/b.mtx, a/c.mtx"),
        ({"a/a.mtx": b"", "b/b.mtx": b""}, "a/a.mtx, b/b.mtx"),
        ({"a/readme": b""}, "none"),
        ({"a/\x1b[31m\n.mtx": b"", "a/c.mtx": b""}, r"a/\\x1b\[31m\\n\.mtx, a/c\.mtx"),
        ({f"a/{n}.mtx": b"" for n in range(9)}, ", ".join(f"a/{n}.mtx" for n in range(6)) + r", \.\.\."),
    ],
)
def test_what_holds_no_matrix_or_several(tmp_path, members, held):
    path = written(tmp_path, archive(**members))
    refused(path, rf": the archive must have one matrix file .* it has {held}$")


def test_a_damaged_archive(tmp_path):
    data = archive(**{"a/a.mtx": text(7) + b" " * 2000})
    assert is_archive(data[:1000])
    refused(written(tmp_path, data[:1000]), ": the archive is damaged")
    refused(written(tmp_path, data[:200] + b"?" + data[201:]), ": the archive is damaged")


def test_what_is_no_archive():
    assert not is_archive(b"")
    assert not is_archive(b"%%MatrixMarket matrix coordinate real general\n" * 20)


# What an archive may ask for.


def header(size, name=b"a/a.mtx", kind=b"0"):
    """A header of old GNU style with any size, its checksum right."""
    field = tarfile.itn(size, 12, tarfile.GNU_FORMAT)
    built = bytearray(512)
    built[: len(name)] = name
    built[100:108], built[108:116], built[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    built[124:136], built[136:148] = field, b"00000000000\0"
    built[148:156], built[156:157], built[257:265] = b" " * 8, kind, b"ustar  \0"
    built[148:156] = b"%06o\0 " % sum(built)
    return bytes(built)


def test_a_small_archive_that_announces_a_huge_file(tmp_path):
    refused(written(tmp_path, header(20 << 30) + bytes(1024)), "VECSIM_FILE_LIMIT sets another limit")


@pytest.mark.parametrize("size", [-1, -512, -(1 << 40), 1 << 40, 1 << 62])
def test_a_size_out_of_reach_is_no_endless_loop(tmp_path, size):
    refused(written(tmp_path, header(size, b"a/readme") + bytes(1024)), "the archive ")


@pytest.mark.parametrize(
    ("place", "field"),
    [(124, b"1_0\0"), (124, b"0o17\0"), (124, b"-7\0"), (100, b"0o7\0"), (148, b"0o17\0"), (0, b"?")],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_damaged_header_is_not_the_end_of_the_archive(tmp_path, place, field, first):
    whole = header(len(text(7))) + text(7).ljust(512, b"\0")
    beside = bytearray(header(0, b"a/readme"))
    beside[place : place + len(field)] = field
    if place not in (0, 148):  # the checksum is right
        beside[148:156] = b" " * 8
        beside[148:156] = b"%06o\0 " % sum(beside)
    parts = [bytes(beside), whole] if first else [whole, bytes(beside)]
    refused(written(tmp_path, b"".join(parts) + bytes(1024)), "the archive is damaged")


def sparse(numbers):
    """An archive with a sparse file as PAX writes it, version 1.0; the map's numbers are as given."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("a/a.mtx")
        member.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": "a/a.mtx",
            "GNU.sparse.realsize": numbers[0],
        }
        content = "".join(f"{number}\n" for number in numbers[1:]).encode().ljust(512, b"\0")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.mark.parametrize(
    "numbers",
    [
        ["20000000000", "1", "0", "0"],
        ["20000000000", "x", "0", "0"],
        ["x", "1", "0", "0"],
        ["1", "1", "-5", "x"],
        ["1", "99999999999", "0", "0"],
    ],
)
def test_a_sparse_file(tmp_path, numbers):
    refused(written(tmp_path, sparse(numbers)), "the archive|a sparse file")


@pytest.mark.parametrize("version", [{}, {"GNU.sparse.size": "x"}, {"GNU.sparse.map": "1,x"}])
def test_an_old_sparse_file(tmp_path, version):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("a/a.mtx")
        member.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", **version}
        member.size = 5
        tar.addfile(member, io.BytesIO(b"12345"))
    refused(written(tmp_path, packed.getvalue()), "the archive|not a Matrix Market file")


@pytest.mark.parametrize("kind", [b"x", b"L", b"g"])
def test_a_header_that_holds_gigabytes(tmp_path, kind, monkeypatch):
    monkeypatch.setattr("vecsim.data.archive._MOST_HEADER_BYTES", 1 << 16)
    bomb = header(1 << 24, b"name", kind) + bytes(1 << 24)
    refused(written(tmp_path, bomb), "a header of the archive has more than 64 KiB")


def after(records, kind, size=None):
    """An archive with its own PAX header before the matrix; the size may be another one."""
    pax = header(len(records) if size is None else size, b"a/pax", kind)
    return pax + records.ljust(-(-len(records) // 512) * 512, b"\0") + MATRIX


MATRIX = header(len(text(7))) + text(7).ljust(512, b"\0") + bytes(1024)


@pytest.mark.parametrize("kind", [b"x", b"g"])
@pytest.mark.parametrize(
    "records",
    [
        b"4 =\n",  # no keyword
        b"4 a\n",  # no value
        b"11 comment=x\n",  # the length is that of another record
        b"14 comment=x\n",
        b"13 comment=x ",  # no end of the line
        b"13 comment=x\n-1 comment=x\n",
        b"13 comment=x\n x",
        b" 13 comment=x\n",
        b"99999999999999999999999 comment=x\n",
        b"12 size=1_0\n",
        b"10 size=x\n",
        b"9 size=\n",
        b"11 size=-1\n",
    ],
)
def test_a_pax_header_of_what_are_no_records(tmp_path, kind, records):
    """Python 3.11 passes over some of these, and takes an invalid size for 0."""
    refused(written(tmp_path, after(records, kind)), "the archive is damaged .a PAX header ")


@pytest.mark.parametrize("kind", [b"x", b"g"])
@pytest.mark.parametrize(
    "records",
    [
        b"13 comment=x\n",
        b"13 comment=x\n13 mtime=7.5\n",
        b"12 comment=\n",
        b"13 comment=x\n\0",
        b"",
        b"5 a=\n",
    ],
)
def test_a_pax_header_that_changes_nothing(tmp_path, kind, records):
    assert read(written(tmp_path, after(records, kind))).csr[0, 0] == 7


@pytest.mark.parametrize("size", [-1, -512, 513, 100_000])
@pytest.mark.parametrize("kind", [b"x", b"g"])
def test_a_pax_header_of_another_size(tmp_path, kind, size):
    refused(written(tmp_path, after(b"13 comment=x\n", kind, size)), "the archive is damaged")


def test_a_long_name_ends_where_its_header_says(tmp_path):
    whole = header(7, b"a/more", b"L") + b"b/b.mtx and more".ljust(512, b"\0") + MATRIX
    assert read(written(tmp_path, whole)).name == "b"


@pytest.mark.parametrize("kind", [b"x", b"L", b"K"])
def test_two_headers_of_one_kind_for_one_file(tmp_path, kind):
    """Which of two names counts is defined nowhere; GNU tar takes the last, Python the first."""
    content = b"16 path=b/b.mtx\n" if kind == b"x" else b"b/b.mtx\0"
    one = header(len(content), b"a/more", kind) + content.ljust(512, b"\0")
    whole = read(written(tmp_path, one + MATRIX))
    assert whole.name == ("a" if kind == b"K" else "b")
    refused(written(tmp_path, one + one + MATRIX), "two headers of one kind for one file")
    between = header(13, b"a/all", b"g") + b"13 comment=x\n".ljust(512, b"\0")
    refused(written(tmp_path, one + between + one + MATRIX), "two headers of one kind for one file")


def test_a_global_header_may_come_before_nothing(tmp_path):
    """As git writes one for a tree without files; one that is for the next file may not."""
    end = bytes(1024)
    records = b"13 comment=x\n".ljust(512, b"\0")
    whole = MATRIX.removesuffix(end)
    for behind in (end, b""):
        for_all, for_the_next = (whole + header(13, b"pax", kind) + records + behind for kind in (b"g", b"x"))
        assert read(written(tmp_path, for_all)).csr[0, 0] == 7
        refused(written(tmp_path, for_the_next), "the archive is damaged")
    refused(written(tmp_path, whole + header(600, b"pax", b"g") + records), "unexpected end of data")


def test_an_archive_of_very_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr("vecsim.data.archive.MOST_MEMBERS", 20)
    few = archive(**{f"a/{n}.txt": b"?" for n in range(19)}, **{"a/a.mtx": text(7)})
    assert read(written(tmp_path, few)).csr.nnz == 1
    many = archive(**{f"a/{n}.txt": b"?" for n in range(21)})
    refused(written(tmp_path, many), "the archive has too many files; at most 20 are read")
