import csv

import pytest

from vecsim.data.collections import MATRIX_MARKET, SUITESPARSE, counterpart, entries, find_entries
from vecsim.support.errors import UserError


def only(name):
    (entry,) = find_entries(name)
    return entry


def test_the_indexes_are_whole():
    listed = entries()
    assert sum(entry.collection is SUITESPARSE for entry in listed) == 2904
    assert sum(entry.collection is MATRIX_MARKET for entry in listed) == 498
    assert len({entry.path for entry in listed}) == len(listed)
    for entry in listed:
        assert entry.path.count("/") == (1 if entry.collection is SUITESPARSE else 2)
        if entry.collection is SUITESPARSE:
            assert 0 < entry.entries <= entry.rows * entry.columns


@pytest.mark.parametrize(
    ("name", "path", "size"),
    [
        ("memplus", "Hamm/memplus", (17758, 17758, 126150)),
        ("HB/gre_185", "HB/gre_185", (185, 185, 1005)),
        ("s3dkt3m2", "GHS_psdef/s3dkt3m2", (90449, 90449, 3753461)),
        ("gre__185", "Harwell-Boeing/grenoble/gre__185", (None, None, None)),
        ("Harwell-Boeing/gre__185", "Harwell-Boeing/grenoble/gre__185", (None, None, None)),
        ("NEP/olmstead/olm500", "NEP/olmstead/olm500", (None, None, None)),
    ],
)
def test_a_name_is_found(name, path, size):
    """Sizes as the HiSM paper's tables have them, explicit zeros included."""
    entry = only(name)
    assert entry.path == path
    assert (entry.rows, entry.columns, entry.entries) == size


@pytest.mark.parametrize(
    "name", ["memplu", "HB/memplus", "hb/gre_185", "NEP/gre__185", "/gre_185", "HB/", ""]
)
def test_what_no_collection_has(name):
    assert find_entries(name) == []


def test_a_name_of_several_groups():
    assert [entry.path for entry in find_entries("football")] == ["Newman/football", "Pajek/football"]
    assert only("Pajek/football").rows == 35


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HB/gre_185", "Harwell-Boeing/grenoble/gre__185"),
        ("HB/shl_0", "Harwell-Boeing/smtape/shl____0"),
        ("Bai/mhda416", "NEP/mhd/mhd416a"),
        ("Bai/rdb2048", "NEP/brussel/rdb2048l"),
        ("Bai/rdb2048_noL", "NEP/brussel/rdb2048"),
        ("FIDAP/ex7", "SPARSKIT/fidap/fidap007"),
        ("QCD/conf5_0-4x4-10", "misc/qcd/conf5.0-00l4x4-1000"),
        ("Hamm/memplus", "misc/hamm/memplus"),
    ],
)
def test_counterparts(one, other):
    assert counterpart(only(one)) == only(other)
    assert counterpart(only(other)) == only(one)


def test_counterparts_are_pairs():
    paired = [entry for entry in entries() if counterpart(entry)]
    assert len(paired) == 2 * 454
    for entry in paired:
        assert counterpart(counterpart(entry)) is entry
    assert counterpart(only("NEP/olmstead/olm500")).name == "olm500"
    assert counterpart(only("SPARSKIT/drivcav/e05r0000")) is None


def test_addresses(monkeypatch):
    memplus, olm = only("memplus"), only("NEP/olmstead/olm500")
    assert memplus.url == "https://suitesparse-collection-website.herokuapp.com/MM/Hamm/memplus.tar.gz"
    assert olm.url == "https://math.nist.gov/pub/MatrixMarket2/NEP/olmstead/olm500.mtx.gz"
    monkeypatch.setenv("VECSIM_SUITESPARSE_URL", "https://mirror.example/ss/")
    assert memplus.url == "https://mirror.example/ss/Hamm/memplus.tar.gz"


@pytest.mark.parametrize("server", ["mirror.example", "http://mirror.example/ss", "ftp://mirror.example"])
def test_a_server_must_be_asked_by_https(monkeypatch, server):
    monkeypatch.setenv("VECSIM_SUITESPARSE_URL", server)
    with pytest.raises(UserError) as error:
        _ = only("memplus").url
    assert str(error.value).startswith(
        f"VECSIM_SUITESPARSE_URL: '{server}' is not the address of a server: https:// is needed"
    )


def test_sizes_are_those_of_the_files_available(real_matrix):
    with real_matrix("bcspwr10").with_name("MANIFEST.csv").open() as file:
        listed = {f"{row['ss_group']}/{row['name']}": row for row in csv.DictReader(file)}
    compared = [entry for entry in entries() if entry.path in listed]
    assert compared
    for entry in compared:
        row = listed[entry.path]
        size = (int(row["rows"]), int(row["cols"]), int(row["expanded_nnz"]))
        assert size == (entry.rows, entry.columns, entry.entries)
