"""Every command with names of files of any letters; strict readers take what it writes.

More of them: `tests.fuzz.odd_names`.
"""

import pytest

from tests.fuzz.odd_names import COMMANDS, outcome
from tests.fuzz.strict_outputs import TAG, check_file

ALL_AT_ONCE = (
    f"-=+a,b:c;[red][/]$\\frac$<{TAG}>&\"'\n\r\t\x1b[31m\x7f\x85é漢\u200b\u202e\U0001f600\udcff%s{{0}}#"
)
NAMES = {
    "mathematics": "p$\\frac$",
    "bytes that are not UTF-8": "n\udcff\udc80",
    "markup": "[red]a[/]",
    "control characters": "a\x1b[31m\n\r\x0b\x7f\x85",
    "direction and nothing": "\u202ea\u200b\u2066\ufeff",
    "an element": f"</script><{TAG}>",
    "an option": "--set",
    "a formula": "=1+1",
    "a list": "crs,jd:x=y.s",
    "whole letters": "漢字 é \U0001f600",
    "one that is long": "x" * 210,
    "blanks": " a ",
}
SLOW = {
    "formats",
    "reproduce",
    "sweep",
    "sweep TOML",
    "explain",
    "crosscheck",
    "compare",
    "rerun",
    "export",
    "why",
    "reorder",
    "grade",
}
"""Commands that the default tier tries with one name only, or not at all."""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(
            pytest.param(command, ALL_AT_ONCE, marks=[pytest.mark.ci] if command in SLOW else [], id=command)
            for command in COMMANDS
        ),
        pytest.param("explain", NAMES["mathematics"], id="explain, mathematics"),
        *(
            pytest.param(command, name, marks=pytest.mark.ci, id=f"{command}, {kind}")
            for number, command in enumerate(COMMANDS)
            for place, (kind, name) in enumerate(NAMES.items())
            if (number + place) % 6 == 0 and command not in SLOW - {"explain", "formats"}
        ),
    ],
)
def test_a_command_takes_odd_names(command, name, tmp_path):
    word, wrong = outcome(command, name, relative=True, folder=tmp_path)
    assert wrong == ""
    assert word in ("done", "refused")


def test_the_longest_name_that_a_file_system_takes(tmp_path, vecsim):
    program, output = tmp_path / ("s" * 253 + ".s"), tmp_path / ("é" * 125 + ".json")
    program.write_text("halt\n", encoding="utf-8")
    assert vecsim("exec", program, "--engine", "simpy", "--json", output).code == 0
    assert check_file(output) == ""
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"a": "\\udcff"}'),
        ("a.json", b'{"a": NaN}'),
        ("a.html", b"<p>\xff</p>"),
        ("a.html", b"<p>\x1b</p>"),
        ("a.html", f"<{TAG}>".encode()),
        ("a.csv", b"a,b\n=1+1,2\n"),
        ("a.csv", b"a,b\n1\n"),
        ("a.svg", b"<svg>\x1b</svg>"),
        ("a.svg", b"<svg>"),
        ("a.toml", b'a = "\\udcff"'),
        ("a.kanata", b"Kanata\t0004\nL\t0\t0\ta\tb\n"),
    ],
)
def test_what_the_strict_readers_refuse(name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    assert check_file(path)
