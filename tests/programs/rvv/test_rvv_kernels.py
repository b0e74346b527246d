"""The kernels for RISC-V Vector: right at every VLEN, checks that can fail, files as they are built."""

import hashlib
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from isa.riscv.declaration import Timing
from isa.riscv.encoding import decoded_text
from isa.riscv.instructions import ROWS
from isa.riscv.state import BYTES, IMMEDIATE, INSTRUCTION, VM
from programs.rvv.measurement import MEMORY_BYTES, run_kernel
from programs.rvv.registry import HERE, KERNELS, find
from tests.riscv.spike import find_spike, isa_of
from vecsim.machine import load_machine
from vecsim.riscv.elf import parsed_elf, read_elf
from vecsim.riscv.execution import execute_elf
from vecsim.support.errors import UserError

VLENS = (128, 256, 512, 1024, 2048, 4096, 8192, 16384)
IN_TIERS = [
    pytest.param(each, marks={128: [], 512: pytest.mark.ci}.get(each, pytest.mark.nightly)) for each in VLENS
]
QUICK = ("transpose", 4096)
PAIRS = [
    pytest.param(*pair, marks=[] if pair == QUICK else pytest.mark.nightly if number % 16 else pytest.mark.ci)
    for number, pair in enumerate(product(KERNELS, VLENS))
]
RETURN = (0x8082).to_bytes(2, "little")
CLANG = "clang-19"
CONFIGURATIONS = "vsetvli", "vsetivli"
LMULS, FRACTIONAL = (0, 1, 2, 3), (6, 7)
"""The lowest bits of vtype for 1, 2, 4 and 8 registers, and for a quarter and half of one."""
ABSENT = {Timing.VECTOR_DIVIDE, Timing.STORE_STRIDED, Timing.ESTIMATE}
"""What no kernel does."""


def executed(program, vlen=128):
    return execute_elf(program, vlen=vlen, memory_bytes=MEMORY_BYTES, limit=1_000_000)


def instructions(name):
    """Return the rows of the instructions of a kernel's file: those of the function, and the others."""
    program = read_elf(KERNELS[name].elf)
    address, size = program.symbols["kernel"]
    code = decoded_text(program.bytes_at(program.text, program.text_end - program.text))
    inside, outside, place = [], [], 0
    while place < len(code) - 1:
        row = ROWS[int(code[place, INSTRUCTION])]
        (inside if address <= program.text + 2 * place < address + size else outside).append(
            (row, code[place])
        )
        place += int(code[place, BYTES]) // 2
    return inside, outside


@pytest.mark.parametrize("vlen", IN_TIERS)
def test_they_are_right(vlen):
    results = {name: executed(read_elf(each.elf), vlen) for name, each in KERNELS.items()}
    assert {name: each.exit_code for name, each in results.items() if each.exit_code} == {}
    if vlen == VLENS[0]:
        assert {name for name, each in results.items() if not 20_000 <= each.instructions <= 300_000} == set()


@pytest.mark.parametrize(("name", "vlen"), PAIRS)
def test_engines_agree(name, vlen):
    machine = load_machine("vs2003", [f"riscv.vlen={vlen}", f"riscv.dlen={min(vlen, 256)}"])
    runs = [run_kernel(KERNELS[name], machine, engine=each) for each in ("jit", "simpy")]
    assert runs[0].right
    assert runs[0].run.cycles == runs[1].run.cycles
    assert runs[0].run.counters == runs[1].run.counters
    assert runs[0].kernel_lines == runs[1].kernel_lines


def test_a_kernel_that_does_nothing_is_wrong():
    for name, kernel in KERNELS.items():
        program = read_elf(kernel.elf)
        at = program.symbols["kernel"].address
        text, *others = program.segments
        before = at - text.address
        idle = text._replace(content=text.content[:before] + RETURN + text.content[before + 2 :])
        assert executed(replace(program, segments=(idle, *others))).exit_code > 0, name


def test_only_the_function_is_vectorised():
    for name in KERNELS:
        inside, outside = instructions(name)
        assert [row.mnemonic for row, _ in outside if row.timing >= Timing.CONFIGURE] == []
        assert sum(row.timing >= Timing.CONFIGURE for row, _ in inside) >= 3, name


def test_together_they_show_what_there_is():
    inside = [each for name in KERNELS for each in instructions(name)[0]]
    vector = {row.timing for row in ROWS if row.extension == "V"}
    assert vector - {row.timing for row, _ in inside} == ABSENT
    set_to = {int(columns[IMMEDIATE]) & 7 for row, columns in inside if row.mnemonic in CONFIGURATIONS}
    assert set_to >= {*LMULS, *FRACTIONAL}
    assert sum(not columns[VM] for row, columns in inside if row.extension == "V") >= 3
    assert sum("seg" in row.mnemonic for row, _ in inside) >= 5


def test_files_are_those_of_the_table_and_small():
    for suffix in (".c", ".elf"):
        assert {path.stem for path in (HERE / "kernels").glob(f"*{suffix}")} == set(KERNELS)
    sizes = [each.elf.stat().st_size for each in KERNELS.values()]
    assert max(sizes) < 30_000
    assert sum(sizes) < 500_000


def test_plain_ones_use_no_intrinsics():
    for kernel in KERNELS.values():
        text = kernel.source.read_text()
        assert ("__riscv_" in text) is not kernel.plain
        assert bool(re.search("VECTORISED|MASKED", text)) is kernel.plain


def test_lines_of_their_sources():
    for name in ("axpy", "dot", "spmv-sell"):
        kernel = KERNELS[name]
        program = read_elf(kernel.elf)
        place = program.line_of(program.symbols["kernel"].address)
        assert place.file == f"kernels/{name}.c"
        text = kernel.source.read_text().splitlines()
        begin = next(number for number, line in enumerate(text, 1) if line.startswith("KERNEL"))
        assert begin <= place.line <= begin + 5


def test_a_name_that_is_none():
    with pytest.raises(UserError, match="no kernel 'axpi' in the course; did you mean 'axpy'"):
        find("axpi")


@pytest.mark.nightly
@pytest.mark.parametrize("vlen", [128, 512, 4096])
def test_spike_ends_them_alike(vlen):
    spike = find_spike()
    if spike is None:
        pytest.skip("Spike is not found: put it on PATH, or let SPIKE name it")
    command = [spike, f"--isa={isa_of(vlen)}", f"-m0x80000000:{MEMORY_BYTES:#x}"]
    codes = {
        name: subprocess.run([*command, each.elf], check=False, timeout=60).returncode
        for name, each in KERNELS.items()
    }
    assert codes == dict.fromkeys(KERNELS, 0)


@pytest.mark.nightly
def test_they_are_built_from_their_sources(tmp_path):
    if shutil.which(CLANG) is None:
        pytest.skip(f"{CLANG} is not found")
    folder = Path(shutil.copytree(HERE, tmp_path / "rvv", ignore=shutil.ignore_patterns("*.elf")))
    subprocess.run(["make", f"CLANG={CLANG}"], cwd=folder, check=True, capture_output=True)
    for name, kernel in KERNELS.items():
        built = (folder / "kernels" / f"{name}.elf").read_bytes()
        assert digest(built) == digest(kernel.elf.read_bytes()), name


def digest(content):
    """Return the SHA-256 of what a program has in memory at first."""
    segments = parsed_elf(content, "it").segments
    return hashlib.sha256(b"".join(each.content for each in segments)).hexdigest()
