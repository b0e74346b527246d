"""CONTRIBUTING's table of what to write where: each thing is added to a copy of the packages, and works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("isa", "vecsim", "programs", "gpu", "experiments")

pytestmark = pytest.mark.ci


class Copy:
    """A copy of the packages, in which files are changed as CONTRIBUTING says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for package in PACKAGES:
            shutil.copytree(ROOT / package, folder / package)  # with what Python and Numba have compiled

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def append(self, name: str, text: str) -> None:
        with (self.folder / name).open("a") as file:
            file.write(text)

    def insert(self, name: str, after: str, text: str) -> None:
        """Insert text after the first place where `after` stands."""
        path = self.folder / name
        before, actual, rest = path.read_text().partition(after)
        assert actual, f"{name} does not contain {after!r}"
        path.write_text(before + actual + text + rest)

    def python(self, program: str, **variables: str) -> str:
        return self._run([sys.executable, "-c", program], variables)

    def vecsim(self, *arguments: str, **variables: str) -> str:
        return self._run([sys.executable, "-m", "vecsim", *arguments], {"COLUMNS": "200"} | variables)

    def _run(self, command: list[str], variables: dict[str, str]) -> str:
        environment = os.environ | {"PYTHONPATH": str(self.folder)} | variables
        ran = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path / "copy")


NEGATED = """
negv.s v1, v2
    vl = 3, v2 = 1 -2.5 0 => v1 = -1 2.5 -0.0
negv.s v2, v2
    vl = 1, v2 = 4 5 => v2 = -4 5
"""


def test_an_instruction(copy):
    copy.append(
        "isa/semantics/vector.py",
        """

def negv_s(m: State, n: int, d: int, a: int) -> None:
    \"\"\"Negative, float32.\"\"\"
    s = m.section
    for k in range(n):
        put_vs(m, d * s + k, -m.vs[2 * (a * s + k)])
""",
    )
    copy.append(
        "isa/rows/moves.py",
        """    yield move("negv.s", 0x7F, "vd=, va", vector.negv_s, "vd[k] = -va[k], float32")
""",
    )
    copy.write("a.s", ".data 1024\nfrom: .float 1, -2\n.text\nli x1, 2\nsetvl x1\nlv.w v1, from(x0)\n")
    copy.append("a.s", "negv.s v2, v1\nsv.w v2, 2048(x0)\nhalt\n")
    shown = copy.vecsim("exec", "a.s", "--engine", "simpy", "--dump", "2048:2:float")
    assert shown.partition("2048")[2].partition("2048")[2].split()[:2] == ["-1", "2"]
    copy.vecsim("asm", "a.s", "-o", "a.bin")
    assert "negv.s" in copy.vecsim("disasm", "a.bin")
    with pytest.raises(AssertionError, match=r"negv\.s has 0 of at least 2 worked examples"):
        copy.vecsim("isa", "negv.s")
    copy.append("isa/examples/vector_moves.txt", NEGATED)
    assert "-va[k]" in copy.vecsim("isa", "negv.s")


FORMAT = '''"""Compressed Column Storage, for a test."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_range


@dataclass(frozen=True, eq=False)
class CCS(StoredAsArrays):
    """The entries column by column, and where each column begins."""

    shape: Shape
    pointers: NDArray[np.int32]
    rows: NDArray[np.int32]
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any) -> Self:
        """Convert a SciPy sparse matrix."""
        columns = canonical_csr(matrix).tocsc()
        columns.sort_indices()
        return cls(columns.shape, columns.indptr, columns.indices, columns.data)

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        columns = np.repeat(np.arange(self.shape[1]), np.diff(self.pointers))
        return self.rows.astype(np.int64), columns.astype(np.int64)

    def check(self) -> None:
        """Check every invariant of the format."""
        check_range("rows", self.rows, self.shape[0])
'''


def add_format(copy: Copy) -> None:
    copy.write("vecsim/formats/ccs.py", FORMAT)
    registry = "vecsim/formats/registry.py"
    copy.insert(
        registry, "from vecsim.formats.bbcs.container import BBCS\n", "from vecsim.formats.ccs import CCS\n"
    )
    copy.insert(
        registry, "\n_ALL = (\n", '    NamedFormat("ccs", "columns one after the other", "a test", CCS),\n'
    )


def test_a_format(copy):
    add_format(copy)
    # Nothing of the copy is compiled yet, and all formats take a minute.
    listed = copy.vecsim("formats", "laplace2d-5", NUMBA_DISABLE_JIT="1")
    assert "columns one after the other" in listed
    copy.python(
        "import numpy as np, scipy.sparse\n"
        "from vecsim import FORMATS\n"
        "matrix = scipy.sparse.random_array((9, 7), density=0.4, rng=1, format='csr')\n"
        "made = FORMATS['ccs'].from_scipy(matrix)\n"
        "made.check()\n"
        "assert abs(made.to_scipy() - matrix).sum() == 0\n"
        "np.testing.assert_allclose(made.matvec(np.arange(7.0)), matrix @ np.arange(7.0))\n"
        "assert made.storage('image') == 8 * made.nnz + 4 * made.nnz + 4 * 8\n"
    )


