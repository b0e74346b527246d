"""What an extension reads or imports is in its digest, and is read again when it has changed."""

import gc
import importlib
import os
import platform
import py_compile
import socket
import subprocess
import sys
import textwrap
import time
import zipfile

import pytest

from vecsim.machine import load_machine
from vecsim.machine.extension_files import load_extensions
from vecsim.support.project_packages import LIBRARIES, ROOT

EXTENSION = """
from vecsim import Extension
{read}
slow = Extension("slow", "slower")
LATENCY = slow.number("latency", value, "cycles")
"""
READS = {
    "open": "value = int(open(DATA).read())",
    "os.open": "import os; value = int(os.read(os.open(DATA, os.O_RDONLY), 9))",
    "pathlib": "from pathlib import Path; value = int(Path(DATA).read_text())",
    "json": "import json; value = json.load(open(DATA))",
    "tomllib": "import tomllib; value = tomllib.loads('a = ' + open(DATA).read())['a']",
    "numpy": "import numpy as np; value = int(np.loadtxt(DATA))",
    "numpy.fromfile": "import numpy as np; value = int(np.fromfile(DATA, sep=' ')[0])",
    "mmap": (
        "from mmap import PROT_READ, mmap\n"
        "with open(DATA) as f:\n    value = int(mmap(f.fileno(), 0, prot=PROT_READ)[:])"
    ),
    "linecache": "import linecache; linecache.clearcache(); value = int(linecache.getline(DATA, 1))",
    "runpy": "import runpy; value = runpy.run_path(DATA + '.py')['value']",
    "exec": "exec(open(DATA + '.py').read())",
    "a module": "from helper import value",
    "a module of a module": "from between import value",
    "a package": "from package.part import value",
    "a relative import": "from package import value",
    "importlib": "import importlib; value = importlib.import_module('helper').value",
    "a module in a function": "def read():\n    import helper\n    return helper.value\nvalue = read()",
    "data of a module": "from reader import value",
    "a folder": "import os; value = len(os.listdir(FOLDER)) + 1",
    "glob": "import glob; value = len(glob.glob(FOLDER + '/*')) + 1",
    "a variable": "import os; value = int(os.environ['VECSIM_TEST_VALUE'])",
    "getenv": "import os; value = int(os.getenv('VECSIM_TEST_VALUE', '3'))",
    "a file that may be missing": "import os; value = 5 if os.path.exists(FOLDER + '/b') else 6",
    "a path that may be missing": "from pathlib import Path; value = 5 if Path(FOLDER, 'b').exists() else 6",
    "a file that is tried": ("try:\n    open(FOLDER + '/b')\n    value = 5\nexcept OSError:\n    value = 6"),
    "a module that may be missing": "try:\n    from more import value\nexcept ImportError:\n    value = 4",
    "a compiled library": (
        "from pathlib import Path\nfrom scipy.io import mmread\n"
        "value = int(mmread(Path(__file__).with_name('data.mtx'))[0, 0])"
    ),
    "a link": "import os; value = len(os.readlink(FOLDER + '/../link'))",
    "a link that may be missing": "import os; value = 6 if os.path.islink(FOLDER + '/b') else 5",
    "sqlite": (
        "import sqlite3; value = sqlite3.connect(DATA + '.db').execute('select v from t').fetchone()[0]"
    ),
}


def write(folder, value):
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "folder" / "a").touch()
    if value == 6 and not (folder / "folder" / "b").exists():
        (folder / "folder" / "b").symlink_to("a")
    (folder / "data").write_text(str(value))
    (folder / "data.mtx").write_text(f"%%MatrixMarket matrix array integer general\n1 1\n{value}\n")
    (folder / "link").unlink(missing_ok=True)
    (folder / "link").symlink_to("x" * value)
    (folder / "data.py").write_text(f"value = {value}")
    (folder / "helper.py").write_text(f"value = {value}\n")
    (folder / "between.py").write_text("import helper\nvalue = helper.value\n")
    (folder / "reader.py").write_text(f"value = int(open({str(folder / 'data')!r}).read())\n")
    (folder / "package").mkdir(exist_ok=True)
    (folder / "package" / "__init__.py").write_text("from .part import value\n")
    (folder / "package" / "part.py").write_text(f"value = {value}\n")
    if value == 6:
        (folder / "more.py").write_text("value = 6\n")
    os.environ["VECSIM_TEST_VALUE"] = str(value)
    import sqlite3

    with sqlite3.connect(folder / "data.db") as database:
        database.execute("drop table if exists t")
        database.execute("create table t as select ? as v", (value,))
    database.close()


