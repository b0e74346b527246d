"""Names of kernels that are the same in every process, and the files after them; none is compiled here."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("numba_cuda")

from gpu.compound.expressions import of_scalars
from gpu.formats.sliced.product import sliced_kernel
from gpu.kernel_parts.row_results import piece_sums
from gpu.runtime import kernel_cache
from gpu.runtime.kernel_cache import UnknownError, identity
from vecsim.results import private_files

ROOT = Path(__file__).parents[3]
ARRANGEMENT = {
    "height": 32,
    "threads_per_row": 1,
    "wide": 2,
    "index_bits": 32,
    "base_per_step": False,
    "row_lengths": False,
    "permuted": False,
}


def kernel_function(factor):
    def outer(value):
        return inner(value) * factor

    def inner(value):
        return value + 1

    return outer


def test_the_name_says_what_was_closed_over():
    assert identity(kernel_function(2)) == identity(kernel_function(2))
    names = {
        identity(kernel_function(factor))
        for factor in (2, 3, 2.0, np.float32(2), np.float64(2), True, None, "2")
    }
    assert len(names) == 8
    assert identity((1, np.float32)) != identity((1, np.float64))


def test_a_generated_function_is_named_by_its_text_and_what_its_names_mean():
    text = "def product(a, x):\n    return (sqrt(a[0]) * x[0],)\n"
    single, double = (of_scalars(text, "product", real, {}) for real in (np.float32, np.float64))
    assert identity(single) == identity(of_scalars(text, "product", np.float32, {}))
    others = [double, of_scalars(text.replace("*", "+"), "product", np.float32, {})]
    assert len({identity(each) for each in (single, *others)}) == 3


def test_a_user_kernel_is_another_when_its_file_changes(tmp_path):
    path, names = tmp_path / "mine.py", []
    for text in ("def kernel(x):\n    x[0] = 5\n", "def kernel(x):\n    x[0] = 6\n"):
        path.write_text(text)
        loaded_code = {"__name__": "mine"}
        exec(compile(text, str(path), "exec"), loaded_code)
        names.append(identity(loaded_code["kernel"]))
    assert names[0] != names[1]


def test_what_has_no_name_is_refused():
    with pytest.raises(UnknownError, match="object has no name"):
        identity(kernel_function(object()))


def test_kernels_differ_by_type_and_arrangement():
    kernels = [
        piece_sums(np.float32),
        piece_sums(np.float64),
        sliced_kernel(np.float32, **ARRANGEMENT),
        sliced_kernel(np.float32, **ARRANGEMENT | {"wide": 4}),
        sliced_kernel(np.float32, **ARRANGEMENT | {"permuted": True}),
    ]
    assert len(set(map(identity, kernels))) == len(kernels)


def test_another_process_gives_the_same_name():
    program = (
        "import numpy as np; from gpu.runtime.kernel_cache import identity; "
        "from gpu.formats.sliced.product import sliced_kernel; "
        f"print(identity(sliced_kernel(np.float32, **{ARRANGEMENT})))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "77"}
    there = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == identity(sliced_kernel(np.float32, **ARRANGEMENT))


class Library:
    """Machine code with the texts that it was compiled from."""

    def __init__(self):
        self._llvm_strs, self._ptx_cache, self._cubin_cache = ["text"], {(9, 0): "text"}, {(9, 0): b"code"}
        self._max_registers, self._lto = None, False


class Compiled:
    """A kernel as Numba compiles it, as far as it is kept."""

    def __init__(self, *, launch_config_sensitive=False, codelibrary=None, **state):
        self.launch_config_sensitive, self.state = launch_config_sensitive, state
        self.library = codelibrary or Library()

    def _reduce_states(self):
        return {"codelibrary": self.library, **self.state}

    def bind(self):
        if self.state.get("code") == "for another device":
            raise RuntimeError("no kernel image is available for execution on the device")

    @classmethod
    def _rebuild(cls, **state):
        return cls(**state)


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """A kernel that is sought in and kept in the folder of the test."""
    from numba.cuda import api, dispatcher

    monkeypatch.setenv(kernel_cache.FOLDER, str(tmp_path / "kernels"))
    monkeypatch.setattr(dispatcher, "_Kernel", Compiled)
    monkeypatch.setattr(api, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))

    def loaded_code(factor):
        kernel = SimpleNamespace(py_func=kernel_function(factor), targetoptions={"opt": True}, _cache=None)
        kernel_cache.keep(kernel)
        return kernel._cache

    return loaded_code


def test_what_one_keeps_the_other_finds(kernel, monkeypatch):
    assert kernel(2).load_overload("(x, y)", None) is None
    kernel(2).save_overload("(x, y)", Compiled(code="compiled"))
    loaded_code = kernel(2).load_overload("(x, y)", None)
    assert loaded_code.state == {"code": "compiled"}
    assert (
        loaded_code.library._cubin_cache
        and loaded_code.library._ptx_cache
        and not loaded_code.library._llvm_strs
    )
    assert kernel(3).load_overload("(x, y)", None) is None
    assert kernel(2).load_overload("(x, z)", None) is None
    monkeypatch.setattr(kernel_cache, "source_digest", lambda: "another state of the code")
    assert kernel(2).load_overload("(x, y)", None) is None


class Dispatcher:
    """A kernel of `cuda.jit` that needs 50 registers, or as many as it may have."""

    def __init__(self):
        self.compiled, self.overloads, self._cache = 0, {}, None

    def compile(self, signature):
        if signature not in self.overloads:
            self.compiled += 1
            self.overloads[signature] = Assembled()


class Assembled:
    def __init__(self):
        self._codelibrary, self.bound = Library(), 0

    @property
    def regs_per_thread(self):
        return self._codelibrary._max_registers or 50

    def bind(self):
        self.bound += 1


def test_kernels_that_differ_in_registers_are_compiled_once(monkeypatch):
    monkeypatch.delenv(kernel_cache.FOLDER, raising=False)
    kernel = Dispatcher()
    whole = kernel_cache.compiled_for(kernel, ("x",))
    assert kernel_cache.compiled_for(kernel, ("x",), 64) is whole  # it needs no more anyway
    fewer = kernel_cache.compiled_for(kernel, ("x",), 40)
    assert (fewer.regs_per_thread, whole.regs_per_thread, kernel.compiled) == (40, 50, 1)
    assert fewer.bound and not fewer._codelibrary._cubin_cache and whole._codelibrary._cubin_cache
    assert kernel_cache.compiled_for(kernel, ("x",), 40) is fewer
    assert kernel_cache.compiled_for(kernel, ("x",), 32) is not fewer


def test_each_limit_of_registers_has_its_own_file(kernel, monkeypatch):
    recorded = kernel(2)
    monkeypatch.setattr(kernel_cache, "keep", lambda dispatcher: setattr(dispatcher, "_cache", recorded))
    saved = {}
    monkeypatch.setattr(
        recorded.__class__,
        "save_overload",
        lambda self, name, kernel_function: saved.setdefault(name, kernel_function),
    )
    monkeypatch.setattr(recorded.__class__, "load_overload", lambda self, name, target: saved.get(name))
    fewer = [kernel_cache.compiled_for(Dispatcher(), "(x)", registers) for registers in (32, 40, 32)]
    assert [each.regs_per_thread for each in fewer] == [32, 40, 32]
    assert fewer[2] is fewer[0] and len(saved) == 2


def test_what_the_folder_keeps_without_its_source_is_compiled_before_it_is_assembled_again(monkeypatch):
    from numba.cuda import dispatcher

    monkeypatch.delenv(kernel_cache.FOLDER, raising=False)
    again = []
    monkeypatch.setattr(dispatcher, "_Kernel", lambda *given, **options: again.append(given) or Assembled())
    kernel = Dispatcher()
    kernel.py_func, kernel.targetoptions = kernel_function(2), {"opt": True}
    kernel_cache.compiled_for(kernel, ("x",))
    library = kernel.overloads["x",]._codelibrary
    library._llvm_strs = []
    assert kernel_cache.compiled_for(kernel, ("x",), 40).regs_per_thread == 40
    assert not again  # the PTX is there
    library._lto = True
    assert kernel_cache.compiled_for(kernel, ("x",), 32).regs_per_thread == 32
    assert again == [(kernel.py_func, ("x",))]


def test_what_is_broken_or_bound_to_one_launch_is_compiled_again(kernel, tmp_path):
    kernel(2).save_overload("(x)", Compiled(launch_config_sensitive=True))
    assert list((tmp_path / "kernels").iterdir()) == []
    kernel(2).save_overload("(x)", Compiled())
    (file,) = (tmp_path / "kernels").iterdir()
    for text in (b"", b"no pickle", file.read_bytes()[:-3]):
        file.write_bytes(text)
        assert kernel(2).load_overload("(x)", None) is None
    kernel(2).save_overload("(x)", Compiled(code="for another device"))
    assert kernel(2).load_overload("(x)", None) is None


def test_a_folder_that_cannot_be_written_does_not_matter(kernel, tmp_path):
    (tmp_path / "kernels").write_text("a file")
    assert kernel(2) is None


def test_without_a_folder_nothing_is_kept(monkeypatch):
    monkeypatch.delenv(kernel_cache.FOLDER, raising=False)
    kernel = SimpleNamespace(_cache="Numba's")
    kernel_cache.keep(kernel)
    assert kernel._cache == "Numba's"


class Bomb:
    """A pickle that leaves a trace when it is read."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


