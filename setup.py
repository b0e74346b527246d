"""Builds the package as pyproject.toml says, and writes into it which commit it was built from.

The module ``vecsim/results/_commit.py`` is made in what is built alone, never in the checkout. An editable
install has none: it asks git when it runs. A source distribution carries its own: nobody can
ask git there.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
# By its path: the package need not be importable where it is built.
spec = spec_from_file_location("vecsim_commit", ROOT / "vecsim" / "results" / "commit.py")
commit = sys.modules[spec.name] = module_from_spec(spec)
spec.loader.exec_module(commit)


def write_commit(folder):
    """Write the commit of this checkout into a copy of the package; without git, leave what it has."""
    result = commit.of_checkout(ROOT)
    if result is not None:
        (Path(folder) / "vecsim" / "results" / f"{commit.BAKED}.py").write_text(
            commit.as_module(result), encoding="utf-8"
        )


class BuildWithCommit(build_py):
    """Copies the package, with its commit."""

    def run(self):
        """Copy the package."""
        super().run()
        if not self.editable_mode:
            write_commit(self.build_lib)


class SourceWithCommit(sdist):
    """Makes a source distribution, with its commit."""

    def make_release_tree(self, base_dir, files):
        """Copy the files."""
        super().make_release_tree(base_dir, files)
        write_commit(base_dir)


setup(cmdclass={"build_py": BuildWithCommit, "sdist": SourceWithCommit})