def write_extension(folder, read):
    read = read.replace("DATA", repr(str(folder / "data"))).replace("FOLDER", repr(str(folder / "folder")))
    path = folder / "slow.py"
    path.write_text(EXTENSION.replace("{read}", read))
    return path


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("VECSIM_TEST_VALUE", "5")


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_what_is_read_counts(tmp_path, read):
    """The same file within one process, whatever Python keeps of its modules."""
    path = write_extension(tmp_path, read)
    write(tmp_path, 5)
    first = load_machine("vs2003", extend=[path])
    again = load_machine("vs2003", extend=[path])
    assert first.extensions[0] is again.extensions[0]
    write(tmp_path, 6)
    second = load_machine("vs2003", extend=[path])
    assert first.slow.latency != second.slow.latency
    assert first.sha256 != second.sha256
    assert first.extensions[0].sha256 != second.extensions[0].sha256


def test_two_extensions_of_one_module(tmp_path):
    """The second finds the module in `sys.modules`, and depends on it too."""
    write(tmp_path, 5)
    names = ("one", "two")
    for name in names:
        text = EXTENSION.replace("{read}", "from between import value").replace("slow", name)
        (tmp_path / f"{name}.py").write_text(text)

    def load():
        return [load_extensions(str(tmp_path / f"{name}.py"))[0] for name in names]

    before = load()
    (tmp_path / "helper.py").write_text("value = 6\n")
    after = load()
    assert [each.numbers[0].default for each in before + after] == [5, 5, 6, 6]
    assert len({each.sha256 for each in before + after}) == 4


def test_an_extension_that_loads_another(tmp_path):
    write(tmp_path, 5)
    inner = tmp_path / "inner.py"
    inner.write_text(EXTENSION.replace("{read}", "from helper import value").replace("slow", "inner"))
    path = write_extension(
        tmp_path,
        "from vecsim import load_machine\n"
        f"value = load_machine('vs2003', extend=[{str(inner)!r}]).inner.latency",
    )
    for name in ("helper.py", "inner.py"):
        before = load_machine("vs2003", extend=[path])
        (tmp_path / name).write_text((tmp_path / name).read_text().replace("value = 5", "value = 6") + "\n")
        assert load_machine("vs2003", extend=[path]).sha256 != before.sha256
    assert load_machine("vs2003", extend=[path]).slow.latency == 6


def test_a_module_that_the_user_has_imported_stays_what_it_is(tmp_path, monkeypatch):
    write(tmp_path, 5)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    helper = importlib.import_module("helper")
    helper.value = 7
    path = write_extension(tmp_path, "from helper import value")
    assert load_machine("vs2003", extend=[path]).slow.latency == 5
    assert sys.modules["helper"] is helper
    assert helper.value == 7


def test_a_file_alone_has_its_own_digest(tmp_path):
    import hashlib

    path = write_extension(tmp_path, "import numpy as np\nimport json, os.path\nvalue = 5")
    (extension,) = load_extensions(str(path))
    assert extension.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert extension.outside == ""


def test_folders_are_not_in_the_digest(tmp_path):
    actual = []
    for name in "ab":
        folder = tmp_path / name
        folder.mkdir()
        write(folder, 5)
        path = folder / "slow.py"
        read = "import os\nvalue = int(open(os.path.join(os.path.dirname(__file__), 'data')).read())"
        path.write_text(EXTENSION.replace("{read}", read + "\nimport between"))
        actual.append(load_extensions(str(path))[0].sha256)
    assert actual[0] == actual[1]


