"""`vecsim course rvv`: kernels for RISC-V Vector listed, run, and written with their sources."""

import json
import re
from pathlib import Path

import pytest

from programs.rvv import registry
from programs.rvv.registry import KERNELS
from vecsim.cli.completion import course
from vecsim.riscv.elf import read_elf

SHORTER_THAN_A_STRIP = {"gemv", "spmv-ellpack", "streamcluster"}
"""Kernels in plain C whose loops have fewer elements than the longest registers."""


def test_all_are_listed(vecsim):
    document = json.loads(vecsim("course", "--json", "-").out)
    assert [each["name"] for each in document["kernels"]] == list(KERNELS)


@pytest.mark.ci
def test_all_run_and_are_right(vecsim):
    done = vecsim("course", "rvv", "--engine", "jit", "--set", "riscv.vlen=16384", "--json", "-")
    document = json.loads(done.out)
    assert (done.code, document["machine"]["riscv"]["vlen"]) == (0, 16384)
    assert [each["kernel"] for each in document["kernels"]] == list(KERNELS)
    for each in document["kernels"]:
        assert each["exit_code"] == 0
        assert 0 < each["kernel_cycles"] < each["cycles"]
        share = each["vector_instructions"] / each["kernel_instructions"]
        assert (share < 0.001) is (each["kernel"] in SHORTER_THAN_A_STRIP)
        assert each["vector_instructions"] < each["instructions"]
        assert sum(line["cycles"] for line in each["lines"]) == each["kernel_cycles"]


def test_one_shows_the_instructions_of_its_function(vecsim):
    done = vecsim("course", "rvv", "transpose", "--engine", "jit", "--hot", "1")
    assert "VLEN 512, DLEN 256; machine vs2003; engine jit" in done.out
    assert re.search("vlse64.v|vse64.v", done.out.splitlines()[-1])


def test_a_wrong_result_is_exit_code_1(vecsim, tmp_path, monkeypatch):
    program = read_elf(KERNELS["memcpy"].elf)
    content, place = bytearray(program.content), program.content.index(program.segments[0].content)
    place += program.symbols["kernel"].address - program.segments[0].address
    content[place : place + 2] = (0x8082).to_bytes(2, "little")  # it returns at once
    (tmp_path / "idle.elf").write_bytes(content)
    monkeypatch.setattr(registry.Kernel, "elf", tmp_path / "idle.elf")
    done = vecsim("course", "rvv", "memcpy", "--engine", "jit")
    assert done.code == 1
    assert "wrong from element 4 on" in done.out


@pytest.mark.ci
def test_its_files_run(vecsim, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = vecsim("course", "rvv", "spmv-jd", "--write", "a.elf")
    files, command = done.out.splitlines()
    assert files == "a.elf, spmv-jd.c, sparse.h, kernel.h, start.S, link.ld written"
    assert "exit code 0" in vecsim(*command.split()[1:], "--engine", "jit").out
    assert vecsim("course", "rvv", "dot", "--write", "b.elf").code == 0
    Path("kernel.h").write_text("")
    assert "kernel.h: already exists" in vecsim("course", "rvv", "dot", "--write", "b.elf").mistake()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gem"], "no kernel 'gem' in the course; did you mean 'gemv'"),
        (["--hot", "3"], "--hot 3: name a kernel, as in vecsim course rvv axpy --hot 3"),
        (["dot", "--size", "3"], "--size: kernels for RISC-V Vector have fixed data"),
        (["dot", "--value-bits", "64"], "--value-bits: kernels"),
        (["dot", "--write", "dot.s"], "--write dot.s: write a file name such as dot.elf"),
        (["dot", "--write", "dot.elf", "--json", "-"], "--write and --json do not go together"),
        (["--write", "dot.elf"], "--write dot.elf: name a kernel"),
    ],
)
def test_mistakes_are_one_line(vecsim, arguments, message):
    assert message in vecsim("course", "rvv", *arguments).mistake()


def test_a_shell_completes_their_name():
    assert course("r") == ["rvv"]
