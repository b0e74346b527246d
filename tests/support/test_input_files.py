"""The one place that opens what a user names: regular files only, of a limited size."""

import ast
import os
import re
import signal
import socket
import threading
from pathlib import Path

import pytest

from vecsim.support.errors import UserError
from vecsim.support.input_files import (
    InputKind,
    is_regular,
    open_input,
    read_input,
    read_text,
    require_regular,
)

SMALL = InputKind("a small file", 8)
ROOT = Path(__file__).parents[2]
PACKAGES = ("isa", "vecsim", "programs", "gpu", "experiments")

OPENS = {"open", "read_text", "read_bytes", "fromfile", "memmap", "loadtxt", "genfromtxt", "mmread"}
"""Functions and methods that open a file, whatever they belong to."""
OF_MODULES = {
    "connect": {"sqlite3"},
    "load": {"np", "numpy", "json", "tomllib", "pickle", "tomlkit"},
    "loads": {"json", "tomllib"},
    "parse": {"tomlkit"},
    "load_mesh": {"trimesh"},
    "run_path": {"runpy"},
    "ZipFile": {"zipfile"},
}
NAMES = re.compile(rf"\b({'|'.join([*OPENS, *OF_MODULES])})\(")
ELSEWHERE = (
    "read_text(",
    "read_bytes(path)",
    "self.read_bytes(",
    "self.conditions.open(",
    "_Archive.open(",
    "np.load(io.BytesIO(",
    "scipy.io.mmread(io.BytesIO(",
    "trimesh.load_mesh(io.BytesIO(",
)
"""What has such a name and reads by `vecsim.support.input_files`, or in memory, or no file at all."""

ALLOWED = {
    # the functions themselves, and what has rules that are stricter
    "vecsim/support/input_files.py": {"os.open", "_MOUNTS.read_text"},
    "vecsim/support/structured_text.py": {"json.loads", "tomllib.loads"},
    "vecsim/results/private_files.py": {"os.open"},
    # outputs
    "vecsim/results/atomic_files.py": {"partial.open"},
    "vecsim/results/result_folder.py": {"file.open", "file.read_bytes", "os.open"},
    "vecsim/results/archives.py": {"zipfile.ZipFile"},  # in memory
    "vecsim/cli/application.py": {"os.open"},
    "vecsim/cli/printing/streams.py": {"open"},
    "vecsim/data/download.py": {"partial.open"},
    # bytes that are read already, messages of processes, and lines of databases
    "vecsim/debugger/page_session.py": {"json.loads"},
    "experiments/course/confined.py": {"json.loads"},
    "experiments/course/judge.py": {"json.loads"},
    "experiments/course/batch/forked.py": {"json.loads", "os.open"},
    "experiments/whatif/sweep/store_repair.py": {"sqlite3.connect", "path.open"},
    "vecsim/results/journal.py": {"json.loads", "path.open"},
    "gpu/compound/tuning/store.py": {"sqlite3.connect", "json.loads"},
    # files of the package, and of libraries
    "experiments/validation/comparison.py": {"MEASUREMENTS.read_text", "RECORDED.open", "tomllib.loads"},
    "experiments/course/registry.py": {"(STARTERS / f'{name}.s').read_text"},
    "experiments/rvv/recorded_cycles.py": {"FILE.open"},
    "experiments/validation/riscv/recorded.py": {"RECORDED.open"},
    "isa/text/syntax.py": {"files('isa.text').joinpath('grammar.lark').read_text"},
    "vecsim/data/collections/__init__.py": {"(files('vecsim.data.collections') / name).open"},
    "vecsim/data/collections/pinned.py": {"FILE.open"},
    "vecsim/data/families/nep.py": {
        "tomllib.loads",
        "(Path(__file__).parent / 'tolosa.toml').read_text",
    },
    "vecsim/debugger/web.py": {"path.read_bytes", "(package / 'templates' / 'app_index.html').read_text"},
    "vecsim/engines/jit/object_files/fingerprints.py": {"path.read_bytes"},
    "vecsim/engines/targets/gpu/cuda.py": {"(folder / f'{name}-{turn}').open"},
    "vecsim/engines/targets/wasm/linking.py": {"module.read_bytes"},
    "vecsim/engines/targets/wasm/objects.py": {"Path(__file__).read_bytes"},
    "vecsim/machine/preset_files.py": {"tomllib.loads", "f.read_text"},
    "vecsim/viewer/html.py": {
        "(folder / 'page.html.j2').read_text",
        "(folder / 'view.css').read_text",
        "(folder / f'{name}.js').read_text",
    },
    "vecsim/playground/build.py": {
        "(page / SERVICE).read_text",
        "(folder / name).read_bytes",
        "path.read_bytes",
    },
    "vecsim/playground/lessons.py": {
        "input_path(file.parent, name).read_text",
        "file.read_text",
        "course.file.read_text",
    },
    "vecsim/playground/python_files.py": {"zipfile.ZipFile", "path.read_bytes"},
    "vecsim/playground/worker/begin.py": {"json.loads"},
    "programs/course/standalone.py": {"ready.course.file.read_text"},
    "programs/rvv/registry.py": {"self.source.read_bytes", "path.read_bytes"},
    "gpu/choice/cost_model.py": {"tomllib.loads", "path.read_text"},
    "gpu/compound/tuning/library.py": {"json.loads", "path.read_text"},
    "gpu/runtime/kernel_cache.py": {"file.read_bytes"},
    "experiments/code_fingerprint.py": {"Path(path).read_bytes"},
    "experiments/crosscheck/matrices.py": {"tomllib.loads", "FILE.read_text"},
    "experiments/gpu_bench/suite.py": {"tomlkit.parse", "tomllib.loads", "FILE.read_text"},
    "experiments/papers/hism/recorded_calibration.py": {"path.read_text"},
    "experiments/whatif/which_format/results.py": {"path.read_text"},
    "experiments/papers/hism/suite/member.py": {"(files('experiments.papers.hism.suite') / name).read_text"},
    "experiments/whatif/studies.py": {"(resources.files(__package__) / RECORDED / f'{name}.csv').read_text"},
    # what this process or its workers wrote into their own folder
    "experiments/gpu_bench/matrix_supply.py": {"np.load"},
    "experiments/gpu_bench/check.py": {"json.loads", "(folder / FACTS).read_text"},
    "experiments/papers/layouts/recording.py": {"np.load"},
    # the system's own
    "vecsim/data/limits.py": {
        "Path('/proc/self/cgroup').read_text",
        "Path('/proc/meminfo').read_text",
        "Path('/proc/self/statm').read_text",
        "(group / 'memory.max').read_text",
        "(group / 'memory.current').read_text",
        "(group / 'memory.stat').read_text",
    },
    "experiments/course/limits.py": {"Path('/proc/self/statm').read_text"},
    "gpu/runtime/device_info.py": {"KERNEL_MODULE.read_text"},
    "isa/worked.py": {"file.read_text"},
}
"""Calls that open a file otherwise, by module. None of these files is one that a user names."""