def test_the_digest_is_the_same_in_another_process(tmp_path):
    write(tmp_path, 5)
    path = write_extension(tmp_path, "import fractions, numpy.polynomial\n" + READS["data of a module"])
    code = textwrap.dedent(
        f"""
        from vecsim.machine.extension_files import load_extensions
        print(load_extensions({str(path)!r})[0].sha256)
        """
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert ended.stdout.strip() == load_extensions(str(path))[0].sha256, ended.stderr


ANSWERED = {
    "the working folder": "import os; value = len(os.getcwd())",
    "the working folder by pathlib": "from pathlib import Path; value = len(str(Path.cwd()))",
    "the working folder of a path": "import os; value = len(os.path.abspath('a'))",
    "processors": "import os; value = os.cpu_count()",
    "processors by multiprocessing": "import multiprocessing; value = multiprocessing.cpu_count()",
    "the host": "import socket; value = len(socket.gethostname())",
    "the host by platform": "import platform; value = len(platform.node())",
    "the host by os": "import os; value = len(os.uname().nodename)",
    "the names of variables": "import os; value = len(os.environ)",
}


@pytest.mark.parametrize("read", ANSWERED.values(), ids=ANSWERED)
def test_what_the_system_answers_counts(tmp_path, monkeypatch, read):
    path = write_extension(tmp_path, read)
    long = tmp_path / "a folder with a longer name"
    long.mkdir()
    monkeypatch.chdir(tmp_path)
    before = load_machine("vs2003", extend=[path])
    assert load_machine("vs2003", extend=[path]).extensions[0] is before.extensions[0]
    monkeypatch.chdir(long)
    monkeypatch.setattr(os, "cpu_count", lambda: 1000)
    for module, name in ((socket, "gethostname"), (platform, "node")):
        monkeypatch.setattr(module, name, lambda: "a host with a name that is longer than most")
    plain = os.uname()
    changed = os.uname_result((plain.sysname, socket.gethostname(), *plain[2:]))
    monkeypatch.setattr(os, "uname", lambda: changed)
    monkeypatch.setenv("VECSIM_TEST_ONE_MORE", "1")
    after = load_machine("vs2003", extend=[path])
    assert before.slow.latency != after.slow.latency
    assert before.extensions[0].sha256 != after.extensions[0].sha256
    assert {each.outside for each in (*before.extensions, *after.extensions)} == {""}


CLOCK, RANDOM, IDENTITY = "asks the clock", "draws random numbers", "asks for a number of this process"
OUTSIDE = {
    "import subprocess; value = int(subprocess.check_output(['echo', '5']))": "begins a process",
    "import os; value = 5 + os.system('true')": "begins a process",
    "value = open('/dev/urandom', 'rb').read(1)[0] % 9 + 1": "reads a device or a pipe",
    "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 1))\nexcept OSError:\n    value = 5": (
        "opens a connection"
    ),
    "import socket; value = len(socket.gethostbyname('localhost'))": "opens a connection",
    "import threading; value = 5; t = threading.Thread(target=id, args=(1,)); t.start(); t.join()": (
        "begins a thread"
    ),
    "import time; value = int(time.time()) % 9 + 1": CLOCK,
    "from time import perf_counter_ns as p; value = p() % 9 + 1": CLOCK,
    "import timeit; value = int(timeit.timeit('1', number=1)) + 1": CLOCK,
    "import datetime; value = datetime.datetime.now().day": CLOCK,
    "from datetime import date; value = date.today().day": CLOCK,
    "import os; value = os.urandom(1)[0] + 1": RANDOM,
    "import random; value = random.randint(1, 9)": RANDOM,
    "from random import Random; value = Random().randint(1, 9)": RANDOM,
    "import random; random.seed(); value = random.randint(1, 9)": RANDOM,
    "import random; random.random(); random.seed(5); value = 5": RANDOM,
    "import secrets; value = secrets.randbelow(9) + 1": RANDOM,
    "import uuid; value = uuid.uuid4().int % 9 + 1": RANDOM,
    "import numpy as np; value = int(np.random.randint(1, 9))": RANDOM,
    "import numpy as np; value = int(np.random.default_rng().integers(1, 9))": RANDOM,
    "import numpy as np; np.random.seed(); value = int(np.random.randint(1, 9))": RANDOM,
    "import numpy as np; np.random.rand(); np.random.seed(5); value = 5": RANDOM,
    "from scipy.stats import norm; value = int(abs(norm.rvs())) + 1": RANDOM,
    "import os; value = os.getpid()": IDENTITY,
    "value = hash('text') % 9 + 1": IDENTITY,
    "import os; value = int(os.path.getmtime(DATA)) % 9 + 1": "asks when a file was changed",
    "from clock import value": CLOCK,
}


@pytest.mark.parametrize(("read", "outside"), OUTSIDE.items())
def test_what_cannot_be_looked_at_again_is_named(tmp_path, read, outside):
    write(tmp_path, 5)
    (tmp_path / "clock.py").write_text(
        "import time\ndef now():\n    return time.time()\nvalue = int(now()) % 9 + 1"
    )
    path = write_extension(tmp_path, read.replace("value = os.getpid()", "value = os.getpid() % 9 + 1"))
    assert load_extensions(str(path))[0].outside == f"{outside} while it is loaded"


INSIDE = {
    "random": "import random; random.seed(5); value = random.randint(1, 9)",
    "Random": "import random; value = random.Random('text').randint(1, 9)",
    "a state": "import random; random.setstate(random.Random(5).getstate()); value = random.randint(1, 9)",
    "numpy.random": "import numpy as np; np.random.seed(5); value = int(np.random.randint(1, 9))",
    "default_rng": "import numpy as np; value = int(np.random.default_rng(5).integers(1, 9))",
    "dates": "from datetime import date; value = (date(2024, 1, 5) - date(2024, 1, 1)).days",
    "a library that asks when imported": "import logging, asyncio, tempfile; value = 5",
    "what vecsim asks": (
        "import numpy as np\nfrom vecsim import assemble, load_machine, run\n"
        "value = run(assemble('halt'), np.zeros(64, np.uint8), load_machine('t0'), engine='simpy').cycles"
    ),
    "hashes of a class": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    a: int\n"
        "value = {A(5): 5}[A(5)]"
    ),
    "its own path": "from pathlib import Path; value = len(Path(__file__).resolve().name)",
    "the command line": "import sys; value = len(sys.argv) + len(sys.orig_argv)",
    "the standard input": "import sys; value = len(sys.stdin.read()) + 5",
}


