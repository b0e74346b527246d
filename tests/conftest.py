"""Settings and surroundings of the whole suite."""

import gc
import os
import tempfile
from pathlib import Path

import pytest
from file_server import FileServer

pytest_plugins = ("tiers", "processes", "worker_messages", "gpu_in_tests")

# As the user has set it, before a test can change it: folders, separated like those of PATH.
NAMED = os.environ.get("VECSIM_MATRICES", "")
NETWORK = ("VECSIM_SUITESPARSE_URL", "VECSIM_MATRIX_MARKET_URL")


def pytest_configure(config):
    """Keep the compiled engine in pytest's cache: its file bears the fingerprint of all that it is made from.

    VECSIM_TESTS_CACHE names another folder.
    """
    gc.disable()  # of the time of collection, a sixth
    _let_one_process_compile_a_function()
    if hasattr(config, "workerinput"):
        return
    if named := os.environ.get("VECSIM_TESTS_CACHE"):
        os.environ["VECSIM_CACHE"] = named
    elif cache := getattr(config, "cache", None):
        os.environ["VECSIM_CACHE"] = str(cache.mkdir("vecsim"))
    else:
        folder = tempfile.TemporaryDirectory(prefix="vecsim-tests-")
        os.environ["VECSIM_CACHE"] = folder.name
        config.add_cleanup(folder.cleanup)


def pytest_collection_finish():
    """Look for garbage seldom, and for none among the modules and the tests, some million objects."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """Collect garbage once: pytest and Python do it again and again until a worker ends, a second each."""
    gc.collect()
    gc.freeze()


def _let_one_process_compile_a_function():
    """Let no two processes compile one function of Numba that is kept on disk.

    Others wait for it instead of doing the same work; nor do they write files of one number, which Numba
    gives out by those it finds.
    """
    from filelock import FileLock
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    compile_or_load = Dispatcher.compile
    locks = {}

    def alone(self, signature):
        folder = self._cache.cache_path
        if folder is None:  # nothing of it is kept
            return compile_or_load(self, signature)
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}.lock"
        # Numba's own lock first: another thread may hold it, and compile a function that calls this one.
        with global_compiler_lock, locks.setdefault(name, FileLock(Path(folder) / name)):
            return compile_or_load(self, signature)

    Dispatcher.compile = alone


def folders_of_real_matrices():
    """Return the folders that VECSIM_MATRICES names, where they exist."""
    named = [Path(name).expanduser() for name in NAMED.split(os.pathsep) if name]
    return [folder for folder in dict.fromkeys(named) if folder.is_dir()]


@pytest.fixture(scope="session", autouse=True)
def surroundings():
    """Let no test ask the network, nor depend on which matrices are available unless it says so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VECSIM_OFFLINE", "1")
        patch.setenv("NO_PROXY", "127.0.0.1")
        for name in ("VECSIM_MATRICES", *NETWORK):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def real_matrices(monkeypatch):
    """Let `load` find the real matrices that are available."""
    monkeypatch.setenv("VECSIM_MATRICES", os.pathsep.join(map(str, folders_of_real_matrices())))


@pytest.fixture(scope="session")
def real_matrix():
    """Return the file of a real matrix by its name, ``NAME.mtx.gz``; skip the test where there is none."""

    def find(name):
        for folder in folders_of_real_matrices():
            if (folder / f"{name}.mtx.gz").is_file():
                return folder / f"{name}.mtx.gz"
        return pytest.skip(f"{name}.mtx.gz is not found")

    return find


@pytest.fixture
def sweeps_in_one_process(monkeypatch):
    """Let a sweep that names no number of processes start none: that takes longer than a few cells."""
    monkeypatch.setattr("experiments.whatif.sweep.running.processors", lambda: 1)


@pytest.fixture
def file_server():
    """Yield a web server on this machine."""
    server = FileServer()
    yield server
    server.close()


@pytest.fixture
def collections(file_server, monkeypatch, tmp_path):
    """Let both collections lie on the server of this machine, with an empty cache and little patience."""
    from vecsim.data import download

    monkeypatch.delenv("VECSIM_OFFLINE")
    monkeypatch.setenv("VECSIM_SUITESPARSE_URL", f"{file_server.url}/MM")
    monkeypatch.setenv("VECSIM_MATRIX_MARKET_URL", f"{file_server.url}/pub/MatrixMarket2/")
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        download, "PATIENCE", download.Patience(connect=1, silence=0.3, attempts=3, pause=0.01)
    )
    return file_server
