"""`vecsim isa`, `machine`, `formats`, `list`, `--version`, `--help`."""

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

from experiments.registry import PAPERS
from isa.reference import entries
from programs.registry import PROGRAMS
from vecsim.data import BUILTINS, DEFAULT_BUILTIN
from vecsim.formats import FORMATS
from vecsim.machine import Machine, load_machine, presets


def test_isa_lists_everything_that_the_table_declares(vecsim):
    shown = vecsim("isa").out
    lines = shown.splitlines()
    for entry in entries():
        assert any(entry.syntax in line and entry.summary in line for line in lines), entry.syntax
    document = json.loads(vecsim("isa", "--json", "-").out)
    assert [e["mnemonic"] for e in document["entries"]] == [e.mnemonic for e in entries()]


def test_isa_shows_one_instruction_with_its_encoding(vecsim):
    result = vecsim("isa", "addvv.s")
    assert result.code == 0
    assert result.out.startswith("addvv.s vd, va, vb  (instruction)\n  vd[k] = va[k] + vb[k], float32\n")
    assert "  encoding  31-24 opcode | 23-19 vd | 18-14 va | 13-9 vb | 8-0 zero\n" in result.out
    assert "  unit      add\n" in result.out
    assert "  timing    elementwise, latency.add\n" in result.out


def test_isa_shows_all_that_a_generic_name_means(vecsim):
    out = vecsim("isa", "addvv.f").out
    assert "addvv.s vd, va, vb" in out
    assert "addvv.d vd, va, vb" in out


def test_isa_shows_pseudo_instructions_and_directives(vecsim):
    assert "means     addi sp, sp, -4; sw xa, (sp)\n" in vecsim("isa", "push").out
    assert vecsim("isa", ".word").out.startswith(".word value, ...  (directive)\n")
    found = json.loads(vecsim("isa", "jal", "--json", "-").out)["entries"]
    assert [entry["kind"] for entry in found] == ["instruction", "pseudo-instruction"]


def test_isa_finds_what_has_a_word_in_its_description(vecsim):
    found = json.loads(vecsim("isa", "Gather", "--json", "-").out)["entries"]
    assert found
    assert all("gather" in (entry["syntax"] + entry["summary"]).lower() for entry in found)
    shown = vecsim("isa", "gather").out
    assert all(entry["syntax"] in shown for entry in found)
    # Tables without a row are left out.
    assert ("directive" in shown.split()) == any(entry["kind"] == "directive" for entry in found)
    names = [entry["mnemonic"] for entry in json.loads(vecsim("isa", "addvv", "--json", "-").out)["entries"]]
    assert {"addvv.w", "addvv.s", "addvv.d"} <= set(names)
    units = {entry.get("unit") for entry in json.loads(vecsim("isa", "sparse", "--json", "-").out)["entries"]}
    assert "sparse" in units
    assert json.loads(vecsim("isa", "add", "--json", "-").out)["entries"][0]["mnemonic"] == "add"


def test_machine_list_has_every_preset(vecsim):
    rows = vecsim("machine", "list").out.split("─\n")[1].splitlines()
    assert [row.split()[0] for row in rows] == list(presets())


def test_machine_show_gives_toml_of_the_same_machine(vecsim, tmp_path):
    result = vecsim("machine", "show", "wide", "--set", "latency.add=3", "--set", "chaining=false")
    changed = load_machine("wide", ["latency.add=3", "chaining=false"])
    assert tomllib.loads(result.out) == {"based_on": "wide"} | changed.numbers()
    assert "# word-interleaved memory banks" in result.out
    path = tmp_path / "mine.toml"
    path.write_text(result.out)
    assert load_machine(str(path)).numbers() == changed.numbers()
    label = f"mine.toml: wide with chaining=false, latency.add=3 (digest {changed.sha256[:12]})"
    assert vecsim("machine", "check", path).out == f"{path}: a valid machine: {label}\n"
    shown = json.loads(vecsim("machine", "show", path, "--json", "-").out)["machine"]
    assert Machine.from_dict(shown).numbers() == changed.numbers()
    assert (shown["file"], shown["sha256"]) == ("mine.toml", changed.sha256)


