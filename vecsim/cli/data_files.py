"""Data in and out of ``vecsim exec``: ``--load``, ``--save``, ``--expect``."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.console import tell, warn
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.results.file_digests import InputFile
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from isa.program import Program
    from vecsim.data.memory_files import Placed


class DataFiles:
    """What is put into memory before a run, and what is done with it after.

    Parameters
    ----------
    program, memory_bytes
        What runs, in how much memory.
    width
        Bytes of a matrix value, 4 or 8.
    load, save, expect, tolerance
        As the user gave them.
    source
        The program's file, which must not be overwritten.

    Raises
    ------
    UserError
        Any of them is wrong: found before anything runs.
    """

    def __init__(
        self,
        program: Program,
        memory_bytes: int,
        width: int,
        load: Sequence[str] | None,
        save: Sequence[str] | None,
        expect: Sequence[str] | None,
        tolerance: float | None,
        source: str,
    ) -> None:

        from vecsim.data.memory_files import TOLERANCE, placed, read_piece

        if tolerance is not None and not expect:
            raise UserError(f"--tolerance {tolerance:g}: nothing is compared; add --expect PLACE=FILE.npy")
        if tolerance is not None and tolerance >= 1:
            raise UserError(f"--tolerance {tolerance:g}: must be below 1: memory of zeros would pass")
        self._program, self._bytes = program, memory_bytes
        self._loaded, self._expected = [], []
        if load or expect:
            where = (program, memory_bytes, width)
            self._loaded = [placed(text, *where, "--load") for text in load or ()]
            self._expected = [placed(text, *where, "--expect") for text in expect or ()]
            for each in (*self._loaded, *self._expected):
                for line in each.warnings:
                    warn(line)
            self._check_comparable(TOLERANCE if tolerance is None else tolerance)
        inputs = [source, *(each.file for each in (*self._loaded, *self._expected))]
        self._tolerance = tolerance
        self._saved = []
        for text in save or ():
            place, separator, file = text.partition("=")
            if not separator or not file.endswith(".npy"):
                raise UserError(
                    f"--save {text}: write it as PLACE:COUNT:TYPE=FILE.npy, such as Y:8:float=y.npy"
                )
            dump = read_piece(place, program, memory_bytes, "--save")
            self._saved.append((dump, OutputFile(file, f"--save {place}", inputs)))

    def _check_comparable(self, tolerance: float) -> None:
        """Refuse arrays that any memory would equal, and warn of those that zeros would."""
        import numpy as np

        for each in self._expected:
            if each.values.dtype.kind != "f":
                continue
            sizes = np.abs(each.values)
            if np.isnan(sizes).all():
                raise UserError(
                    f"--expect {each.text}: every element is NaN; use an array with at least one number"
                )
            if sizes.any() and not (sizes > tolerance).any():
                warn(
                    f"--expect {each.text}: no element is larger than the tolerance {tolerance:g}: "
                    "memory of zeros passes too; give a smaller --tolerance"
                )

    def memory(self) -> tuple[Program, npt.NDArray[np.uint8]]:
        """Return the program that leaves room for what is loaded, and memory before the run."""
        import numpy as np

        memory = np.zeros(self._bytes, np.uint8)
        if not self._loaded:
            return self._program, memory
        from vecsim.data.memory_files import put

        return put(memory, self._loaded, self._program), memory

    @property
    def arrays(self) -> tuple[Placed, ...]:
        """The arrays that are loaded."""
        return tuple(self._loaded)

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Of each array that is loaded: its first byte, and the first after it."""
        return tuple((each.address, each.end) for each in self._loaded)

    @property
    def loaded(self) -> list[dict[str, Any]]:
        """The arrays that are loaded, as results name them."""
        return [each.to_dict() for each in self._loaded]

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The files of the arrays that are loaded."""
        return tuple(each.input_file for each in self._loaded)

    def save(self, output: Output, memory: npt.NDArray[np.uint8], document: dict[str, Any]) -> None:
        """Write what is to be saved, and note in the document what was loaded."""
        import numpy as np

        from vecsim.support.memory_types import TYPES

        if self._loaded:
            document["load"] = self.loaded
        for dump, file in self._saved:
            content = io.BytesIO()
            np.save(content, np.array(dump.values(memory), TYPES[dump.type]))
            file.write(content.getvalue())
            output.text(f"{dump.name}: {dump.count} x {dump.type} written to {file.name}")

    def compare(self, output: Output, memory: npt.NDArray[np.uint8], document: dict[str, Any]) -> bool:
        """Compare memory with what is expected, and return whether all of it is there."""
        if not self._expected:
            return True

        from vecsim.data.memory_files import TOLERANCE, difference

        tolerance = TOLERANCE if self._tolerance is None else self._tolerance
        document["tolerance"], document["expect"] = tolerance, []
        for each in self._expected:
            result = difference(memory, each, tolerance)
            document["expect"].append(
                {**each.to_dict(), "difference": None if result is None else asdict(result)}
            )
            if result is None:
                output.text(f"{each.place}: {len(each.values)} x {each.type} as in {each.file}")
                continue
            tell(
                f"--expect {each.text}: {result.count} of {counted(len(each.values), 'element')} differ; "
                f"the first is element {result.element} at address {result.address}: {result.actual!r}, "
                f"expected {result.expected!r}"
            )
        return all(each["difference"] is None for each in document["expect"])
