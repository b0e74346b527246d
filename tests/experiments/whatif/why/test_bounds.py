"""Lower bounds, against a program worked by hand and on every engine."""

import numpy as np
import pytest

from experiments.whatif.why.bounds import bounds
from isa.assembler import assemble
from programs.measurement import prepare_product
from vecsim.engines.running import ENGINES, run
from vecsim.machine import load_machine

VS2003 = load_machine("vs2003")


@pytest.mark.parametrize("name", ["crs", "hism"])
def test_all_engines_say_the_same(name):
    prepared = prepare_product(name, "laplace2d-4", VS2003)
    runs = [run(prepared.program, prepared.loaded.memory, VS2003, engine=engine) for engine in ENGINES]
    assert all(bounds(done) == bounds(runs[0]) for done in runs)
    assert all(done.lines == runs[0].lines for done in runs)
    assert bounds(runs[0])[0].cycles <= runs[0].cycles


def test_bounds_of_a_program_worked_by_hand():
    program = assemble(
        "li x1, 64\nsetvl x1\nli x2, 8\nlv.w v1, 64(x0)\nlvws.w v2, (x0), x2\naddvv.s v3, v1, v2\nhalt"
    )

    def bounds_of(machine):
        return bounds(run(program, np.zeros(1024, np.uint8), machine, engine="simpy"))

    message = {bound.name: (bound.amount, bound.cycles) for bound in bounds_of(VS2003)}
    # 64 words at 4 a cycle and 64 at 1; 64 elements on 2 lanes; 7 instructions, 4 a cycle.
    assert message == {"memory ports": (128, 16 + 64), "add unit": (64, 32), "issue": (7, 2)}
    assert list(message) == ["memory ports", "add unit", "issue"]
    wide = {bound.name: bound.cycles for bound in bounds_of(VS2003.changed({"memory_ports": 2, "lanes": 4}))}
    assert wide == {"memory ports": 8 + 32, "add unit": 16, "issue": 2}


def test_ports_do_other_accesses_next_to_contiguous_ones():
    # 4 words of a contiguous access and one by stride: on two ports both may go in one cycle.
    program = assemble("li x1, 4\nsetvl x1\nlv.w v1, 64(x0)\nli x1, 1\nsetvl x1\nlvws.w v2, (x0), x1\nhalt")
    machine = VS2003.changed({"memory_ports": 2})
    bounds_of = {
        bound.name: bound for bound in bounds(run(program, np.zeros(1024, np.uint8), machine, engine="simpy"))
    }
    assert bounds_of["memory ports"].cycles == 1
    assert bounds_of["memory ports"].doubled(machine) == {"words_per_cycle": 8, "addresses_per_cycle": 2}
    assert bounds_of["issue"].doubled(machine) == {"issue_width": 8}
