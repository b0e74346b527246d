"""What a page holds of a run: the engine's times, and the values after every instruction."""

import re

import numpy as np
import pytest
from view_cases import kernel, page, read_page, recorded

from vecsim.engines.running import run, start
from vecsim.engines.timeline import TimelineRequest
from vecsim.support.errors import UserError
from vecsim.traces import Window
from vecsim.viewer.html import packed, tab_names
from vecsim.viewer.values import SCALARS


def timeline_of(subject):
    how = {"engine": "simpy", "timeline": TimelineRequest()}
    return run(subject.program, subject.memory, subject.machine, **how).timeline


def content(columns, name, cell, age, width=1):
    """Look a cell up, in the plainest way."""
    begin, end = columns[f"{name}_begin"][cell : cell + 2]
    known = [i for i in range(begin, end) if columns[f"{name}_age"][i] <= age]
    return columns["vector_low" if name == "vector" else f"{name}_content"].reshape(-1, width)[known[-1]]


def test_times_are_those_of_the_timeline_and_units_are_as_busy_as_the_engine_says():
    subject = kernel("memory_ports=2")
    actual = recorded(subject)
    timeline = timeline_of(subject)
    for name in (
        "age",
        "pc",
        "unit",
        "port",
        "vl",
        "issue",
        "dispatch",
        "start",
        "retire",
        "address",
        "words",
    ):
        np.testing.assert_array_equal(actual.times[name], timeline[name])
    busy = np.bincount(actual.times["unit"], actual.times["busy"], 5).astype(int)
    assert busy.tolist() == list(actual.done.busy.values())
    worked = actual.times["worked"]
    assert (worked <= timeline["retire"]).all()
    assert (worked - actual.times["start"] >= actual.times["busy"])[timeline["vl"] > 0].all()


@pytest.mark.parametrize("changes", [[], ["issue_width=1"]])
def test_values_are_those_of_the_machine_after_every_instruction(changes):
    subject = kernel(*changes)
    (columns,) = read_page(page(recorded(subject)))[1]
    one_by_one = kernel("issue_width=1")
    running = start(one_by_one.program, one_by_one.memory, one_by_one.machine, engine="simpy")
    for age in range(-1, len(columns["age"])):
        if age >= 0:
            running.advance(instructions=1)
        state = running.state
        for name in ("x31", "vl", "f1"):
            value = content(columns, "scalar", SCALARS.index(name), age)[0]
            expected = {"x31": state.x[31], "vl": state.special[0], "f1": state.fs[2]}[name]
            assert value == expected
        for number in (1, 2, 3):
            low = content(columns, "vector", number, age, 64).astype(np.uint32).view(np.int32)
            np.testing.assert_array_equal(low, state.vw[128 * number : 128 * (number + 1) : 2])
        out = bytes(int(content(columns, "piece0", cell, age)[0]) for cell in range(24))
        assert out == state.memory[4096:4120].tobytes()


def test_a_window_begins_with_the_values_that_were_there():
    subject = kernel()
    whole, part = recorded(subject), recorded(subject, window=Window(60, 80))
    inside = (whole.times["retire"] > 60) & (whole.times["issue"] < 80)
    np.testing.assert_array_equal(part.times["age"], whole.times["age"][inside])
    assert 0 < inside.sum() < len(inside)
    (all_of_it,), (columns,) = (read_page(page(each))[1] for each in (whole, part))
    for age in part.times["age"].tolist():
        x31 = SCALARS.index("x31")
        assert content(columns, "scalar", x31, age) == content(all_of_it, "scalar", x31, age)


def test_a_page_asks_for_nothing_outside_and_keeps_its_texts_apart():
    text = page(recorded(kernel()))
    document, _ = read_page(text)
    assert document["about"]["command"] == ["none", "</script>"]
    assert "<title>a page of &lt;runs&gt;</title>" in text
    assert not re.findall(r"(?:src|href)=\"(?!data:)|url\(|@import|https?://", text)
    listing = document["runs"][0]["listing"]
    assert listing[3][:3] == ["lv.w values, 1028(x0)", "kernel.s:7", "loop:   lv.w    values, 1028(x0)"]
    assert listing[3][3:] == [["vl"], ["v1"]]
    assert document["runs"][0]["labels"] == {"loop": 3}


def test_numbers_of_more_than_32_bits_are_refused():
    with pytest.raises(UserError, match="more than 32 bits"):
        packed({"issue": np.array([1 << 33])})
    assert packed({"none": np.zeros(0, np.int64)}).columns["none"]["length"] == 0


@pytest.mark.parametrize(
    ("names", "tabs"),
    [
        (["hism on x, vs2003 with banks=4", "jd on x, vs2003 with banks=4"], ["hism", "jd"]),
        (["hism on x, vs2003", "hism on x, vs2003 with banks=64"], ["vs2003", "vs2003 with banks=64"]),
        (["hism on x, vs2003 with banks=4", "hism on x, t0"], ["vs2003 with banks=4", "t0"]),
        (["crs plain on x, t0", "crs pipelined on x, t0"], ["plain", "pipelined"]),
        (["my.s, vs2003 with banks=4"], ["my.s"]),
    ],
)
def test_tabs_say_only_what_tells_runs_apart(names, tabs):
    assert tab_names(names) == tabs
