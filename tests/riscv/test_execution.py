"""Programs from ELF files: memory, arrays, what ends and what stops them."""

import random
from pathlib import Path

import numpy as np
import pytest
from riscv_elf import DATA_BASE, TEXT_BASE, elf

from isa.program import SourceLine
from isa.riscv.declaration import Trap
from isa.riscv.encoding import encode
from isa.riscv.extensions import XHISM
from isa.riscv.semantics.control import CSRS
from isa.riscv.state import COUNT
from vecsim.riscv import machine_code
from vecsim.riscv.elf import parsed_elf, read_elf
from vecsim.riscv.execution import Execution, RiscvFault, execute_elf
from vecsim.support.errors import UserError

SIEVE = Path(__file__).parent / "sieve.elf"
"""``sieve.c``, built as its first line says."""
A0, A1, A2, A7, T0, T1, SP = 10, 11, 12, 17, 5, 6, 2


def words(*instructions):
    """Return a text of instructions, each a mnemonic and its values."""
    return b"".join(encode(name, values).to_bytes(4, "little") for name, values in instructions)


def li(register, value):
    return "addi", {"rd": register, "imm12": value}


def data(register, offset=0):
    """Return two instructions that set a register to an address of the data."""
    upper = (DATA_BASE + offset + 0x800) >> 12
    return (
        ("lui", {"rd": register, "upper20": (upper << 12) - (1 << 32)}),
        ("addi", {"rd": register, "rs1": register, "imm12": offset & 0x7FF}),
        ("slli", {"rd": register, "rs1": register, "shamt6": 32}),
        ("srli", {"rd": register, "rs1": register, "shamt6": 32}),
    )


def program(*instructions, **others):
    return parsed_elf(elf(words(*instructions), **others), "test.elf")


EXIT = (li(A7, 93), ("ecall", {}))


