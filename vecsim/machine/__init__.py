"""The vector machine as numbers: its description, its presets, its form for the engines and for results."""

from vecsim.machine.description import WORD_BYTES, Latencies, Machine, SparseUnit
from vecsim.machine.origin import Origin
from vecsim.machine.preset_files import presets
from vecsim.machine.source import as_machine, load_machine
from vecsim.machine.toml_text import to_toml

__all__ = [
    "WORD_BYTES",
    "Latencies",
    "Machine",
    "Origin",
    "SparseUnit",
    "as_machine",
    "load_machine",
    "presets",
    "to_toml",
]