def test_machine_show_tells_what_the_preset_and_set_gave(vecsim, tmp_path):
    result = vecsim("machine", "show", "vs2003", "--set", "banks=64")
    assert result.out.startswith("# Written by vecsim for vs2003 with banks=64.\n# SHA-256: ")
    assert 'based_on = "vs2003" # the preset that gives what is not stated here; vs2003 if ' in result.out
    path = tmp_path / "mine.toml"
    path.write_text('based_on = "t0"\nlanes = 3\n')
    result = vecsim("machine", "show", path, "--set", "banks=64")
    assert result.err == ""
    assert result.out.startswith("# Written by vecsim for mine.toml: t0 with banks=64, lanes=3.\n")
    assert re.search(r"^startup = \d+ # cycles from dispatch .* \(from t0\)$", result.out, re.MULTILINE)
    lines = [line for line in result.out.splitlines() if line.startswith(("lanes", "banks"))]
    assert len(lines) == 2
    assert "from t0" not in "".join(lines)


def test_a_file_that_leaves_numbers_out_unsaid_is_warned_of(vecsim, tmp_path):
    path = tmp_path / "mine.toml"
    whole = vecsim("machine", "show", "t0").out
    path.write_text(whole.replace("banks = ", "# banks = ").replace("based_on", "# based_on"))
    warning = f"vecsim: warning: {path}: does not state banks: taken from vs2003; "
    assert vecsim("machine", "show", path).err.startswith(warning)
    checked = vecsim("machine", "check", path).out
    assert checked.endswith("\nfrom vs2003, not stated in the file: banks\n")


def test_formats_of_a_matrix_whose_bytes_can_be_counted(vecsim, matrix):
    # 5 x 4 with 6 entries; CRS: 6 values, 6 indices, 6 pointers of 4 bytes each.
    document = json.loads(vecsim("formats", matrix, "--section-size", 4, "--json", "-").out)
    assert document["formats"]["crs"]["bytes"] == {"paper": 8 * 6 + 8 * 5, "image": 4 * (6 + 6 + 6)}
    # 5 rows at s = 4: two block arrays, with five entries and one, below one array of two pointers.
    assert document["formats"]["hism"]["level_arrays"] == [2, 1]
    assert document["formats"]["hism"]["level_entries"] == [6, 2]
    assert document["formats"]["jd"]["diagonals"] == 2
    # Row 3 is empty in the one block column, and stands before row 4.
    assert document["formats"]["bbcs"]["block_columns"] == 1
    assert document["formats"]["bbcs"]["entries"] == 7
    # Every format of the registry, with what it says of each. One slice of 32 rows, two entries wide.
    assert list(document["formats"]) == list(FORMATS)
    sliced = document["formats"]["sliced-ell"]
    assert sliced["bytes"] == {"image": 2 * 32 * (4 + 4) + 2 * 4 + 4}
    assert sliced["bytes_per_nonzero"] == {"image": 524 / 6}
    assert sliced["bytes_over_crs"] == {"image": 524 / 72}
    assert (sliced["image"], sliced["insertion"], sliced["for_gpu"]) == (False, False, True)
    assert sliced["source"] == FORMATS["sliced-ell"].source


def test_formats_as_a_table(vecsim, matrix):
    out = vecsim("formats", matrix, "--value-bits", 64).out
    assert out.startswith("tiny: 5 x 4, 6 non-zeros; section size 64; 64-bit values\n")
    by_paper, in_memory = (
        {line.split()[0]: line.split()[1:] for line in part.split("\n\n")[0].splitlines()}
        for part in out.split("─\n")[1:]
    )
    assert list(by_paper) == ["crs", "jd", "bbcs", "hism"]
    assert by_paper["crs"] == ["88", "14.67", "1.000"]
    assert list(in_memory) == list(FORMATS)
    assert in_memory["crs"] == ["96", "16.00", "1.000", *FORMATS["crs"].summary.split()]
    assert "bbcs: 1 block columns, 7 entries, 1 of them for empty rows" in out
    assert "hism: level 0: 1 block arrays, 6 non-zeros, 6.0 an array" in out
    assert "hisparse: level 0: 1 nodes, 0 of them dense, 6 non-zeros, 6.0 a node" in out


