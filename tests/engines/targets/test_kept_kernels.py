"""Timing kernels in the cache of the engine: their names, and the files after them; none is compiled here."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("numba_cuda")

from numba.cuda import api, dispatcher

from isa import declaration
from vecsim.engines import cause, decoded
from vecsim.engines.jit import traces
from vecsim.engines.jit.object_files import fingerprints
from vecsim.engines.targets.gpu import kept, kernel, lanes
from vecsim.engines.targets.gpu.kernel import SIGNATURE, time_blocks
from vecsim.engines.trace_timing import events, notes, places, timing
from vecsim.results import private_files
from vecsim.support import kept_kernels

ROOT = Path(__file__).parents[3]


class Compiled:
    """What Numba compiles a kernel to, as far as it is kept."""

    compiled = 0
    launch_config_sensitive, entry_point = False, None

    def __init__(self, plain, types, **options):
        Compiled.compiled += 1

    def _reduce_states(self):
        return {"codelibrary": SimpleNamespace(_cubin_cache={(9, 0): b"code"}, _llvm_strs=["text"])}

    def bind(self):
        pass

    @classmethod
    def _rebuild(cls, codelibrary):
        result = cls.__new__(cls)
        result.library = codelibrary
        return result


@pytest.fixture
def device(monkeypatch, tmp_path):
    """A device, and nothing in the cache."""
    device = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr(api, "get_current_device", lambda: device)
    monkeypatch.setattr(dispatcher, "_Kernel", Compiled)
    monkeypatch.setattr(Compiled, "compiled", 0)
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    return device


def in_a_new_process(with_memory=False):
    """Return the kernel that a process begins with, and how many compiled it."""
    result = time_blocks.__wrapped__(with_memory=with_memory)
    (compiled,) = result.overloads.values()
    return compiled, Compiled.compiled


def test_what_one_process_compiles_the_next_loads(device, capsys):
    for loaded in (False, True):
        compiled, count = in_a_new_process()
        assert count == 1
        assert hasattr(compiled, "library") == loaded
    assert compiled.library._cubin_cache and not compiled.library._llvm_strs
    assert capsys.readouterr().err == "compiling the loop for this kind of GPU: up to a minute\n"


def test_another_is_compiled_where_anything_that_it_depends_on_differs(device, monkeypatch):
    in_a_new_process()
    assert in_a_new_process(with_memory=True)[1] == 2
    device.compute_capability = (10, 0)
    assert in_a_new_process()[1] == 3
    monkeypatch.setattr(kept_kernels, "_compilers", lambda: "numba 1.0")
    assert in_a_new_process()[1] == 4
    monkeypatch.setattr(timing, "EMPTY", timing.EMPTY + 100)  # a number that the timing names
    assert in_a_new_process()[1] == 5
    monkeypatch.setattr(kernel, "SIGNATURE", SIGNATURE.replace("int64,", "int32,"))
    assert in_a_new_process()[1] == 6
    monkeypatch.setattr(kept, "SOURCES", kept.SOURCES[:-1])
    assert in_a_new_process()[1] == 7
    assert in_a_new_process()[1] == 7


@pytest.mark.parametrize("module", [cause, decoded, declaration, events, lanes, notes, places, traces.lanes])
def test_numbers_that_are_named_in_other_modules_count(module):
    """A kernel that was made with `places.READY` of other sources would read the wrong place."""
    assert Path(module.__file__) in dict(fingerprints._source_files(kept.SOURCES)).values()


def test_a_damaged_file_is_compiled_again(device, tmp_path, capsys):
    in_a_new_process()
    (file,) = (tmp_path / "engine").glob("*.o")
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    assert in_a_new_process()[1] == 2
    assert f"the engine is compiled again: {file} is damaged" in capsys.readouterr().err
    assert file.read_bytes() == whole
    private_files.write(file, b"of another version")
    assert in_a_new_process()[1] == 3
    assert in_a_new_process()[1] == 3


def test_where_nothing_can_be_kept_each_process_compiles(device, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "file"))
    assert [in_a_new_process()[1] for _ in range(2)] == [1, 2]
    assert "the compiled engine is not kept" in capsys.readouterr().err


@pytest.mark.ci
def test_another_process_gives_the_same_name(device, monkeypatch):
    program = (
        "from types import SimpleNamespace; from numba.cuda import api; "
        "from vecsim.engines.targets.gpu import kept, kernel; "
        "api.get_current_device = lambda: SimpleNamespace(compute_capability=(9, 0)); "
        "kernel.compile_or_load = lambda *given: print(kept.kept_name(*given)); "
        "kernel.time_blocks(with_memory=True)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "77"}
    there = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    here = []
    monkeypatch.setattr(kernel, "compile_or_load", lambda *given: here.append(kept.kept_name(*given)))
    time_blocks.__wrapped__(with_memory=True)
    assert [there.stdout.strip()] == here
