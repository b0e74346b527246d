"""The public Python interface takes what a user would try, or says in one line what would be right."""

import itertools
import json
import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from tiers import one_in

import vecsim
from vecsim.support.errors import AssemblyError, MatrixWarning, UserError

LONGEST = 400
MATRIX = vecsim.load("laplace2d-3")
PROGRAM = vecsim.assemble("halt")
STRANGE = (
    None, True, False, 0, 1, -1, 8, 10**30, 1.5, float("nan"), "", "x", "8", "a\0b", "\ud800", b"x", b"", (),
    [], [None], [[1]], {}, {"x": 1}, {1: 2}, {"x": None}, {"x": {"y": []}}, set(), object(),
    lambda *given: None,
    Path("x"), Path(), np.int64(8), np.float32(1.5), np.bool_(True), np.array(3), np.array([1, 2]),
    np.zeros((3, 3)), np.array(["x"]), np.array([object()]), scipy.sparse.eye(3),
    scipy.sparse.coo_array((3, 3)),
    scipy.sparse.csr_array(np.eye(3, dtype=complex)), range(3), MATRIX, vecsim.load_machine("t0"), PROGRAM,
    vecsim.PROGRAMS["hism"], SimpleNamespace(), ValueError("x"), Ellipsis, 3j,
)  # fmt: skip
"""Values of every type that might be passed in the place of another."""


CALLS = {
    "load": (vecsim.load, {"source": "laplace2d-3", "folders": ()}),
    "load_machine": (
        vecsim.load_machine,
        {"preset_or_file": "t0", "changes": {"banks": 8}, "extend": ()},
    ),
    "measure": (
        vecsim.measure,
        {
            "program": "crs", "matrix": MATRIX, "machine": "t0", "value_bits": 32, "seed": 0, "options": {},
            "engine": "jit", "max_cycles": 10**6, "timeline": None, "progress": None,
        },
    ),
    "why": (
        vecsim.why,
        {
            "program": "crs", "matrix": MATRIX, "machine": "t0", "value_bits": 32, "seed": 0, "options": {},
            "engine": "jit", "max_cycles": 10**6, "step": None,
        },
    ),
    "run": (
        vecsim.run,
        {
            "program": PROGRAM, "memory": np.zeros(64, np.uint8), "machine": "t0", "engine": "jit",
            "timeline": None, "max_cycles": 100, "progress": None, "progress_cycles": 10,
        },
    ),
    "start": (
        vecsim.start,
        {
            "program": PROGRAM, "memory": np.zeros(64, np.uint8), "machine": "t0", "engine": "jit",
            "timeline": None,
        },
    ),
    "assemble": (
        vecsim.assemble,
        {
            "text": '.include "b.s"', "file": "a.s", "symbols": {}, "value_bytes": 4, "data_base": 64,
            "folder": None, "given": {"b.s": b"halt"},
        },
    ),
    "assemble_file": (
        vecsim.assemble_file,
        {"path": "a.s", "symbols": {}, "value_bytes": 4, "data_base": 64},
    ),
    "values_as": (vecsim.values_as, {"matrix": MATRIX.csr, "value_bytes": 4}),
    "Matrix": (vecsim.Matrix, {"name": "m", "csr": MATRIX.csr, "source": "here"}),
    "Machine": (vecsim.Machine, {"name": "m", "banks": 8, "latency": {"add": 3}, "chaining": True}),
    "Extension": (vecsim.Extension, {"name": "mine", "description": "nothing"}),
    "TimelineRequest": (
        vecsim.TimelineRequest,
        {"first_age": 0, "last_age": 3, "sink": None, "starts": None},
    ),
    "Sweep": (
        vecsim.Sweep,
        {
            "matrices": ("laplace2d-3",), "programs": ("crs",), "machine": "t0", "extend": (),
            "set": {"banks": (8, 16)}, "option": {"sums": ("scalar",)}, "design": "grid", "samples": 3,
            "design_seed": 0, "value_bits": 32, "seed": 0, "engine": "jit", "max_cycles": 10**6, "cost": {},
        },
    ),
    "sweep": (
        vecsim.sweep,
        {"what": vecsim.Sweep(("laplace2d-3",), ("crs",)), "store": "store", "jobs": 1, "watch": None},
    ),
}  # fmt: skip


