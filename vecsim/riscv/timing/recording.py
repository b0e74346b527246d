"""The interpreter's loop that writes the record of a run, and the run that it records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isa.riscv.state import PC, TEXT, VTYPE, Hart
from vecsim.machine.riscv import Riscv
from vecsim.riscv.hart import Interpreter
from vecsim.riscv.interface import NEW_NODE, RECORD_FULL, RECORDING_LOOP
from vecsim.riscv.machine_code import compiled_loop, semantics_addresses
from vecsim.riscv.nodes import node as nodes
from vecsim.riscv.nodes.events import LAST_NODE, PATCHES, PLACE
from vecsim.riscv.nodes.node import Node, node_of
from vecsim.riscv.table import table_of
from vecsim.support.errors import UserError

FIRST_WORDS, GROWTH = 1 << 25, 8
MOST_WORDS = 1 << 28
"""Words of a record: room at first, which takes no memory before it is used; how many times as many it has
when it is full; at most, which is 1 GiB."""
FIRST_PATCHES = 1 << 12


class Recorded(NamedTuple):
    """What ran.

    Attributes
    ----------
    nodes
        By number: the number of the vtype times the rows of ``code``, plus the row.
    code
        The decoded text, (n, COLUMNS).
    after
        The number of the vtype after each configuration, by node.
    words
        The record, (w,) as :mod:`vecsim.engines.recorded.events` describes it; targets are nodes.
    patches
        (p,) where the record has nodes.
    first, last
        The first and the last node.
    memory_bytes
        Bytes of memory; addresses count from its first byte.
    """

    nodes: dict[int, Node]
    code: npt.NDArray[np.int64]
    after: dict[int, int]
    words: npt.NDArray[np.uint32]
    patches: npt.NDArray[np.int64]
    first: int
    last: int
    memory_bytes: int


class RecordingInterpreter(Interpreter):
    """Executes the program of a hart and records what its timing depends on.

    Parameters
    ----------
    hart
        Its state, which the interpreter changes.
    riscv
        The numbers of the machine that the record depends on: the bits of registers and groups, and what
        counts as a group.
    """

    def __init__(self, hart: Hart, riscv: Riscv) -> None:
        self.hart, self.riscv = hart, riscv
        self._run = compiled_loop(RECORDING_LOOP)
        self.known: dict[int, Node] = {}
        self._nodes = np.zeros(nodes.VTYPES * len(hart.code) * nodes.COLUMNS, np.int64)
        self.numbers = np.zeros(4, np.int64)
        self._words = np.empty(FIRST_WORDS, np.uint32)
        self._patches = np.zeros(FIRST_PATCHES, np.int64)
        self.first = self._number()
        self._lay_out()

    def _lay_out(self) -> None:
        more = (self._nodes, self.numbers, self._words, self._patches)
        self._table = table_of(self.hart, semantics_addresses(), *more)

    def _number(self) -> int:
        """Return the number of the node that comes next."""
        vtype = int(self.hart.control[VTYPE])
        row = int(self.hart.control[PC] - self.hart.control[TEXT]) >> 1
        return (nodes.VILL if vtype < 0 else vtype & 63) * len(self.hart.code) + row

    def _went_on(self, trap: int) -> bool:
        if trap == NEW_NODE:
            self._make_known(self._number())
        elif trap == RECORD_FULL:
            self._grow()
        else:
            return False
        return True

    def _make_known(self, number: int) -> None:
        vtype, row = divmod(number, len(self.hart.code))
        node = self.known[number] = node_of(self.hart.code[row], vtype, self.riscv)
        at = number * nodes.COLUMNS
        columns = node.columns(self.riscv)
        self._nodes[at : at + len(columns)] = columns

    def _grow(self) -> None:
        if self.numbers[PATCHES] == len(self._patches):
            self._patches = np.concatenate([self._patches, np.zeros_like(self._patches)])
        else:
            if GROWTH * len(self._words) > MOST_WORDS:
                raise UserError("the record of the run is larger than 1 GiB: run fewer instructions")
            used = self._words[: int(self.numbers[PLACE])]
            self._words = np.empty(GROWTH * len(self._words), np.uint32)
            self._words[: len(used)] = used
        self._lay_out()

    def result(self) -> Recorded:
        """Return what has been recorded."""
        after = self._nodes[nodes.AFTER :: nodes.COLUMNS]
        return Recorded(
            nodes=self.known,
            code=self.hart.code,
            after={number: int(after[number]) - 1 for number in self.known if after[number]},
            words=self._words[: int(self.numbers[PLACE])],
            patches=self._patches[: int(self.numbers[PATCHES])],
            first=self.first,
            last=int(self.numbers[LAST_NODE]),
            memory_bytes=len(self.hart.memory),
        )
