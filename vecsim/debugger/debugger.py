"""What a user has in hand: a session, what it was at before, and what is to be shown of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from isa import mnemonics
from isa.program import SourceLine
from isa.reference import describe, help_lines
from isa.riscv.instructions import ROWS
from vecsim.debugger.conditions import watch_of
from vecsim.debugger.operands import Operand, operand, whole_number
from vecsim.debugger.position import Position
from vecsim.debugger.readiness import Readiness, marked
from vecsim.debugger.save_folder import SaveFolder
from vecsim.debugger.session import ENGINE, Session, Stop
from vecsim.debugger.strips import strip_of
from vecsim.debugger.target import Target
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.engines.rules.numbers import NEVER
from vecsim.support.errors import UserError
from vecsim.support.memory_types import TYPES
from vecsim.support.shown_text import one_line
from vecsim.support.suggestions import counted, nearest


@dataclass(frozen=True)
class Piece:
    """A piece of memory that is shown: where it begins, as it was named; the type and number of elements."""

    name: str
    count: int
    type: str

    @property
    def bytes(self) -> int:
        """Its length."""
        return self.count * np.dtype(TYPES[self.type]).itemsize

    def values(self, position: Position, address: int) -> npt.NDArray[Any]:
        """Read it at a distance from the first byte of memory."""
        memory = position.memory
        return np.frombuffer(memory[address : address + self.bytes].tobytes(), TYPES[self.type])


class Debugger:
    """A session that can be assembled again, and what is shown of it.

    Parameters
    ----------
    target
        What is debugged.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`.
    pieces
        Of memory, shown from the beginning: PLACE:COUNT[:TYPE] each.
    save_folder
        Below which ``save`` writes.

    Attributes
    ----------
    session
        The program in flight.
    before
        Where it was before the last command, to tell what has changed.
    extended
        Whether units, banks and the pipeline are shown next to source, registers and memory.
    stop
        Why it stopped last.
    edits
        Lines that were edited and are not yet assembled.
    """

    def __init__(
        self,
        target: Target,
        *,
        engine: str = ENGINE,
        pieces: tuple[str, ...] = (),
        save_folder: str = ".",
    ) -> None:
        self.target, self.engine = target, engine
        self.save_folder = SaveFolder(save_folder)
        self.session = Session(target, engine=engine)
        self.before = self.session.position
        self.extended = False
        size = counted(len(self.session.program), "instruction")
        self.stop = Stop("start", f"cycle 0, {target.name}: {size}")
        self.edits: set[int] = set()
        self._ready: tuple[Position, Readiness] | None = None
        self.pieces = [self.piece(text) for text in pieces]

    @property
    def position(self) -> Position:
        """Where it has stopped."""
        return self.session.position

    # Places

    def instructions_at(self, place: str) -> list[int]:
        """Return the numbers of the instructions at a place.

        Parameters
        ----------
        place
            A line, for its first instruction or the next that follows, after the name of its file and a
            colon where that is included; a label; a mnemonic, with or without the type after its dot: all
            instructions of that name.

        Raises
        ------
        UserError
            There is none.
        """
        program = self.session.program
        if isinstance(program, RecordedProgram):
            return self._recorded_at(place, program)
        if place in program.labels:
            number = program.labels[place]
            if number < len(program):
                return [number]
            raise UserError(f"{place}: no instruction follows this label; choose an earlier place")
        file, _, digits = place.rpartition(":")
        if not digits.isdecimal():
            stem = place.removesuffix(mnemonics.GENERIC) + "."
            names = [program.instruction(pc).mnemonic for pc in range(len(program))]
            matches = [pc for pc, name in enumerate(names) if name == place or name.startswith(stem)]
            if matches:
                return matches
            near = nearest(place, {*program.labels, *names})
            raise UserError(f"{place!r}: must be a line, label or mnemonic of the program{near}")
        line, named = whole_number(digits), self._file_of(file) if file else self.user_file
        behind = [
            (each.line, pc)
            for pc, each in enumerate(program.source)
            if each.file == named and each.line >= line
        ]
        if not behind or line < 1:
            raise UserError(f"line {line}: no instruction is there or after it; choose an earlier line")
        return [min(behind)[1]]

    def _recorded_at(self, place: str, program: RecordedProgram) -> list[int]:
        """Return the rows at a place of a recorded program: an instruction has one under each vtype."""
        starts = [pc for pc in range(len(program) - 1) if not program.rows[pc].joined]
        symbols = self.session.names.symbols
        file, _, digits = place.rpartition(":")
        if place in symbols or place.startswith("0x"):
            address = symbols[place] if place in symbols else int(place, 0)
            matches = [pc for pc in starts if program.addresses[pc] == address]
        elif digits.isdecimal():
            line, named = whole_number(digits), self._file_of(file) if file else self.user_file
            source = program.source
            behind = [
                (source[pc].line, program.addresses[pc])
                for pc in starts
                if source[pc].file == named and source[pc].line >= line
            ]
            address = min(behind)[1] if behind and line >= 1 else -1
            matches = [pc for pc in starts if program.addresses[pc] == address]
        else:
            matches = [pc for pc in starts if program.mnemonic(pc) == place]
        if not matches:
            known = {*symbols, *(program.mnemonic(pc) for pc in starts)}
            raise UserError(
                f"{place!r}: no instruction of the run is there; use a line, symbol, address (0x...) or "
                f"mnemonic of what was executed{nearest(place, known)}"
            )
        return matches

    @property
    def user_file(self) -> str:
        """The name of the text itself, which lines without a file are of."""
        return one_line(self.target.file)

    @property
    def file(self) -> str:
        """The name of the text that is shown, in which it stands."""
        return self._here.file

    @property
    def here(self) -> int:
        """The line where it stands: that of the next instruction, at the end of the last."""
        return self._here.line

    @property
    def _here(self) -> SourceLine:
        source, pc = self.session.program.source, self.position.pc
        if self.position.halted:
            pc = max(self.position.issues, default=(0, 0, pc))[2]
        return source[pc if 0 <= pc < len(source) else -1]

    @property
    def lines(self) -> list[str]:
        """The lines of the text that is shown."""
        return self.target.lines_of(self.file)

    def _file_of(self, name: str) -> str:
        """Return the one text of the program with a name, or the end of one."""
        files = dict.fromkeys(each.file for each in self.session.program.source)
        matches = [each for each in files if f"/{each}".endswith(f"/{name}")]
        if len(matches) != 1:
            raise UserError(
                f"{name}: {'several texts have' if matches else 'no text has'} this name: "
                f"{', '.join(matches or files)}"
            )
        return matches[0]

    def line_of(self, pc: int) -> int | None:
        """Return the line of an instruction in the text that is shown; None if it is in another."""
        source = self.session.program.source
        return source[pc].line if 0 <= pc < len(source) and source[pc].file == self.file else None

    def place(self, line: int) -> str:
        """Write a line of the text that is shown as a command takes it."""
        return f"{line}" if self.file == self.user_file else f"{self.file}:{line}"

    @property
    def readiness(self) -> Readiness:
        """When what is shown where it has stopped is ready."""
        if self._ready is None or self._ready[0] is not self.position:
            self._ready = self.position, Readiness(self.position)
        return self._ready[1]

    def operand(self, text: str, position: Position) -> Operand:
        """Read the name of a register, an element or a place in memory of the program at a position."""
        return operand(text, position.names)

    def value(self, text: str) -> Any:
        """Read a register, an element or a place in memory where it has stopped."""
        value = self.operand(text, self.position).value(self.position.state)
        if isinstance(value, list):
            return list(strip_of(value, self.session.names.wide(self.position.state)).values)
        return value

    def value_text(self, text: str) -> str:
        """Write a value, with the mark of what is not ready, and from which cycle on it is."""
        value, places = self.value(text), self.operand(text, self.position).places(self.position.state)
        cycles = [cycle for place in places for cycle in self.readiness.cycles(place).tolist()]
        here = self.position.cycle
        if isinstance(value, list):
            each = zip_longest(value, cycles, fillvalue=0)
            shown = f"[{', '.join(marked(str(one), cycle > here) for one, cycle in each)}]"
        else:
            shown = marked(str(value), max(cycles, default=0) > here)
        latest = max(cycles, default=0)
        if latest <= here:
            return shown
        return f"{shown} (not ready{'' if latest >= NEVER else f' before cycle {latest}'})"

    def piece(self, text: str) -> Piece:
        """Read PLACE:COUNT[:TYPE], a piece of memory.

        Raises
        ------
        UserError
            It is none, or lies outside memory.
        """
        place, *rest = (part.strip() for part in text.split(":"))
        if len(rest) not in (1, 2) or not rest[0].isdecimal() or not rest[0].strip("0"):
            raise UserError(f"{text}: write it as PLACE:COUNT or PLACE:COUNT:TYPE, such as Y:8:float")
        kind = rest[1] if len(rest) == 2 else "word"
        if kind not in TYPES:
            raise UserError(
                f"{text}: the type must be one of {', '.join(TYPES)}, not {kind!r}{nearest(kind, TYPES)}"
            )
        piece = Piece(place, whole_number(rest[0]), kind)
        self.address(piece, self.position)
        return piece

    def address(self, piece: Piece, position: Position) -> int:
        """Return where a piece begins, from the first byte of memory: a register in its name may change.

        Raises
        ------
        UserError
            It lies outside memory, or the program no longer has a place of its name.
        """
        address = self.operand(piece.name, position).value(position.state)
        base, memory = position.names.base, len(position.memory)
        if not isinstance(address, int):
            raise UserError(f"{piece.name}: is not a place in memory; use a data label or an address")
        if address < base or address + piece.bytes > base + memory:
            end, lowest = address + piece.bytes - 1, f"from {base} on and " if base else ""
            raise UserError(
                f"{piece.name}: bytes {address} to {end} are outside memory; addresses must be {lowest}below "
                f"{base + memory}"
            )
        return address - base

    # What it does

    def do(self, stop: Stop, before: Position) -> Stop:
        """Note why it stopped, and where it was before; of what has changed say what it is now."""
        if stop.reason == "watch" and stop.watched:
            now = f"{stop.watched} is now {self.value_text(stop.watched)}"
            stop = replace(stop, text=stop.text.replace(stop.watched, now, 1))
        self.stop, self.before = stop, before
        return stop

    def until(self, text: str) -> Stop:
        """Run until a line, a label, a mnemonic, ``cycle N`` or a condition; stay if that holds already."""
        before, words = self.position, text.split()
        if len(words) == 2 and words[0] == "cycle" and words[1].isdecimal():
            cycle = whole_number(words[1])
            if cycle <= before.cycle:
                back = f"; goto {cycle} goes back" if cycle < before.cycle else ""
                return self.do(Stop("cycle", f"cycle {before.cycle}, it has come already{back}"), before)
            return self.do(self.session.run(cycle=cycle), before)
        if re.fullmatch(r"[A-Za-z_.\d]+|[^=!]+:\d+", text):
            return self.do(self.session.run(until=self.instructions_at(text)), before)
        watch = watch_of(text, self.session)
        if watch.holds and watch.value(before.state):
            return self.do(Stop("condition", f"cycle {before.cycle}, {watch.text} holds already"), before)
        return self.do(self.session.run(condition=watch), before)

    def edit(self, line: int, text: str) -> None:
        """Put another text in a line; :meth:`assemble` takes it."""
        self.target = self.target.edited(line, text)
        self.edits.add(line)

    def assemble(self) -> Stop:
        """Assemble the text as it is now and run it to the cycle where the session is; breakpoints stay.

        Raises
        ------
        AssemblyError, UserError
            It has a mistake; the session stays as it was.
        """
        old = self.session
        fresh = Session(self.target, engine=self.engine, most_cycles=old.most_cycles)
        places = {(each.file, each.line) for each in (old.program.source[pc] for pc in old.breakpoints)}
        fresh.breakpoints = {
            pc for pc, each in enumerate(fresh.program.source) if (each.file, each.line) in places
        } & _firsts(fresh)
        before = self.position
        fresh.go_to(before.cycle)
        for watch in old.watches:
            try:
                fresh.watches.append(watch_of(watch.text, fresh))
            except UserError as error:
                raise UserError(f"{watch.text} is watched: {error}; delete {watch.text} first") from None
        self.session = fresh
        self.edits.clear()
        here = fresh.position
        if here.fault:
            return self.do(Stop("fault", here.fault), before)
        return self.do(
            Stop("step", f"cycle {here.cycle} again, assembled; next is {fresh.program.where(here.pc)}"),
            before,
        )

    # Help

    def help(self, mnemonic: str) -> list[str]:
        """Return the description of an instruction, pseudo-instruction or directive.

        Raises
        ------
        UserError
            There is none of that name.
        """
        if isinstance(self.session.program, RecordedProgram):
            rows = [row for row in ROWS if mnemonic in (row.mnemonic, row.mnemonic.partition(".")[0])]
            if not rows:
                near = nearest(mnemonic, {row.mnemonic for row in ROWS})
                raise UserError(f"{mnemonic!r}: is not an instruction of RISC-V{near}")
            return [f"{row.mnemonic} {row.operands}: {row.summary}".replace(" :", ":") for row in rows]
        matches = describe(mnemonic, self.target.instruction_set)
        return [line for entry in matches for line in help_lines(entry)]

    def mnemonic_of(self, line: int) -> str | None:
        """Return the mnemonic or directive that stands in a line of the text that is shown."""
        lines = self.lines
        if not 1 <= line <= len(lines):
            return None
        code = lines[line - 1].split("#")[0].split(";")[0]
        words = code.rpartition(":")[2].split() if ":" in code else code.split()
        name = words[0] if words else None
        if name and not name.startswith("."):
            return name if mnemonics.is_mnemonic(name, self.target.instruction_set) or "." in name else None
        return name


def _firsts(session: Session) -> set[int]:
    """Return the first instruction of each line, with all its rows in a recorded program."""
    program, first = session.program, dict[tuple[str, int], int]()
    numbers = program.addresses if isinstance(program, RecordedProgram) else range(len(program))
    for number, each in sorted(zip(numbers, program.source, strict=True), key=lambda pair: pair[0]):
        first.setdefault((each.file, each.line), number)
    chosen = set(first.values())
    return {pc for pc, number in enumerate(numbers) if number in chosen and not session.is_part(pc)}
