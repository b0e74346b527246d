"""The engine as WebAssembly in Node, for the tests."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import tempfile
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines.protocol import Engine, StartEngine
from vecsim.engines.targets.wasm.build import build
from vecsim.engines.targets.wasm.engine import ROWS, WasmEngine
from vecsim.engines.targets.wasm.linking import linker
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine
from vecsim.support.errors import UserError

HOST = Path(__file__).with_suffix(".mjs")


class NodeHost:
    """Node with the module built from the sources; see :class:`vecsim.engines.targets.wasm.engine.Host`."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None:
            raise UserError("node is not found: Node.js runs the WebAssembly module")
        self._folder = tempfile.TemporaryDirectory(prefix="vecsim-wasm-")
        build(Path(self._folder.name))
        self._process = subprocess.Popen(
            [node, str(HOST), self._folder.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def call(self, run: WasmEngine, stop_cycle: int, stop_count: int, capacity: int) -> int:
        """Let the loop run once."""
        # 64 bits: numbers of JSON are exact below 2 ** 53 only.
        return int(self._ask(run, {"call": [str(stop_cycle), str(stop_count), str(capacity)]})["status"])

    def advance(self, run: WasmEngine) -> dict[str, Any]:
        """Let the glue run it to its end; return what the glue says of it."""
        return self._ask(run, {"advance": True})

    def _ask(self, run: WasmEngine, request: dict[str, Any]) -> dict[str, Any]:
        sends, answers = self._process.stdin, self._process.stdout
        assert sends is not None
        assert answers is not None
        packed = run.packed()
        text = json.dumps({**request, "bytes": len(packed)}).encode()
        sends.write(len(text).to_bytes(4, "little") + text + packed)
        sends.flush()
        header: dict[str, Any] = json.loads(_read(answers, int.from_bytes(_read(answers, 4), "little")))
        arrays = run.arrays
        for name, size in header["contents"]:
            _write_back(name, arrays[name], _read(answers, size))
        return header

    def close(self) -> None:
        """End Node."""
        self._process.communicate()
        self._folder.cleanup()


def _read(answers: IO[bytes], size: int) -> bytes:
    content = answers.read(size)
    if len(content) < size:
        raise RuntimeError("the WebAssembly module ended Node; what it says is on stderr")
    return content


def _write_back(name: str, values: npt.NDArray[Any], content: bytes) -> None:
    result = np.frombuffer(content, values.dtype)
    if name in ROWS:
        values[: len(result)] = result
    elif name not in ("semantics", "slow_paths"):
        values[...] = result.reshape(values.shape)


def why_not() -> str:
    """Return why the module cannot be built or run here; empty if it can."""
    try:
        linker()
    except UserError as error:
        return str(error)
    return "" if shutil.which("node") else "node is not found"


@lru_cache(maxsize=1)
def node_host() -> NodeHost:
    """Return the host of this process, which ends with it."""
    host = NodeHost()
    atexit.register(host.close)
    return host


def _wasm(
    program: Program,
    memory: npt.NDArray[np.uint8],
    machine: Machine,
    timeline: TimelineRequest | None,
    *,
    general: bool = False,
) -> Engine:
    return WasmEngine(program, memory, machine, timeline, host=node_host(), general=general)


WASM: dict[str, StartEngine] = {"wasm": _wasm, "wasm-multiport": partial(_wasm, general=True)}
"""The module as engines of the differential tests."""