def test_the_nodes_of_hisparse_as_a_table(vecsim, tmp_path):
    # Two leaves of the default 256 x 256: one full, so dense, and one with two entries.
    path = tmp_path / "corner.mtx"
    scipy.io.mmwrite(path, scipy.sparse.block_diag([np.ones((256, 256)), [[1.0, 1.0]]]))
    out = vecsim("formats", path, "--format", "hisparse").out
    assert "hisparse: level 0: 2 nodes, 1 of them dense, 65,538 non-zeros, 32769.0 a node\n" in out
    assert "hisparse: level 1: 1 nodes, 0 of them dense, 2 references, 2.0 a node\n" in out
    assert "block arrays" not in out


def test_chosen_formats_of_a_matrix_that_one_refuses(vecsim, tmp_path):
    # A full row among 4,000 others: as wide as it, every row takes far over four times CRS and a MiB.
    path = tmp_path / "arrow.mtx"
    entries = [f"1 {column} 1" for column in range(1, 4001)]
    path.write_text(
        f"%%MatrixMarket matrix coordinate real general\n4000 4000 4000\n{chr(10).join(entries)}\n"
    )
    result = vecsim("formats", path, "--format", "ell", "--format", "csr", "--format", "ell")
    refused = next(line for line in result.out.splitlines() if line.startswith("ell "))
    assert refused.split()[1:6] == ["-", "-", "-", "refused:", "padding"]
    assert "128,000,000 bytes, 2666.4 times CRS, over the limit of 4" in refused
    assert [line.split()[0] for line in result.out.splitlines() if line.startswith(("ell", "crs", "jd"))] == [
        "crs",
        "ell",
        "crs",
    ]
    document = json.loads(vecsim("formats", path, "--format", "ell", "--json", "-").out)
    assert list(document["formats"]) == ["ell"]
    assert document["formats"]["ell"]["bytes"] == {}
    assert document["formats"]["ell"]["refused"].endswith("times CRS, over the limit of 4")


def test_an_unknown_format(vecsim, matrix):
    message = vecsim("formats", matrix, "--format", "hsm").mistake()
    assert message.startswith("unknown format 'hsm'; formats are crs, jd, ")
    assert message.endswith("; did you mean 'hism'?")


def test_the_lists(vecsim):
    shown = vecsim("list", "matrices").out
    assert all(name in shown for name in BUILTINS)
    assert DEFAULT_BUILTIN in shown
    shown = vecsim("list", "programs").out
    for program in PROGRAMS.values():
        assert program.summary in shown
        assert all(option.summary in shown for option in program.options)
    document = json.loads(vecsim("list", "programs", "--json", "-").out)
    assert [program["name"] for program in document["programs"]] == list(PROGRAMS)
    assert [program["format"] for program in document["programs"]] == [p.format for p in PROGRAMS.values()]
    for program in document["programs"]:
        assert list(program["sources"]) == ["plain", "pipelined"]
        assert all(Path(source).is_file() for source in program["sources"].values())


def test_the_list_of_formats(vecsim):
    lines = vecsim("list", "formats").out.splitlines()
    document = json.loads(vecsim("list", "formats", "--json", "-").out)["formats"]
    assert list(document) == list(FORMATS)
    for name, format in FORMATS.items():
        line = next(line for line in lines if line.startswith(f"{name} "))
        assert format.summary in line and format.source in line
        assert document[name]["image"] == format.has_image
    assert document["crs"]["aliases"] == ["csr"]


def test_the_experiments(vecsim):
    lines = vecsim("list", "experiments").out.splitlines()
    document = json.loads(vecsim("list", "experiments", "--json", "-").out)
    declared = [experiment for paper in PAPERS for experiment in paper.experiments]
    assert [found["name"] for found in document["experiments"]] == [e.name for e in declared]
    for found, experiment in zip(document["experiments"], declared, strict=True):
        assert found["shows"] == experiment.shows
        begin = [experiment.name, *experiment.title.split()]
        assert any(line.split()[: len(begin)] == begin for line in lines)
    assert [paper["name"] for paper in document["papers"]] == [paper.name for paper in PAPERS]
    assert all(f"{paper.name}: {paper.source}" in lines for paper in PAPERS)


def test_version_and_help(vecsim):
    assert vecsim("--version").out == f"vecsim {version('vecsim')}\n"
    for arguments in ([], ["--help"], ["-h"]):
        result = vecsim(*arguments)
        assert result.code == 0
        assert "formats" in result.out
    assert "MATRIX" in vecsim("run", "-h").out
    assert "PRESET" in vecsim("machine", "show", "-h").out
