"""The numbers of a machine and of a run that the timing rules read."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.state.row import Row


@dataclass(slots=True, eq=False)
class MachineNumbers(Row):
    """The numbers of a machine description by the names of its fields; then those that a run adds."""

    section_size: int = 0
    vector_registers: int = 0
    physical_vector_registers: int = 0
    physical_scalar_registers: int = 0
    issue_width: int = 0
    unit_queue: int = 0
    memory_ports: int = 0
    store_ports: int = 0
    store_words_per_cycle: int = 0
    store_addresses_per_cycle: int = 0
    disambiguation: int = 0
    accesses_in_flight: int = 0
    startup: int = 0
    words_per_cycle: int = 0
    addresses_per_cycle: int = 0
    alignment_bytes: int = 0
    banks: int = 0
    bank_busy: int = 0
    words_outstanding: int = 0
    merge_bytes: int = 0
    merge_window: int = 0
    chaining: int = 0
    add_units: int = 0
    multiply_units: int = 0
    sparse_units: int = 0
    divide_interval: int = 0
    masked_elements: int = 0
    lanes: int = 0
    branch_penalty: int = 0
    sparse_unit_p: int = 0
    sparse_unit_r: int = 0
    main_memory_latency: int = 0
    main_memory_bytes: int = 0
    main_memory_cycles: int = 0
    main_memory_row_words: int = 0
    main_memory_row_miss: int = 0
    """As in the machine description (``sparse_unit.r``); so all before it."""

    instructions: int = 0
    """Instructions of the program."""
    memory_bytes: int = 0
    """Bytes of memory."""
    registers: int = 0
    """Vector registers, physical ones on a machine that renames, with the mask."""
    slots: int = 0
    """Vector instructions in flight, at most."""
    ports: int = 0
    """All memory ports."""
    units: int = 0
    """The number after that of the last unit."""
    flat_memory: int = 0
    """1 if words go between banks and registers alone, each in the cycle after its transfer."""
    vector_level: int = 0
    scalar_level: int = 0
    """The cache that vector and scalar accesses go to first; -1 for none."""
    transfers: int = 0
    """Transfers that are remembered of each port."""
    pending: int = 0
    """Pending retirements, at most."""

    lanes_scale: int = 0
    sparse_scale: int = 0
    words_scale: int = 0
    """Reciprocals of ``lanes``, ``sparse_unit_p`` and ``words_per_cycle``, for the single-port loop."""
    lanes_shift: int = 0
    sparse_shift: int = 0
    words_shift: int = 0
    """Their binary logarithms; -1: no power of two."""
    streams: int = 0
    """1 if a contiguous stream never meets itself at a bank."""
