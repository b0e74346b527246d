"""The vector machine as numbers: its description, its presets, its form for the engines."""

from vecsim.machine.description import WORD_BYTES, Latencies, Machine, SparseUnit
from vecsim.machine.source import as_machine, load_machine, presets, to_toml

__all__ = [
    "WORD_BYTES",
    "Latencies",
    "Machine",
    "SparseUnit",
    "as_machine",
    "load_machine",
    "presets",
    "to_toml",
]
