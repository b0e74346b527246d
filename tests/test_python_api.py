"""The package as a user of Python meets it: completion, help, what records show, the examples of the docs."""

import doctest
import importlib.util
import inspect
import json
import pydoc
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import isa
import vecsim
from vecsim.support.overview import Overview

ROOT = Path(__file__).parents[1]
LONGEST = 300
"""Letters of a record's repr: it fits three lines."""


def test_an_interpreter_completes_the_public_names():
    fresh = "import vecsim, isa; print(*dir(vecsim)); print(*dir(isa))"
    done = subprocess.run([sys.executable, "-c", fresh], capture_output=True, text=True, check=True)
    names, of_isa = (line.split() for line in done.stdout.splitlines())
    assert names == sorted([*vecsim.__all__, "__version__"])
    assert of_isa == sorted(isa.__all__)


@pytest.mark.parametrize("name", [n for n in vecsim.__all__ if inspect.isfunction(getattr(vecsim, n))])
def test_the_help_of_a_function_can_be_read(name):
    text = pydoc.plain(pydoc.render_doc(getattr(vecsim, name)))
    assert len(text) < 4000
    assert max(map(len, text.splitlines())) < 500, "a default argument is written out"
    parameters = inspect.signature(getattr(vecsim, name)).parameters
    if len(parameters) >= 4:
        documented = re.search(r"Parameters\n +-+\n(.*?)\n\n", text + "\n\n", re.DOTALL)
        assert documented, "no section Parameters"
        assert all(parameter in documented[1] for parameter in parameters)


@pytest.fixture(scope="module")
def records():
    matrix = vecsim.load("laplace2d-3")
    measured = vecsim.measure("hism", matrix)
    return {
        "matrix": matrix,
        "measurement": measured,
        "run": measured.run,
        "program": vecsim.assemble("x: j x"),
        "instruction set": isa.BASE,
        "product": vecsim.PROGRAMS["chism"],
        "machine": vecsim.load_machine("vs2003", ["banks=32"]),
        "format": vecsim.FORMATS["hism"],
        "container": vecsim.FORMATS["hism"].from_scipy(matrix.csr, section_size=4),
    }


NAMES = (
    "matrix",
    "measurement",
    "run",
    "program",
    "instruction set",
    "product",
    "machine",
    "format",
    "container",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_record_shows_an_overview(records, name):
    record = records[name]
    text = repr(record)
    assert len(text) <= LONGEST
    assert text.startswith(type(record).__name__ + "(")
    table = record._repr_html_()
    for fact in record.overview():
        assert f"{fact}=" in text
        assert fact.replace("_", " ") in table
    assert table.count("<tr>") == table.count("</td></tr>") == len(record.overview())


def test_an_overview_says_what_was_measured(records):
    text = repr(records["measurement"])
    for fact in ("program='hism'", "matrix='laplace2d-3'", "shape=(9, 9)", "nnz=33", "value_bits=32"):
        assert fact in text
    assert f"cycles={records['measurement'].cycles}, " in text
    assert repr(records["matrix"]) == "Matrix(name='laplace2d-3', shape=(9, 9), nnz=33, source='built-in')"
    assert repr(isa.BASE) == f"InstructionSet(instructions={len(isa.BASE.instructions)})"


def test_names_in_a_table_are_escaped(records):
    table = replace(records["matrix"], name="<b>&")._repr_html_()
    assert "<b>" not in table
    assert "&lt;b&gt;&amp;" in table


def test_numbers_in_a_table_are_easy_to_read():
    class Example(Overview):
        def overview(self):
            return {"shape": (1200, 3), "names": ("a", "b"), "share": 0.123456, "by_cause": {"port": 12345}}

    assert re.findall(r"<td[^>]*>([^<]*)", Example()._repr_html_()) == [
        "1,200 x 3",
        "a, b",
        "0.1235",
        "port 12,345",
    ]
    assert repr(Example()) == (
        "Example(shape=(1200, 3), names=('a', 'b'), share=0.1235, by_cause={'port': 12345})"
    )


@pytest.mark.parametrize("name", ["matrix", "measurement", "run", "program", "machine", "container"])
def test_a_record_as_plain_data(records, name):
    document = records[name].to_dict()
    assert json.loads(json.dumps(document)) == document


def test_the_data_of_a_measurement(records):
    measured = records["measurement"]
    document = measured.to_dict()
    assert (document["program"], document["matrix"], document["value_bits"]) == ("hism", "laplace2d-3", 32)
    assert document["cycles"] == sum(document["cycles_by_cause"].values()) == measured.cycles
    assert document["machine"] == vecsim.load_machine("vs2003").to_dict()
    assert document["counters"] == measured.run.counters


@pytest.mark.parametrize("name", [n for n in vecsim.__all__ if inspect.isfunction(getattr(vecsim, n))])
def test_the_example_of_a_function(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = getattr(vecsim, name)
    examples = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    assert sum(len(example.examples) for example in examples) >= 2, "no example"
    said = []
    for example in examples:
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("page", ["README.md", "docs/reference/python.md"])
def test_the_python_of_a_page_runs(page, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
    assert "value_bits=32" in capsys.readouterr().out


@pytest.mark.ci
def test_the_python_of_the_page_on_sweeps_prints_what_it_says(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("experiments.whatif.sweep.running.default_store", lambda: tmp_path / "store")
    if importlib.util.find_spec("pandas") is None:
        pytest.importorskip("pyarrow")
    first, second = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "what-if.md").read_text(), re.DOTALL)
    names = {}
    exec(compile(first, "docs/what-if.md", "exec"), names)
    (shown,) = re.findall(r"print\(hism_cycles\)  # (.*)", first)
    assert capsys.readouterr().out == f"{shown}\n"
    assert len(names["frame"]["cycles"]) == 6
    pytest.importorskip("duckdb")
    exec(compile(second, "docs/what-if.md", "exec"), names)
    assert f"('hism', {min(names['hism_cycles'])})" in capsys.readouterr().out


@pytest.mark.nightly  # compiling the edits takes half a minute
def test_the_example_of_editing_and_sharing_prints_what_it_says(capsys):
    text = (ROOT / "docs" / "reference" / "gpu-hisparse.md").read_text()
    (block,) = re.findall(r"## Edit and share on the host\n.*?```python\n(.*?)```", text, re.DOTALL)
    exec(compile(block, "gpu-hisparse.md", "exec"), {})
    said = capsys.readouterr().out.splitlines()
    shown = [line for line in block.splitlines() if line.startswith("print(")]
    assert len(said) == len(shown) == 3
    for line, comment in zip(said, shown, strict=True):
        assert re.search(rf"[#:] {re.escape(line)}$", comment), (line, comment)


def test_an_engine_takes_the_name_of_a_preset():
    program = vecsim.assemble("li x1, 3\nhalt")
    memory = np.zeros(16, np.uint8)
    by_name, by_machine = (vecsim.run(program, memory, m) for m in ("t0", vecsim.load_machine("t0")))
    assert by_name.cycles == by_machine.cycles
    assert by_name.machine.name == "t0"
