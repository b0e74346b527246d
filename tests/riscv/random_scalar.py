"""Random bodies of scalar instructions: every row and every compressed row, with edge values favoured."""

import random

from isa.riscv.encoding import compressed_row, encode
from isa.riscv.fields import FIELDS, Field, Kind, operand_names
from isa.riscv.instructions import NUMBERS, ROWS
from isa.riscv.rows import compressed
from isa.riscv.semantics.control import CSRS as CSR_NUMBERS
from tests.riscv.program_image import CSRS, MEMORY_BYTES, F, Layout, RandomProgram, V, X
from tests.riscv.riscv_elf import TEXT_BASE

BLOCK_BYTES = 4096
SP, S0, S1, COUNTER = 2, 8, 9, 31
BASES = {SP: 3072, S0: 2048, S1: 1024}
"""Registers that point into the block, by how far; nothing else writes them."""
RESERVED = {*BASES, COUNTER}
INTEGERS = [0, 1, 2, 3, -1, -2, 7, 8, 31, 32, 63, 64, 0x7F, 0x80, 0xFF, 0x8000, 0xFFFF]
INTEGERS += [s * (1 << k) + d for k in (31, 32, 62, 63) for s in (1, -1) for d in (-1, 0, 1)]
FLOATS = [
    *(0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000),
    *(0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF, 0x0000000000000001),
    *(0x0010000000000000, 0x000FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 0x43E0000000000000, 0xC3E0000000000000),
    *(0x41DFFFFFFFC00000, 0xC1E0000000000000, 0x3FE0000000000000, 0x3FF8000000000000, 0x4330000000000001),
    *(0xFFFFFFFF00000000 | bits for bits in (0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000)),
    *(0xFFFFFFFF00000000 | bits for bits in (0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001, 0x007FFFFF)),
    *(0xFFFFFFFF00000000 | bits for bits in (0x00800000, 0x7F7FFFFF, 0x4F000000, 0xCF000000, 0x3F000000)),
]
WRITTEN_CSRS = "fflags", "frm", "fcsr", "vxsat", "vxrm", "vcsr", "vstart"
READ_CSRS = (*WRITTEN_CSRS, "vl", "vtype", "vlenb", "mhartid")
SCALAR = frozenset({"I", "M", "A", "Zicsr", "Zba", "Zbb"})
FLOAT = frozenset({"F", "D"})
NOT_ALONE = {"ecall", "ebreak", "fence.i"}
"""What ends a body, or needs more than itself."""


class Body:
    """A body in the making: instructions, and jumps to labels that come later."""

    def __init__(self, random_state):
        self.random = random_state
        self.items = []
        self.labels = {}

    def add(self, mnemonic, **values):
        """Add an instruction of 32 bits."""
        self.items.append((encode(mnemonic, values), 4, None))

    def add_half(self, halfword):
        """Add an instruction of 16 bits."""
        self.items.append((halfword, 2, None))

    def jump(self, make, size, label):
        """Add an instruction that ``make(distance)`` returns once the label's place is known."""
        self.items.append((make, size, label))

    def label(self):
        """Return a new label, for `place`."""
        self.labels[len(self.labels)] = None
        return len(self.labels) - 1

    def place(self, label):
        """Put a label before what is added next."""
        self.labels[label] = len(self.items)

    def finished(self):
        """Return the bytes."""
        places = [0]
        for _, size, _ in self.items:
            places.append(places[-1] + size)
        text = b""
        for (what, size, label), place in zip(self.items, places, strict=False):
            word = what if label is None else what(places[self.labels[label]] - place)
            text += word.to_bytes(size, "little")
        return text


