"""Times of `DeviceMatrix.update_values` compared with a copy of as many bytes.

python -m benchmarks.new_values [--only NAME,...]

The matrices are those of the suite's class large_structured, in the format that `auto` takes. Values are on
the device. Bytes are the new values, read once, the 4 bytes of each place, and the values that are written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import gpu
from experiments.gpu_bench.suite import suite
from gpu.measure.timing import measure
from gpu.runtime.cuda import cuda
from gpu.runtime.cuda_driver import Stream, call
from gpu.runtime.device_info import device_info
from gpu.runtime.launches import address_of_array


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a line for each matrix and type."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.new_values", description=__doc__)
    parser.add_argument("--only", help="names of matrices of the suite, separated by commas")
    given = parser.parse_args(arguments)
    print(device_info().name, flush=True)
    for each in suite():
        if not (each.name in given.only.split(",") if given.only else each.class_ == "large_structured"):
            continue
        matrix = each.make()
        for dtype in ("float64", "float32"):
            print(json.dumps({"matrix": each.name, "dtype": dtype} | times(matrix.astype(dtype))), flush=True)
    return 0


def times(matrix: Any) -> dict[str, Any]:
    """Time new values and a copy of as many bytes."""
    built = gpu.prepare(matrix, updatable=True)
    new = cuda.to_device(2 * matrix.data)
    built.update_values(new)
    x = np.ones(matrix.shape[1], matrix.dtype)
    if not np.allclose(built @ x, 2 * (matrix @ x), rtol=1e-4):
        raise ArithmeticError(f"{built.format}: new values are wrong")
    places = len(built.stored_values)
    nbytes = new.nbytes + places * (4 + matrix.dtype.itemsize)
    target = cuda.device_array(nbytes // 2, np.uint8)
    source = cuda.device_array(nbytes // 2, np.uint8)
    us = measure([partial(_update, built, new)]).median_us
    copy_us = measure([partial(_copy, target, source, nbytes // 2)]).median_us
    return {"format": built.format, "us": us, "bytes": nbytes, "copy_us": copy_us, "share": copy_us / us}


def _update(built: Any, new: Any, stream: Stream) -> None:
    built.update_values(new, stream=stream.address)


def _copy(target: Any, source: Any, nbytes: int, stream: Stream) -> None:
    call("cuMemcpyDtoDAsync", address_of_array(target), address_of_array(source), nbytes, stream.handle)


if __name__ == "__main__":
    sys.exit(main())
