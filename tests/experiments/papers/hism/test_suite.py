from collections import Counter

import numpy as np
import pytest
from file_server import File

from experiments.papers.hism import suite
from experiments.papers.hism.suite import CRITERIA, origin, statistics
from experiments.papers.hism.suite.origin import BUILTIN, FILE, RECONSTRUCTED, needs_no_file
from experiments.papers.hism.suite.stated_by_paper import MEANS, NAMED, RANGES
from vecsim.data import load, values_as
from vecsim.data.metrics import metrics
from vecsim.results.digests import pattern_sha256
from vecsim.support.errors import UserError

MEMBERS = suite.members()


def test_the_list():
    assert len(MEMBERS) == 132
    assert len({member.name for member in MEMBERS}) == 132
    assert len({member.original for member in MEMBERS}) == 132
    assert len({member.pattern_sha256 for member in MEMBERS}) == 132
    assert [member.size for member in MEMBERS] == sorted(member.size for member in MEMBERS)
    assert set(NAMED) <= {member.original for member in MEMBERS}


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_row_is_whole(member):
    assert member.provenance in ("file", "generated", "pattern", "stand-in")
    assert member.collection.split("/")[0] in ("Harwell-Boeing", "NEP", "SPARSKIT", "misc")
    assert member.application
    assert member.average_per_row == pytest.approx(member.size / member.rows, abs=1e-6)
    assert len(member.pattern_sha256) == 64
    kinds = [source.split()[0] for source in member.origins]
    assert (kinds[0] == FILE) == (member.provenance == "file") == bool(member.file_sha256)
    if member.provenance in ("file", "generated"):
        assert member.stands_in_for == ""
    else:
        # Under its own name, with the original's and a word of explanation next to it.
        assert member.stands_in_for != member.name
        assert member.note
    if member.provenance == "stand-in":
        assert kinds[0] not in (FILE, RECONSTRUCTED)


def test_ranges_are_the_papers():
    for criterion, (low, high) in RANGES.items():
        values = [getattr(member, criterion) for member in MEMBERS]
        # The paper prints 0.07, 12.85 and 172 of 0.0702, 12.851 and 172.98.
        assert min(values) == pytest.approx(low, rel=0.003)
        assert max(values) == pytest.approx(high, rel=0.006)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_means_are_near_the_papers(criterion):
    mean = np.mean([getattr(member, criterion) for member in MEMBERS])
    assert mean == pytest.approx(MEANS[criterion], rel=0.002)


@pytest.mark.parametrize(
    "member",
    [*MEMBERS[::6], *(pytest.param(m, marks=pytest.mark.ci) for m in MEMBERS if m not in MEMBERS[::6])],
    ids=lambda member: member.name,
)
def test_what_is_available_is_what_is_listed(real_matrices, member):
    if not any(map(origin.is_available, member.origins)):
        pytest.skip(f"{member.origin} is not found")
    csr = suite.load(member)
    actual = metrics(csr)
    assert csr.shape == (member.rows, member.columns)
    assert actual.size == member.size
    assert actual.locality == pytest.approx(member.locality, abs=1e-6)
    assert csr.has_canonical_format
    rounded, _ = values_as(csr, 4)
    assert np.isfinite(rounded.data).all()


def test_every_alternative_is_the_same_matrix():
    for member in MEMBERS:
        for source in member.origins[1:]:
            assert pattern_sha256(origin.fetch(source)) == member.pattern_sha256


def test_without_any_file(nothing_found):
    lacking = suite.missing()
    available = [member for member in MEMBERS if member not in lacking]
    assert available == [member for member in MEMBERS if any(map(needs_no_file, member.origins))]
    names = {member.name for member in available}
    # Of the files, those that are built in too.
    assert {"tols90", "pde2961", "e20r0000", "cavity16-pattern", "s3dkt3m2-pattern"} <= names
    assert suite.load(suite.member("e05r0000")).nnz == 5856
    assert not {"bcspwr10", "shl_0-pattern", "lion-shell"} & names
    with pytest.raises(UserError, match=r"'bcspwr10' is not in any folder: .*; set VECSIM_MATRICES"):
        suite.load(suite.member("bcspwr10"))
    with pytest.raises(UserError, match=r"mesh 'libigl_lion' .* is not in .*; set VECSIM_MESHES"):
        suite.load(suite.member("lion-shell"))


def test_files_are_looked_for_in_the_named_folders(nothing_found, monkeypatch, tmp_path):
    assert suite.member("bcsstm01") in suite.missing()
    lines = [f"{i} {i} {float(i)}" for i in range(1, 49)]
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.setenv("VECSIM_MATRICES", str(folder))
    file = folder / "bcsstm01.mtx"
    file.write_text("\n".join(["%%MatrixMarket matrix coordinate real general", "48 48 48", *lines]))
    assert suite.member("bcsstm01") not in suite.missing()
    assert suite.load(suite.member("bcsstm01")).nnz == 48
    meshes = tmp_path / "meshes"
    monkeypatch.setenv("VECSIM_MESHES", str(meshes))
    meshes.mkdir()
    (meshes / "libigl_lion.off").write_text("OFF\n")
    assert suite.member("lion-shell") not in suite.missing()


def test_downloads_are_found(nothing_found, collections):
    lines = [f"{i} {i} {float(i)}" for i in range(1, 49)]
    text = "\n".join(["%%MatrixMarket matrix coordinate real general", "48 48 48", *lines]).encode()
    collections.files["/pub/MatrixMarket2/Harwell-Boeing/bcsstruc1/bcsstm01.mtx.gz"] = File(text)
    load("Harwell-Boeing/bcsstruc1/bcsstm01")
    asked = len(collections.requests)
    assert suite.member("bcsstm01") not in suite.missing()
    assert suite.load(suite.member("bcsstm01")).nnz == 48
    assert len(collections.requests) == asked