def test_what_is_called_as_memory_is_collected_is_not_named(tmp_path, monkeypatch):
    """Such as by Hypothesis, which times it."""
    monkeypatch.chdir(tmp_path)
    called = []

    def timed(phase, info):
        called.append(time.perf_counter())

    gc.callbacks.append(timed)
    try:
        write_extension(tmp_path, "import gc; value = 5 + 0 * gc.collect()")
        (extension,) = load_extensions("slow.py")
    finally:
        gc.callbacks.remove(timed)
    assert called
    assert extension.outside == ""


@pytest.mark.parametrize("read", INSIDE.values(), ids=INSIDE)
def test_what_is_the_same_at_any_time_is_not_named(tmp_path, read, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_extension(tmp_path, read)
    (extension,) = load_extensions("slow.py")
    assert extension.outside == ""
    monkeypatch.chdir("..")
    monkeypatch.setattr(sys, "argv", ["some", "other", "words"])
    (again,) = load_extensions(str(tmp_path / "slow.py"))
    assert (again.sha256, again.numbers[0].default) == (extension.sha256, extension.numbers[0].default)


def test_an_archive_of_modules_counts(tmp_path):
    """Modules in an archive are imported from it, with the libraries and the data that they use."""
    archive = tmp_path / "parts.zip"

    def pack(value):
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr("package/__init__.py", "from .part import value\n")
            packed.writestr(
                "package/part.py",
                f"import pkgutil\nvalue = int(pkgutil.get_data('package', 'd')) + {value}\n",
            )
            packed.writestr("package/d", "1\n")

    read = f"import sys; sys.path.insert(0, {str(archive)!r}); from package import value"
    path = write_extension(tmp_path, read)
    actual = []
    for value in (5, 6):
        pack(value)
        actual += [load_machine("vs2003", extend=[path]) for _ in range(2)]
    assert [each.slow.latency for each in actual] == [6, 6, 7, 7]
    assert actual[0].extensions[0] is actual[1].extensions[0]
    assert actual[1].sha256 != actual[2].sha256


def test_a_compiled_module_without_its_source_counts(tmp_path):
    path = write_extension(tmp_path, "from helper import value")
    actual = []
    for value in (5, 6):
        (tmp_path / "helper.py").write_text(f"value = {value}\n")
        py_compile.compile(str(tmp_path / "helper.py"), str(tmp_path / "helper.pyc"))
        (tmp_path / "helper.py").unlink()
        actual.append(load_machine("vs2003", extend=[path]))
    assert [each.slow.latency for each in actual] == [5, 6]
    assert actual[0].sha256 != actual[1].sha256


def test_a_relative_path_is_another_file_in_another_folder(tmp_path, monkeypatch):
    actual = []
    path = write_extension(tmp_path, "value = int(open('number').read())")
    for value in (5, 6):
        folder = tmp_path / str(value)
        folder.mkdir()
        (folder / "number").write_text(str(value))
        monkeypatch.chdir(folder)
        actual.append(load_machine("vs2003", extend=[path]))
    assert [each.slow.latency for each in actual] == [5, 6]
    assert actual[0].sha256 != actual[1].sha256


def test_an_extension_that_imports_what_changed_is_simulated_again(tmp_path):
    from experiments.whatif.sweep import Sweep, sweep

    write(tmp_path, 5)
    path = tmp_path / "ports.py"
    path.write_text(
        "from vecsim import Extension\n"
        "from vecsim.engines.rules.banks import word_start\n"
        "from between import value\n"
        'slow = Extension("slow", "slower")\n'
        "@slow.replaces(word_start)\n"
        "def later(r, instruction, port, address, earliest):\n"
        "    return word_start(r, instruction, port, address, earliest) + value\n"
    )
    spec = Sweep(("laplace2d-2",), ("crs",), extend=(str(path),), engine="simpy")
    first = sweep(spec, store=tmp_path / "s", jobs=1)
    assert sweep(spec, store=tmp_path / "s", jobs=1).computed == 0
    (tmp_path / "helper.py").write_text("value = 6\n")
    second = sweep(spec, store=tmp_path / "s", jobs=1)
    assert second.computed == 1
    assert second.columns["cycles"] > first.columns["cycles"]


def test_all_libraries_that_are_needed_are_named():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {text.split(">")[0].strip() for text in project["dependencies"]}
    assert needed - {"pyelftools"} | {"llvmlite", "elftools"} == set(LIBRARIES)
