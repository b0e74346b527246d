"""What extensions add: to the machine description a subclass for each set of them, and to instructions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field, create_model

from isa.declaration import InstructionSet
from isa.instructions import BASE
from vecsim.machine.description import Machine
from vecsim.machine.extension import Extension
from vecsim.machine.extension_files import extensions_of
from vecsim.machine.numbers import Frozen
from vecsim.machine.origin import Origin
from vecsim.support.errors import UserError


class _Extended(Machine):
    """A machine with extensions, which goes to another process by their files: they are run there again."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        files = [each.file for each in self.extensions]
        return _remade, (files, self.model_dump(), self._origin)


@lru_cache(maxsize=64)
def machine_class(extensions: tuple[Extension, ...]) -> type[Machine]:
    """Return the description of machines with extensions, each with a table of its numbers.

    Raises
    ------
    UserError
        An extension bears the name of a field of every machine, or two extensions have an array of one name.
    """
    if not extensions:
        return Machine
    arrays: dict[str, Extension] = {}
    for extension in extensions:
        if extension.name in Machine.model_fields or hasattr(Machine, extension.name):
            raise UserError(f"extension {extension.name!r}: every machine has this name: use another")
        for array in extension.arrays:
            if arrays.setdefault(array.name, extension) is not extension:
                both = f"{arrays[array.name].name} and {extension.name}"
                raise UserError(f"extensions {both} both have an array {array.name!r}: rename one")
    tables: dict[str, Any] = {each.name: _table(each) for each in extensions if each.numbers}
    result: type[_Extended] = create_model("ExtendedMachine", __base__=_Extended, **tables)
    result.extensions = extensions
    return result


@lru_cache(maxsize=64)
def instruction_set_of(extensions: tuple[Extension, ...]) -> InstructionSet:
    """Return the instructions of machines with extensions: those of every machine, and the extensions' own.

    Raises
    ------
    UserError
        Two have one mnemonic or one opcode.
    """
    added = tuple(row for extension in extensions for row in extension.instructions)
    if not added:
        return BASE
    try:
        return BASE.extended(*added)
    except ValueError as error:
        names = ", ".join(each.name for each in extensions if each.instructions)
        raise UserError(f"instructions of extensions ({names}): {error}") from None


def _table(extension: Extension) -> Any:
    fields: dict[str, Any] = {
        number.name: (int, Field(number.default, ge=number.ge, le=number.le, description=number.description))
        for number in extension.numbers
    }
    table = create_model(extension.name, __base__=Frozen, **fields)
    return table, Field(default_factory=table, description=extension.description)


def _remade(files: Iterable[str], content: dict[str, Any], origin: Origin) -> Machine:
    """Make a machine with the extensions of files again, in a process that it was sent to."""
    extensions = extensions_of(Path(file) for file in files)
    return machine_class(extensions).model_validate(content).with_origin(origin)