def test_a_pickle_that_another_put_there_is_not_read(kernel, tmp_path):
    kernel(2).save_overload("(x)", Compiled(code="compiled"))
    (file,) = (tmp_path / "kernels").iterdir()
    whole = file.read_bytes()
    file.write_bytes(pickle.dumps(Bomb(tmp_path / "ran")))
    assert kernel(2).load_overload("(x)", None) is None
    private_files.write(file, pickle.dumps(Bomb(tmp_path / "ran")))
    file.chmod(0o666)
    assert kernel(2).load_overload("(x)", None) is None
    assert not (tmp_path / "ran").exists()
    file.write_bytes(whole)
    file.chmod(0o600)
    assert kernel(2).load_overload("(x)", None).state == {"code": "compiled"}


def test_a_folder_that_others_can_write_is_not_used_and_said_once(kernel, tmp_path, capsys):
    kernel_cache._is_private.cache_clear()
    (tmp_path / "kernels").mkdir(mode=0o700)
    (tmp_path / "kernels").chmod(0o777)
    assert kernel(2) is None is kernel(3)
    folder = tmp_path / "kernels"
    why = f"{folder} can be written by others: chmod go-w {folder}"
    assert capsys.readouterr().err == f"vecsim: compiled kernels are not kept: {why}\n"
