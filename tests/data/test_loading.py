"""Where `load` finds a matrix, in which order, and what it says when there is none."""

import gzip
import io
import os
import tarfile
import time
from pathlib import Path

import numpy as np
import pytest
from file_server import Answer, File

from vecsim.data import DownloadError, NotFoundLocallyError, load, read
from vecsim.data.loading import find_download
from vecsim.support.errors import UserError

BANNER = "%%MatrixMarket matrix coordinate real general\n"
MEMPLUS = "/MM/Hamm/memplus.tar.gz"
MEMPLUS_NIST = "/pub/MatrixMarket2/misc/hamm/memplus.mtx.gz"
SMALL = "/MM/HB/bcspwr01.tar.gz"
SMALL_NIST = "/pub/MatrixMarket2/Harwell-Boeing/bcspwr/bcspwr01.mtx.gz"


def text(value=1.0, rows=2, columns=2):
    """A matrix whose first element tells one file from another."""
    return f"{BANNER}{rows} {columns} 2\n1 1 {value}\n2 2 3\n".encode()


def packed(value=1.0, rows=2, columns=2):
    return gzip.compress(text(value, rows, columns))


def archive(name, value=1.0, rows=2, columns=2):
    """As SuiteSparse packs a matrix, with a right-hand side."""
    built = io.BytesIO()
    with tarfile.open(fileobj=built, mode="w:gz") as tar:
        for member, content in (
            (f"{name}_b.mtx", b"%%MatrixMarket matrix array real general\n1 1\n1\n"),
            (f"{name}.mtx", text(value, rows, columns)),
        ):
            about = tarfile.TarInfo(f"{name}/{member}")
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return built.getvalue()


def first(matrix):
    return matrix.csr[0, 0]


