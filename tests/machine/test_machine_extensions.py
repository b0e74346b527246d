"""Extensions declared in files: what a machine says of them, and what is wrong with a file."""

import ast
import pickle
from pathlib import Path

import pytest

from vecsim.machine import Extension, Machine, extensions_of, load_machine, machine_class, to_toml
from vecsim.machine.extension_files import shipped
from vecsim.support.errors import UserError

MINE = """
from vecsim import Extension
from vecsim.engines.rules.banks import word_start

mine = Extension("mine", "later")
DELAY = mine.number("delay", 3, "cycles", ge=0, le=99)

@mine.replaces(word_start)
def later(r, instruction, port, address, earliest):
    return word_start(r, instruction, port, address, earliest) + r.numbers[DELAY]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_its_numbers_are_numbers_of_the_machine(file):
    machine = load_machine("t0", ["mine.delay=7", "banks=64"], [file])
    assert machine.mine.delay == 7
    assert machine.differences == {"banks": 64, "mine.delay": 7}
    assert machine.label == "t0 with extension mine, banks=64, mine.delay=7"
    assert machine.changed({"mine.delay": 3}).label == "t0 with extension mine, banks=64"
    with pytest.raises(UserError, match=r"mine\.delay = 100: must be at most 99"):
        load_machine("t0", ["mine.delay=100"], [file])
    with pytest.raises(UserError, match=r"unknown machine field 'mine\.dely'; did you mean 'mine\.delay'\?"):
        load_machine("t0", ["mine.dely=1"], [file])


def test_the_digest_is_of_the_file_too(file):
    plain, before = load_machine("t0"), load_machine("t0", extend=[file])
    file.write_text(f"{MINE}\n# another\n")
    after = load_machine("t0", extend=[file])
    assert len({plain.sha256, before.sha256, after.sha256}) == 3
    assert before == load_machine("t0", extend=list(before.extensions))


def test_a_machine_file_names_it(file, tmp_path):
    described = tmp_path / "described.toml"
    described.write_text('extend = ["mine.py", "open_rows"]\nbased_on = "t0"\n[mine]\ndelay = 5\n')
    machine = load_machine(str(described))
    assert [each.name for each in machine.extensions] == ["mine", "open_rows"]
    assert machine.mine.delay == 5
    described.write_text(to_toml(machine))
    assert load_machine(str(described)) == machine
    described.write_text("extend = 3")
    with pytest.raises(UserError, match="extend = 3: write a list of files"):
        load_machine(str(described))


def test_it_comes_back_from_another_process_and_from_a_result(file):
    machine = load_machine("t0", ["mine.delay=7"], [file, "open_rows"])
    assert pickle.loads(pickle.dumps(machine)) == machine
    document = machine.to_dict()
    assert type(machine).from_dict(document) == machine
    with pytest.raises(UserError, match=rf"it has the extension mine: add --extend {file}"):
        Machine.from_dict(document)
    with pytest.raises(UserError, match="it has no extension open_rows: leave --extend open_rows out"):
        type(machine).from_dict(load_machine("t0", extend=[file]).to_dict())
    file.write_text(f"{MINE}\n")
    with pytest.raises(UserError, match="is not what it was then"):
        machine_class(extensions_of([file, "open_rows"])).from_dict(document)


@pytest.mark.parametrize("name", shipped())
def test_those_that_come_with_vecsim_are_small(name):
    (extension,) = extensions_of([name])
    assert (extension.name, extension.file) == (name, name)
    assert extension.description
    assert lines_of(Path(extension.source)) <= (60 if extension.instructions else 80)


def lines_of(file):
    """Count the lines of a file without docstrings."""
    text = file.read_text(encoding="utf-8")
    written = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.FunctionDef)]
    docstrings = [node.body[0] for node in written if ast.get_docstring(node)]
    return len(text.splitlines()) - sum(each.end_lineno - each.lineno + 1 for each in docstrings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "declares no extension; write NAME = Extension"),
        ("x = (", r"mine.py:1: '\(' was never closed"),
        ("x = 1 / 0", "mine.py:1: ZeroDivisionError"),
        (MINE.replace("word_start\n", "word_strt\n", 1), r"mine.py:3: .*'word_strt'.*mean 'word_start'\?"),
        (MINE.replace("banks import", "bank import"), "mine.py:3: No module named"),
        (
            MINE.replace(", earliest):", "):"),
            "takes 4 parameters; the rule word_start has 5: r, i",
        ),
        (MINE.replace('"mine"', '"Mine"'), "extension 'Mine': must be an identifier in lower case"),
        (MINE.replace('"mine"', '"banks"'), "extension 'banks': every machine has this name"),
        (MINE.replace("delay", "de-lay"), "number 'de-lay': must be"),
        (MINE.replace("3,", "300,"), "delay = 300 must be from 0 to 99"),
        (
            MINE.replace("replaces(word_start)", "replaces('word_start')"),
            "must be a function of vecsim",
        ),
    ],
)
def test_what_is_wrong_with_a_file(file, text, message):
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        load_machine("t0", extend=[file])


def test_an_extension_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match=r"unknown extension 'open_row'; .*did you mean 'open_rows'\?"):
        load_machine("t0", extend=["open_row"])
    with pytest.raises(UserError, match=r"none\.py: no such file"):
        load_machine("t0", extend=[tmp_path / "none.py"])
    with pytest.raises(UserError, match="two extensions are named 'twice'"):
        load_machine("t0", extend=[Extension("twice", "one"), Extension("twice", "two")])
    with pytest.raises(UserError, match=r"write it as key=value|use --extend"):
        load_machine("t0", ["extend=3"])
