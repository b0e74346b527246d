"""``python -m vecsim.engines.targets.wasm --out DIR``: build the engine as a WebAssembly module."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from vecsim.engines.targets.wasm.build import build
from vecsim.support.errors import UserError


def main(arguments: list[str]) -> int:
    """Build; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m vecsim.engines.targets.wasm", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder that is written")
    given = parser.parse_args(arguments)
    try:
        built = build(given.out)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    size, compressed = built.module_bytes, built.compressed_bytes
    print(
        f"{built.folder}: engine.wasm of {size:,} bytes ({compressed:,} compressed), engine.json, engine.mjs"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
