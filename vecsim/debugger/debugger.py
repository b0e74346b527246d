"""What a user has in hand: a session, what it was at before, and what is to be shown of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from isa import mnemonics
from isa.reference import describe
from vecsim.debugger.conditions import watch_of
from vecsim.debugger.operands import reader
from vecsim.debugger.position import Position
from vecsim.debugger.save_folder import SaveFolder
from vecsim.debugger.session import ENGINE, Session, Stop
from vecsim.debugger.strips import strip_of
from vecsim.debugger.target import Target
from vecsim.errors import UserError
from vecsim.instruction_help import help_lines
from vecsim.memory_places import TYPES
from vecsim.suggestions import nearest


@dataclass(frozen=True)
class Piece:
    """A piece of memory that is shown: what it is called, where it begins, how many of which type."""

    name: str
    address: int
    count: int
    type: str

    def values(self, position: Position) -> Any:
        """Read it."""
        dtype = np.dtype(TYPES[self.type])
        memory = position.snapshot.architectural["memory"]
        content = memory[self.address : self.address + self.count * dtype.itemsize]
        return np.frombuffer(content.tobytes(), dtype)


class Debugger:
    """A session that can be assembled anew, and what is shown of it.

    Parameters
    ----------
    target
        What is debugged.
    engine
        A name of :data:`vecsim.engines.protocol.ENGINES`.
    pieces
        Of memory, shown from the beginning: PLACE:COUNT[:TYPE] each.
    save_folder
        Below which ``save`` writes.

    Attributes
    ----------
    session
        The program under way.
    before
        Where it was before the last command, to tell what has changed.
    extended
        Whether units, banks and the pipeline are shown beside source, registers and memory.
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
        self.stop = Stop("start", f"{target.name}: {len(self.session.program)} instructions")
        self.edits: set[int] = set()
        self.pieces = [self.piece(text) for text in pieces]

    @property
    def position(self) -> Position:
        """Where it has stopped."""
        return self.session.position

    # Places

    def instructions_at(self, place: str) -> list[int]:
        """Give the numbers of the instructions at a place.

        Parameters
        ----------
        place
            A line, of which the first instruction is meant, or the next that follows; a label; a mnemonic,
            with or without the type behind its dot: all instructions of that name.

        Raises
        ------
        UserError
            There is none.
        """
        program = self.session.program
        if place in program.labels:
            number = program.labels[place]
            if number < len(program):
                return [number]
            raise UserError(f"{place}: no instruction follows this label")
        if not place.isdecimal():
            stem = place.removesuffix(mnemonics.GENERIC) + "."
            names = [program.instruction(pc).mnemonic for pc in range(len(program))]
            found = [pc for pc, name in enumerate(names) if name == place or name.startswith(stem)]
            if found:
                return found
            near = nearest(place, {*program.labels, *names})
            raise UserError(f"{place!r}: no line, label or mnemonic of the program{near}")
        line = int(place)
        behind = [(each.line, pc) for pc, each in enumerate(program.source) if each.line >= line]
        if not behind or line < 1:
            raise UserError(f"line {line}: no instruction stands there or behind it")
        return [min(behind)[1]]

    def line_of(self, pc: int) -> int | None:
        """Give the line of an instruction."""
        source = self.session.program.source
        return source[pc].line if 0 <= pc < len(source) else None

    def value(self, text: str) -> Any:
        """Read a register, an element or a place in memory where it has stopped."""
        read = reader(
            text,
            self.session.program,
            section=self.target.machine.section_size,
            memory_bytes=len(self.position.snapshot.architectural["memory"]),
            wide=self.target.value_bytes == 8,
        )
        value = read(self.position.state)
        if isinstance(value, list):
            return list(strip_of(value, self.target.value_bytes == 8).values)
        return value

    def piece(self, text: str) -> Piece:
        """Read PLACE:COUNT[:TYPE], a piece of memory.

        Raises
        ------
        UserError
            It is none, or lies outside memory.
        """
        place, *rest = (part.strip() for part in text.split(":"))
        if len(rest) not in (1, 2) or not rest[0].isdecimal() or not int(rest[0]):
            raise UserError(f"{text}: write it as PLACE:COUNT or PLACE:COUNT:TYPE, such as Y:8:float")
        kind = rest[1] if len(rest) == 2 else "word"
        if kind not in TYPES:
            raise UserError(f"{text}: types are {', '.join(TYPES)}, not {kind!r}{nearest(kind, TYPES)}")
        address, count = self.value(place), int(rest[0])
        end = address + count * np.dtype(TYPES[kind]).itemsize
        memory = len(self.position.snapshot.architectural["memory"])
        if address < 0 or end > memory:
            raise UserError(f"{text}: bytes {address} to {end - 1} lie outside memory, {memory} bytes")
        return Piece(place, address, count, kind)

    # What it does

    def do(self, stop: Stop, before: Position) -> Stop:
        """Note why it stopped, and where it was before."""
        self.stop, self.before = stop, before
        return stop

    def until(self, text: str) -> Stop:
        """Run until a line, a label, a mnemonic, ``cycle N`` or a condition."""
        before, words = self.position, text.split()
        if len(words) == 2 and words[0] == "cycle" and words[1].isdecimal():
            return self.do(self.session.run(cycle=int(words[1])), before)
        if re.fullmatch(r"[A-Za-z_.\d]+", text):
            return self.do(self.session.run(until=self.instructions_at(text)), before)
        return self.do(self.session.run(condition=watch_of(text, self.session)), before)

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
        lines = {self.line_of(pc) for pc in old.breakpoints}
        fresh.breakpoints = {
            pc for pc, each in enumerate(fresh.program.source) if each.line in lines
        } & _firsts(fresh)
        before = self.position
        fresh.go_to(before.cycle)
        self.session = fresh
        self.edits.clear()
        for watch in old.watches:
            fresh.watches.append(watch_of(watch.text, fresh))
        here = fresh.position
        if here.fault:
            return self.do(Stop("fault", here.fault), before)
        return self.do(
            Stop("step", f"assembled, again at cycle {here.cycle}: {fresh.program.where(here.pc)}"), before
        )

    # Help

    def help(self, mnemonic: str) -> list[str]:
        """Say all there is to say of an instruction, pseudo-instruction or directive.

        Raises
        ------
        UserError
            There is none of that name.
        """
        found = describe(mnemonic, self.target.instruction_set)
        return [line for entry in found for line in help_lines(entry)]

    def mnemonic_of(self, line: int) -> str | None:
        """Give the mnemonic or directive that stands in a line of the text."""
        lines = self.target.lines
        if not 1 <= line <= len(lines):
            return None
        code = lines[line - 1].split("#")[0].split(";")[0]
        words = code.rpartition(":")[2].split() if ":" in code else code.split()
        name = words[0] if words else None
        if name and not name.startswith("."):
            return name if mnemonics.is_mnemonic(name, self.target.instruction_set) or "." in name else None
        return name


def _firsts(session: Session) -> set[int]:
    """Give the first instruction of each line."""
    first: dict[int, int] = {}
    for pc, each in enumerate(session.program.source):
        first.setdefault(each.line, pc)
    return set(first.values())
