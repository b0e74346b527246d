"""Many machines against one at a time: ``python -m tests.many --seed 0 --programs 1000 [--gpu]``.

Each random program runs on 16 random machines, by the engine for one machine and by the loop for many, with
``--gpu`` also on the GPU. It prints how many pairs there were, and each difference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from experiments.report.environment import processors
from tests.many.pairs import Pairs, compared

CHUNK = 25
AT_ONCE = 40
"""Programs of a task; tasks whose groups go to the GPU at once."""
FIRST = 12
"""Programs before time counts: engines, loops and, with ``--gpu``, kernels are compiled then."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.many", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    parser.add_argument("--programs", type=int, default=1000, help="how many programs")
    parser.add_argument("--gpu", action="store_true", help="time them on the GPU, too")
    parser.add_argument("--seconds", type=float, default=3600, help="no more are begun after these")
    return parser


def _results(first: int, count: int, until: float) -> Iterator[tuple[list[Pairs], list[str]]]:
    spans = iter(range(first, first + count, CHUNK))
    with ProcessPoolExecutor(processors(), get_context("spawn")) as pool:
        running = []
        while True:
            while len(running) < 2 * processors() and time.monotonic() < until:
                begin = next(spans, None)
                if begin is None:
                    break
                running.append(pool.submit(compared, begin, min(begin + CHUNK, first + count)))
            if not running:
                return
            yield running.pop(0).result()


def _on_gpu(pairs: list[Pairs]) -> list[str]:
    from vecsim.engines.targets.gpu.batch import time_groups

    times = time_groups([each.group for each in pairs])
    lines = [each.difference(time) for each, time in zip(pairs, times, strict=True)]
    return [f"GPU: {line}" for line in lines if line]


def main(arguments: list[str]) -> int:
    """Return the exit code: 1 if many machines differ from one anywhere."""
    given = _parser().parse_args(arguments)
    first, _ = compared(given.seed, given.seed + FIRST)
    if given.gpu:
        _on_gpu(first)
    begun, pairs, different = time.monotonic(), 0, 0
    waiting: list[Pairs] = []
    for made, lines in _results(given.seed, given.programs, begun + given.seconds):
        pairs += sum(each.group.count for each in made)
        waiting += made
        if given.gpu and len(waiting) >= AT_ONCE * CHUNK:
            lines += _on_gpu(waiting)
            waiting.clear()
            print(f"{pairs} pairs, also on the GPU; {different + len(lines)} differences", flush=True)
        different += len(lines)
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
    if given.gpu and waiting:
        lines = _on_gpu(waiting)
        different += len(lines)
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
    seconds, where = time.monotonic() - begun, "one, many and GPU" if given.gpu else "one and many"
    print(f"{pairs} pairs of machine and program: {where}: {different} differences, {seconds:.0f} s")
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