def tried(function, arguments):
    """Return what is wrong with how a call ends; nothing if all is right."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MatrixWarning)
            function(**arguments)
    except UserError as error:
        message = str(error) if not isinstance(error, AssemblyError) else error.reason
        return "" if message and len(message) <= LONGEST and "\n" not in message else f"message {message!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.s").write_text("halt\n")
    return tmp_path


@pytest.mark.parametrize(
    "of", one_in(3, [(name, p) for name, (_, given) in CALLS.items() for p in given]), ids="-".join
)
def test_a_value_of_any_type_is_taken_or_refused_in_one_line(here, of):
    name, parameter = of
    function, arguments = CALLS[name]
    assert tried(function, arguments) == ""
    actual = {}
    for value in STRANGE:
        wrong = tried(function, {**arguments, parameter: value})
        if wrong:
            actual[repr(value)[:60]] = wrong
    assert actual == {}


@pytest.mark.parametrize("parameter", ["matrices", "programs", "extend", "set", "option"])
def test_an_endless_series_is_refused(parameter):
    value = {"banks": itertools.count()} if parameter in ("set", "option") else itertools.repeat("crs")
    with pytest.raises(
        UserError, match=rf"{parameter}(.banks)?: has too many values; at most [0-9,]+ are possible"
    ):
        vecsim.Sweep(**{"matrices": ("laplace2d-3",), parameter: value})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"set": {"banks": "8:64:x2"}}, {"set": {"banks": (8, 16, 32, 64)}}),
        ({"set": {"banks": [8, 8, 16]}}, {"set": {"banks": (8, 16)}}),
        ({"set": {"banks": range(8, 10)}}, {"set": {"banks": (8, 9)}}),
        ({"set": {"banks": np.array([8, 16])}}, {"set": {"banks": (8, 16)}}),
        ({"set": {"banks": np.int64(8)}}, {"set": {"banks": (8,)}}),
        ({"set": {"banks": (each for each in (8, 16))}}, {"set": {"banks": (8, 16)}}),
        ({"set": {"chaining": True}}, {"set": {"chaining": (True,)}}),
        ({"set": {"chaining": np.array([True, False])}}, {"set": {"chaining": (True, False)}}),
        ({"set": {"latency": {"add": [3, 4]}}}, {"set": {"latency.add": (3, 4)}}),
        ({"option": {"schedule": "plain,pipelined"}}, {"option": {"schedule": ("plain", "pipelined")}}),
        ({"option": {"schedule": ["plain"]}}, {"option": {"schedule": ("plain",)}}),
        ({"programs": "crs"}, {"programs": ("crs",)}),
        ({"programs": ["crs", vecsim.PROGRAMS["jd"]]}, {"programs": ("crs", "jd")}),
        ({"programs": vecsim.PROGRAMS["jd"]}, {"programs": ("jd",)}),
        ({"matrices": "laplace2d-3"}, {"matrices": ("laplace2d-3",)}),
        ({"matrices": ["laplace2d-3", Path("m.mtx")]}, {"matrices": ("laplace2d-3", "m.mtx")}),
        ({"machine": Path("mine.toml")}, {"machine": "mine.toml"}),
        ({"extend": "open_rows"}, {"extend": ("open_rows",)}),
        ({"seed": np.int64(3), "value_bits": np.int32(64)}, {"seed": 3, "value_bits": 64}),
        ({"cost": {"lanes": np.float32(2)}}, {"cost": {"lanes": 2.0}}),
    ],
)
def test_a_sweep_takes_what_a_user_would_write(here, given, wanted):
    (here / "mine.toml").write_text("banks = 8\n")
    results = vecsim.Sweep(**{"matrices": ("laplace2d-3",), **given})
    actual = {name: getattr(results, name) for name in wanted}
    assert actual == wanted
    assert json.dumps(results.to_dict())


def test_every_form_of_set_that_the_documentation_shows_is_taken():
    page = Path(vecsim.__file__).parents[1] / "docs" / "what-if.md"
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| a")]
    shown = [literal for row in rows for literal in re.findall(r"`([{[\"].*?)`", row)]
    results = [vecsim.Sweep("laplace2d-3", "crs", set=eval(literal)).set for literal in shown]
    assert results == [
        {"banks": (4, 8, 16)}, {"banks": (4, 5, 6)}, {"banks": (8, 16, 32, 64)},
        {"banks": (8, 16, 32, 64)}, {"banks": (4, 8), "lanes": (2,)}, {"latency.add": (3, 4)},
    ]  # fmt: skip


def test_a_sweep_on_a_machine_of_python_and_a_store_named_by_a_text(here):
    machine = vecsim.load_machine("t0", {"startup": np.int64(7)})
    results = vecsim.Sweep("laplace2d-3", "crs", machine=machine, set={"banks": "8:16:x2"})
    table = vecsim.sweep(results, store=str(here / "x.sqlite"), jobs=1)
    assert (here / "x.sqlite").is_file()
    alone = [
        vecsim.measure("crs", "laplace2d-3", vecsim.load_machine(machine, {"banks": banks})).cycles
        for banks in (8, 16)
    ]
    assert table.columns["cycles"] == alone
    assert table.to_dict()["sweep"]["machine"] == "t0 with startup=7"
    with pytest.raises(UserError, match="extend: the machine already has its extensions"):
        vecsim.Sweep("laplace2d-3", machine=machine, extend="open_rows")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (MATRIX, [MATRIX.name]),
        (MATRIX.csr, ["matrix"]),
        (np.eye(3), ["matrix"]),
        ((MATRIX.csr, "laplace2d-3", np.eye(3)), ["matrix-1", "laplace2d-3", "matrix-2"]),
        ((("a", np.eye(3)), ("b", MATRIX)), ["a", "b"]),
        ({"a": MATRIX.csr.tocoo(), "b": np.eye(3)}, ["a", "b"]),
    ],
)
def test_a_sweep_takes_matrices(given, names):
    assert vecsim.Sweep(given).to_dict()["matrices"] == names


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (("a", np.eye(3)), ("a", np.eye(4))),
            "matrices: two are named 'a'; name them, such as {'a': a, 'b': b}",
        ),
        ({"a": 3}, r"matrices\[0\]: a matrix must be a vecsim.Matrix, .*, not int"),
        ({"a": "pde900"}, r"matrices\[0\]: 'pde900' is a name; only a matrix can be given another one"),
        (np.eye(3) * 1j, r"matrices\[0\]: the matrix has values of type complex128"),
    ],
)
def test_what_is_no_matrix_of_a_sweep_is_reported(given, message):
    with pytest.raises(UserError, match=message):
        vecsim.Sweep(given)


def test_what_is_no_sweep_is_refused_with_what_would_work():
    with pytest.raises(UserError, match=r"a vecsim\.Sweep is expected, such as "):
        vecsim.sweep({"matrices": ["laplace2d-3"]})


def test_a_specification_file_is_swept(here):
    (here / "a.toml").write_text("matrices = 'laplace2d-3'\nprograms = ['crs']\n")
    assert len(vecsim.sweep(here / "a.toml", store=here / "store", jobs=1)) == 1


def test_a_matrix_of_another_layout_is_refused():
    with pytest.raises(
        UserError, match=r"a scipy\.sparse\.csr_array of float32 or float64 is needed, not coo"
    ):
        vecsim.Matrix("m", MATRIX.csr.tocoo(), "here")


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"banks": 0}, "machine: banks = 0: "),
        ({"bank": 8}, "machine: bank = 8: "),
        ({"latency": {"add": "x"}}, "machine: latency.add = 'x': "),
    ],
)
def test_a_machine_of_wrong_numbers_is_refused_in_one_line(numbers, message):
    with pytest.raises(UserError, match=message) as caught:
        vecsim.Machine(**numbers)
    assert "\n" not in str(caught.value)
