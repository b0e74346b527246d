"""What a sweep is of: values, designs, and what is refused before anything is simulated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.whatif.sweep.attributes import values_of
from experiments.whatif.sweep.specification import Sweep, read_specification
from vecsim.support.errors import UserError, UserErrors

ONE = ("laplace2d-3",)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("8,16,32", (8, 16, 32)),
        ("0:40:10", (0, 10, 20, 30, 40)),
        ("3:5", (3, 4, 5)),
        ("16:256:x2", (16, 32, 64, 128, 256)),
        ("1:30:x3", (1, 3, 9, 27)),
        ("1,4:6,5", (1, 4, 5, 6)),
        ("1,true,1,false", (1, True, False)),
        ("\u0663", ("\u0663",)),  # digits of other scripts make no numbers
        ("plain, pipelined", ("plain", "pipelined")),
    ],
)
def test_values_are_lists_ranges_and_powers(text, values):
    assert values_of("banks", text) == values


@pytest.mark.parametrize("text", ["", "8,,16", "5:3", "0:8:x2", "1:8:x1", "1:8:0"])
def test_no_values(text):
    with pytest.raises(UserError, match=r"^banks: "):
        values_of("banks", text)


def test_too_many_values():
    with pytest.raises(UserError, match=r"has too many values; at most 10,000"):
        values_of("banks", "1:1000000000000")


@given(st.integers(0, 1000), st.integers(0, 300), st.integers(1, 40))
def test_a_range_has_both_ends(first, length, step):
    assert values_of("n", f"{first}:{first + length}:{step}") == tuple(range(first, first + length + 1, step))


def test_a_grid_has_every_combination_once():
    spec = Sweep(ONE, set={"banks": (4, 8), "startup": (0, 20, 40)}, option={"schedule": ("plain",)})
    points = spec.points()
    assert spec.count == len(points) == 6
    assert [tuple(point.machine.values()) for point in points] == [
        (4, 0), (4, 20), (4, 40), (8, 0), (8, 20), (8, 40),
    ]  # fmt: skip
    assert all(point.options == {"schedule": "plain"} for point in points)


def test_one_at_a_time_begins_with_the_machine_as_it_is():
    spec = Sweep(ONE, set={"banks": (4, 8), "startup": (0,)}, design="one-at-a-time")
    assert [dict(point.machine) for point in spec.points()] == [
        {},
        {"banks": 4},
        {"banks": 8},
        {"startup": 0},
    ]
    assert spec.count == 4


def test_a_latin_hypercube_has_each_value_equally_often():
    spec = Sweep(
        ONE, set={"banks": (4, 8, 16, 32), "startup": tuple(range(40))}, design="latin-hypercube", samples=40
    )
    points = spec.points()
    banks = [point.machine["banks"] for point in points]
    assert [banks.count(value) for value in (4, 8, 16, 32)] == [10] * 4
    assert sorted(point.machine["startup"] for point in points) == list(range(40))
    assert points == spec.points()
    assert points != Sweep(**{**vars(spec), "design_seed": 1}).points()


def test_options_are_of_the_programs_that_have_them():
    spec = Sweep(ONE, option={"crs.sums": ("scalar",), "schedule": ("plain",)})
    (point,) = spec.points()
    assert point.of_program("crs") == {"sums": "scalar", "schedule": "plain"}
    assert point.of_program("jd") == {"schedule": "plain"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"matrices": ()}, "no matrix is named"),
        ({"programs": ("crs", "hsim")}, "unknown program 'hsim'"),
        ({"programs": ()}, "no program is named"),
        (
            {"set": {"bank": (3,)}},
            r"^set\.bank: is not a number of the machine; see vecsim machine; did you mean 'banks'",
        ),
        ({"set": {"banks": ("many",)}}, r"^set\.banks: 'many' is not a whole number"),
        ({"set": {"banks": ("-4:4:2",)}}, r"^set\.banks: '-4:4:2' is not a whole number"),
        ({"set": {"chaining": (1,)}}, r"^set\.chaining: 1 is not true or false"),
        ({"set": {"banks": ()}}, r"^set\.banks: no value is given"),
        ({"option": {"sums": ("none",)}}, r"^option\.sums: none: it takes scalar, register"),
        ({"option": {"jd.sums": ("scalar",)}}, r"^option\.jd\.sums: no program has this option"),
        ({"design": "gird"}, r"^design = 'gird': is not a design; use one of grid, .*; did you mean 'grid'"),
        ({"engine": "fast"}, r"^engine = 'fast': is not an engine; use one of jit, "),
        ({"value_bits": 16}, "16"),
        ({"machine": "vs2004"}, "vs2004"),
    ],
)
def test_what_is_refused(changes, message):
    with pytest.raises(UserError, match=message):
        Sweep(**({"matrices": ONE} | changes))


def test_more_points_than_a_sweep_takes():
    many = Sweep(ONE, set={"banks": tuple(range(1, 2000)), "startup": tuple(range(2000))})
    with pytest.raises(UserError, match="3,998,000 points, at most"):
        many.points()


SPECIFICATION = """
matrices = ["laplace2d-3", "laplace2d-5"]
programs = ["hism", "crs"]
machine = "t0"
design = "one-at-a-time"
value_bits = 64

