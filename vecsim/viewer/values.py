"""What registers and pieces of memory held: each change, and the instruction with which it came.

Values are computed when an instruction issues and do not depend on time, so a run of one instruction at a
time gives them, whatever the machine's times are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from isa.declaration import REGISTERS, SPECIAL_REGISTERS, Instruction, Unit
from isa.program import Program
from isa.state import State
from vecsim.data.memory_files import Piece
from vecsim.engines.protocol import Engine

Ints = npt.NDArray[np.int64]

SCALARS = (
    *(f"x{i}" for i in range(REGISTERS)),
    *SPECIAL_REGISTERS,
    *(f"f{i}" for i in range(REGISTERS)),
)
"""Scalar registers in the order in which they are kept."""


@dataclass
class Changes:
    """Changes of cells of one kind, in the order of time.

    ``age`` is the number of the instruction, in program order, with which cell number ``cell`` got the
    content ``content``; -1: before the first. A content is a row of numbers.
    """

    age: list[int] = field(default_factory=list)
    cell: list[int] = field(default_factory=list)
    content: list[npt.NDArray[np.generic]] = field(default_factory=list)

    def note(self, age: int, cells: Ints, contents: npt.NDArray[np.generic]) -> None:
        """Note what cells have got: (n,) numbers of cells, (n, ...) contents."""
        self.age += [age] * len(cells)
        self.cell += cells.tolist()
        self.content += list(contents.copy())

    def __len__(self) -> int:
        return len(self.age)


@dataclass
class Held:
    """What registers and pieces of memory held.

    Attributes
    ----------
    names
        The scalar registers in the order in which they are kept.
    section, vector_registers
        Elements of a vector register, and how many there are; the mask follows them.
    second_names
        Other names of registers, with the plain ones.
    scalars, vectors, memory
        The changes; of each piece of memory byte by byte.
    known_until
        The first instruction whose results in vector registers were not noted; None: all were.
    """

    names: tuple[str, ...]
    section: int
    vector_registers: int
    second_names: dict[str, str]
    scalars: Changes = field(default_factory=Changes)
    vectors: Changes = field(default_factory=Changes)
    memory: list[Changes] = field(default_factory=list)
    known_until: int | None = None


class Values:
    """Looks at a state after each instruction, and notes what has changed.

    Parameters
    ----------
    program
        What runs.
    state
        Of an engine that is running; it is looked at where it is.
    pieces
        Of memory.
    wide
        Whether floats have 64 bits.
    most_bytes
        Of contents of vector registers; when there are more, no more are noted.
    """

    def __init__(
        self, program: Program, state: State, pieces: tuple[Piece, ...], wide: bool, most_bytes: int
    ) -> None:
        self._state = state
        self._floats = state.fd if wide else state.fs[::2]
        self._pieces = [state.memory[piece.address : piece.end] for piece in pieces]
        self._left = most_bytes
        names = {name: f"{kind}{n}" for name, (kind, n) in program.register_names.items()}
        registers = len(state.v) // state.section
        self.held = Held(SCALARS, state.section, registers, names, memory=[Changes() for _ in pieces])
        vectors = state.v.reshape(-1, state.section)
        self._scalars = self._look()
        self._vectors, self._mask = vectors.copy(), state.mask.copy()
        self._bytes = [piece.copy() for piece in self._pieces]
        self.held.scalars.note(-1, np.arange(len(SCALARS)), self._scalars)
        self.held.vectors.note(-1, np.arange(len(vectors)), self._vectors)
        self.held.vectors.note(-1, np.array([len(vectors)]), self._mask[None].astype(np.int64))
        for changes, piece in zip(self.held.memory, self._bytes, strict=True):
            changes.note(-1, np.arange(len(piece)), piece)

    def _look(self) -> npt.NDArray[np.float64]:
        state = self._state
        return np.concatenate([state.x, state.special, self._floats.astype(np.float64)])

    def note(self, age: int, instruction: Instruction) -> None:
        """Note what the instruction of this number has changed."""
        now = self._look()
        changed = np.flatnonzero((now != self._scalars) & ~(np.isnan(now) & np.isnan(self._scalars)))
        if len(changed):
            self.held.scalars.note(age, changed, now[changed])
            self._scalars = now
        if self.held.known_until is None and instruction.unit != Unit.SCALAR:
            self._note_vectors(age)
        if instruction.access is not None and instruction.access.store:
            self._note_memory(age)

    def _note_memory(self, age: int) -> None:
        for changes, before, piece in zip(self.held.memory, self._bytes, self._pieces, strict=True):
            where = np.flatnonzero(piece != before)
            if len(where):
                changes.note(age, where, piece[where])
                before[where] = piece[where]

    def _note_vectors(self, age: int) -> None:
        state = self._state
        now = state.v.reshape(self._vectors.shape)
        changed = np.flatnonzero((now != self._vectors).any(axis=1))
        mask = not np.array_equal(state.mask, self._mask)
        self._left -= 8 * state.section * (len(changed) + mask)
        if self._left < 0:
            self.held.known_until = age
            return
        if len(changed):
            self._vectors[changed] = now[changed]
            self.held.vectors.note(age, changed, now[changed])
        if mask:
            self._mask = state.mask.copy()
            self.held.vectors.note(age, np.array([len(now)]), self._mask[None].astype(np.int64))


def follow(running: Engine, program: Program, values: Values, ages: range) -> None:
    """Let an engine that has executed the instructions before some go on with them; note what changes.

    Parameters
    ----------
    running
        On a machine that issues one instruction in a cycle.
    program
        What it runs.
    values
        Where changes are noted.
    ages
        The numbers of the instructions.
    """
    instructions = [program.instruction(pc) for pc in range(len(program))]
    for age in ages:
        instruction = instructions[running.pc]
        running.advance(instructions=1)
        values.note(age, instruction)
        if running.finished:
            return
