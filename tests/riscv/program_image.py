"""Random programs as ELF files: they set all registers, execute a body, and leave the whole state in memory.

On Spike an exception ends the body, ``ecall`` or another: its handler writes the state and ends the run. Here
the interpreter stops at what traps, and the state is taken from the hart. Both have the layout of `Layout`.
A program may resume: then what traps, but ``ecall``, is noted in its block and passed over with vstart 0.
"""

from dataclasses import dataclass

import numpy as np

from isa.riscv.declaration import Trap
from isa.riscv.encoding import decoded_text, encode
from isa.riscv.state import FAULT_ADDRESS, FFLAGS, FRM, PC, VL, VSTART, VTYPE, VXRM, VXSAT
from tests.riscv.riscv_elf import DATA_BASE, TEXT_BASE, elf
from vecsim.riscv.hart import Interpreter, new_hart

MEMORY_BYTES = 1 << 20
STATE = DATA_BASE + 0x100
CAUSE, EPC, X, F, CSRS, V = 0x00, 0x08, 0x10, 0x110, 0x210, 0x240
CSR_NAMES = "fcsr", "vcsr", "vl", "vtype", "vstart", "end of notes"
FCSR, VCSR, VL_CSR, VTYPE_CSR, VSTART_CSR = 0x003, 0x00F, 0xC20, 0xC21, 0x008
MSTATUS, MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL = 0x300, 0x305, 0x340, 0x341, 0x342, 0x343
MRET = 0x30200073
END_OF_NOTES = CSRS + 40
"""Where the address of the next note is: of cause, address, vstart and value."""
NOTE_BYTES = 32
FLOATS_AND_VECTORS_ON = 0x6600
CAUSES = {
    Trap.FETCH_FAULT: 1,
    Trap.ILLEGAL: 2,
    Trap.BREAKPOINT: 3,
    Trap.MISALIGNED_LOAD: 4,
    Trap.LOAD_FAULT: 5,
    Trap.MISALIGNED_STORE: 6,
    Trap.STORE_FAULT: 7,
    Trap.CALL: 11,
}
MOST_INSTRUCTIONS = 100_000


