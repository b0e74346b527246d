"""Any line is a command that does what it says, or one line that says what is wrong; files change by none but
`save`, and then below its folder.
"""

import pytest
from debugger_cases import debugger, kernel
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from vecsim.debugger.commands import COMMANDS, SHORT, ExpectationError, QuitError, execute
from vecsim.support.errors import UserError

WORDS = [
    *COMMANDS,
    *SHORT,
    "float",
    "PLACE",
    "again",
    "left",
    "x5",
    "f1",
    "v1",
    "v31",
    "mask",
    "vl",
    "addvv",
    "cycle",
]
SIGNS = [
    "(",
    ")",
    "[",
    "]",
    ":",
    "+",
    "-",
    "==",
    "!=",
    "<",
    ">=",
    "=",
    "#",
    ".",
    ",",
    "/",
    "..",
    "\0",
    "\udcff",
    "²",
    "٣",
]
NUMBERS = [
    "0",
    "1",
    "7",
    "08",
    "0x10",
    "0x",
    "1e400",
    "nan",
    "-3",
    str(1 << 31),
    str(1 << 64),
    "9" * 5000,
    "1.5",
]
parts = st.sampled_from(WORDS) | st.sampled_from(SIGNS) | st.sampled_from(NUMBERS) | st.text(max_size=3)
values = st.sampled_from(
    [
        "x5",
        "left",
        "v1[2]",
        "v1",
        "mask[1]",
        "vl",
        "f1",
        "float(PLACE)",
        "byte(x3 + 9)",
        "word(again)",
        "v2[left]",
        "4",
    ]
)
wholes = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["print", "watch", "until", "p"]), values),
    st.builds(
        "{} {} {} {}".format,
        st.sampled_from(["until", "expect", "watch"]),
        values,
        st.sampled_from(SIGNS),
        values,
    ),
    st.builds("memory {}:{}:{}".format, values, parts, st.sampled_from(["word", "float", "double", "byte"])),
    st.builds(
        "edit {} {}".format,
        st.integers(0, 14),
        st.sampled_from(["nop", "", "li x3, -8", "li x5, 99", "halt"]),
    ),
    st.builds(
        "{} {}".format, st.sampled_from(["step", "back", "cycle", "goto", "until cycle"]), st.integers(0, 40)
    ),
    st.sampled_from(
        [
            "run",
            "assemble",
            "restart",
            "show",
            "back",
            "step",
            "digest",
            "break 11",
            "delete",
            "view extended",
        ]
    ),
)
lines = st.lists(parts, max_size=6).map("".join) | st.lists(parts, max_size=6).map(" ".join) | wholes


def check(commands, folder):
    shown = debugger(kernel(), pieces=("x3:2:float",), save_folder=str(folder))
    shown.session.most_cycles = 2000
    for command in commands:
        if command.lstrip().startswith("save"):
            continue
        try:
            messages = execute(shown, command)
        except (UserError, ExpectationError) as error:
            messages = [str(error)]
        except QuitError:
            return
        assert all(isinstance(line, str) for line in messages)
        shown.extended = True
        execute(shown, "show")
    assert not list(folder.iterdir())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("saves")


@examples(60)
@given(st.lists(lines, min_size=1, max_size=12))
def test_any_commands(folder, commands):
    check(commands, folder)