def test_a_compiled_program():
    execution = Execution(read_elf(SIEVE), arguments=["x", "yz"])
    execution.write("limit", np.array([1000], np.int32))
    result = execution.run()
    primes = [n for n in range(2, 1000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    assert result.exit_code == 3
    assert result.output == b"x yz 168\n"
    assert execution.read("primes", "i4")[:168].tolist() == primes
    assert execution.read("count", np.int64).tolist() == [168]


def test_source_lines():
    read = read_elf(SIEVE)
    text = (Path(__file__).parent / "sieve.c").read_text().splitlines()
    line = 1 + next(k for k, each in enumerate(text) if "sieve(void)" in each)
    assert read.line_of(read.symbols["sieve"].address) == SourceLine("sieve.c", line, text[line - 1])
    assert read.line_of(read.text - 2) is None


def test_the_same_file_runs_twice_and_counts_the_same():
    read = read_elf(SIEVE)
    assert execute_elf(read).instructions == execute_elf(read, vlen=64).instructions


def test_exit_by_ecall():
    result = execute_elf(program(li(A0, 7), *EXIT))
    assert (result.exit_code, result.instructions) == (7, 3)


def test_exit_by_return_from_the_first_function():
    result = execute_elf(program(li(A0, -3), ("jalr", {"rs1": 1})))
    assert (result.exit_code, result.instructions) == (-3, 2)


def test_exit_by_tohost():
    store = ("sd", {"rs1": T0, "rs2": T1})
    host = program(*data(T0), li(T1, 11), store, ("jal", {}), symbols={"tohost": DATA_BASE}, data=bytes(8))
    result = execute_elf(host)
    assert (result.exit_code, result.instructions) == (5, 6)


def test_output_by_tohost():
    call = np.array([64, 1, DATA_BASE + 48, 3], np.uint64).tobytes()
    content = bytes(16) + call + b"abc" + bytes(5)
    host = program(
        *data(T0),
        ("addi", {"rd": T1, "rs1": T0, "imm12": 16}),
        ("sd", {"rs1": T0, "rs2": T1}),
        ("ld", {"rd": A0, "rs1": T0, "imm12": 16}),
        ("ld", {"rd": A1, "rs1": T0, "imm12": 8}),
        ("add", {"rd": A0, "rs1": A0, "rs2": A1}),
        *EXIT,
        data=content,
        symbols={"tohost": DATA_BASE, "fromhost": DATA_BASE + 8},
    )
    result = execute_elf(host)
    assert (result.output, result.exit_code) == (b"abc", 3 + 1)


def test_arguments_are_below_the_stack():
    host = program(
        ("ld", {"rd": T0, "rs1": SP, "imm12": 16}),  # argv[1]
        ("lbu", {"rd": T1, "rs1": T0, "imm12": 1}),
        ("ld", {"rd": A0, "rs1": SP}),
        ("add", {"rd": A0, "rs1": A0, "rs2": T1}),
        *EXIT,
    )
    assert execute_elf(host, arguments=["ab", ""]).exit_code == 3 + ord("b")


def test_stored_instructions_are_executed_after_a_fence():
    new = int.from_bytes(words(li(A0, 9)), "little")
    host = program(
        ("auipc", {"rd": T0}),
        *[each for each in data(T1) if each],
        ("lw", {"rd": T1, "rs1": T1}),
        ("sw", {"rs1": T0, "rs2": T1, "store12": 32}),
        ("fence.i", {}),
        li(A0, 1),
        *EXIT,
        data=new.to_bytes(4, "little"),
    )
    assert execute_elf(host).exit_code == 9


@pytest.mark.parametrize(
    ("instructions", "trap", "message"),
    [
        (
            [("ld", {"rd": A0, "rs1": 0})],
            Trap.LOAD_FAULT,
            "pc 0x80000000, ld a0, 0(zero): a load from 0x0, outside",
        ),
        (
            [("sb", {"rs1": 0, "store12": -1})],
            Trap.STORE_FAULT,
            "sb zero, -1(zero): a store to 0xffffffffffffffff, outside",
        ),
        ([("lw", {"rs1": SP, "imm12": -3})], Trap.MISALIGNED_LOAD, "lw zero, -3(sp): a load from 0x"),
        ([("sd", {"rs1": SP, "store12": -3})], Trap.MISALIGNED_STORE, "which its size does not divide"),
        ([("ebreak", {})], Trap.BREAKPOINT, "ebreak: a breakpoint"),
        (
            [("csrrw", {"csr": 0xC00, "rs1": 1})],
            Trap.ILLEGAL,
            "csrrw zero, cycle, ra: illegal instruction 0xc0009073",
        ),
        ([("csrrs", {"csr": 0x7C0})], Trap.ILLEGAL, "csrrs zero, 0x7c0, zero: illegal instruction"),
        ([li(A0, 0)], Trap.FETCH_FAULT, "pc 0x80000004: there are no instructions"),
    ],
)
def test_what_stops_a_program(instructions, trap, message):
    with pytest.raises(RiscvFault) as caught:
        execute_elf(program(*instructions))
    assert caught.value.trap == trap
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_words_that_are_no_instructions():
    with pytest.raises(
        RiscvFault, match=r"pc 0x80000000: illegal instruction 0xffffffff: no instruction has these bits$"
    ):
        execute_elf(parsed_elf(elf(b"\xff" * 4), "test.elf"))
    with pytest.raises(
        RiscvFault, match=r"pc 0x80000000: illegal instruction 0x0000: its encoding is reserved$"
    ):
        execute_elf(parsed_elf(elf(bytes(4)), "test.elf"))


def test_what_traps_has_changed_nothing():
    execution = Execution(program(li(A0, 5), ("ld", {"rd": A0, "rs1": 0, "imm12": 8})))
    with pytest.raises(RiscvFault):
        execution.run()
    assert execution.hart.x[A0] == 5


def test_the_limit():
    forever = program(("jal", {}))
    with pytest.raises(RiscvFault, match="no end after 1000 instructions: an infinite loop"):
        execute_elf(forever, limit=1000)


def test_calls_that_the_host_does_not_know():
    with pytest.raises(UserError, match="ecall 172 is not supported"):
        execute_elf(program(li(A7, 172), ("ecall", {})))
    with pytest.raises(UserError, match="8 bytes at address 0x0 are not in memory"):
        execute_elf(program(li(A7, 64), li(A2, 8), li(A1, 0), ("ecall", {})))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no whole ELF file"),
        (b"\x7fELF", "no whole ELF file"),
        (elf(words(*EXIT), machine=62), "not a program for RV64"),
        (elf(words(*EXIT), kind=1), "not linked to fixed addresses"),
        (elf(words(*EXIT))[:200], "no whole ELF file"),
        (elf(words(*EXIT), entry=1 << 63), "it has addresses above 0x7fffffffffffffff"),
    ],
    ids=["empty", "short", "x86", "object", "cut", "high"],
)
def test_files_that_are_no_programs(content, message):
    with pytest.raises(UserError, match=f"^it.elf: {message}"):
        parsed_elf(content, "it.elf")


def test_arrays_that_do_not_fit():
    execution = Execution(read_elf(SIEVE))
    with pytest.raises(UserError, match="limit has 4 bytes; the array has 8"):
        execution.write("limit", np.zeros(2, np.int32))
    with pytest.raises(UserError, match="there is no symbol nothing"):
        execution.read("nothing", "i4")


