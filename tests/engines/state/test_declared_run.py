"""What a run declares is what records and machines have."""

from itertools import takewhile

import numpy as np
import pytest

from vecsim.engines.program_rows import machine_numbers
from vecsim.engines.record import Sizes, new_record, sizes_of
from vecsim.engines.state.machine import MachineNumbers
from vecsim.engines.state.row import fields_of, layout
from vecsim.engines.state.run import RECORD, Record, Run, parts_of
from vecsim.machine import load_machine
from vecsim.machine.description import flat

LARGEST = ["memory_ports=16", "vector_registers=32", "physical_vector_registers=62", "section_size=256"]


def test_dimensions_have_names_of_the_sizes_of_a_record():
    assert {name for part in RECORD.values() for name in part.mark.dimensions} <= set(Sizes._fields)
    assert all(isinstance(part.mark, Record) or name not in RECORD for name, part in parts_of(Run).items())


@pytest.mark.parametrize("changes", [[], LARGEST])
def test_a_record_has_the_arrays_that_are_declared(changes):
    machine = load_machine("vs2003", changes)
    record, sizes = new_record(machine, 5), sizes_of(machine, 5)
    assert record.arrays.keys() == RECORD.keys() | {"own"}
    for name, part in RECORD.items():
        array = getattr(record, name)
        assert array.shape == (tuple(getattr(sizes, each) for each in part.mark.dimensions) or (1,))
        assert array.dtype == (layout(part.row) if part.row else np.uint8 if part.byte else np.int64)
        assert array.ndim == part.dimensions or (part.dimensions, array.shape) == (0, (1,))
        if part.mark.most:
            assert len(array) <= part.mark.most


def test_parameters_have_the_names_of_the_machine_description():
    machine = load_machine("vs2003")
    described = {name.replace(".", "_"): value for name, value in flat(machine.numbers()).items()}
    names = [field.name for field in fields_of(MachineNumbers)]
    parameters = list(takewhile(lambda name: name != "instructions", names))
    (numbers,) = machine_numbers(machine, new_record(machine, 5), 5, 64)
    assert {name: numbers[name] for name in parameters} == {name: described[name] for name in parameters}
    assert (numbers["instructions"], numbers["memory_bytes"]) == (5, 64)