class ScalarBody(Body):
    """A body of scalar instructions of some extensions."""

    def __init__(self, random_state, extensions):
        super().__init__(random_state)
        self.floats = bool(FLOAT & extensions)
        self.rows = [row for row in ROWS if row.extension in extensions and row.mnemonic not in NOT_ALONE]
        whole = {row.mnemonic for row in self.rows}
        self.short = [row for row in compressed.ROWS if row.full in whole]

    def destination(self):
        return self.random.choice([each for each in range(32) if each not in RESERVED])

    def step(self):
        """Add an instruction, or a few that belong together."""
        choice = self.random.random()
        if choice < 0.03:
            self.loop()
        elif choice < 0.06:
            self.change_value()
        elif choice < 0.3:
            self.short_row(self.random.choice(self.short))
        else:
            self.row(self.random.choice(self.rows))

    def change_value(self):
        """Set a register to an edge value, or a small one."""
        register, value = self.destination(), self.random.choice(INTEGERS) & 0xFFF
        self.add("addi", rd=register, imm12=value - 4096 if value >= 2048 else value)
        if self.random.random() < 0.5:
            self.add("slli", rd=register, rs1=register, shamt6=self.random.choice([31, 32, 51, 52, 63]))

    def loop(self):
        """Add a loop of a few turns."""
        self.add("addi", rd=COUNTER, imm12=self.random.randint(1, 4))
        self.add_half(0x0001)  # c.nop: the loop may begin at an address that 4 does not divide
        begin = len(self.items)
        for _ in range(self.random.randint(1, 5)):
            self.row(self.random.choice(self.rows), jumps=False)
        self.add("addi", rd=COUNTER, rs1=COUNTER, imm12=-1)
        back = -sum(size for _, size, _ in self.items[begin:])
        self.add("bne", rs1=COUNTER, rs2=0, branch13=back)

    def row(self, row, *, jumps=True):
        """Add an instruction of a row."""
        names = operand_names(row.operands)
        if "branch13" in names or "jump21" in names or row.mnemonic == "jalr":
            if jumps:
                self.jump_row(row)
            return
        values = {name: self.value(row, name) for name in names}
        if {"imm12", "store12"} & {*names} and "(rs1)" in row.operands:
            values |= self.in_block(row, "imm12" if "imm12" in names else "store12")
        elif row.extension == "A":
            values["rs1"] = self.random.choice([*BASES])
        elif "csr" in names:
            values |= self.csr_values(row)
        self.add(row.mnemonic, **values)

    def value(self, row, name):
        field = FIELDS[name]
        if name == "rd":
            return self.destination()
        if field.kind in (Kind.INTEGER, Kind.FLOAT):
            return self.random.randrange(32)
        if field.kind == Kind.ROUNDING:
            return self.random.choice([0, 1, 2, 3, 4, 7, 7])
        return self.number(field)

    def number(self, field):
        """Return a value of an immediate: often the smallest, the largest or one next to 0."""
        edges = [field.least, field.most, field.base, field.base + field.step]
        if self.random.random() < 0.3:
            return self.random.choice([each for each in edges if field.least <= each <= field.most])
        return field.least + self.random.randrange((field.most - field.least) // field.step + 1) * field.step

    def in_block(self, row, name, size=None):
        """Return a base and an offset that are in the block."""
        size = (
            size or int(next(each for each in ("64", "32", "16", "8") if f"mem{each}[" in row.summary)) // 8
        )
        base = self.random.choice([*BASES])
        least, most = -BASES[base], BLOCK_BYTES - size - BASES[base]
        offset = self.random.randint(max(least, -2048) // size, min(most, 2047) // size) * size
        return {"rs1": base, name: max(offset, -2048)}

    def csr_values(self, row):
        reading = self.random.random() < 0.4
        names = READ_CSRS if reading else WRITTEN_CSRS
        if self.floats:  # a rounding mode that there is not makes every operation illegal
            names = [each for each in names if each not in ("frm", "fcsr")]
        values = {"csr": CSR_NUMBERS[self.random.choice(names)]}
        if reading and row.mnemonic[:5] == "csrrw":
            values["csr"] = CSR_NUMBERS["vxsat"]
        elif reading:
            values |= {name: 0 for name in ("rs1", "zimm5") if name in operand_names(row.operands)}
        return values

    def jump_row(self, row):
        """Add a jump forward, over a few instructions."""
        label, rd = self.label(), self.destination()
        rs1, rs2 = self.random.randrange(32), self.random.randrange(32)
        if row.mnemonic == "jalr":
            base = self.random.choice([each for each in range(1, 32) if each not in RESERVED])
            self.add("auipc", rd=base)
            odd = self.random.randrange(2)
            self.jump(lambda d: encode("jalr", {"rd": rd, "rs1": base, "imm12": d + 4 + odd}), 4, label)
        elif row.mnemonic == "jal":
            self.jump(lambda d: encode("jal", {"rd": rd, "jump21": d}), 4, label)
        else:
            if self.random.random() < 0.3:
                rs2 = rs1
            values = {"rs1": rs1, "rs2": rs2}
            self.jump(lambda d: encode(row.mnemonic, values | {"branch13": d}), 4, label)
        self.skipped(label)

    def skipped(self, label):
        for _ in range(self.random.randint(0, 3)):
            self.row(self.random.choice(self.rows), jumps=False)
        self.place(label)

    def short_row(self, row):
        """Add an instruction of a row of 16 bits."""
        if row.mnemonic == "c.ebreak":
            return
        if row.full in ("beq", "bne", "jal"):
            label = self.label()
            field = row.values["branch13" if "branch13" in row.values else "jump21"]
            half = self.half(row) & ~field.mask
            self.jump(lambda d: half | field.bits_of(d), 2, label)
            self.skipped(label)
        elif row.full == "jalr":
            base = self.random.choice([each for each in range(1, 32) if each not in RESERVED])
            label = self.label()
            self.jump(lambda d: encode("addi", {"rd": COUNTER, "imm12": d - 4}), 4, label)
            self.add("auipc", rd=base)
            self.add("add", rd=base, rs1=base, rs2=COUNTER)
            self.add_half(row.match | FIELDS["rd"].bits_of(base))
            self.skipped(label)
        elif row.mnemonic == "c.addi16sp":
            value = self.random.choice([each for each in range(-512, 512, 16) if each])
            for each in (value, -value if value > -512 else 496):
                self.add_half(row.match | row.values["imm12"].bits_of(each))
            if value == -512:
                self.add_half(row.match | row.values["imm12"].bits_of(16))
        else:
            self.add_half(self.half(row))

    def half(self, row):
        """Return a halfword of a row that writes no reserved register and stays in the block."""
        while True:
            half = row.match | self.random.getrandbits(16) & ~row.mask
            if compressed_row(half) is not row:
                continue
            values = {
                name: each.value_in(half) if isinstance(each, Field) else each
                for name, each in row.values.items()
            }
            if values.get("rd") in RESERVED:
                continue
            if "mem" in ROWS[NUMBERS[row.full]].summary and values["rs1"] not in BASES:
                continue
            return half


def _values(random_state, count, edges):
    return [
        random_state.choice(edges) if random_state.random() < 0.6 else random_state.getrandbits(64)
        for _ in range(count)
    ]


def first_state(random_state, layout, bases):
    """Return registers and memory with many edge values; ``bases`` are offsets into the block by register."""
    x = _values(random_state, 32, INTEGERS)
    for register, offset in bases.items():
        x[register] = layout.block + offset
    f = _values(random_state, 32, FLOATS)
    csrs = [random_state.randrange(5) << 5, random_state.randrange(4) << 1, 0, 0, 0, 0]
    rest = _values(random_state, (layout.size - V) // 8, INTEGERS + FLOATS)
    numbers = [0, 0, 0, *x[1:], *f, *csrs, *rest]
    state = b"".join((each & (1 << 64) - 1).to_bytes(8, "little") for each in numbers)
    assert len(state) == layout.size and (X, F, CSRS, V) == (0x10, 0x110, 0x210, 0x240)
    return state


def add_trap(body):
    """Add what ends a body before its end."""
    chosen = body.random
    kind = chosen.randrange(8)
    if kind == 0:
        size, name = chosen.choice([(2, "lh"), (2, "lhu"), (4, "lw"), (4, "lwu"), (8, "ld")])
        body.add(name, rd=body.destination(), rs1=S0, imm12=chosen.randrange(1, size))
    elif kind == 1:
        size, name = chosen.choice([(2, "sh"), (4, "sw"), (8, "sd")])
        body.add(name, rs2=body.destination(), rs1=S0, store12=chosen.randrange(1, size))
    elif kind == 2:
        body.add("addi", rd=5, rs1=S0, imm12=chosen.randrange(1, 8))
        name = chosen.choice(["lr.w", "lr.d", "sc.w", "sc.d", "amoswap.w", "amomaxu.d"])
        body.add(name, rd=7, rs1=5, **({} if name[:2] == "lr" else {"rs2": 6}))
    elif kind == 3:
        body.add_half(chosen.choice([0x9002, 0x9002, 0x0000, 0x8002, 0x6101, 0x2001, 0x4002]))
    elif kind == 4:
        number = chosen.choice([CSR_NUMBERS["vl"], CSR_NUMBERS["vlenb"], 0x7FF, 0xC00])
        body.add("csrrwi", rd=body.destination(), csr=number, zimm5=1)
    else:
        body.add("lui", rd=5, upper20=TEXT_BASE + MEMORY_BYTES - (1 << 32))
        body.add("slli", rd=5, rs1=5, shamt6=32)
        body.add("srli", rd=5, rs1=5, shamt6=32)
        name = {5: ["lb", "lw", "ld"], 6: ["amoadd.w", "sc.d", "lr.w"], 7: ["jalr"]}[kind]
        body.add(chosen.choice(name), rd=7, rs1=5)


def random_program(seed, vlen, extensions=SCALAR, steps=120):
    """Return the program of a seed; one in eight ends in a trap."""
    random_state = random.Random(f"riscv {sorted(extensions)} {seed}")
    layout = Layout(vlen, BLOCK_BYTES)
    state = first_state(random_state, layout, BASES)
    body = ScalarBody(random_state, extensions)
    for _ in range(steps):
        body.step()
    if random_state.random() < 0.125:
        add_trap(body)
    return RandomProgram(body.finished(), state, layout)
