"""What a machine is called: by its file, the preset it is based on, and how it differs from that."""

import pickle

import pytest

from vecsim.machine import Machine, load_machine, presets, to_toml
from vecsim.support.errors import UserError


@pytest.fixture
def file(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_an_edited_copy_of_a_preset_is_not_called_by_its_name(file):
    copy = file(to_toml(load_machine("vs2003")).replace("banks = 16", "banks = 64"))
    assert load_machine(copy).label == "mine.toml: vs2003 with banks=64"
    assert load_machine(copy).name == "mine"


def test_nor_one_whose_file_states_the_presets_name(file):
    text = presets()["t0"]
    assert 'name = "t0"' in text
    edited = load_machine(file(text.replace("lanes = 8", "lanes = 16")))
    assert (edited.label, edited.name) == ("mine.toml: t0 with lanes=16", "mine")
    assert load_machine(file(text)).label == "mine.toml: t0"


@pytest.mark.parametrize(
    ("source", "changes", "label"),
    [
        ("t0", {}, "t0"),
        ("vs2003", {"banks": 16}, "vs2003"),
        ("vs2003", {"chaining": False, "latency.add": 3}, "vs2003 with chaining=false, latency.add=3"),
        ("vs2003", {"name": "fast", "banks": 64}, "fast: vs2003 with banks=64"),
        ('based_on = "t0"\nlanes = 16', {}, "mine.toml: t0 with lanes=16"),
        ('based_on = "t0"\nlanes = 16', {"banks": 64}, "mine.toml: t0 with banks=64, lanes=16"),
        ('name = "fast"\nlanes = 16', {}, "fast (mine.toml): vs2003 with lanes=16"),
        ('name = "t0"\nlanes = 16', {}, "mine.toml: vs2003 with lanes=16"),
        ("", {}, "mine.toml: vs2003"),
        ('based_on = "wide"\nname = "t0"', {}, "mine.toml: wide"),
    ],
)
def test_the_label_names_file_preset_and_differences(file, source, changes, label):
    machine = load_machine(source if source in presets() else file(source), changes)
    assert machine.label == label
    for again in (
        Machine.from_dict(machine.to_dict()),
        pickle.loads(pickle.dumps(machine)),
    ):
        assert (again, again.label) == (machine, label)


def test_many_differences_are_counted():
    latencies = {f"latency.{name}": 99 for name in type(Machine().latency).model_fields}
    count = len(latencies)
    assert load_machine("vs2003", latencies).label == f"vs2003 with {count} other numbers"
    assert len(load_machine("vs2003", latencies).differences) == count > 8


def test_a_machine_made_in_python_is_compared_with_vs2003():
    assert Machine().label == "vs2003"
    assert Machine(name="fast", lanes=4).label == "fast: vs2003 with lanes=4"
    assert load_machine("t0").model_copy(update={"lanes": 4}).label == "t0 with lanes=4"


def test_only_a_changed_machine_shows_its_digest():
    changed = load_machine("t0", {"lanes": 4})
    assert load_machine("t0").label_with_digest == "t0"
    assert changed.label_with_digest == f"t0 with lanes=4 (digest {changed.sha256[:12]})"


def test_the_digest_is_of_the_numbers_alone(file):
    machine = load_machine("vs2003", {"banks": 64})
    assert len(machine.sha256) == 64
    assert load_machine(file('name = "other"\nbanks = 64')).sha256 == machine.sha256
    assert len({load_machine(name).sha256 for name in presets()} | {machine.sha256}) == len(presets()) + 1


def test_a_file_knows_what_it_took_from_where(file):
    machine = load_machine(file('based_on = "t0"\nlanes = 16\n[latency]\nadd = 9\n'), {"banks": 64})
    assert machine.origin.base_stated
    assert {"lanes", "latency.add", "banks", "name"}.isdisjoint(machine.origin.taken)
    assert {"startup", "latency.sum", "sparse_unit.p"} <= set(machine.origin.taken)
    assert machine.startup == load_machine("t0").startup
    implied = load_machine(file('name = "t0"\nlanes = 16'))
    assert not implied.origin.base_stated
    assert implied.startup == load_machine("vs2003").startup
    assert load_machine(file(presets()["t0"])).origin.taken == ()


def test_the_document_has_everything(file):
    path = file('based_on = "t0"\nlanes = 16\n')
    document = load_machine(path).to_dict()
    assert document["file"] == "mine.toml"
    assert document["based_on"] == "t0"
    assert document["differences"] == {"lanes": 16}
    assert "banks" in document["taken_from_base"]
    assert document["lanes"] == 16
    assert document["sha256"] == load_machine(path).sha256


def test_the_document_of_an_earlier_version_is_read():
    old = load_machine("t0", {"lanes": 16}).model_dump()
    assert Machine.from_dict(old).label == "t0 with lanes=16"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"banks": 0}, "machine: banks = 0: "),
        ({"latency": None}, "machine: latency = None: "),
        ({"based_on": "t9"}, "machine: based_on: unknown preset 't9'; use one of "),
    ],
)
def test_a_wrong_document(change, message):
    with pytest.raises(UserError, match=message):
        Machine.from_dict(load_machine("t0").to_dict() | change)
    with pytest.raises(UserError, match="machine: banks is missing"):
        Machine.from_dict({k: v for k, v in load_machine("t0").to_dict().items() if k != "banks"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lanes": "many"}, "lanes = 'many': write an integer"),
        ({"latency": {"ad": 3}}, "unknown machine field 'latency.ad'; did you mean"),
        ({"lanes.x": 1}, "lanes.x=1: lanes is a value without fields"),
        (
            {"based_on": "t0"},
            "based_on=t0: numbers can be changed; name another preset or file as",
        ),
    ],
)
def test_bad_changes_by_name(changes, message):
    with pytest.raises(UserError) as caught:
        load_machine("vs2003", changes)
    assert message in str(caught.value)
    assert "--set" not in str(caught.value)


def test_changes_by_name_are_those_by_text():
    texts = load_machine("vs2003", ["banks=32", "chaining=false", "latency.add=6"])
    assert load_machine("vs2003", {"banks": 32, "chaining": False, "latency": {"add": 6}}) == texts
