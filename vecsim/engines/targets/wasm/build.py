"""The folder with all that a host needs to run the engine."""

from __future__ import annotations

import gzip
import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from vecsim.engines.targets.wasm.description import description
from vecsim.engines.targets.wasm.linking import linked, linker
from vecsim.engines.targets.wasm.objects import object_files
from vecsim.support.errors import UserError

MODULE, DESCRIPTION, GLUE = "engine.wasm", "engine.json", "engine.mjs"


class Built(NamedTuple):
    """What a build has written.

    Attributes
    ----------
    folder
        Where it is.
    module_bytes, compressed_bytes
        The size of the module, and of the same compressed by gzip.
    """

    folder: Path
    module_bytes: int
    compressed_bytes: int


def build(folder: Path) -> Built:
    """Write the module, its description and the glue into a folder, which is made if it does not exist.

    Raises
    ------
    UserError
        A tool is missing, or the folder cannot be written.
    """
    linker()  # before minutes of compilation
    try:
        folder.mkdir(parents=True, exist_ok=True)
        module = linked(object_files())
        (folder / MODULE).write_bytes(module)
        (folder / DESCRIPTION).write_text(json.dumps(description(), indent=1) + "\n", encoding="utf-8")
        with as_file(files(__package__) / GLUE) as glue:
            shutil.copyfile(glue, folder / GLUE)
    except OSError as error:
        raise UserError(f"{folder}: the WebAssembly module cannot be written there: {error}") from None
    return Built(folder, len(module), len(gzip.compress(module, 9)))
