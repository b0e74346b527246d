"""Matrices by name on the command line."""

import json

import pytest
from file_server import Answer, File

NIST = "/pub/MatrixMarket2/Harwell-Boeing/bcspwr/bcspwr01.mtx.gz"
MATRIX = b"%%MatrixMarket matrix coordinate real general\n39 39 2\n1 1 7\n2 2 3\n"


@pytest.fixture
def served(collections):
    collections.files[NIST] = File(MATRIX)
    return collections


def test_a_matrix_of_a_collection(vecsim, served):
    result = vecsim("formats", "Harwell-Boeing/bcspwr01", "--format", "crs", "--json", "-")
    assert result.code == 0
    matrix = json.loads(result.out)["matrix"]
    assert len(matrix.pop("sha256")) == 64
    assert matrix == {"name": "bcspwr01", "source": served.url + NIST, "rows": 39, "cols": 39, "nnz": 2}
    assert served.paths == [NIST]
    assert "downloading" not in result.err
    assert "\x1b" not in result.err


def test_a_stand_in_is_reported(vecsim, served):
    result = vecsim("formats", "bcspwr01", "--format", "crs")
    assert result.code == 0
    assert result.out.startswith("bcspwr01: 39 x 39, 2 non-zeros")
    assert result.err.startswith("vecsim: warning: bcspwr01: taken from Matrix Market, because http://")


@pytest.mark.parametrize(
    "answer",
    [Answer(status=404), Answer(status=500), Answer(cut=20), Answer(stall=20), Answer(stall=-1)],
)
def test_a_download_that_fails(vecsim, served, tmp_path, answer):
    served.files[NIST] = File(MATRIX, [answer], ranges=False)
    message = vecsim("run", "Harwell-Boeing/bcspwr01", "--json", tmp_path / "out.json").mistake()
    assert message.startswith(f"{served.url}{NIST}: ")
    assert "\n" not in message
    assert not (tmp_path / "out.json").exists()


def test_a_mistyped_name(vecsim, served):
    assert "did you mean 'memplus'?" in vecsim("run", "mempluss").mistake()
    assert served.requests == []


def test_list_matrices_tells_what_else_there_is(vecsim, served, tmp_path, monkeypatch):
    (tmp_path / "a.mtx").touch()
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    lines = {tuple(line.split()) for line in vecsim("list", "matrices").out.splitlines()}
    assert ("folder", str(tmp_path), "(VECSIM_MATRICES)", "1") in lines
    assert ("collection", "SuiteSparse", "2,904") in lines
    assert ("collection", "Matrix", "Market", "498") in lines
    document = json.loads(vecsim("list", "matrices", "--json", "-").out)
    assert [source["kind"] for source in document["sources"]] == [
        "folder",
        "cache",
        "built-in",
        "collection",
        "collection",
    ]
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path / "gone"))
    assert "gone (VECSIM_MATRICES, not there)" in vecsim("list", "matrices").out
    assert served.requests == []


def test_list_matrices_finds(vecsim, served):
    rows = [line.split() for line in vecsim("list", "matrices", "memplus").out.splitlines()]
    assert ["Hamm/memplus", "SuiteSparse", "17,758", "17,758", "126,150"] in rows
    actual = json.loads(vecsim("list", "matrices", "HB/gre_*", "--json", "-").out)["found"]
    assert [matrix["name"] for matrix in actual][:2] == ["HB/gre_1107", "HB/gre_115"]
    nothing = vecsim("list", "matrices", "zzzzzz")
    assert (nothing.code, nothing.out, nothing.err) == (1, "", "vecsim: no matrix matches zzzzzz\n")
    nothing = vecsim("list", "matrices", "zzzzzz", "--json", "-")
    assert (nothing.code, json.loads(nothing.out)["found"]) == (1, [])
