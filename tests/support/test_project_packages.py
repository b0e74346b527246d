"""A folder with the name of one of vecsim's packages, where Python looks first."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import one_combination_in

import vecsim
from vecsim.support.project_packages import project_packages

ROOT = Path(vecsim.__file__).parents[1]
SCRIPT = "import sys\nfrom vecsim.cli import main\nsys.exit(main())\n"


@pytest.fixture
def folder(tmp_path):
    """A folder to work in; `named` puts a package of that name into it."""

    def named(name, text="", *, module=False):
        if module:
            (tmp_path / f"{name}.py").write_text(text)
        else:
            (tmp_path / name).mkdir()
            (tmp_path / name / "__init__.py").write_text(text)
        return tmp_path

    return named


def python(*arguments, cwd, path=(ROOT,), ending=1):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == ending, done.stderr
    return done


def in_the_way(place, package):
    return f"{place} hides vecsim's package '{package}': rename it, or start Python in "


@pytest.mark.parametrize(("package", "name"), [("programs", "measure"), ("isa", "assemble"), ("isa", "run")])
def test_from_python(folder, package, name):
    # What is in the way must not run, whatever it is.
    cwd = folder(package, "raise SystemExit('this was imported')")
    done = python("-c", f"import vecsim; vecsim.{name}", cwd=cwd)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(
        "vecsim.support.errors.UserError: " + in_the_way(f"the folder {cwd / package}", package)
    )


COMMANDS = {
    "programs": ["run", "laplace2d-3"],
    "isa": ["isa"],
    "gpu": ["gpu", "info"],
    "experiments": ["reproduce", "hism-table1"],
}


@pytest.mark.parametrize(("begun", "package"), one_combination_in(2, ["script", "module"], COMMANDS))
def test_from_the_command_line(folder, package, begun, tmp_path_factory):
    cwd = folder(package)
    if begun == "module":
        done = python("-m", "vecsim", *COMMANDS[package], cwd=cwd, ending=2)
    else:  # a console script's own folder comes first; the folder one works in only if PYTHONPATH names it
        script = tmp_path_factory.mktemp("bin") / "vecsim"
        script.write_text(SCRIPT)
        done = python(script, *COMMANDS[package], cwd=cwd, path=(".", ROOT), ending=2)
    assert done.stderr.startswith("vecsim: error: " + in_the_way(f"the folder {cwd / package}", package))
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_module_in_the_way(folder):
    cwd = folder("programs", module=True)
    done = python("-c", "import vecsim; vecsim.PROGRAMS", cwd=cwd)
    assert in_the_way(f"the file {cwd / 'programs.py'}", "programs") in done.stderr


def test_one_that_was_imported_before(folder):
    cwd = folder("programs")
    done = python("-c", "import programs, vecsim; vecsim.measure", cwd=cwd)
    assert in_the_way(f"the folder {cwd / 'programs'}", "programs") in done.stderr


def test_what_is_not_needed_is_not_in_the_way(folder):
    cwd = folder("experiments")
    python("-c", "import vecsim; vecsim.load_machine('vs2003'); vecsim.assemble", cwd=cwd, ending=0)
    assert python("-m", "vecsim", "isa", cwd=cwd, ending=0).stdout.startswith("opcode")


EDITABLE = f"""
import sys
from importlib.util import spec_from_file_location
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in ("vecsim", "isa", "programs"):
            folder = {str(ROOT)!r} + "/" + name
            return spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])
sys.meta_path.append(Finder())
import vecsim
vecsim.measure
"""


def test_a_folder_without_code_and_an_editable_install(tmp_path):
    """Editable installs come last: a folder that is no package, such as one of results, goes before them."""
    (tmp_path / "programs").mkdir()
    done = python("-S", "-c", EDITABLE, cwd=tmp_path, path=())
    assert in_the_way(f"the folder {tmp_path / 'programs'}", "programs") in done.stderr


def test_nothing_stays_behind():
    before = list(sys.meta_path)
    with project_packages():
        assert len(sys.meta_path) == len(before) + 1
        import programs

        assert Path(programs.__file__).parents[1] == ROOT
    assert sys.meta_path == before
