"""Coalescing: elements of a gather or scatter that lie in the same aligned block go together.

As on GPUs the block, not the word, is what an address fetches. The block that a port transferred last stays
in front of it: further words of it take no place in a cycle and no bank.
"""

from typing import Any

from vecsim import Extension
from vecsim.engines.rules.banks import word_passes, word_places, word_start
from vecsim.engines.state.instruction import Instruction

coalescing = Extension("coalescing", "elements of an indexed access in one aligned block go together")
BLOCK_WORDS = coalescing.number("block_words", 8, "words of an aligned block", le=1024)
ADDRESSES = coalescing.counter("addresses", "blocks that indexed accesses fetched or stored")
TOGETHER = coalescing.counter("together", "words that went with the block of the one before")
coalescing.array("block", lambda machine: machine.ports, fill=-1)


def follows(r: Any, instruction: Instruction, port: int, address: int) -> bool:
    """Return whether a word is in the block that its port transferred last, and of an indexed access."""
    indexed = instruction.index_register >= 0
    return indexed and r.block[port] == address // r.numbers[BLOCK_WORDS]


@coalescing.replaces(word_places)
def places_of_block(r: Any, instruction: Instruction, port: int, address: int) -> int:
    """Return a place for the first word of a block alone."""
    return 0 if follows(r, instruction, port, address) else word_places(r, instruction, port, address)


@coalescing.replaces(word_start)
def start_of_block(r: Any, instruction: Instruction, port: int, address: int, earliest: int) -> int:
    """Let the others wait for no bank."""
    if follows(r, instruction, port, address):
        return earliest
    return word_start(r, instruction, port, address, earliest)


@coalescing.replaces(word_passes)
def pass_block(r: Any, instruction: Instruction, port: int, address: int, cycle: int) -> int:
    """Note the block; any other access takes its place."""
    if follows(r, instruction, port, address):
        r.counters[TOGETHER] += 1
        return cycle + 1
    arrival: int = word_passes(r, instruction, port, address, cycle)
    r.block[port] = -1
    if instruction.index_register >= 0:
        r.block[port] = address // r.numbers[BLOCK_WORDS]
        r.counters[ADDRESSES] += 1
    return arrival