def opening(tree):
    """The calls of a module that open a file, or parse what a user may have nested, as they are written."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name not in OPENS and name not in OF_MODULES:
            continue
        called, whole = ast.unparse(node.func), ast.unparse(node)
        of_module = called.rpartition(".")[0] in OF_MODULES.get(name, ())
        if (name in OPENS or of_module) and not whole.startswith(ELSEWHERE):
            yield called


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_user_names_is_opened_in_one_place(package):
    actual = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if calls := set(opening(ast.parse(text))) if NAMES.search(text) else set():
            actual[path.relative_to(ROOT).as_posix()] = calls
    others = {path: calls - ALLOWED.get(path, set()) for path, calls in actual.items()}
    assert {path: calls for path, calls in others.items() if calls} == {}, (
        "open it by vecsim.support.input_files; if no user can name the file, say so in ALLOWED"
    )
    gone = {
        path: calls - actual.get(path, set())
        for path, calls in ALLOWED.items()
        if path.startswith(f"{package}/")
    }
    assert {path: calls for path, calls in gone.items() if calls} == {}


def test_a_regular_file_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"12345678")
    assert read_input(tmp_path / "a", SMALL) == b"12345678"
    (tmp_path / "link").symlink_to("a")
    assert read_input(str(tmp_path / "link"), SMALL) == b"12345678"
    (tmp_path / "empty").touch()
    assert read_input(tmp_path / "empty", SMALL) == b""


@pytest.mark.parametrize(
    ("content", "text"),
    [(b"\xef\xbb\xbfa\n", "a\n"), (b"a\r\nb\rc\n", "a\nb\nc\n"), ("\u00e9\ufeff".encode(), "\u00e9\ufeff")],
)
def test_a_text_may_begin_with_a_byte_order_mark(tmp_path, content, text):
    (tmp_path / "a").write_bytes(content)
    assert read_text(tmp_path / "a", SMALL) == text


def test_what_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"ab\xff")
    with pytest.raises(UserError) as error:
        read_text(tmp_path / "a", SMALL, "it")
    assert str(error.value) == "it: is not text in UTF-8: byte 0xff at offset 2; save it as UTF-8"


def test_no_more_than_the_limit_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"123456789")
    for read in (read_input, open_input, require_regular):
        with pytest.raises(
            UserError, match=r"^it: the file has more than 8 bytes; use a smaller one: a small"
        ):
            read(tmp_path / "a", SMALL, "it")


def test_a_file_that_grows_is_read_to_its_limit(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"123456789")
    true = (tmp_path / "a").stat()
    said = os.stat_result((*true[:6], 0, *true[7:]))
    monkeypatch.setattr(os, "fstat", lambda descriptor: said)
    monkeypatch.setattr(Path, "stat", lambda path, **_: said)
    with pytest.raises(UserError, match="more than 8 bytes"):
        read_input(tmp_path / "a", SMALL)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "a")
    monkeypatch.setattr("vecsim.support.input_files.require_regular", lambda *_: None)
    timer = threading.Timer(20, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(UserError, match="is a pipe, a small file is needed; write it to a file first"):
        read_input(tmp_path / "a", SMALL)
    timer.cancel()


def test_a_socket_is_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a")
        with pytest.raises(UserError, match=r"^a: is a socket, a small file is needed$"):
            read_input("a", SMALL)


KERNEL = InputKind("a file of the kernel", 1 << 20, kernel=True)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no such file system here")
@pytest.mark.parametrize("name", ["/proc/self/environ", "/proc/self/maps", "/proc/self/mem", "/proc/version"])
def test_files_of_the_kernel_are_refused(tmp_path, name):
    (tmp_path / "link").symlink_to(name)
    for path in (name, tmp_path / "link", f"/proc/self/root{name}"):
        for read in (read_input, open_input, require_regular):
            with pytest.raises(UserError, match=r"^it: is a file of the kernel, a small file is needed; "):
                read(path, SMALL, "it")
    assert name == "/proc/self/mem" or read_input(name, KERNEL)
    (tmp_path / "a").write_bytes(b"1")
    with (tmp_path / "a").open() as file:  # a link of the kernel's to a file of the user's
        assert read_input(f"/proc/self/fd/{file.fileno()}", SMALL) == b"1"


def test_files_of_the_kernel_are_refused_wherever_they_are(tmp_path, monkeypatch):
    """Which file system a file is on is looked up in the list of mounts."""
    (tmp_path / "a").touch()
    (tmp_path / "mounts").write_text(
        "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n30 27 0:77 / /srv/sys rw - sysfs sysfs rw\n"
    )
    monkeypatch.setattr("vecsim.support.input_files._MOUNTS", tmp_path / "mounts")
    true = (tmp_path / "a").stat()
    for device, is_refused in ((os.makedev(0, 77), True), (os.makedev(0, 7), False), (true.st_dev, False)):
        said = os.stat_result((*true[:2], device, *true[3:]))
        monkeypatch.setattr(Path, "stat", lambda path, said=said, **_: said)
        if is_refused:
            with pytest.raises(UserError, match="is a file of the kernel"):
                require_regular(tmp_path / "a", SMALL)
        else:
            require_regular(tmp_path / "a", SMALL)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "no such file"),
        ("file/below", "cannot be read: Not a directory"),
        ("x" * 300, "cannot be read: File name too long"),
        ("nul\0", "cannot be read: embedded null"),
        (".", "is a directory, a small file is needed"),
    ],
)
def test_what_cannot_be_opened_is_said(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UserError) as error:
        read_input(name, SMALL, "it")
    assert str(error.value).startswith(f"it: {message}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_the_right_to_read_it(tmp_path):
    (tmp_path / "a").touch(mode=0)
    with pytest.raises(UserError, match="cannot be read: Permission denied"):
        read_input(tmp_path / "a", SMALL)


def test_descriptors_are_closed(tmp_path):
    (tmp_path / "a").write_bytes(b"123456789")
    before = len([*Path("/proc/self/fd").iterdir()])
    for name in ("a", ".", "gone"):
        with pytest.raises(UserError):
            read_input(tmp_path / name, SMALL)
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_name_that_no_file_can_have_is_none(tmp_path):
    assert not is_regular("x" * 5000) and not is_regular("a\0b") and not is_regular(tmp_path)
    (tmp_path / "a").touch()
    assert is_regular(tmp_path / "a")
