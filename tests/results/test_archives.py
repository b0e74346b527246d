"""Archives: reproducible, checked file by file, and hostile ones refused in a line."""

import hashlib
import io
import subprocess
import zipfile

import pytest

from vecsim.results.archives import CITATION, SUMS, read_archive, with_sums, zipped
from vecsim.support.errors import UserError, UserErrors

FILES = with_sums({"b.txt": b"two", "a.txt": b"one" * 1000, CITATION: b"cff-version: 1.2.0\n"})


def test_the_same_files_give_the_same_bytes_in_any_order():
    assert zipped(FILES) == zipped(dict(reversed(FILES.items())))
    with zipfile.ZipFile(io.BytesIO(zipped(FILES))) as archive:
        assert archive.namelist() == sorted(FILES)
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_sums_are_those_of_sha256sum(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    assert FILES[SUMS].decode().splitlines()[2] == f"{hashlib.sha256(b'two').hexdigest()}  b.txt"
    done = subprocess.run(["sha256sum", "-c", SUMS], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "CITATION.cff: OK\na.txt: OK\nb.txt: OK\n"


@pytest.fixture(params=["folder", "zip"])
def written(request, tmp_path):
    """Write an archive of some files as a folder or as a ZIP file."""

    def write(files):
        place = tmp_path / "archive"
        if request.param == "zip":
            place.write_bytes(zipped(files))
            return place
        place.mkdir()
        for name, content in files.items():
            (place / name).write_bytes(content)
        return place

    return write


def test_what_was_written_is_read(written):
    assert read_archive(written(FILES)) == FILES


def test_every_changed_and_missing_file_is_named(written):
    place = written({name: FILES[name] for name in (SUMS, CITATION)} | {"a.txt": b"other"})
    with pytest.raises(UserErrors) as error:
        read_archive(place)
    changed, missing = error.value.lines
    assert changed.startswith(f"{place}: a.txt is another file now (digest ")
    assert missing.startswith(f"{place}: b.txt is missing (digest ")


def test_names_outside_of_the_archive_are_refused(written):
    place = written({SUMS: b"0" * 64 + b"  ../a.txt\n", CITATION: b""})
    with pytest.raises(UserError, match=f"{SUMS}, line 1: is not a digest and a file's name"):
        read_archive(place)


def test_what_is_no_archive(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / SUMS).write_text("sums of the user's")
    assert read_archive(tmp_path) is None
    assert read_archive(tmp_path / "a.json") is None
    assert read_archive(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zipped(FILES)[:-30], "is damaged: "),
        (zipped({"a.txt": b""}), f"has no {SUMS}"),
    ],
)
def test_damaged_zip_files(tmp_path, content, message):
    place = tmp_path / "a.zip"
    place.write_bytes(content)
    with pytest.raises(UserError, match=f"^{place}: {message}"):
        read_archive(place)
