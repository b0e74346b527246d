"""Other orders of a program: the same values, fewer cycles, and what breaks is not taken."""

import numpy as np
import pytest

from experiments.whatif.reorder.changes import changes
from experiments.whatif.reorder.flow import Flow, keeps_values
from experiments.whatif.reorder.search import search
from isa.assembler import assemble
from programs.measurement import prepare_product
from programs.registry import PROGRAMS
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

VS2003 = load_machine("vs2003")
MATRIX = "laplace2d-9"


def prepared(name, matrix=MATRIX, schedule=None):
    return prepare_product(name, matrix, VS2003, options={"schedule": schedule} if schedule else {})


def blocks_of(text):
    return Flow.of(assemble(text), VS2003).blocks


@pytest.mark.parametrize(
    ("name", "schedule"), [(name, each) for name, program in PROGRAMS.items() for each in program.schedules]
)
def test_blocks_make_the_program_again(name, schedule):
    program = prepared(name, schedule=schedule).program
    flow = Flow.of(program, VS2003)
    assert len(flow.blocks) > 5
    assert np.array_equal(flow.linked(program).words, program.words)


def test_blocks_end_at_branches_and_begin_at_labels():
    blocks = blocks_of("li x3, 1\nloop: addi x3, x3, -1\nbnez x3, loop\ncall f\nhalt\nf: ret\n")
    assert [[move.mnemonic for move in block.moves] for block in blocks] == [
        ["addi"],
        ["addi", "bne"],
        ["jal"],
        ["halt"],
        ["jr"],
    ]
    flow = Flow.of(assemble("loop: addi x3, x3, -1\nbnez x3, loop\ncall f\nhalt\nf: ret\n"), VS2003)
    assert [sorted(flow.successors(block)) for block in flow.blocks] == [[0, 1], [2, 3], [], [2]]


@pytest.mark.parametrize(
    ("text", "order", "same"),
    [
        ("add x3, x4, x5\nadd x6, x7, x8\nhalt\n", (1, 0, 2), True),  # independent
        ("add x3, x4, x5\nadd x6, x3, x8\nhalt\n", (1, 0, 2), False),  # the second reads the first
        ("add x6, x3, x8\nadd x3, x4, x5\nhalt\n", (1, 0, 2), False),  # the first reads what was there before
        ("setvl x3\nlv.w v0, (x4)\nsetvl x5\nlv.w v1, (x6)\nhalt\n", (2, 3, 0, 1, 4), True),  # pairs
        ("setvl x3\nlv.w v0, (x4)\nsetvl x5\nlv.w v1, (x6)\nhalt\n", (0, 2, 1, 3, 4), False),  # other length
        ("lv.w v0, (x4)\ninsx v0, x5, x6\nhalt\n", (1, 0, 2), False),  # one element of it
    ],
)
def test_an_order_keeps_values_if_every_reader_has_the_same_writer(text, order, same):
    (block,) = blocks_of(text)
    assert keeps_values(block.moves, order, 0) == same


def test_what_is_needed_after_a_block_is_kept():
    (block,) = blocks_of("li x3, 1\nli x3, 2\nhalt\n")
    assert keeps_values(block.moves, (1, 0, 2), 0)
    assert not keeps_values(block.moves, (1, 0, 2), block.moves[0].effects.writes)


def test_every_change_gives_the_same_result():
    """Of BBCS, plain, whose accesses may change places only where they meet no others."""
    each = prepared("bbcs", schedule="plain")
    flow = Flow.of(each.program, VS2003)
    expected = run(each.program, each.loaded.memory, VS2003).state.memory
    tried = list(changes(flow, set(flow.place), across=True))
    assert {change.words.split(" ", 2)[2].split()[0] for change in tried} >= {"before", "at", "is"}
    for change in tried:
        result = run(change.flow.linked(each.program), each.loaded.memory, VS2003)
        assert np.array_equal(result.state.memory, expected), change.words


@pytest.mark.ci
def test_a_bad_order_is_found_and_mended(tmp_path):
    text = PROGRAMS["jd"].text("plain").read()
    good = text.index("    lv.f    y, (sums)               # y' of these rows")
    end = text.index("    maddvv.f y, value, gathered     # chains")
    lines = text[good:end].splitlines(keepends=True)
    bad = tmp_path / "bad.s"
    bad.write_text(text[:good] + "".join((*lines[1:], lines[0])) + text[end:])  # y' last
    fastest = search([(prepared(f"jd:{bad}"), VS2003)], across=False, restarts=0, most=150)
    assert fastest.ratio < 0.97
    assert fastest.after[0] < fastest.before[0]
    assert any("before" in words for words in fastest.words)
    assert fastest.after[0] <= 1.01 * run(prepared("jd", schedule="plain").program, *_ground("jd")).cycles


def _ground(name):
    return prepared(name, schedule="plain").loaded.memory, VS2003


@pytest.mark.ci
def test_orders_that_change_a_result_are_not_taken():
    """A strip of y' must not be loaded before it is stored: a matrix with a single long row shows it."""
    fastest = search([(prepared("jd", "boundary-80"), VS2003)], most=80, restarts=0)
    assert fastest.wrong > 0
    assert fastest.ratio <= 1


def test_programs_of_different_shape_are_refused():
    with pytest.raises(UserError, match="other instructions for one matrix than for another"):
        search([(prepared("hism", name), VS2003) for name in ("laplace2d-5", "laplace2d-12")])
