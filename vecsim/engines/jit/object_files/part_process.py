"""``python -m vecsim.engines.jit.object_files.part_process NAME FINGERPRINT``:
compile a part and write it to stdout.

It ends with its parent, which holds its standard input: from the start, and importing Numba takes seconds.
"""

import sys

from vecsim.support.worker_processes import end_with_stdin


def _main() -> None:
    name, expected = sys.argv[1:]
    end_with_stdin()
    from vecsim.engines.jit.interface import BASE_ROWS
    from vecsim.engines.jit.object_files.fingerprints import fingerprint
    from vecsim.engines.jit.object_files.parts import compile_part

    if fingerprint(BASE_ROWS.values()) != expected:
        sys.exit("the parent has other sources")
    sys.stdout.buffer.write(compile_part(name))


if __name__ == "__main__":
    _main()
