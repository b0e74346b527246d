"""Programs that do what the machine cannot do end in one clear message with their place."""

from dataclasses import replace

import numpy as np
import pytest

from isa.assembler import assemble
from vecsim.engines.fault import Fault
from vecsim.engines.running import ENGINES, run, start
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

pytestmark = pytest.mark.parametrize("engine", sorted(ENGINES))
MACHINE = load_machine("vs2003")


def fault(text, engine, **more):
    program = assemble(f"li x31, 64\nsetvl x31\n{text}", file="bad.s")
    with pytest.raises(Fault) as caught:
        run(program, np.zeros(4096, np.uint8), MACHINE, engine=engine, **more)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sv.w v1, 3844(x0)\nhalt", "store outside memory: bytes 3844 to 4099; memory is bytes 0 to 4095"),
        ("lv.d v1, 3592(x0)\nhalt", "load outside memory: bytes 3592 to 4103"),
        ("sv.w v1, -4(x0)\nhalt", "store outside memory: bytes -4 to 251"),
        ("sw x1, 4096(x0)\nhalt", "store outside memory: bytes 4096 to 4099"),
        ("lw x1, 4093(x0)\nhalt", "load outside memory: bytes 4093 to 4096"),
        ("li x1, 80\nlvws.w v1, (x0), x1\nhalt", "load outside memory: element 63 at address 5040"),
        (
            "li x1, -1\nmovvx v2, x1\nsvi.w v1, (x0), v2\nhalt",
            "store outside memory: element 0 at address -4",
        ),
        (
            "li x1, 4032\nli x2, 4096\nli x3, 65\nldc.w x1, (x0), x3\nhalt",
            "vector cache: it has 64 x 64 = 4096",
        ),
        ("li x1, 64\nbmipac.s x1, v1, v2, v3\nhalt", "slice 64 of the vector cache: it has 0 to 63"),
        ("nop", "runs past its end"),
        ("li x1, 1000\njr x1", "runs past its end"),
    ],
)
def test_message_and_place(engine, text, message):
    actual = fault(text, engine)
    assert message in actual
    assert "\n" not in actual
    if "past its end" not in message:
        assert actual.startswith("bad.s:")
        assert "instruction " in actual


def test_nothing_is_written_by_a_store_that_fails(engine):
    program = assemble("li x31, 64\nsetvl x31\nli x1, 1\nmovvx v1, x1\nsv.w v1, 3844(x0)\nhalt")
    running = start(program, np.zeros(4096, np.uint8), MACHINE, engine=engine)
    with pytest.raises(Fault):
        running.advance(cycle=1000)
    assert not running.state.memory.any()


def test_an_infinite_loop_ends_at_the_limit_of_cycles(engine):
    actual = fault("again: j again", engine, max_cycles=500)
    assert "no end after 500 cycles" in actual
    assert "bad.s:3" in actual


def test_a_program_may_use_all_cycles_up_to_the_limit(engine):
    program = assemble("halt")
    assert run(program, np.zeros(64, np.uint8), MACHINE, engine=engine, max_cycles=5).cycles == 1


def test_data_outside_memory(engine):
    program = assemble(".data 4000\n.space 200\n.text\nhalt")
    with pytest.raises(UserError, match="data at 4000 to 4199 is outside memory; it must be below 4096"):
        start(program, np.zeros(4096, np.uint8), MACHINE, engine=engine)


def test_a_register_that_the_machine_lacks(engine):
    program = assemble("movv v31, v0\nhalt", file="bad.s")
    with pytest.raises(UserError, match=r"bad\.s:1.*v31.*vector_registers = 16"):
        start(program, np.zeros(64, np.uint8), MACHINE, engine=engine)


def test_position_bytes_are_one_or_two(engine):
    program = assemble("ldb.w v1, v2, (x1), x2, 3\nhalt", file="bad.s")
    with pytest.raises(UserError, match=r"bad\.s:1.*3 position bytes: must be 1 or 2"):
        start(program, np.zeros(64, np.uint8), MACHINE, engine=engine)


@pytest.mark.parametrize("target", [-1, -2, -5])
@pytest.mark.parametrize("branch", ["beq x1, x2, 0", "bne x0, x0, 0", "j 0"])
def test_a_branch_to_an_instruction_before_the_first(engine, branch, target):
    program = assemble(f"nop\n{branch}\nhalt", file="bad.s")
    words = program.words.copy()
    operand = program.instruction(1).operands[-1]
    mask = ((1 << operand.bits) - 1) << operand.shift
    distance = (target - 1) << operand.shift
    words[1] = (int(words[1]) & ~mask) | (distance & mask)
    for memory_ports in (1, 2):
        machine = load_machine("vs2003", [f"memory_ports={memory_ports}"])
        with pytest.raises(
            UserError, match=rf"bad\.s:2.*branch to instruction {target}: the target must be 0 or more"
        ):
            start(replace(program, words=words), np.zeros(64, np.uint8), machine, engine=engine)


def test_a_program_without_instructions(engine):
    with pytest.raises(Fault, match="runs past its end"):
        run(assemble(""), np.zeros(64, np.uint8), MACHINE, engine=engine)


def test_an_unknown_engine(engine):
    with pytest.raises(UserError, match="unknown engine 'fast'; use one of"):
        start(assemble("halt"), np.zeros(64, np.uint8), MACHINE, engine="fast")
