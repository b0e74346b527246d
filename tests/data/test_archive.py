import io
import tarfile

import pytest

from vecsim.data.archive import is_archive, matrix_in
from vecsim.errors import UserError


def archive(**members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.mark.parametrize(
    "members",
    [
        {"a/a.mtx": b"A", "a/a_b.mtx": b"b", "a/a_coord.mtx": b"c"},
        {"a/a_b.mtx": b"b", "./a/a.mtx": b"A"},
        {"readme.txt": b"?", "deep/in/some.mtx": b"A"},
        {"a/a.rb": b"A", "a/a.txt": b"?"},
    ],
)
def test_the_matrix_is_the_file_named_like_its_folder_or_the_only_one(members):
    data = archive(**members)
    assert is_archive(data)
    name, content = matrix_in("here", data)
    assert content == b"A"
    assert name in {"a.mtx", "some.mtx", "a.rb"}


@pytest.mark.parametrize(
    ("members", "held"),
    [
        ({"a/b.mtx": b"", "a/c.mtx": b""}, "a/b.mtx, a/c.mtx"),
        ({"a/a.mtx": b"", "b/b.mtx": b""}, "a/a.mtx, b/b.mtx"),
        ({"a/readme": b""}, "none"),
    ],
)
def test_what_holds_no_matrix_or_several(members, held):
    with pytest.raises(UserError, match=rf"^here: the archive must hold one matrix file .* it holds {held}$"):
        matrix_in("here", archive(**members))


def test_a_damaged_archive():
    data = archive(**{"a/a.mtx": b"A" * 2000})
    assert is_archive(data[:1000])
    with pytest.raises(UserError, match=r"^here: the archive "):
        matrix_in("here", data[:1000])


def test_what_is_no_archive():
    assert not is_archive(b"")
    assert not is_archive(b"%%MatrixMarket matrix coordinate real general\n" * 20)
