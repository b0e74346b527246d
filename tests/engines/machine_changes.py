"""The numbers of the machine, their changes, and programs to run on changed machines."""

from functools import cache

import numpy as np
import scipy.sparse
from engine_runs import WORKED, trace
from pydantic import BaseModel

from isa.assembler import assemble
from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.machine import Machine, load_machine
from vecsim.machine.riscv import Riscv


def parameters(model=Machine, group=""):
    """The names of all numbers that programs of the machine read, as ``key=value`` changes have them."""
    names = []
    for name, field in model.model_fields.items():
        if field.annotation is Riscv:  # tests/riscv/timing has these
            continue
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            names += parameters(field.annotation, f"{group}{name}.")
        else:
            names.append(group + name)
    return names


TO_FASTER = {
    "issue_width": (1, 2, 3, 4, 8),
    "unit_queue": (0, 1, 2, 4, 8),
    "accesses_in_flight": (1, 2, 3, 4),
    "startup": (21, 20, 6, 5, 1, 0),
    "words_per_cycle": (1, 2, 3, 4, 8),
    "addresses_per_cycle": (1, 2, 3, 4, 8),
    "alignment_bytes": (16, 8, 4),
    "bank_busy": (8, 7, 4, 3, 2, 1, 0),
    "chaining": (False, True),
    "lanes": (1, 2, 3, 4, 8, 16),
    "scalar_load_latency": (6, 5, 2, 1),
    "branch_penalty": (3, 2, 1, 0),
    **{name: (9, 8, 7, 3, 2, 1) for name in parameters() if name.startswith("latency.")},
    "sparse_unit.p": (1, 2, 3, 4, 8),
    "sparse_unit.r": (1, 2, 3, 4, 8),
    "sparse_unit.latency": (11, 10, 4, 2, 1),
    # Each a multiple of the one before: others may map a stride worse, as a test below shows.
    "banks": (3, 6, 12, 24, 48, 96),
    "divide_interval": (9, 3, 2, 1),
    "add_units": (1, 2, 4, 16),
    "multiply_units": (1, 2, 4, 16),
    "sparse_units": (1, 2, 4, 16),
    "masked_elements": (0, 1),
    "store_words_per_cycle": (1, 2, 3, 4, 8),
    "store_addresses_per_cycle": (1, 2, 3, 4, 8),
    "disambiguation": (0, 1, 2),
    "words_outstanding": (1, 4, 16, 0),
    "merge_bytes": (0, 4, 8, 32, 128),
    "merge_window": (1, 2, 4, 16, 64),
    "main_memory.latency": (50, 49, 7, 1, 0),
    "main_memory.bytes": (1, 3, 4, 16, 100, 0),
    "main_memory.cycles": (5, 3, 2, 1),
    "main_memory.row_miss": (30, 12, 1, 0),
    **{
        f"{level}.{name}": values
        for level in ("l1", "l2")
        for name, values in {
            "hit_latency": (9, 8, 1, 0),
            "banks": (1, 2, 4, 16, 0),
            "refill_bytes": (1, 3, 8, 32, 0),
            "misses": (1, 2, 8, 0),
        }.items()
    },
}
"""Values of each parameter, each better than the one before."""

RENAMING = {"physical_vector_registers", "physical_scalar_registers"}
OF_CONTENTS = {
    f"{level}.{name}"
    for level in ("l1", "l2")
    for name in ("bytes", "line_bytes", "ways", "replacement", "write_back", "prefetch", "serves", "perfect")
}
SIZES = {"section_size", "vector_registers", "memory_ports", "store_ports", "name", "main_memory.row_words"}
SIZES |= RENAMING | OF_CONTENTS | {"clock_mhz"}
"""Neither faster nor slower; of the ports below. Few registers hold issue up, where renaming saves waits. The
program decides what caches hold and which rows are open."""


def changed(machine, parameter, value):
    group, _, name = parameter.rpartition(".")
    if group:
        value = getattr(machine, group).model_copy(update={name: value})
    return machine.model_copy(update={group or name: value})


def cycles(text, *changes, engine):
    return trace(text, *changes, engine=engine).run.cycles


HAND_WRITTEN = {
    "chain": """
        lv.w v1, 1028(x0)
        lv.d v2, 2048(x0)
        maddvv.s v3, v1, v2
        lvi.w v4, (x0), v5
        mulvv.s v4, v4, v3
        sumv.s f1, v4
        sv.w v3, 1030(x0)
        fs.w f1, 64(x0)
        """,
    "hazards": """
        li x1, 32
        lvws.w v1, (x0), x1
        addvv.s v2, v1, v1
        mulvv.s v1, v2, v2
        svws.w v1, (x0), x1
        movv v2, v1
        extx x2, v2, x0
        lv.w v2, 512(x2)
        """,
    "masks": """
        li x1, 1
        cvi v1, x1
        sltvs.w v1, x1
        lvm.d v2, 504(x0)
        mulvvm.s v3, v2, v1
        lvim.w v4, (x0), v1
        svwsm.d v3, (x0), x31
        compressv v5, v4
        popm x2
        sumvm.s f1, v5
        """,
    "strips": """
        li x1, 50
        again:
        setvl x2, x1
        lv.w v1, 1024(x0)
        lv.w v2, 2048(x0)
        maddvs.s v2, v1, f1
        sv.w v2, 2048(x0)
        sub x1, x1, x2
        bnez x1, again
        """,
    "blocks": """
        li x1, 4096
        li x2, 40
        li x3, 0
        li x4, 8192
        li x5, 64
        ldc.w x3, (x4), x5
        entries: ldb.w v1, v2, (x1), x2, 1
        bmipac.s x3, v4, v1, v2
        bmipa.s v5, v4, v1, v2
        bnez x2, entries
        stc.w x3, (x4), x5
        sv.w v5, 2048(x0)
        """,
}
S = 8
"""Section size of the runs below."""


def assembled(text):
    return assemble(f"li x31, {S}\nsetvl x31\n{text}\nhalt\n"), np.zeros(1 << 14, np.uint8)


def product(name):
    machine = load_machine(WORKED, [f"section_size={S}"])
    matrix = scipy.sparse.random_array((20, 20), density=0.12, format="csr", dtype=np.float32, rng=3)
    prepared = prepare(name, matrix, machine, multiplicand(20, 0, np.float32))
    return prepared.program, prepared.loaded.memory


@cache
def representative(name):
    return product(name) if name in PROGRAMS else assembled(HAND_WRITTEN[name])


REPRESENTATIVE = [*PROGRAMS, *HAND_WRITTEN]