def put(path, value=1.0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed(value) if path.suffix == ".gz" else text(value))
    return path


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders that VECSIM_MATRICES names."""
    both = [tmp_path / "one", tmp_path / "two"]
    for folder in both:
        folder.mkdir()
    monkeypatch.setenv("VECSIM_MATRICES", os.pathsep.join(map(str, both)))
    return both


@pytest.fixture
def served(collections):
    """The server has bcspwr01 (39 x 39) of SuiteSparse, with 7 as its first element, and of NIST, with 8."""
    collections.files[SMALL] = File(archive("bcspwr01", 7, 39, 39))
    collections.files[SMALL_NIST] = File(packed(8, 39, 39))
    return collections


# The order.


def test_an_existing_file_comes_first(folders, tmp_path, monkeypatch):
    put(folders[0] / "pde225.mtx", 2)
    monkeypatch.chdir(tmp_path)
    put(Path("pde225"), 1)
    assert first(load("pde225")) == 1
    assert load(Path("pde225")).name == "pde225"
    assert load("pde225").source == "pde225"


def test_then_the_folders_in_their_order(folders, tmp_path):
    put(folders[1] / "pde225.mtx", 2)
    assert first(load("pde225")) == 2
    file = put(folders[0] / "pde225.mtx.gz", 3)
    assert first(load("pde225")) == 3
    assert load("pde225").source == str(file)
    put(tmp_path / "more" / "pde225.mtx", 4)
    put(tmp_path / "more" / "own.mtx", 5)
    assert first(load("pde225", folders=[tmp_path / "more"])) == 3
    assert first(load("own", folders=[str(tmp_path / "more")])) == 5


def test_then_the_cache_then_the_built_ins(served, monkeypatch):
    served.files["/MM/Bai/pde225.tar.gz"] = File(archive("pde225", 9, 225, 225))
    assert load("pde225").source == "built-in"
    assert served.requests == []
    assert first(load("Bai/pde225")) == 9
    assert first(load("pde225")) == 9
    monkeypatch.setenv("VECSIM_OFFLINE", "1")
    assert first(load("pde225")) == 9
    assert load("pde900").source == "built-in"


def test_the_file_of_a_download(served):
    assert find_download("bcspwr01") is None
    load("Harwell-Boeing/bcspwr/bcspwr01")
    of_nist = find_download("bcspwr01")
    assert first(read(of_nist)) == 8
    load("HB/bcspwr01")
    assert first(read(find_download("bcspwr01"))) == 7
    assert find_download("Harwell-Boeing/bcspwr/bcspwr01") == of_nist
    assert find_download("bcspwr02") is None
    assert find_download("pde225x") is None
    with pytest.raises(UserError, match="several matrices named football"):
        find_download("football")


def test_then_the_collections_once(served):
    matrix = load("bcspwr01")
    assert first(matrix) == 7
    assert matrix.name == "bcspwr01"
    assert matrix.source == f"{served.url}{SMALL}"
    assert matrix.warnings == ()
    again = load("bcspwr01")
    assert (again.source, again.name) == (matrix.source, matrix.name)
    np.testing.assert_array_equal(again.csr.toarray(), matrix.csr.toarray())
    assert served.paths == [SMALL]


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("HB/bcspwr01", SMALL, 7),
        ("Harwell-Boeing/bcspwr/bcspwr01", SMALL_NIST, 8),
        ("Harwell-Boeing/bcspwr01", SMALL_NIST, 8),
    ],
)
def test_a_collection_can_be_chosen(served, name, path, value):
    matrix = load(name)
    assert (first(matrix), matrix.source, matrix.name) == (value, f"{served.url}{path}", "bcspwr01")
    assert load(name).source == matrix.source
    assert served.paths == [path]


def test_a_name_with_dots(served):
    name = "conf5.0-00l4x4-1000"
    served.files[f"/pub/MatrixMarket2/misc/qcd/{name}.mtx.gz"] = File(packed())
    assert load(name).name == load(name).name == name


def test_a_folder_named_like_a_matrix_hides_nothing(served, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bcspwr01").mkdir()
    assert first(load("bcspwr01")) == 7
    Path("mine").mkdir()
    with pytest.raises(UserError, match=r"^mine: is a directory, a matrix file is needed$"):
        load("mine")


def test_the_real_matrices_available(real_matrices, real_matrix):
    file = real_matrix("bcspwr10")
    matrix = load("bcspwr10")
    assert matrix.source == str(file)
    assert (matrix.csr.shape, matrix.csr.nnz) == ((5300, 5300), 21842)


# Files.


def test_an_archive_is_read_as_a_file(tmp_path):
    (tmp_path / "a.tar.gz").write_bytes(archive("memplus", 6))
    matrix = read(tmp_path / "a.tar.gz")
    assert (first(matrix), matrix.name, matrix.source) == (6, "memplus", str(tmp_path / "a.tar.gz"))


def test_a_reconstructed_file_says_so(folders):
    put(folders[0] / "reconstructed" / "bcsstk11.mtx.gz")
    matrix = load(folders[0] / "reconstructed" / "bcsstk11.mtx.gz")
    (warning,) = matrix.warnings
    assert "a reconstructed file: the pattern is that of bcsstk11, some values are made up" in warning
    assert load("reconstructed/bcsstk11").warnings == matrix.warnings
    with pytest.raises(UserError, match="VECSIM_OFFLINE forbids"):
        load("bcsstk11")  # never taken for the original
    assert load(put(folders[0] / "bcsstk11.mtx")).warnings == ()


# When a collection cannot be had.


@pytest.mark.parametrize(
    "trouble", [Answer(status=404), Answer(status=503), Answer(cut=50), Answer(stall=50)]
)
def test_the_other_collection_stands_in_for_a_bare_name(served, trouble):
    served.files[SMALL].answers = [trouble]
    served.files[SMALL].ranges = False
    matrix = load("bcspwr01")
    assert (first(matrix), matrix.source) == (8, f"{served.url}{SMALL_NIST}")
    (warning,) = matrix.warnings
    assert warning.startswith(f"bcspwr01: taken from Matrix Market, because {served.url}{SMALL}: ")
    assert load("bcspwr01").source == matrix.source
    assert served.paths.count(SMALL_NIST) == 1


def test_no_other_stands_in_for_a_collection_that_was_named(served):
    served.files[SMALL].answers = [Answer(status=404)]
    with pytest.raises(DownloadError, match="no such file"):
        load("HB/bcspwr01")
    assert served.paths == [SMALL]


def test_neither_collection_can_be_had(served):
    served.files.clear()
    with pytest.raises(DownloadError) as error:
        load("bcspwr01")
    assert str(error.value) == (
        f"{served.url}{SMALL}: no such file (the server answered 404 Not Found); "
        f"{served.url}{SMALL_NIST}: no such file (the server answered 404 Not Found); "
        "a file bcspwr01.mtx.gz in a folder that VECSIM_MATRICES names would do"
    )


def test_a_matrix_of_another_size_is_not_taken(served):
    served.files[SMALL].content = archive("bcspwr01", 7, 40, 39)
    with pytest.raises(
        DownloadError, match=r"has 40 x 39 elements; expected was SuiteSparse HB/bcspwr01 \(39"
    ):
        load("HB/bcspwr01")


def test_a_login_page_is_not_taken(served):
    served.files[SMALL].content = b"\n<!doctype html><title>Welcome to our network</title>"
    with pytest.raises(DownloadError, match=r"sent a web page, not a matrix; the network may need a login"):
        load("HB/bcspwr01")


def test_a_matrix_beyond_the_address_space_is_not_asked_for(served):
    with pytest.raises(UserError, match=r"^SuiteSparse MAWI/mawi_.* at most 134217728 rows"):
        load("mawi_201512020330")
    assert served.requests == []


def test_offline(served, monkeypatch):
    monkeypatch.setenv("VECSIM_OFFLINE", "yes")
    with pytest.raises(NotFoundLocallyError) as error:
        load("memplus")
    assert str(error.value) == (
        "SuiteSparse Hamm/memplus (17,758 x 17,758, 126,150 entries): not found, and VECSIM_OFFLINE "
        "forbids to download it; a file memplus.mtx.gz in a folder that VECSIM_MATRICES names would do"
    )
    assert served.requests == []
    monkeypatch.setenv("VECSIM_OFFLINE", "0")
    assert first(load("bcspwr01")) == 7
    monkeypatch.setenv("VECSIM_OFFLINE", "1")
    assert first(load("bcspwr01")) == 7


def test_without_leave_to_download(served):
    for name in ("bcspwr01", f"{served.url}{SMALL}"):
        with pytest.raises(NotFoundLocallyError, match=r": not found(;|$)"):
            load(name, download=False)
    assert served.requests == []
    load("bcspwr01")
    assert first(load("bcspwr01", download=False)) == 7
    assert load("pde225", download=False).source == "built-in"


# Addresses.


def test_an_address(served, monkeypatch):
    served.files["/a/b%20c.mtx.gz?x=1"] = File(packed(5))
    url = f"{served.url}/a/b%20c.mtx.gz?x=1"
    matrix = load(url)
    assert (first(matrix), matrix.name, matrix.source) == (5, "b c", url)
    monkeypatch.setenv("VECSIM_OFFLINE", "1")
    assert load(url).source == url
    assert len(served.requests) == 1
    with pytest.raises(UserError, match="VECSIM_OFFLINE forbids"):
        load(f"{url}2")


def test_an_address_without_a_file(served):
    served.files["/"] = File(text(5))
    assert load(f"{served.url}/").name == "matrix"
    with pytest.raises(DownloadError, match="no such file"):
        load(f"{served.url}/gone.mtx")


def test_a_server_named_wrongly(served, monkeypatch):
    monkeypatch.setenv("VECSIM_SUITESPARSE_URL", "sparse.example/MM")
    with pytest.raises(UserError, match=r"^VECSIM_SUITESPARSE_URL: 'sparse"):
        load("HB/bcspwr01")


# Mistakes.


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone.mtx", r"^gone\.mtx: no such file; check the path$"),
        ("folder/gone", "^folder/gone: no such file; check the path$"),
        (Path("gone"), "^gone: no such file; check the path$"),
        ("mempluss", r"^unknown matrix 'mempluss'; `vecsim list .*; did you mean 'memplus'\?$"),
        ("laplac2d", "did you mean 'laplace2d-N'"),
        ("trefethen_20", "did you mean 'Trefethen_20' or"),
        ("HB/bcspwr11", "^HB/bcspwr11: no such file, nor in the collections; .*; did you mean 'HB/bcspwr"),
        ("BCSPWR10", "did you mean 'bcspwr10' or"),
        ("min", "did you mean 'mine'"),
        ("zzzzzz", "^unknown matrix 'zzzzzz'; `vecsim list"),
        (
            "football",
            r"several matrices named football: choose Newman/football \(115 x 115\), Pajek/football",
        ),
        ("x" * 5000, "unknown matrix"),
        ("a\0b", "unknown matrix"),
        ("", "unknown matrix ''"),
    ],
)
def test_a_mistake_is_answered_without_asking_the_network(served, folders, name, message):
    put(folders[1] / "mine.mtx")
    began = time.monotonic()
    with pytest.raises(UserError, match=message) as error:
        load(name)
    assert "\n" not in str(error.value)
    assert served.requests == []
    assert time.monotonic() - began < 5


def test_a_damaged_file_is_not_passed_over(served, folders):
    (folders[0] / "bcspwr01.mtx").write_text("no matrix")
    with pytest.raises(UserError, match=r"one.bcspwr01\.mtx, line 1: not a Matrix Market file"):
        load("bcspwr01")
    assert served.requests == []


@pytest.mark.parametrize(
    ("name", "hermitian"), [("mhd1280b", True), ("qc324", False), ("young1c", False), ("dwg961b", False)]
)
def test_complex_values_of_a_file_of_a_collection(real_matrix, name, hermitian):
    recorded, part = read(real_matrix(name), complex=True), read(real_matrix(name))
    assert recorded.csr.dtype == np.complex128
    np.testing.assert_array_equal(recorded.csr.real.toarray(), part.csr.toarray())
    assert (abs(recorded.csr - recorded.csr.conj().T).max() == 0) == hermitian
