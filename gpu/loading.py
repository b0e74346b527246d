"""`gpu.load`: prepared matrices from files that `DeviceMatrix.save` wrote."""

import io
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import scipy.sparse

from gpu.device_matrix import DeviceMatrix, restored, unknown_choice
from gpu.formats.sliced.slicing import Slicing
from gpu.preparation import prepare
from vecsim.data.source_bytes import read_bytes
from vecsim.support.errors import UserError
from vecsim.support.structured_text import json_value


def load(path: str | Path) -> DeviceMatrix:
    """Read a prepared matrix and put it on the device in the format that it had.

    The entries are converted again. No format is estimated or timed.

    Parameters
    ----------
    path
        Of the file that `DeviceMatrix.save` wrote.

    Raises
    ------
    UserError
        If there is no such file, or no prepared matrix in it; as of `gpu.prepare`.
    """
    path = Path(path)
    content = read_bytes(path)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as recorded:
            csr, choices = _entries(recorded), json_value(str(recorded["choices"]), f"{path}: choices")
        if unknown := unknown_choice(choices):
            raise ValueError(unknown)
        if isinstance(choices["format"], dict):
            choices["format"] = Slicing(**choices["format"])
        real, imaginary = choices.pop("scale")
        views = {
            "scale": complex(real, imaginary) if imaginary else real,
            "is_transposed": choices.pop("is_transposed"),
        }
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise UserError(f"{path}: no prepared matrix ({error}); write one with M.save(path)") from None
    return restored(prepare, csr, choices, **views)


def _entries(recorded: Any) -> Any:
    arrays = tuple(recorded[name] for name in ("values", "indices", "indptr"))
    csr = scipy.sparse.csr_array(arrays, shape=tuple(recorded["shape"].tolist()))
    csr.check_format(full_check=True)
    if not csr.nnz == len(recorded["values"]) == len(recorded["indices"]):
        raise ValueError(f"{len(recorded['values'])} values for {csr.nnz} entries")
    return csr
