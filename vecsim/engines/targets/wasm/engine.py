"""A program laid out for the WebAssembly module, which a host runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines.jit.arrays.table import FAR
from vecsim.engines.jit.engine import JitEngine
from vecsim.engines.jit.interface import BASE_ROWS, operations_of
from vecsim.engines.jit.object_files.machine_code import MachineCode
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.engines.targets.wasm.description import FORMAT
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine
from vecsim.support.errors import UserError

ROWS = ("timeline", "starts")
"""Arrays that compiled code only writes: a host needs their sizes."""


class Host(Protocol):
    """What runs the module: :data:`vecsim.engines.targets.wasm.build.GLUE` with something around it."""

    def call(self, run: WasmEngine, stop_cycle: int, stop_count: int, capacity: int) -> int:
        """Let the loop run once and write what it has changed back into ``run.arrays``; return its status.

        Parameters
        ----------
        run
            The program in flight.
        stop_cycle, stop_count
            The cycle before which to stop, and the number of instructions after whose cycle to stop.
        capacity
            The rows of the timeline that there is room for, -1 for no timeline.
        """


class WasmEngine(JitEngine):
    """A program in flight in the WebAssembly module; see :class:`vecsim.engines.protocol.Engine`.

    Parameters
    ----------
    program, machine, timeline
        As every engine takes them.
    memory
        (n,) bytes, whole words, with the program's data in them.
    host
        Runs the module; None if the run is only packed.
    general
        Let the loop for any machine run it, also where the one for one port could.

    Raises
    ------
    UserError
        The module cannot run it: it has neither user-defined instructions nor user-defined timing rules, and
        takes no recorded programs.
    """

    def __init__(
        self,
        program: Program,
        memory: npt.NDArray[np.uint8],
        machine: Machine,
        timeline: TimelineRequest | None = None,
        *,
        host: Host | None = None,
        general: bool = False,
    ) -> None:
        _refuse(program, machine)
        self._host = host
        super().__init__(program, memory, machine, timeline, general=general)

    def _machine_code(self, loop: str, *, masked: bool) -> MachineCode:
        """Return the numbers of the operations; the addresses are the host's."""
        numbers = operations_of(self.program.instruction_set).numbers
        return MachineCode(self._call, numbers, np.zeros(len(BASE_ROWS), np.int64), np.zeros(1, np.int64), ())

    def _call(self, table: int, stop_cycle: int, stop_count: int, capacity: int) -> int:
        if self._host is None:
            raise UserError("this run has no host: it can be packed, and another one runs it")
        return self._host.call(self, stop_cycle, stop_count, capacity)

    @property
    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """The table and the arrays whose addresses are in it, by name."""
        arrays = self._state._asdict() | self._record.arrays | self._scratch
        return {"table": self._table, **{name: arrays[name] for name in FAR}}

    def packed(self) -> bytes:
        """Return the run as it stands, for ``Engine.start`` of the glue.

        Returns
        -------
        packed
            The length of a header (uint32, little-endian), the header in JSON, and the contents that it
            names, in its order: the table and the arrays. Of the timeline it has the size alone.
        """
        arrays = self.arrays
        contents = {name: values for name, values in arrays.items() if name not in ROWS}
        header = {
            "format": FORMAT,
            "loop": self._loop,
            "cycle": self._cycle,
            "capacity": self._capacity,
            "arrays": {name: arrays[name].nbytes for name in FAR},
            "contents": [[name, values.nbytes] for name, values in contents.items()],
        }
        text = json.dumps(header).encode()
        parts = [len(text).to_bytes(4, "little"), text, *(values.tobytes() for values in contents.values())]
        return b"".join(parts)


def _refuse(program: Program, machine: Machine) -> None:
    """Raise UserError, naming it, if a run needs what the module has not."""
    own = operations_of(program.instruction_set).own
    used = set(program.opcode.tolist())
    names = [row.mnemonic for row in own.values() if row.opcode in used]
    if names:
        raise UserError(
            f"{names[0]}: the WebAssembly module has the base instructions alone; use --engine jit or simpy"
        )
    if machine.user_rules:
        raise UserError(
            f"extension {machine.user_rules[0].name}: the WebAssembly module has no timing rules but "
            "those of vecsim; use --engine jit or simpy"
        )
    if isinstance(program, RecordedProgram):
        raise UserError("the WebAssembly module times no recorded programs; use --engine jit or simpy")