[set]
banks = [8, 16]
section_size = "16:64:x2"
latency.add = 4
chaining = false

[option]
schedule = ["plain", "pipelined"]
"crs.sums" = "scalar,register"
"""


def test_a_file_says_the_same(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text(SPECIFICATION)
    read = read_specification(path)
    assert read == Sweep(
        matrices=("laplace2d-3", "laplace2d-5"),
        programs=("hism", "crs"),
        machine="t0",
        set={"banks": (8, 16), "section_size": (16, 32, 64), "latency.add": (4,), "chaining": (False,)},
        option={"schedule": ("plain", "pipelined"), "crs.sums": ("scalar", "register")},
        design="one-at-a-time",
        value_bits=64,
    )
    assert read.to_dict()["set"]["section_size"] == [16, 32, 64]


@pytest.mark.parametrize(
    "text",
    [
        'set.banks = "4:16:x2,64"\noption.schedule = "plain,pipelined"',
        'set.banks = ["4:16:x2", 64]\noption.schedule = ["plain", "pipelined"]',
        'set = ["banks=4:16:x2,64", "option.schedule=plain,pipelined"]',
        '[set]\nbanks = ["4:16:x2", "64"]\noption.schedule = "plain,pipelined"',
        'set = "banks=4:16:x2,64"\noption = "schedule=plain,pipelined"',
    ],
)
def test_one_notation_in_files_in_python_and_on_the_command_line(tmp_path, text):
    path = tmp_path / "spec.toml"
    path.write_text(f'matrices = ["laplace2d-3"]\n{text}\n')
    read = read_specification(path)
    assert (read.set, read.option) == ({"banks": (4, 8, 16, 64)}, {"schedule": ("plain", "pipelined")})
    assert read == Sweep(ONE, set=("banks=4:16:x2,64", "option.schedule=plain,pipelined"))
    assert read == Sweep(ONE).changed(set={"banks": "4:16:x2,64", "option": {"schedule": "plain,pipelined"}})


def test_changes_replace_names_of_what_is_varied_and_all_else_as_a_whole():
    spec = Sweep(ONE, programs=("crs", "jd"), set={"banks": (4, 8), "startup": (0,)}, seed=3)
    changed = spec.changed(set="banks=16", option="schedule=plain", programs="crs")
    assert changed.set == {"banks": (16,), "startup": (0,)}
    assert (changed.option, changed.programs, changed.seed) == ({"schedule": ("plain",)}, ("crs",), 3)
    with pytest.raises(UserError, match="unknown attribute 'bank'"):
        spec.changed(bank=3)


@pytest.mark.parametrize(
    "changes",
    [
        {"set": ("option.schedule=plain",), "option": {"schedule": "pipelined"}},
        {"set": ("banks=8", "banks=16")},
    ],
)
def test_nothing_is_varied_twice(changes):
    with pytest.raises(UserError, match="varied twice"):
        Sweep(ONE, **changes)


def test_every_mistake_is_raised_at_once():
    with pytest.raises(UserErrors) as error:
        Sweep((), programs=("crs", "hsim"), set={"bank": 1, "lanes": "many"}, design="gird", value_bits=16)
    assert [line.split()[0] for line in error.value.lines] == [
        "sweep:", "design", "value_bits", "set.bank:", "set.lanes:", "unknown",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("matrices = [", "not valid TOML: "),
        ("matrix = ['a']", "unknown key 'matrix'; use one of vecsim.Sweep; did you mean 'matrices'"),
        ("programs = ['crs']", "matrices is missing"),
        ("matrices = 3", "matrices = 3: a list of names is expected"),
        ("matrices = ['a']\nset = 3", r"set = 3: a table \(a dictionary in Python\) is expected"),
        ("matrices = ['a']\nset.banks = [8.5]", r"set\.banks: 8\.5 must be a whole number"),
        ("matrices = ['a']\nset.banks = '9:8'", r"set\.banks: 9:8 is not a range"),
        ("matrices = ['a']\nsamples = -1", "samples = -1: a whole number of 1 or more"),
        ("matrices = ['a']\nmachine = 3", "machine = 3: a name or a path is expected"),
    ],
)
def test_files_that_are_refused_are_named(tmp_path, text, message):
    path = tmp_path / "spec.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=rf"^{path}: .*{message}"):
        read_specification(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        read_specification(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cost.lane = 1", "cost.lane: is not a part of a machine; use one of lanes, "),
        ("cost.lanes = -1", "cost.lanes = -1: a number of 0 or more is expected"),
        ("cost.lanes = nan", "cost.lanes = nan: a number of 0 or more is expected"),
        ("cost.lanes = 1e-999", "1e-999 would become 0 in float64"),
        ("cost.lanes = 1" + "0" * 400, "a number of 0 or more is expected"),
        ('cost.lanes = "2"', "cost.lanes = '2': a number of 0 or more is expected"),
        ("cost = 3", "cost = 3: a table "),
    ],
)
def test_weights_of_a_cost_are_checked(tmp_path, text, message):
    path = tmp_path / "spec.toml"
    path.write_text(f'matrices = ["laplace2d-3"]\n{text}\n')
    with pytest.raises(UserError) as error:
        read_specification(path)
    assert message in str(error.value)
