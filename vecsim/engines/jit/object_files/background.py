"""``python -m vecsim.engines.jit.object_files.background LOOP [EXTENSION.py ...]``:
compile a loop and keep its parts.

It ends with its parent, which holds its standard input, unless that writes a byte there first.
"""

import os
import sys

from vecsim.support.worker_processes import end_with_stdin

NICENESS = 10
"""What answers the user goes first."""


def _main() -> None:
    end_with_stdin()
    from isa.instructions import BASE
    from vecsim.engines.jit.object_files.machine_code import machine_code
    from vecsim.machine import extensions_of

    if hasattr(os, "nice"):
        os.nice(NICENESS)
    machine_code(BASE, sys.argv[1], extensions_of(sys.argv[2:]))


if __name__ == "__main__":
    _main()