def test_a_mesh_is_of_no_use_without_the_library(nothing_found, monkeypatch, tmp_path):
    (tmp_path / "libigl_lion.off").write_text("OFF\n")
    monkeypatch.setenv("VECSIM_MESHES", str(tmp_path))
    monkeypatch.setattr(origin, "can_read_meshes", lambda: False)
    assert suite.member("lion-shell") in suite.missing()
    monkeypatch.setattr(origin, "can_read_meshes", lambda: True)
    assert suite.member("lion-shell") not in suite.missing()


def test_another_matrix_under_the_same_name_is_refused(nothing_found, monkeypatch, tmp_path):
    (tmp_path / "bcspwr10.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n")
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    with pytest.raises(UserError, match=r"file bcspwr10: is not 'bcspwr10' of the suite, .*found: 1"):
        suite.load(suite.member("bcspwr10"))


def test_diagonal_entries_are_restored(nothing_found, monkeypatch, tmp_path):
    folder = tmp_path / "reconstructed"
    folder.mkdir()
    text = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 7\n3 1 0\n"
    (folder / "small.mtx").write_text(text)
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    csr = origin.fetch("reconstructed small diagonal=0,2")
    np.testing.assert_array_equal(csr.toarray(), [[1, 7, 0], [0, 0, 0], [0, 0, 1]])
    assert csr.nnz == 4


def test_pattern_is_shape_and_places_alone():
    csr = origin.fetch(f"{BUILTIN} olm100")
    other = csr.copy()
    other.data[:] = 0
    other.indices = other.indices.astype(np.int64)
    assert pattern_sha256(csr) == pattern_sha256(other)
    assert pattern_sha256(csr) != pattern_sha256(csr.T.tocsr())


def test_by_name():
    assert suite.member("memplus").rows == 17758
    assert suite.member_for("memplus") is suite.member("memplus")
    assert suite.member_for("cavity16").name == "cavity16-pattern"
    with pytest.raises(KeyError, match="no member 'cavity16'"):
        suite.member("cavity16")
    with pytest.raises(KeyError, match="nothing for 'nobody'"):
        suite.member_for("nobody")


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("originals_only", [False, True])
def test_a_figure(criterion, originals_only):
    chosen = [m for m in MEMBERS if m.has_original_pattern] if originals_only else None
    ten = suite.figure(criterion, chosen)
    assert [member.position for member in ten] == list(range(1, 11))
    assert Counter(member.group for member in ten) == {"small": 3, "medium": 4, "large": 3}
    assert len({member.name for member in ten}) == 10
    values = [member.value for member in ten]
    assert values == sorted(values)
    assert all(getattr(suite.member(one.name), criterion) == one.value for one in ten)
    assert {one.name for one in ten} <= {member.name for member in chosen or MEMBERS}


@pytest.mark.parametrize(
    ("criterion", "named"),
    [
        ("size", {1: "bcsstm01", 10: "s3dkt3m2"}),
        ("locality", {1: "bcspwr10", 10: "qc324"}),
        ("average_per_row", {1: "bcsstm20", 3: "shl_0", 10: "psmigr_1"}),
    ],
)
def test_what_the_paper_names_in_a_figure(criterion, named):
    ten = suite.figure(criterion)
    actual = {one.position: suite.member(one.name).original for one in ten if one.named_by_paper}
    assert actual == named


@pytest.mark.parametrize("criterion", CRITERIA)
def test_points_of_a_figure_are_equal_steps(criterion):
    points = suite.scale(criterion)
    steps = np.diff(np.log(points))
    np.testing.assert_allclose(steps, steps[0])
    assert (points[0], points[-1]) == pytest.approx(RANGES[criterion])
    # Each of the ten is nearer to its own point than to the next, but for shl_0, which the paper names.
    away = [
        abs(np.log(one.value / one.point)) for one in suite.figure(criterion) if one.name != "shl_0-pattern"
    ]
    assert max(away) < steps[0] / 4
    if criterion == "size":
        assert np.exp(steps[0]) == pytest.approx(3.5, abs=0.005)


def test_an_original_is_taken_before_a_stand_in():
    ten = {one.position: one.name for one in suite.figure("average_per_row")}
    assert suite.member(ten[8]).has_original_pattern
    assert not suite.member(ten[10]).has_original_pattern


def test_subsets_and_their_distributions():
    sets = statistics.subsets()
    counts = {name: len(chosen) for name, chosen in sets.items()}
    assert counts[statistics.ALL] == 132
    assert counts[statistics.WITHOUT_STAND_INS] == 132 - sum(m.provenance == "stand-in" for m in MEMBERS)
    rows = statistics.distributions()
    assert len(rows) == 3 * (1 + len(sets))
    assert [row.mean for row in rows[:3]] == [MEANS[row.criterion] for row in rows[:3]]
    worked = statistics.distribution("two", "size", [suite.member("bcsstm01"), suite.member("gre_185")])
    assert (worked.least, worked.mean, worked.greatest) == (48, 526.5, 1005)
    assert worked.mean_off_percent == pytest.approx(100 * (526.5 / 115081 - 1))


def test_the_report_names_what_is_missing(nothing_found, capsys):
    from experiments.papers.hism.suite.__main__ import main

    assert main() == 0
    printed = capsys.readouterr().out
    assert "115,081" in printed
    assert "s3dkt3m2" in printed
    assert "of 132 members are not found here: bcsstm01" in printed
