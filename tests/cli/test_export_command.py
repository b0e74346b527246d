"""`vecsim export`: an archive that `vecsim rerun` verifies, here and where inputs are missing."""

import json
import shutil
import zipfile

import pytest

pytestmark = pytest.mark.usefixtures("sweeps_in_one_process")

SWEPT = ("--program", "crs,hism", "--set", "banks=4,8", "--option", "schedule=plain", "--jobs", "1")


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Return a folder with a sweep of a file and a built-in on a machine of a file."""
    from vecsim.cli import main

    folder = tmp_path_factory.mktemp("swept")
    (folder / "m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 1 2.5\n")
    (folder / "mine.toml").write_text('based_on = "vs2003"\nlanes = 4\n')
    where = ("--machine", folder / "mine.toml", "--store", folder / "store", "--out", folder / "banks")
    arguments = ["sweep", folder / "m.mtx", "laplace2d-3", *SWEPT, *where]
    assert main([str(each) for each in arguments]) == 0
    return folder


@pytest.fixture(scope="module")
def archive(swept):
    """Return an archive of the sweep."""
    from vecsim.cli import main

    assert main(["export", f"{swept / 'banks'}", f"{swept / 'a.zip'}", "--archive", "--author", "N. N."]) == 0
    return swept / "a.zip"


def test_what_an_archive_holds(archive, swept):
    with zipfile.ZipFile(archive) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    for name in ("sweep.json", "table.csv"):
        assert files[name] == (swept / "banks" / name).read_bytes()
    assert {"specification.toml", "machine.toml", "report.html", "sweep-banks.svg", "SHA256SUMS"} <= set(
        files
    )
    message = json.loads(files["sweep.json"])
    text = files["CITATION.txt"].decode()
    for each in (*message["matrices"], *message["files"], message["machine"]):
        assert each["sha256"] in text
    assert f"(commit {message['commit']}), {message['date'][:10]}." in text
    assert "Cycles of crs, hism on m, laplace2d-3, varying banks, schedule" in text
    assert "numpy " in text


def test_the_citation_file_is_yaml_with_what_the_format_requires(archive):
    yaml = pytest.importorskip("yaml")
    with zipfile.ZipFile(archive) as opened:
        citation = yaml.safe_load(opened.read("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert (citation["type"], citation["authors"]) == ("dataset", [{"name": "N. N."}])
    (software,) = citation["references"]
    assert software["version"] == "0.1.0"


@pytest.mark.ci
def test_the_same_result_gives_the_same_archive(archive, swept, vecsim, tmp_path):
    again = tmp_path / "again.zip"
    assert vecsim("export", swept / "banks", again, "--archive", "--author", "N. N.").code == 0
    assert again.read_bytes() == archive.read_bytes()


def test_the_specification_repeats_the_sweep(archive, swept, vecsim, tmp_path, monkeypatch):
    shutil.unpack_archive(archive, tmp_path)
    monkeypatch.chdir(tmp_path)
    result = vecsim("sweep", "specification.toml", "--out", "out", "--store", "store", "--jobs", "1")
    assert result.code == 0
    assert (tmp_path / "out" / "table.csv").read_bytes() == (swept / "banks" / "table.csv").read_bytes()


def test_an_archive_is_verified(archive, vecsim):
    result = vecsim("rerun", archive)
    assert (result.code, result.out.splitlines()[-1]) == (0, "8 of 8 runs take the same cycles")


def test_a_sample_is_always_the_same(archive, vecsim):
    first, second = (vecsim("rerun", archive, "--sample", "3") for _ in range(2))
    assert (first.code, first.out) == (0, second.out)
    assert first.out.splitlines()[-1] == "3 of 3 runs take the same cycles, a sample of all 8"


def test_what_is_missing_on_another_machine_is_named(archive, swept, vecsim, tmp_path, monkeypatch):
    shutil.unpack_archive(archive, tmp_path / "archive")
    monkeypatch.setenv("VECSIM_MATRICES", "")
    moved = tmp_path / "gone.mtx"
    (swept / "m.mtx").rename(moved)
    try:
        result = vecsim("rerun", tmp_path / "archive", "--sample", "8")
    finally:
        moved.rename(swept / "m.mtx")
    digest = json.loads((swept / "banks" / "sweep.json").read_text())["matrices"][0]["sha256"][:12]
    assert result.code == 1
    assert f"matrix m: is not here (digest {digest}): " in result.out
    assert "4 of 8 runs take the same cycles" in result.out
    assert "4 runs could not be repeated" in result.out


def test_other_cycles_and_versions_are_named(vecsim, tmp_path):
    assert vecsim("run", "laplace2d-3", "--program", "crs", "--json", tmp_path / "run.json").code == 0
    message = json.loads((tmp_path / "run.json").read_text())
    message["results"][0]["cycles"] += 1
    message["results"][0]["cycles_by_cause"]["issue"] = (
        message["results"][0]["cycles_by_cause"].get("issue", 0) + 1
    )
    message["versions"]["numpy"] = "0.9"
    (tmp_path / "run.json").write_text(json.dumps(message))
    assert vecsim("export", tmp_path / "run.json", tmp_path / "run.zip", "--archive").code == 0
    result = vecsim("rerun", tmp_path / "run.zip")
    assert result.code == 1
    assert "numpy: 0.9 then, " in result.out
    assert "0 of 1 run take the same cycles" in result.out


OWN_FORMAT = """
from vecsim import Parameter, UserFormat
def arrays(csr, section_size, turns):
    return {"COUNT": turns}
