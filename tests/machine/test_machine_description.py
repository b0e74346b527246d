import pytest
from pydantic import ValidationError

from vecsim.machine import Machine, load_machine, presets, to_toml
from vecsim.machine.description import flat
from vecsim.results.digests import ADDED_NUMBERS
from vecsim.support.errors import UserError, UserErrors

MEASURED = ("cray1", "a64fx", "saturn", "x280", "ara4", "sx-aurora", "vicuna")
"""Presets like machines that were measured (docs/validation.md)."""


def test_the_presets():
    assert set(presets()) == {"vs2003", "t0", "wide", *MEASURED}


@pytest.mark.parametrize("name", sorted(presets()))
def test_a_preset_streams_at_full_rate(name):
    machine = load_machine(name)
    assert machine.name == name
    assert machine.banks >= machine.words_per_cycle * machine.bank_busy


def test_vs2003_keeps_what_the_paper_states():
    machine = load_machine("vs2003")
    assert (machine.section_size, machine.startup) == (64, 20)
    assert (machine.words_per_cycle, machine.addresses_per_cycle) == (4, 1)
    assert machine == Machine()


def test_wide():
    machine = load_machine("wide")
    assert (machine.section_size, machine.words_per_cycle) == (256, 64)
    assert machine.banks >= 128
    assert machine.merge_bytes == 4 * 16 and machine.merge_window == machine.section_size


@pytest.mark.parametrize("name", sorted(presets()))
def test_toml_round_trip(name, tmp_path):
    machine = load_machine(name, ["latency.add=3", "chaining=false"])
    file = tmp_path / "m.toml"
    file.write_text(to_toml(machine))
    read = load_machine(str(file))
    assert read.numbers() == machine.numbers()
    assert (read.name, read.based_on) == ("m", name)


def test_a_file_based_on_a_preset(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('based_on = "t0"\nlanes = 16\n[latency]\nadd = 9\n')
    machine = load_machine(str(file))
    t0 = load_machine("t0")
    assert (machine.name, machine.lanes, machine.latency.add) == ("mine", 16, 9)
    assert machine.latency.multiply == t0.latency.multiply


def test_a_machine_is_frozen():
    with pytest.raises(ValidationError):
        load_machine("t0").lanes = 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("alignment_bytes=12", "alignment_bytes = 12: must be a power of two"),
        ("bank=16", "unknown machine field 'bank'; did you mean 'banks'?"),
        ("latency.ad=3", "unknown machine field 'latency.ad'; did you mean 'latency.add'?"),
        ("lanes=0", "lanes = 0: must be at least 1"),
        ("lanes=many", "lanes = 'many': write an integer"),
        ("lanes=2.5", "lanes = 2.5: write an integer"),
        ("chaining=1", "chaining = 1: write true or false"),
        ("section_size=2", "section_size = 2: must be a power of two from 4 to 4096"),
        ("lanes", "write it as key=value"),
        ("lanes.x=1", "lanes is a value without fields"),
        ("latency=3", "latency is a table: set one of its fields, latency.NAME"),
        ("banks=3\nlanes=2", "write it as key=value"),
    ],
)
def test_bad_changes(change, message):
    with pytest.raises(UserError) as caught:
        load_machine("vs2003", [change])
    assert message in str(caught.value)


def test_bad_sources(tmp_path):
    with pytest.raises(UserError, match=r"unknown machine 'vs2004'; use one of .*; did you mean 'vs2003'"):
        load_machine("vs2004")
    with pytest.raises(UserError, match="no such file"):
        load_machine(str(tmp_path / "none.toml"))
    file = tmp_path / "bad.toml"
    file.write_text("lanes = \n")
    with pytest.raises(UserError, match=r"bad\.toml: not valid TOML: .*line 1"):
        load_machine(str(file))
    for base in ('["t0"]', "{a = 1}", "3"):
        file.write_text(f"based_on = {base}\n")
        with pytest.raises(UserError, match="based_on: unknown preset"):
            load_machine(str(file))
    file.write_text('based_on = "t9"\n')
    with pytest.raises(UserError, match="based_on: unknown preset 't9'"):
        load_machine(str(file))


def test_a_message_repeats_no_more_than_the_beginning_of_a_value(tmp_path):
    (tmp_path / "mine.toml").write_text("banks = " + "{a=" * 8 + "1" + "}" * 8)
    with pytest.raises(UserError, match=r"mine\.toml: banks = \{'a': .{34,40}\.\.\.: write an integer$"):
        load_machine(str(tmp_path / "mine.toml"))


def test_a_file_says_everything_that_is_wrong_with_it(tmp_path):
    file = tmp_path / "m.toml"
    file.write_text(
        'based_on = "t7"\nbanks = 0\nlanes = "x"\nbankz = 3\nextend = ["none.py"]\n'
        "latency.add = -1\nmine.x = 3\n"
    )
    with pytest.raises(UserErrors) as error:
        load_machine(file, ["startup=-3", "based_on=t0"])
    assert [line.removeprefix(f"{file}: ").split(":")[0] for line in error.value.lines] == [
        "based_on",
        f"extension {tmp_path / 'none.py'}",
        "--set based_on=t0",
        "startup = -3",
        "banks = 0",
        "lanes = 'x'",
        "latency.add = -1",
        "unknown machine field 'bankz'; did you mean 'banks'?",
    ]  # what mine.x is, none.py would say


def test_of_many_mistakes_the_first_are_named(tmp_path):
    file = tmp_path / "m.toml"
    file.write_text("".join(f"x{number} = 1\n" for number in range(1000)))
    with pytest.raises(UserErrors) as error:
        load_machine(file)
    assert len(error.value.lines) == 51
    assert error.value.lines[-1] == f"{file}: has more such mistakes; only the first 50 are listed"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["l1.bytes=1000"], "l1.bytes = 1000 must be a multiple of line_bytes x ways = 256"),
        (
            ["l1.bytes=4096", "l2.bytes=4096", "l2.line_bytes=32"],
            "l2.line_bytes = 32 must be at least l1.line_bytes = 64",
        ),
        (
            ["memory_ports=16", "accesses_in_flight=1024"],
            "ports x accesses_in_flight + 4 queues x unit_queue = 16416 must be at most 8192",
        ),
        (["divide_interval=21"], "divide_interval = 21 must be at most latency.divide = 20"),
    ],
)
def test_numbers_that_do_not_go_together_are_named(changes, message):
    with pytest.raises(UserError) as error:
        load_machine("vs2003", changes)
    assert str(error.value) == f"preset vs2003: {message}"


def test_numbers_that_came_later_keep_digests_at_their_defaults():
    defaults = flat(Machine().numbers())
    assert {name: defaults[name] for name in ADDED_NUMBERS} == ADDED_NUMBERS
