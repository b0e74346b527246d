"""A download of a matrix whose digest is pinned must be that matrix."""

import gzip
import re

import pinned_digests
import pytest
from file_server import File

from vecsim.data import DownloadError, load, load_builtin
from vecsim.data.collections import MATRIX_MARKET, SUITESPARSE, entries
from vecsim.data.collections.pinned import pinned
from vecsim.data.matrix_cache import cached_files
from vecsim.results.digests import matrix_sha256

# The file of the Matrix Market equals what vecsim generates, entry by entry.
NAME, PATH = "gr_30_30", "Harwell-Boeing/laplace/gr_30_30"


def text(csr):
    coo = csr.tocoo()
    lines = [f"{i + 1} {j + 1} {value!r}" for i, j, value in zip(*coo.coords, coo.data.tolist(), strict=True)]
    head = f"%%MatrixMarket matrix coordinate real general\n{csr.shape[0]} {csr.shape[1]} {csr.nnz}\n"
    return (head + "\n".join(lines) + "\n").encode()


@pytest.fixture
def serve(collections):
    """Return a function that puts a matrix onto the server, as the Matrix Market's."""

    def put(csr):
        collections.files[f"/pub/MatrixMarket2/{PATH}.mtx.gz"] = File(gzip.compress(text(csr)))
        return collections

    return put


def test_the_pinned_matrix_is_taken_however_it_is_written(serve):
    csr = load_builtin(NAME).csr
    serve(csr)
    assert matrix_sha256(load(PATH).csr) == matrix_sha256(csr) == pinned()[PATH]


@pytest.mark.parametrize("change", ["a value", "a place"])
def test_another_matrix_of_the_name_is_refused_in_one_line(serve, change):
    csr = load_builtin(NAME).csr.copy()
    if change == "a value":
        csr.data[17] = -1.0000000000000002
    else:
        csr.indices[-1] -= 3
    server = serve(csr)
    with pytest.raises(DownloadError) as error:
        load(PATH)
    assert re.fullmatch(
        rf"{server.url}/\S+/gr_30_30\.mtx\.gz: is not the matrix {PATH} that the experiments name: the "
        rf"sha256 of its pattern and values is [0-9a-f]{{64}}, expected was {pinned()[PATH]}; "
        r"a second download did not help; a file .* would do",
        str(error.value),
    )
    assert len(server.requests) == 2
    assert cached_files() == []


def test_every_pinned_digest_is_of_a_matrix_of_a_collection():
    paths = {entry.path for entry in entries()}
    assert len(pinned()) > 80
    assert set(pinned()) <= paths
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in pinned().values())


# The command that writes them.


@pytest.mark.ci
@pytest.mark.usefixtures("real_matrices")
def test_the_files_that_are_here_have_the_pinned_digests(real_matrix, monkeypatch, capsys):
    real_matrix("gre_185")
    some = [name for name in pinned_digests.names() if name < "c"]
    monkeypatch.setattr(pinned_digests, "names", lambda: some)
    monkeypatch.setattr("sys.argv", ["pinned_digests"])
    assert pinned_digests.main() == 0
    said = capsys.readouterr().out
    compared = re.match(rf"(\d+) of {len(pinned())} pinned digests compared, 0 differ\n", said)
    assert int(compared[1]) > 10


@pytest.fixture
def one_file(tmp_path, monkeypatch):
    """A folder with one file, of the Matrix Market, and a table of digests that can be written."""
    csr = load_builtin(NAME).csr
    coo = csr.tocoo()
    lines = "".join(f"{i + 1} {j + 1} {v: .13e}\n" for i, j, v in zip(*coo.coords, coo.data, strict=True))
    head = f"%%MatrixMarket matrix coordinate real general\n900 900 {csr.nnz}\n"
    (tmp_path / f"{NAME}.mtx.gz").write_bytes(gzip.compress((head + lines).encode()))
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    monkeypatch.setattr(pinned_digests, "PINNED", tmp_path / "pinned.csv")
    return tmp_path


def test_a_digest_that_is_not_pinned_differs(one_file, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["pinned_digests"])
    assert pinned_digests.main() == 0
    monkeypatch.setitem(pinned(), PATH, "0" * 64)
    assert pinned_digests.main() == 1
    assert f"{PATH}: found {matrix_sha256(load_builtin(NAME).csr)}, pinned is 000" in capsys.readouterr().out


def test_names_without_a_digest_are_counted(one_file, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["pinned_digests"])
    monkeypatch.setattr(pinned_digests, "names", lambda: ["gr_30_30", "gre_185"])
    monkeypatch.setattr(pinned_digests.pinned, "pinned", lambda: {PATH: pinned()[PATH]})
    assert pinned_digests.main() == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "1 of 2 names that experiments use have no digest: gre_185"


def test_digests_are_recorded(one_file, monkeypatch):
    monkeypatch.setattr("sys.argv", ["pinned_digests", "--record"])
    assert pinned_digests.main() == 0
    assert (one_file / "pinned.csv").read_text() == f"path,sha256\n{PATH},{pinned()[PATH]}\n"


HEAD = b"%%MatrixMarket matrix coordinate real general\n"
EDITOR = b"% UF Sparse Matrix Collection, Tim Davis\n"


@pytest.mark.parametrize(
    ("content", "collection"),
    [
        (HEAD + b"185 185 2\n1 1  1.0000000000000e+00\n2 1 -1.0000000000000e+00\n", MATRIX_MARKET),
        (HEAD + EDITOR + b"% name: HB/gre_185\n185 185 1\n1 1 .5\n", SUITESPARSE),
        # Written by others, or of another matrix.
        (HEAD + b"185 185 1\n1 1 1.0\n", None),
        (HEAD + b"185 185 2\n1 1  1.0000000000000e+00\n2 1 -1.0\n", None),
        (HEAD + b"% name: HB/gre_185\n% converted\n185 185 1\n1 1 .5\n", None),
        (HEAD + EDITOR + b"% name: HB/gre_115\n185 185 1\n1 1 .5\n", None),
    ],
)
def test_a_file_shows_which_collection_it_is_of(content, collection):
    entry = pinned_digests.entry_of("gre_185", content)
    assert (entry and entry.collection) == collection