KERNEL = '''"""The product of CCS, for a test: a thread a row, which looks through every column."""

from typing import Any

from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import wait_for_previous
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload
from vecsim.formats.ccs import CCS


def ccs_kernel(real: Any) -> Any:
    """Make the kernel."""
    zero = real(0)

    @cuda.jit
    def kernel(pointers, rows, values, height, x, y, alpha, beta):
        row = cuda.grid(1)
        wait_for_previous()
        if row < height:
            total = zero
            for column in range(len(pointers) - 1):
                for k in range(pointers[column], pointers[column + 1]):
                    if rows[k] == row:
                        total += values[k] * x[column]
            write_row(y, row, total, alpha, beta, zero)

    return kernel


class CCSProduct(LaunchedInTurn):
    """y = alpha A x + beta y with A in CCS."""

    def __init__(self, matrix: CCS, threads_per_block: int) -> None:
        self.real = real_type(matrix.values)
        self.arrays = [upload(array) for array in (matrix.pointers, matrix.rows, matrix.values)]
        blocks = -(-matrix.shape[0] // threads_per_block)
        arguments = [*self.arrays, matrix.shape[0], X, Y, ALPHA, BETA]
        self.launches = launches_of(ccs_kernel(self.real), blocks, threads_per_block, arguments, self.real)

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return self.arrays
'''


def test_a_kernel(copy):
    pytest.importorskip("numba_cuda")
    add_format(copy)
    copy.write("gpu/formats/ccs/product.py", KERNEL)
    registry = "gpu/kernel_registry.py"
    imported = "from gpu.formats.biell.product import BiELLProduct\n"
    copy.insert(registry, imported, "from gpu.formats.ccs.product import CCSProduct\n")
    copy.insert(registry, "\n_ALL = (\n", '    _kernel("ccs", CCSProduct),\n')
    copy.python(
        "import numpy as np, scipy.sparse, gpu\n"
        "matrix = scipy.sparse.random_array((9, 7), density=0.4, rng=1, format='csr')\n"
        "made = gpu.prepare(matrix, format='ccs')\n"
        "assert made.format == 'ccs'\n"
        "np.testing.assert_allclose(made @ np.arange(7.0), matrix @ np.arange(7.0))\n",
        NUMBA_ENABLE_CUDASIM="1",
    )


def test_a_machine_parameter(copy):
    copy.insert(
        "vecsim/machine/description.py",
        '    branch_penalty: int = number(3, "cycles lost after a taken branch", ge=0)\n',
        '    jump_delay: int = number(0, "cycles more after a taken branch, for a test", ge=0)\n',
    )
    for preset in (copy.folder / "vecsim/machine/presets").glob("*.toml"):
        lines = preset.read_text().splitlines()
        place = next(k for k, line in enumerate(lines) if line.startswith("branch_penalty"))
        preset.write_text("\n".join([*lines[: place + 1], "jump_delay = 0", *lines[place + 1 :], ""]))
    copy.insert(
        "vecsim/engines/state/machine.py", "    branch_penalty: int = 0\n", "    jump_delay: int = 0\n"
    )
    penalty = "cycle + 1 + r.machine.branch_penalty"
    copy.insert("vecsim/engines/rules/issue.py", penalty, " + r.machine.jump_delay")
    assert "jump_delay = 5" in copy.vecsim("machine", "show", "vs2003", "--set", "jump_delay=5")
    program = (
        "import numpy as np\n"
        "from isa.assembler import assemble\n"
        "from vecsim.engines.running import run\n"
        "from vecsim.machine import load_machine\n"
        "program = assemble('j on\\nnop\\non: halt')\n"
        "memory = np.zeros(64, np.uint8)\n"
        "for changes in ([], ['jump_delay=5']):\n"
        "    print(run(program, memory, load_machine('vs2003', changes), engine='simpy').cycles)\n"
    )
    before, after = map(int, copy.python(program).split())
    assert after == before + 5


def test_an_item_of_a_paper(copy):
    copy.write(
        "experiments/papers/hism/added.py",
        '''"""An item, for a test."""

from experiments.report.comparison import Comparison
from experiments.report.item import Item


def make(request):
    """Make it."""
    return Item("hism-added", "Table 9", "Added.", rows=(Comparison("one", "number", "2", 2.0),))
''',
    )
    copy.insert(
        "experiments/papers/hism/paper.py",
        "    (\n",
        '        Experiment("hism-added", "Table 9", "nothing", "experiments.papers.hism.added:make"),\n',
    )
    assert "hism-added" in copy.vecsim("list", "experiments")
    copy.vecsim("reproduce", "hism-added", "--out", "out")
    assert (copy.folder / "out" / "hism-added.csv").read_text().splitlines()[1].startswith("one,number,2,2")
