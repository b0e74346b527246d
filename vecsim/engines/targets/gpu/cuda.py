"""Numba CUDA for the engine, and the GPU of this process; the GPU formats have `gpu.runtime.cuda`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import IO

from vecsim.results.cache_folder import cache_folder
from vecsim.support.errors import UserError, in_words

if find_spec("numba_cuda") is None:
    raise UserError("many machines on a GPU need Numba CUDA: pip install 'vecsim[gpu]', or leave out --gpu")

from vecsim.support.numba_cuda import SIMULATED, cuda, why_unusable

__all__ = ["SIMULATED", "cuda", "is_out_of_memory", "require_gpu", "this_gpu"]

INSTEAD = "leave out --gpu, and the processor does the same"
OF_CUDA = ("numba.cuda.cudadrv.", "numba.cuda.simulator.cudadrv.", "cuda.")
"""Beginnings of the modules whose errors are those of the driver and the device."""
_locks: list[IO[bytes]] = []
"""What this process has taken: the system gives it back when the process ends, however it does."""


def require_gpu() -> None:
    """Find out whether there is a GPU, or the simulator.

    Raises
    ------
    UserError
        There is none.
    """
    if reason := why_unusable():
        raise UserError(f"no NVIDIA GPU can be used ({reason}): {INSTEAD}")


@contextmanager
def this_gpu() -> Iterator[None]:
    """Work on the GPU of this process; an error of the driver or the device becomes one line.

    Raises
    ------
    UserError
        Such an error; another process may hold the memory.
    """
    number = 0
    try:
        number = _number()
        with cuda.gpus[number]:
            yield
    except Exception as error:
        if is_out_of_memory(error):
            why = "too little free memory: end what else uses it"
            raise UserError(f"GPU {number}: {why}, or {INSTEAD}") from None
        if type(error).__module__.startswith(OF_CUDA):
            raise UserError(f"GPU {number}: {in_words(error)}: run it again, or {INSTEAD}") from None
        raise


def is_out_of_memory(error: Exception) -> bool:
    """Return whether the driver says that the device has too little memory."""
    return type(error).__module__.startswith(OF_CUDA) and "OUT_OF_MEMORY" in str(error)


@cache
def _number() -> int:
    """Return the number of this process's GPU, among those that ``CUDA_VISIBLE_DEVICES`` lets it see."""
    if SIMULATED or len(cuda.gpus) == 1:
        return 0
    return taken_gpu([gpu.uuid for gpu in cuda.gpus], cache_folder() / "gpus")


def taken_gpu(gpus: Sequence[str], folder: Path) -> int:
    """Take one of the GPUs that the fewest processes have taken, until this process ends.

    So the workers of a sweep, whoever starts them, spread over the GPUs of their host.

    Parameters
    ----------
    gpus
        Their names, which are the same for all processes.
    folder
        For files that processes lock.

    Returns
    -------
    int
        Which of them; the first where files cannot be locked.
    """
    try:
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        for turn in count():
            for number, name in enumerate(gpus):
                file = (folder / f"{name}-{turn}").open("wb")
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    file.close()
                    continue
                _locks.append(file)
                return number
    except (ImportError, OSError):
        pass
    return 0
