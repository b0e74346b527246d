"""Random programs of vector instructions of any kind, with operands that are legal in most cases.

They go on after what traps, so that refused instructions are compared as well.
"""

import random
import struct
from functools import cache

import numpy as np

from isa.riscv.declaration import Timing
from isa.riscv.encoding import encode
from isa.riscv.fields import operand_names
from isa.riscv.instructions import ROWS
from isa.riscv.semantics.control import CSRS as CSR_NUMBERS
from tests.riscv.program_image import (
    END_OF_NOTES,
    MEMORY_BYTES,
    NOTE_BYTES,
    STATE,
    Layout,
    RandomProgram,
    body_address,
)
from tests.riscv.riscv_elf import TEXT_BASE

MOST_CONSTANTS, MOST_NOTES = 512, 512
CONSTANTS = NOTE_BYTES * MOST_NOTES
INDICES = CONSTANTS + 8 * MOST_CONSTANTS
INDEX_BYTES = 0x4400
DATA = INDICES + 4 * INDEX_BYTES
DATA_BYTES = 0x8000
BUFFER = DATA + DATA_BYTES
BLOCK_BYTES = BUFFER + 2 * DATA_BYTES
"""The block has notes of traps, constants, tables of indices, data, and a buffer for stores, at first twice
the data; what is stored beyond it is not compared."""
LOADS_AND_STORES = range(Timing.LOAD_UNIT, Timing.STORE_INDEXED + 1)
VECTOR = [row for row in ROWS if row.extension == "V"]
CONFIGURING = [row for row in VECTOR if row.timing == Timing.CONFIGURE]
_NOT_ALL_OF_ZVE64 = ("vmulh", "vsmul")
"""What Spike refuses for elements of 64 bits where registers are too short for V."""
OTHERS = [row for row in VECTOR if row.timing != Timing.CONFIGURE]

EDGES = [0, 1, -1, 2, 127, -128, 255, 32767, -32768, 65535, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1]
EDGES += [-(2**63), 5, 31, 63]
SINGLES = [0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00001]
SINGLES += [1, 0x80000001, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x4F000000, 0xCF000000, 0x5F000000]
SINGLES += [0x4B000000, 0x3F000000, 0x3EFFFFFF, 0x400000, 0x200000, 0x47800000]
DOUBLES = [0, 1 << 63, 0x3FF << 52, 0xBFF << 52, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, (0x7FF << 52) + 1]
DOUBLES += [
    (0xFFF8 << 48) + 1,
    1,
    (1 << 63) + 1,
    (1 << 52) - 1,
    1 << 52,
    (0x7FF << 52) - 1,
    (0xFFF << 52) - 1,
]
DOUBLES += [0x41E << 52, 0xC1E << 52, 0x43E << 52, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x36A << 52]
DOUBLES += [0x381 << 52, 0x3FE << 52, 0x36AFFFFFFFFFFFFF]


