"""The items of random programs: a few instructions that set all that they need.

Every choice comes from one source with the methods of ``random.Random``.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from isa.declaration import REGISTERS, SPECIAL_REGISTERS, Instruction
from isa.semantics.sparse import descriptor_bytes
from vecsim.machine import WORD_BYTES, Machine

from . import rows
from .builder import Builder
from .random_memory import INDEX_LIMIT, Layout

SECTION = 3
"""The x register that holds s."""
ADDRESS, STRIDE, FIRST, COUNT = 6, 7, 8, 9
"""x registers that an item sets for itself."""
DATA = range(10, 16)
"""x registers with any value."""
BLOCK_POINTER, BLOCK_LENGTH, DESCRIPTOR_POINTER = 18, 19, 20
"""x registers that sparse loads move on; what is left to load bounds how far."""
FLOATS = range(6)
BLOCKLEN = SPECIAL_REGISTERS.index("blocklen")


class Items:
    """Appends random items to a builder.

    Addresses cluster around one place, so that accesses overlap, touch and just miss one another.
    """

    def __init__(self, rng: random.Random, machine: Machine, layout: Layout, builder: Builder) -> None:
        self.rng = rng
        self.machine = machine
        self.s = machine.section_size
        self.layout = layout
        self.builder = builder
        self.add = builder.add
        self.set = builder.constant
        self.vectors = range(rng.choice([3, 5, 8, machine.vector_registers]))
        self.anchor = rng.randrange(0, layout.data_end // 2, 4)
        usual = (*[self.vector] * 7, *[self.contiguous] * 3)
        self.makers: tuple[Callable[[], None], ...] = (
            *usual,
            self.strided,
            self.indexed,
            self.scalar,
            self.scalar_access,
            self.scalar_access,
            self.length,
            self.mask,
            self.special,
            self.cache,
            self.cache,
            self.blocks,
            self.descriptors,
            self.sparse,
            self.sparse,
            self.scalar,
        )

    def item(self) -> None:
        """Append an item of any kind."""
        self.rng.choice(self.makers)()

    def preparation(self) -> None:
        """Set registers to their first values."""
        self.set(SECTION, self.s)
        self.add("setvl", 0, SECTION)
        for vector in list(self.vectors)[:4]:
            self.set(ADDRESS, self.data_address(0, 4 * self.s))
            self.add("lv.w", vector, 0, ADDRESS)
        for x in DATA[:3]:
            self.set(x, self.rng.randrange(0, 2 * self.s))
        self.mask()
        for f in FLOATS[:2]:
            self.set(ADDRESS, self.data_address(0, 8))
            self.add("fl.w", f, 0, ADDRESS)

    # Operands

    def x_data(self) -> int:
        """An x register with any value, to write."""
        return self.rng.choice(DATA)

    def x_any(self) -> int:
        """An x register to read; those that move with sparse loads among them."""
        return self.rng.choice((*DATA, *DATA, 0, SECTION, BLOCK_POINTER, BLOCK_LENGTH, ADDRESS))

    def v(self) -> int:
        return self.rng.choice(self.vectors)

    def any_fields(self, row: Instruction) -> list[int]:
        """Operands for a row that takes any."""
        rng, fields = self.rng, []
        for operand in row.operands:
            if operand.kind == "x":
                fields.append(self.x_data() if operand.written else self.x_any())
            elif operand.kind == "f":
                fields.append(rng.choice(FLOATS))
            elif operand.kind == "v":
                fields.append(self.v())
            elif operand.kind == "s":
                fields.append(rng.randrange(len(SPECIAL_REGISTERS)))
            else:
                low, high = operand.limits
                fields.append(rng.choice([max(low, -3), 0, 1, 5, self.s, low, high, rng.randint(low, high)]))
        return fields

    def data_address(self, lowest: int, highest: int, indexes: bool = False) -> int:
        """An address a so that a + lowest to a + highest (exclusive) are data.

        With ``indexes`` the region of indexes counts as data.
        """
        rng, s = self.rng, self.s
        end = self.layout.index_end if indexes else self.layout.data_end
        if rng.randrange(8) < 6:
            address = self.anchor + rng.choice([0, 0, 4 * s, 8 * s, -4 * s, 4 * s + 4, 4, rng.randrange(64)])
        else:
            address = rng.randrange(end)
        address -= address % rng.choice([1, 4, 4, 16, 16, 64])
        return min(max(address, -lowest), end - highest)

    def memory_operand(self, row: Instruction, address: int) -> tuple[int, int]:
        """Offset and base register for an address."""
        if address <= row.operands[1].limits[1] and self.rng.randrange(2):
            return address, 0
        offset = self.rng.choice([0, 0, 4, -12, 100])
        self.set(ADDRESS, address - offset)
        return offset, ADDRESS

    # Items

    def vector(self) -> None:
        row = self.rng.choice(rows.VECTOR)
        self.add(row.mnemonic, *self.any_fields(row))

    def scalar(self) -> None:
        row = self.rng.choice(rows.SCALAR)
        fields = self.any_fields(row)
        if self.rng.randrange(16) == 15 and row.operands[0].kind == "x":
            fields[0] = 0
        self.add(row.mnemonic, *fields)

    def scalar_access(self) -> None:
        row = self.rng.choice(rows.SCALAR_ACCESS)
        assert row.access is not None
        address = self.data_address(0, row.access.value_bytes, indexes=not row.access.store)
        value = self.rng.choice(FLOATS) if row.operands[0].kind == "f" else self.x_data()
        self.add(row.mnemonic, value, *self.memory_operand(row, address))

    def contiguous(self) -> None:
        row = self.rng.choice(rows.CONTIGUOUS)
        assert row.access is not None
        address = self.data_address(0, row.access.value_bytes * self.s, indexes=not row.access.store)
        self.add(row.mnemonic, self.v(), *self.memory_operand(row, address))

    def strided(self) -> None:
        row = self.rng.choice(rows.STRIDED)
        assert row.access is not None
        stride = self.rng.choice([0, 0, 4, 8, -4, -8, 12, 16, 64, -64, 1, 3, -6, 4 * self.machine.banks])
        if abs(stride) > 64:
            stride = 64
        reach = stride * (self.s - 1)
        self.set(ADDRESS, self.data_address(min(reach, 0), max(reach, 0) + row.access.value_bytes))
        self.set(STRIDE, stride)
        self.add(row.mnemonic, self.v(), ADDRESS, STRIDE)

    def indexed(self) -> None:
        row = self.rng.choice(rows.INDEXED)
        assert row.access is not None
        index = self.v()
        lowest, highest = self.index_register(index)
        size = row.access.value_bytes
        self.set(ADDRESS, self.data_address(min(lowest, 0) * size, (highest + 1) * size))
        self.add(row.mnemonic, self.v(), ADDRESS, index)

    def index_register(self, v: int) -> tuple[int, int]:
        """Fill a vector register with indexes; return the least and the largest that they may be."""
        form = self.rng.randrange(5)
        if form < 2:  # from memory
            index_words = (self.layout.index_end - self.layout.data_end) // WORD_BYTES - self.s
            first = self.layout.data_end + WORD_BYTES * self.rng.randrange(index_words)
            self.set(ADDRESS, first)
            self.add("lv.w", v, 0, ADDRESS)
            if form == 1:
                self.add("addvv.w", v, v, v)
                return 0, 2 * INDEX_LIMIT
            return 0, INDEX_LIMIT
        step = self.rng.choice([-1, 0, 1, 2, 3])
        self.set(STRIDE, step)
        if form == 2:  # always the same
            self.add("movvx", v, STRIDE)
            return step, step
        self.add("cvi", v, STRIDE)
        return min(step * self.s, 0), max(step * self.s, 0)

    def length(self) -> None:
        s, rng = self.s, self.rng
        if rng.randrange(10) == 9:
            self.add("setvl", self.x_data(), self.x_any())
            return
        self.set(COUNT, rng.choice([0, 1, s // 2, s - 1, s, s, s, s, 2 * s, rng.randrange(s), -1]))
        self.add("setvl", rng.choice([0, self.x_data()]), COUNT)

    def mask(self) -> None:
        """Add a mask whose first or last elements are 1, a random number of them."""
        vector = self.v()
        self.set(STRIDE, 1)
        self.add("cvi", vector, STRIDE)
        self.set(COUNT, self.rng.randrange(self.s))
        self.add(self.rng.choice(["sltvs.w", "sgevs.w", "snevs.w"]), vector, COUNT)

    def special(self) -> None:
        if self.rng.randrange(2):
            self.add("mfs", self.x_data(), self.rng.randrange(len(SPECIAL_REGISTERS)))
            return
        special = self.rng.choice([n for n in range(len(SPECIAL_REGISTERS)) if n != BLOCKLEN])
        self.add("mts", special, self.x_any())

    def cache(self) -> None:
        row, s = self.rng.choice(rows.CACHE), self.s
        assert row.access is not None
        first = self.rng.choice([0, s, self.rng.randrange(s * s), self.rng.randrange(s * s)])
        most = min(s * s - first, 160 if s <= 16 else 2 * s)
        count = self.rng.choice([0, 1, s, 2 * s, self.rng.randrange(most + 1), most])
        count = min(count, most)
        address = self.data_address(0, row.access.value_bytes * count)
        for register, value in ((FIRST, first), (ADDRESS, address), (COUNT, count)):
            self.set(register, value)
        self.add(row.mnemonic, FIRST, ADDRESS, COUNT)

    def blocks(self) -> None:
        """A section of a block array, and mostly what works on it."""
        row, rng = self.rng.choice(rows.BLOCKS), self.rng
        assert row.access is not None
        record = row.access.value_bytes + 4
        if rng.randrange(3):
            count = self.entries()
            self.set(BLOCK_POINTER, self.data_address(0, record * count))
            self.set(BLOCK_LENGTH, count)
        value, position = self.distinct(2)
        self.add(row.mnemonic, value, position, BLOCK_POINTER, BLOCK_LENGTH, rng.choice([1, 2]))
        if rng.randrange(4):
            self.sparse(value, position)

    def descriptors(self) -> None:
        """A section of a block column, and mostly what works on it."""
        row, rng = self.rng.choice(rows.DESCRIPTORS), self.rng
        assert row.access is not None
        record = row.access.value_bytes + descriptor_bytes(self.s)
        if rng.randrange(3):
            count = self.entries()
            self.set(DESCRIPTOR_POINTER, self.data_address(0, record * count))
            self.set(COUNT, count)
            self.add("mts", BLOCKLEN, COUNT)
        value, position, touched = self.distinct(3)
        self.add(row.mnemonic, value, position, touched, DESCRIPTOR_POINTER)
        if rng.randrange(4):
            self.sparse(value, position)

    def entries(self) -> int:
        """How many entries there are to load, at most 2 s."""
        s = self.s
        return self.rng.choice([0, 1, s - 1, s, s, s + 3, 2 * s])

    def distinct(self, count: int) -> list[int]:
        """Vector registers, seldom the same one twice."""
        if self.rng.randrange(32) == 31:
            return [self.v() for _ in range(count)]
        first = self.v()
        return [(first + i) % len(self.vectors) for i in range(count)]

    def sparse(self, value: int | None = None, position: int | None = None) -> None:
        row = self.rng.choice(rows.SPARSE)
        fields = self.any_fields(row)
        if value is not None and position is not None:
            fields[-2:] = value, position
        if row.slice_operand:
            self.set(FIRST, self.rng.choice([0, 1, self.s - 1, self.rng.randrange(self.s)]))
            fields[0] = FIRST
        self.add(row.mnemonic, *fields)


assert max(DATA) < REGISTERS