@pytest.mark.parametrize("vlen", [32, 100, 32768])
def test_vector_registers_of_no_length(vlen):
    with pytest.raises(UserError, match=f"VLEN is {vlen}; it is a power of 2 from 64 to 16384"):
        execute_elf(read_elf(SIEVE), vlen=vlen)


def test_memory_that_is_too_small():
    with pytest.raises(UserError, match="memory has 4096 bytes; the program needs"):
        execute_elf(read_elf(SIEVE), memory_bytes=4096)


def test_text_base_is_where_programs_begin():
    assert program(*EXIT).entry == program(*EXIT).text == TEXT_BASE


def test_stops_change_nothing():
    """A run that stops after each few instructions ends as one that does not."""
    read = read_elf(SIEVE)
    whole, stopped = execute_elf(read, arguments=["a"]), Execution(read, arguments=["a"])
    assert whole.output
    for limit in range(7, 10 * whole.instructions, 7):
        try:
            result = stopped.run(limit)
            break
        except RiscvFault as fault:
            assert fault.trap == Trap.NONE
            assert stopped.hart.control[COUNT] == limit
    assert (result.instructions, result.output) == (whole.instructions, whole.output)
    assert all(np.array_equal(a, b) for a, b in zip(result.hart, whole.hart, strict=True))


def test_counters_are_numbers_of_instructions():
    reading = [
        ("csrrs", {"rd": register, "csr": CSRS[name]})
        for register, name in enumerate(["cycle", "time", "instret"], 10)
    ]
    execution = Execution(program(li(T0, 1), *reading, ("ebreak", {})))
    with pytest.raises(RiscvFault):
        execution.run()
    assert execution.hart.x[10:13].tolist() == [1, 2, 3]


def test_mstatus_says_that_floats_and_vectors_are_on():
    execution = Execution(
        program(("csrrw", {"csr": CSRS["mstatus"]}), ("csrrs", {"rd": T0, "csr": CSRS["mstatus"]}), *EXIT)
    )
    execution.run()
    assert int(execution.hart.x[T0]) & 0x6600 == 0x6600


def test_numba_that_must_not_compile(monkeypatch):
    from numba.core import config

    monkeypatch.setattr(config, "DISABLE_JIT", True)
    with pytest.raises(UserError, match="NUMBA_DISABLE_JIT is set, so RISC-V programs cannot be executed"):
        machine_code._compiled("riscv_loop")


def test_damaged_files_run_or_are_refused_in_one_line():
    whole = SIEVE.read_bytes()
    outcomes = set()
    for seed in range(100):
        chosen, content = random.Random(seed), bytearray(whole)
        for _ in range(chosen.choice([1, 2, 8])):
            place = chosen.randrange(chosen.choice([64, 400, len(content)]))
            content[place] = chosen.choice([0, 127, 255, content[place] ^ 1 << chosen.randrange(8)])
        if seed % 10 == 0:
            del content[chosen.randrange(len(content)) :]
        try:
            read = parsed_elf(bytes(content), "it.elf")
            read.line_of(read.entry)
            execute_elf(read, vlen=chosen.choice([64, 16384]), memory_bytes=1 << 20, limit=20_000)
            outcomes.add(None)
        except UserError as error:
            assert "\n" not in str(error)
            outcomes.add(type(error))
    assert outcomes == {None, UserError, RiscvFault}


BMIPA = ("vbmipa.vv", {"vd": 1, "vs1": 2, "vs2": 3, "vp": 4})
CONFIGURE = ("vsetivli", {"rd": 0, "zimm5": 4, "zimm10": 0b010000})


@pytest.mark.parametrize(
    "arch",
    [
        "rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_v1p0_zicsr2p0_xhism1p0",
        "rv64gcv_xhism",
        "RV64I2P1_V1P0_XHISM0P1_XINDEXMAC1P0",
    ],
)
def test_a_file_switches_on_the_extensions_that_its_attribute_names(arch):
    read = program(CONFIGURE, BMIPA, li(A0, 3), *EXIT, arch=arch)
    assert XHISM in read.extensions
    assert execute_elf(read).exit_code == 3


@pytest.mark.parametrize("arch", ["", "rv64i2p1_v1p0", "rv64i2p1_xhismo1p0", "rv64i2p1_xindexmac1p0"])
def test_other_attributes_do_not(arch):
    read = program(CONFIGURE, BMIPA, *EXIT, arch=arch)
    assert XHISM not in read.extensions
    with pytest.raises(RiscvFault, match=r"pc 0x80000004.*switch it on with --isa rv64gcv_xhism"):
        execute_elf(read)