class VectorBody:
    """Writes the body of a program and its constants."""

    def __init__(self, random_state, vlen):
        self.random, self.vlen, self.layout = random_state, vlen, Layout(vlen, BLOCK_BYTES)
        self.words = []
        self.sew = self.lmul = 0
        chance = self.random
        numbers = [*EDGES, vlen, vlen // 8, vlen - 1, *(chance.randrange(vlen) for _ in range(8))]
        numbers += [chance.getrandbits(64) for _ in range(8)]
        floats = DOUBLES + [each | 0xFFFFFFFF << 32 for each in SINGLES] + SINGLES[2:4]
        floats += [chance.getrandbits(64) for _ in range(8)]
        places = [DATA + chance.randrange((DATA_BYTES - vlen) // 8) * 8 for _ in range(24)]
        block, end = self.layout.block, TEXT_BASE + MEMORY_BYTES
        pointers = [block + BUFFER + 0x8000, block + BUFFER + 0x4000, block + BUFFER + 0x4003, end - 64]
        strides = [
            8,
            -min(16, 0x8000 // vlen),
            chance.choice((4, 2, 1, 24, 64)),
            chance.choice((16, 40, 1 << 20)),
        ]
        self.constants = []
        self.numbers = self._constants(numbers)
        self.floats = self._constants(floats)
        self.places = self._constants([block + each for each in places])
        self.indices = self._constants(
            [block + INDICES + k * INDEX_BYTES + 8 * j for k in range(4) for j in (0, 3)]
        )
        self.first = self._constants(pointers + strides)

    def _constants(self, values):
        self.constants += values
        return range(len(self.constants) - len(values), len(self.constants))

    def emit(self, mnemonic, **values):
        self.words.append(encode(mnemonic, values))

    def load(self, register, place):
        """Load a constant into an integer register."""
        self.emit("ld", rd=register, rs1=31, imm12=8 * place - 2048)

    def refresh(self, mnemonic, register):
        """Load whole registers with data."""
        self.load(7, self.random.choice(self.places))
        self.emit(mnemonic, vd=register, rs1=7)

    def configure(self, row=None):
        """Set type and length, one that a row can have or a reserved one at times."""
        chance = self.random
        types = [(s, m) for s in range(4) for m in range(-3, 4) if m >= 0 or 8 << s <= 64 >> -m]
        sew, lmul = chance.choice(
            [each for each in types if row is None or _suits(row, 8 << each[0], each[1])]
        )
        vtype = sew << 3 | lmul & 7 | chance.getrandbits(2) << 6
        if chance.random() < 0.04:
            vtype = chance.getrandbits(9)
        rd, rs1 = chance.choice((0, 16, 17, 18)), chance.choice((0, 29, 29, 29, 24, 25))
        if rs1 == 0 and (rd == 0 or chance.random() < 0.2):
            rd = 0 if chance.random() < 0.1 else 16
        row = chance.choice(CONFIGURING)
        if row.mnemonic == "vsetivli":
            values = {"zimm5": chance.randrange(32), "zimm10": vtype}
        else:
            if chance.random() < 0.3:
                self.load(29, chance.choice(self.numbers))
            elif chance.random() < 0.5:
                most = chance.choice((3, min(2048, self.vlen)))
                self.emit("addi", rd=29, rs1=0, imm12=chance.randrange(most))
            values = {"rs1": rs1, "zimm11": vtype}
            if row.mnemonic == "vsetvl":
                self.emit("addi", rd=28, rs1=0, imm12=vtype)
                values = {"rs1": rs1, "rs2": 28}
        self.emit(row.mnemonic, rd=rd, **values)
        self.sew, self.lmul = 8 << (vtype >> 3 & 7), (vtype & 7 ^ 4) - 4
        kept = row.mnemonic != "vsetivli" and rd == rs1 == 0
        if (
            kept
            or vtype >> 8
            or self.sew > 64
            or self.lmul == -4
            or (self.lmul < 0 and self.sew > 64 >> -self.lmul)
        ):
            self.sew = self.lmul = 0

    def change_state(self):
        """Change a control register, registers, or nothing."""
        chance = self.random
        choice = chance.random()
        if choice < 0.1:
            self.emit("csrrwi", csr=CSR_NUMBERS["vxrm"], zimm5=chance.randrange(4))
        elif choice < 0.2:
            self.emit("csrrwi", csr=CSR_NUMBERS["frm"], zimm5=chance.randrange(5))
        elif choice < 0.22:
            self.emit("csrrwi", csr=CSR_NUMBERS["frm"], zimm5=chance.randrange(5, 8))
            self.emit("csrrwi", csr=CSR_NUMBERS["fflags"], zimm5=0)
        elif choice < 0.3:
            self.emit("csrrwi", csr=CSR_NUMBERS["fflags"], zimm5=0)
        elif choice < 0.34:
            self.emit("csrrwi", csr=CSR_NUMBERS["vxsat"], zimm5=0)
        elif choice < 0.6:
            self.refresh("vl8re8.v", 8 * chance.randrange(4))
        elif choice < 0.7:
            self.refresh("vl1re8.v", 0)
        elif choice < 0.85:
            self.load(chance.randrange(24, 28), chance.choice(self.numbers))
        else:
            place = chance.choice(self.floats)
            self.emit("fld", fd=chance.randrange(16, 24), rs1=31, imm12=8 * place - 2048)

    def group(self):
        """Return the first register of a group."""
        if self.random.random() < 0.06:
            return self.random.randrange(32)
        size = max(0, self.lmul)
        if self.random.random() < 0.5:
            size = min(3, size + 1)
        return self.random.randrange(32 >> size) << size

    def operand(self, name, accesses):
        chance = self.random
        if name in ("vd", "vs1", "vs2", "vs3"):
            return self.group()
        if name == "vm":
            return int(chance.random() < 0.6)
        if name == "simm5":
            return chance.choice((-16, -1, 0, 1, 15, *range(-16, 16)))
        if name == "uimm5":
            return chance.randrange(32)
        if name in ("fs1", "fd"):
            return chance.randrange(16, 24)
        if name == "rs2":
            return chance.choice((12, 13, 14, 15, 0))
        if name == "rd":
            return chance.choice((0, 16, 17, 18, 19))
        if accesses:
            return chance.choice((8,) * 12 + (9,) * 6 + (10, 11))
        return chance.choice((0, 16, 17, 18, 19, 24, 25, 26, 27, 8, 29))

    def place_destination(self, row, values):
        """Move a destination to where it spares the mask, its sources, and the last register."""
        chance, name = self.random, "vs3" if "vs3" in values else "vd"
        if name not in values:
            return
        if row.timing in LOADS_AND_STORES:
            fields = row.operation >> 8 & 15
            size = 1 << max(0, self.lmul if "vs2" in values else _access_lmul(row, self.sew, self.lmul))
            values[name] = chance.randrange(max(1, (32 - fields * size) // size + 1)) * size % 32
        elif row.semantics.__name__ not in ("integer", "arithmetic", "multiply", "choose"):
            values[name] = chance.randrange(1, 4) * 8
        if values.get("vm") == 0 and values[name] == 0:
            values[name] = 8
        if row.timing == Timing.LOAD_INDEXED and chance.random() < 0.2:
            size = 1 << max(0, _access_lmul(row, self.sew, self.lmul))
            values["vs2"] = values[name] // size * size
            return
        for source in ("vs2", "vs1"):
            choice = chance.random()
            if source in values and choice < 0.15:
                size = chance.choice((1, 2)) << max(0, self.lmul)
                distance = chance.choice((-1, 1)) * chance.randrange(size)
                values[source] = min(31, max(0, values[name] + distance))
            elif source in values and abs(values[source] - values[name]) < 8 and choice < 0.8:
                values[source] = (values[name] + chance.choice((8, 16, 24))) % 32 // 8 * 8

    def instruction(self, row):
        """Write one vector instruction, and what its operands need."""
        chance = self.random
        if not (self.sew and _suits(row, self.sew, self.lmul)) and chance.random() < 0.9:
            self.configure(row)
        accesses = row.timing in LOADS_AND_STORES
        values = {name: self.operand(name, accesses) for name in operand_names(row.operands) if name != "v0"}
        if chance.random() < 0.9:
            self.place_destination(row, values)
        if row.timing in (Timing.LOAD_INDEXED, Timing.STORE_INDEXED) and chance.random() < 0.85:
            width = row.operation & 255
            count = min(8, max(1, int(width * 2.0**self.lmul / max(self.sew, 8))))
            self.load(7, self.indices[2 * (width.bit_length() - 4) + chance.randrange(2)])
            self.emit(f"vl{count}re8.v", vd=values["vs2"] // count * count, rs1=7)
        carries = row.mnemonic.startswith(("vmadc", "vmsbc"))
        if {"vs1", "vs2"} <= values.keys() and chance.random() < (0.6 if carries else 0.15):
            related, immediate = chance.choice(
                (("vxor.vi", -1), ("vrsub.vi", 0), ("vadd.vi", -1), ("vadd.vi", 0), ("vadd.vi", 1))
            )
            self.emit(related, vd=values["vs1"], vs2=values["vs2"], simm5=immediate, vm=1)
        if chance.random() < (0.04 if accesses else 0.003):
            self.emit("csrrwi", csr=CSR_NUMBERS["vstart"], zimm5=chance.randrange(8))
        self.emit(row.mnemonic, **values)

    def state(self):
        """Return the first state: registers and the block."""
        chance, values = self.random, self.constants
        pool = [each & 2**64 - 1 for each in values] + [0] * (MOST_CONSTANTS - len(values))
        x = [0] * 32
        for register, place in enumerate(self.first, 8):
            x[register] = pool[place]
        for register in (*range(16, 28), 29):
            x[register] = pool[chance.choice(self.numbers)]
        x[31] = self.layout.block + CONSTANTS + 2048
        f = [pool[chance.choice(self.floats)] for _ in range(32)]
        tables = b""
        for k, width in enumerate((1, 2, 4, 8)):
            raw = np.frombuffer(chance.randbytes(2 * (INDEX_BYTES // width)), "<u2").astype(np.uint64)
            indices = raw % (256, 4096, 8192, 8192)[k]
            tables += np.where(raw >> 13 == 0, indices, indices // 8 * 8).astype(f"<u{width}").tobytes()
        registers = struct.pack("<66Q", 0, 0, *x, *f).ljust(END_OF_NOTES, b"\0")
        registers += struct.pack("<Q", self.layout.block)
        data = _values(chance, DATA_BYTES)
        block = bytes(CONSTANTS) + struct.pack(f"<{MOST_CONSTANTS}Q", *pool) + tables + 3 * data
        vectors = _values(chance, 4 * self.vlen)
        return (registers + vectors + block).ljust(self.layout.size, b"\0")


def _values(chance, size):
    """Return blocks of 64 bytes: any, borders of integers and floats, small bytes, floats around 1."""
    blocks = size // 64
    raw = np.frombuffer(chance.randbytes(size), np.uint8).reshape(blocks, 64)
    kinds, words, doubles = raw[:, 0] & 7, raw.view("<u4").copy(), raw.view("<u8").copy()
    result = raw.copy()

    def put(kind, values):
        result[kinds == kind] = np.ascontiguousarray(values).view(np.uint8)[kinds == kind]

    edges = np.array([each & 2**64 - 1 for each in EDGES], "<u8")
    put(1, edges[doubles % len(EDGES)])
    put(2, np.array([0, 1, 127, 128, 255, 2, 64, 254], np.uint8)[raw & 7])
    put(3, np.array(SINGLES, "<u4")[words % len(SINGLES)])
    put(4, np.array(DOUBLES, "<u8")[doubles % len(DOUBLES)])
    fraction = np.where(words >> 23 & 1, words & 0x7FFFFF, words & 0x700000)
    put(5, words & 0x80000000 | (115 + (words >> 24) % 24) << 23 | fraction)
    masks = np.array([2**52 - 1, 7 << 49, (2**24 - 1) << 28, 2**52 - 2**20], "<u8")
    fraction = doubles & masks[doubles >> np.uint64(61) & np.uint64(3)]
    exponent = np.uint64(995) + (doubles >> np.uint64(52) & np.uint64(0xFF)) % np.uint64(56)
    put(6, doubles & np.uint64(1 << 63) | exponent << np.uint64(52) | fraction)
    put(7, (words % 140_001 - 70_000).astype("<u4"))
    return result.tobytes()


def _access_lmul(row, sew, lmul):
    """Return the logarithm of the group that a unit-stride access takes, or that of indices."""
    return lmul + (row.operation & 255).bit_length() - max(8, sew).bit_length()


def _suits(row, sew, lmul):
    """Return whether a row is legal under a type, with registers for it."""
    name, semantics = row.mnemonic, row.semantics.__name__
    if row.timing in LOADS_AND_STORES:
        size = _access_lmul(row, sew, lmul)
        data = lmul if semantics == "indexed" else size
        whole = semantics == "whole_registers"
        return whole or (-3 <= size <= 3 and (row.operation >> 8 & 15) << max(0, data) <= 8)
    if semantics == "extend":
        return sew >> (row.operation >> 1) >= 8 and lmul - (row.operation >> 1) >= -3
    if name.startswith(("vfw", "vfn")) and semantics in ("widened", "convert", "reduce"):
        return lmul <= 2 and sew == 32
    if semantics in ("widen", "narrow_shift", "clip") or name.startswith("vwred"):
        return lmul <= 2 and sew <= 32
    return sew >= 32 or not name.startswith(("vf", "vmf")) or semantics == "mask_to_scalar"


@cache
def _pack(number):
    rows = list(OTHERS)
    random.Random(f"pack {number}").shuffle(rows)
    return rows


def random_vector_program(seed, vlen, count=120):
    """Return the program of a seed with this many instructions of arithmetic and accesses.

    Rows are dealt from shuffled packs, one program after the other, so that each occurs as often as others.
    """
    random_state = random.Random(f"riscv vector {seed} {vlen}")
    body = VectorBody(random_state, vlen)
    body.configure()
    for place in range(seed * count, (seed + 1) * count):
        pack, number = divmod(place, len(OTHERS))
        if random_state.random() < 0.12 or (body.sew == 0 and random_state.random() < 0.7):
            body.configure()
        if random_state.random() < 0.15:
            body.change_state()
        row = _pack(pack)[number]
        if vlen >= 128 or not row.mnemonic.startswith(_NOT_ALL_OF_ZVE64):
            body.instruction(row)
    state = body.state()
    return RandomProgram(np.array(body.words, "<u4").tobytes(), state, body.layout, resumes=True)


def executed_words(program, state):
    """Return the words of a program that did not trap, those that were notes in the state left out."""
    words = np.frombuffer(program.body, "<u4")
    end = int.from_bytes(state[END_OF_NOTES : END_OF_NOTES + 8], "little") - STATE
    notes = np.frombuffer(state[program.first_note - STATE : end], "<u8").reshape(-1, NOTE_BYTES // 8)
    places = (notes[:, 1].astype(np.int64) - body_address(program)) // 4
    return np.delete(words, places).tolist()