@dataclass(frozen=True)
class Layout:
    """Where the state is in memory, from `STATE` on, for registers of VLEN bits and the body's block.

    First cause and program counter, then x0 to x31, f0 to f31, five CSRs, v0 to v31, and the block.
    """

    vlen: int
    block_bytes: int

    @property
    def block(self):
        """The address of the block."""
        return STATE + V + 4 * self.vlen

    @property
    def size(self):
        """Bytes in all."""
        return V + 4 * self.vlen + self.block_bytes

    def name(self, place):
        """Return what the byte at a place of the state belongs to."""
        if place >= V + 4 * self.vlen:
            return f"block+{place - V - 4 * self.vlen:#x}"
        if place >= V:
            return f"v{(place - V) // (self.vlen // 8)} byte {(place - V) % (self.vlen // 8)}"
        if place >= CSRS:
            return CSR_NAMES[(place - CSRS) // 8]
        if place >= F:
            return f"f{(place - F) // 8}"
        return f"x{(place - X) // 8}" if place >= X else ("pc" if place >= EPC else "cause")


@dataclass(frozen=True)
class RandomProgram:
    """A body, and the state that it begins with: of `Layout`, as bytes; whether it goes on after traps."""

    body: bytes
    state: bytes
    layout: Layout
    resumes: bool = False

    @property
    def first_note(self):
        """The address of the first note; 0 if there are none."""
        return int.from_bytes(self.state[END_OF_NOTES : END_OF_NOTES + 8], "little")


def _word(mnemonic, **values):
    return encode(mnemonic, values).to_bytes(4, "little")


def _address(register, pc, target):
    """Set a register to an address, at an address of the text."""
    upper = (target - pc + 0x800) & ~0xFFF
    return _word("auipc", rd=register, upper20=upper) + _word(
        "addi", rd=register, rs1=register, imm12=target - pc - upper
    )


def _number(register, value):
    upper = (value + 0x800) & ~0xFFF
    return _word("lui", rd=register, upper20=upper) + _word(
        "addi", rd=register, rs1=register, imm12=value - upper
    )


def _vectors(pc, vlen, mnemonic, operand):
    """Load or store all vector registers; x1 and x2 are overwritten."""
    text = _address(1, pc, STATE + V) + _number(2, vlen)
    for register in range(0, 32, 8):
        text += _word(mnemonic, rs1=1, **{operand: register}) + _word("add", rd=1, rs1=1, rs2=2)
    return text


def _begin(pc, vlen):
    """Load all registers from the state."""
    text = _address(31, pc, STATE)
    for k, csr in enumerate((FCSR, VCSR)):
        text += _word("ld", rd=1, rs1=31, imm12=CSRS + 8 * k) + _word("csrrw", csr=csr, rs1=1)
    for register in range(32):
        text += _word("fld", fd=register, rs1=31, imm12=F + 8 * register)
    text += _vectors(pc + len(text), vlen, "vl8re8.v", "vd")
    for register in range(1, 32):
        text += _word("ld", rd=register, rs1=31, imm12=X + 8 * register)
    return text


def _resuming():
    """Note what trapped, and go on after it; ``ecall`` goes on after this text, with all registers."""
    saved = [("rs2", register, X + 8 * register) for register in (1, 2)]
    text = _word("csrrw", rd=31, csr=MSCRATCH, rs1=31)
    for _, register, place in saved:
        text += _word("sd", rs2=register, rs1=31, store12=place)
    note = _word("ld", rd=2, rs1=31, imm12=END_OF_NOTES)
    for place, csr in enumerate((MCAUSE, MEPC, VSTART_CSR, MTVAL)):
        note += _word("csrrs", rd=1, csr=csr) + _word("sd", rs2=1, rs1=2, store12=8 * place)
    note += _word("addi", rd=2, rs1=2, imm12=NOTE_BYTES) + _word("sd", rs2=2, rs1=31, store12=END_OF_NOTES)
    note += _word("csrrs", rd=1, csr=MEPC) + _word("addi", rd=1, rs1=1, imm12=4)
    note += _word("csrrw", csr=MEPC, rs1=1) + _word("csrrwi", csr=VSTART_CSR)
    back = b"".join(_word("ld", rd=register, rs1=31, imm12=place) for _, register, place in saved)
    back += _word("csrrw", rd=31, csr=MSCRATCH, rs1=31)
    note += back + MRET.to_bytes(4, "little")
    text += _word("csrrs", rd=1, csr=MCAUSE) + _word("addi", rd=2, imm12=CAUSES[Trap.CALL])
    return text + _word("beq", rs1=1, rs2=2, branch13=4 + len(note)) + note + back


def _handler(pc, vlen):
    """Store all registers to the state, and end the run."""
    text = _word("csrrw", rd=31, csr=MSCRATCH, rs1=31)
    for register in range(1, 31):
        text += _word("sd", rs2=register, rs1=31, store12=X + 8 * register)
    csrs = [(MSCRATCH, X + 8 * 31), (MCAUSE, CAUSE), (MEPC, EPC)]
    numbers = FCSR, VCSR, VL_CSR, VTYPE_CSR, VSTART_CSR
    csrs += [(number, CSRS + 8 * k) for k, number in enumerate(numbers)]
    for number, place in csrs:
        text += _word("csrrs", rd=1, csr=number) + _word("sd", rs2=1, rs1=31, store12=place)
    text += _word("csrrwi", csr=VSTART_CSR)
    for register in range(32):
        text += _word("fsd", fs2=register, rs1=31, store12=F + 8 * register)
    text += _vectors(pc + len(text), vlen, "vs8r.v", "vs3")
    text += _address(1, pc + len(text), DATA_BASE) + _word("addi", rd=2, imm12=1)
    return text + _word("sd", rs1=1, rs2=2) + _word("jal")


def _start(pc, handler):
    """Set what Spike needs before the program begins."""
    text = _address(1, pc, handler) + _word("csrrw", csr=MTVEC, rs1=1)
    text += _address(1, pc + len(text), STATE) + _word("csrrw", csr=MSCRATCH, rs1=1)
    return text + _number(1, FLOATS_AND_VECTORS_ON) + _word("csrrs", csr=MSTATUS, rs1=1)


def _text(program):
    """Return the text, and the addresses where the program and its body begin."""
    vlen = program.layout.vlen
    begin = TEXT_BASE + len(_start(TEXT_BASE, TEXT_BASE))
    body = begin + len(_begin(begin, vlen))
    ended = program.body + _word("ecall") + b"\0\0" * (len(program.body) // 2 % 2)
    handler = body + len(ended)
    resuming = _resuming() if program.resumes else b""
    text = _start(TEXT_BASE, handler) + _begin(begin, vlen) + ended + resuming
    text += _handler(TEXT_BASE + len(text), vlen)
    return text, begin, body


def body_address(program):
    """Return the address of the first instruction of the body."""
    return _text(program)[2]


def elf_of(program):
    """Return the file that Spike executes."""
    text, _, _ = _text(program)
    symbols = {
        "tohost": DATA_BASE,
        "fromhost": DATA_BASE + 8,
        "begin_signature": STATE,
        "end_signature": STATE + -(-program.layout.size // 16) * 16,
    }
    return elf(text, _data(program), symbols)


def _data(program):
    return bytes(STATE - DATA_BASE) + program.state.ljust(-(-program.layout.size // 16) * 16, b"\0")


def ours(program):
    """Execute a program here; return its state at the end, and how many instructions of the body retired."""
    text, begin, body = _text(program)
    memory = np.zeros(MEMORY_BYTES, np.uint8)
    memory[: len(text)] = np.frombuffer(text, np.uint8)
    data, place = _data(program), DATA_BASE - TEXT_BASE
    memory[place : place + len(data)] = np.frombuffer(data, np.uint8)
    hart = new_hart(memory, TEXT_BASE, decoded_text(text), TEXT_BASE, program.layout.vlen)
    hart.control[PC] = begin
    interpreter = Interpreter(hart)
    interpreter.run((body - begin) // 4)
    assert hart.control[PC] == body
    before = int(hart.control[1])
    trap, notes = interpreter.run(MOST_INSTRUCTIONS), program.first_note
    while program.resumes and trap != Trap.CALL:
        _note(hart, trap, notes, text)
        notes += NOTE_BYTES
        trap = interpreter.run(MOST_INSTRUCTIONS)
    return _state(program.layout, hart, trap, notes), int(hart.control[1]) - before


def _note(hart, trap, address, text):
    """Write a note, and go on after what trapped."""
    control, place = hart.control, int(hart.control[PC]) - TEXT_BASE
    word = int.from_bytes(text[place : place + 4], "little")
    value = word if trap == Trap.ILLEGAL else control[FAULT_ADDRESS]
    note = np.array([CAUSES[trap], control[PC], control[VSTART], value], np.int64)
    place = address - TEXT_BASE
    hart.memory[place : place + NOTE_BYTES] = note.view(np.uint8)
    control[PC] += 4
    control[VSTART] = 0


def _state(layout, hart, trap, notes):
    control = hart.control
    csrs = [
        control[FRM] << 5 | control[FFLAGS],
        control[VXRM] << 1 | control[VXSAT],
        control[VL],
        control[VTYPE],
        control[VSTART],
        notes,
    ]
    numbers = [np.array([CAUSES.get(trap, -1), control[PC]]), hart.x, hart.f.view(np.int64), np.array(csrs)]
    place = layout.block - TEXT_BASE
    parts = [each.astype(np.int64).tobytes() for each in numbers] + [hart.v8.tobytes()]
    return b"".join(parts) + hart.memory[place : place + layout.block_bytes].tobytes()


def differences(layout, expected, actual):
    """Name what differs between two states."""
    first, second = (np.frombuffer(each[: layout.size], np.uint8) for each in (expected, actual))
    return list(dict.fromkeys(layout.name(int(place)) for place in np.flatnonzero(first != second)))
