"""`vecsim isa`, `machine`, `formats`, `list`, `--version`, `--help`."""

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

from experiments.papers.kit.registry import PAPERS
from gpu.format_registry import FORMATS
from isa.reference import entries
from programs.registry import PROGRAMS
from vecsim.data import BUILTINS, DEFAULT_BUILTIN
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
    actual = json.loads(vecsim("isa", "jal", "--json", "-").out)["entries"]
    assert [entry["kind"] for entry in actual] == ["instruction", "pseudo-instruction"]


def test_isa_finds_what_has_a_word_in_its_description(vecsim):
    actual = json.loads(vecsim("isa", "Gather", "--json", "-").out)["entries"]
    assert actual
    assert all("gather" in (entry["syntax"] + entry["summary"]).lower() for entry in actual)
    shown = vecsim("isa", "gather").out
    assert all(entry["syntax"] in shown for entry in actual)
    # Tables without a row are left out.
    assert ("directive" in shown.split()) == any(entry["kind"] == "directive" for entry in actual)
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
    numbers = result.out.partition("\n[")[0]
    lines = [line for line in numbers.splitlines() if line.startswith(("lanes", "banks"))]
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


def test_every_number_that_a_file_leaves_out_is_marked(vecsim, tmp_path):
    """Also those that machines of earlier versions did not have."""
    path = tmp_path / "mine.toml"
    path.write_text('based_on = "vs2003"\nbanks = 32\n[latency]\nadd = 5\n')
    shown = vecsim("machine", "show", path).out.splitlines()
    lines = [line for line in shown if " = " in line and line[0] != "#"]
    unmarked = {line.partition(" = ")[0] for line in lines if not line.endswith(" (from vs2003)")}
    assert unmarked == {"based_on", "banks", "add"}
    checked = set(re.split(r"[ ,\n]+", vecsim("machine", "check", path).out))
    assert {"latency.integer_divide", "latency.float_divide", "latency.divide"} <= checked


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
    assert [actual["name"] for actual in document["experiments"]] == [e.name for e in declared]
    for actual, experiment in zip(document["experiments"], declared, strict=True):
        assert actual["shows"] == experiment.shows
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