TEXT = "start:\\n    li x5, COUNT\\nturn:\\n    addi x5, x5, -1\\n    bnez x5, turn\\n    halt\\n"
MINE = UserFormat("mine", "turns", arrays, TEXT, (Parameter("turns", 2, 1, 99, "turns of the loop"),))
"""


@pytest.mark.ci
def test_user_defined_formats_travel_with_the_archive(vecsim, tmp_path, monkeypatch):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (here / "mine.py").write_text(OWN_FORMAT)
    (here / "spec.toml").write_text(
        f'matrices = "uniform-20-2:4:x2"\nprograms = ["crs", "{here / "mine.py"}"]\n'
        'set = "option.mine.turns=1:4:x2"\n'
    )
    where = ("--store", here / "store", "--out", here / "out", "--jobs", "1")
    dry = vecsim("sweep", here / "spec.toml", "--dry-run", *where).out
    assert "12 cells: 2 matrices, 2 programs, 3 points (grid)" in dry
    assert "0 are stored, 12 would be simulated by 8 runs" in dry
    assert "; 8 were simulated" in vecsim("sweep", here / "spec.toml", *where).out
    assert vecsim("export", here / "out", there).code == 0
    (here / "mine.py").unlink()
    result = vecsim("rerun", there)
    assert result.code == 1
    assert "mine.py cannot be read now (digest -, then " in result.out
    assert "6 of 12 runs take the same cycles\n6 runs could not be repeated" in result.out
    monkeypatch.chdir(there)
    result = vecsim("rerun", ".")
    assert (result.code, result.out.splitlines()[-1]) == (0, "12 of 12 runs take the same cycles")


def test_a_user_program_that_is_missing_is_named(vecsim, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.s").write_text("halt\n")
    assert vecsim("exec", "k.s", "--json", "k.json").code == 0
    assert vecsim("export", "k.json", "--archive").code == 0
    assert vecsim("rerun", "k.zip").code == 0
    shutil.unpack_archive("k.zip", "elsewhere")
    (tmp_path / "k.s").unlink()
    result = vecsim("rerun", "k.zip")
    assert result.code == 1
    assert f"program: {tmp_path / 'k.s'} cannot be read now (digest -, then " in result.out
    monkeypatch.chdir("elsewhere")
    assert vecsim("rerun", ".").code == 0


def test_mistakes(archive, vecsim, tmp_path):
    assert "name a folder to write, or add --archive" in vecsim("export", archive).mistake()
    assert "no such file" in vecsim("export", tmp_path / "none", "--archive").mistake()
    shutil.unpack_archive(archive, tmp_path / "archive")
    (tmp_path / "archive" / "table.csv").write_text("edited")
    assert "table.csv is another file now" in vecsim("rerun", tmp_path / "archive").mistake()
