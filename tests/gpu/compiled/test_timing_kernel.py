"""The kernel that times many machines, compiled, kept in the cache of the engine, and loaded from it."""

from types import SimpleNamespace

import pytest

HOPPER = (9, 0)


@pytest.fixture
def without_a_driver(monkeypatch, tmp_path):
    from numba.cuda import api
    from numba.cuda.codegen import CUDACodeLibrary
    from numba.cuda.dispatcher import _Kernel

    monkeypatch.setattr(api, "get_current_device", lambda: SimpleNamespace(compute_capability=HOPPER))
    monkeypatch.setattr(CUDACodeLibrary, "_ensure_cc", lambda self, cc: cc or HOPPER)
    monkeypatch.setattr(_Kernel, "bind", lambda self: self._codelibrary.get_cubin())
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))


def test_the_machine_code_is_that_which_was_compiled(without_a_driver, monkeypatch):
    from numba.cuda.cudadrv import nvvm

    from vecsim.engines.targets.gpu.kernel import time_blocks

    def machine_code():
        kernel = time_blocks.__wrapped__(with_memory=False)
        (compiled,) = kernel.overloads.values()
        return bytes(compiled._codelibrary.get_cubin().code), kernel._cache_hits.total()

    compiled, hits = machine_code()
    monkeypatch.setattr(nvvm, "compile_ir", lambda *_, **__: pytest.fail("compiled again"))
    assert (hits, machine_code()) == (0, (compiled, 1))
