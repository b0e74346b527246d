"""The vector machine as numbers: its description, its presets, its form for the engines and for results."""

from vecsim.machine.description import WORD_BYTES, Machine
from vecsim.machine.extended import instruction_set_of, machine_class
from vecsim.machine.extension import Extension
from vecsim.machine.extension_files import extensions_of
from vecsim.machine.numbers import Cache, Latencies, MainMemory, SparseUnit
from vecsim.machine.origin import Origin
from vecsim.machine.preset_files import presets
from vecsim.machine.source import as_machine, load_machine
from vecsim.machine.toml_text import to_toml

__all__ = [
    "WORD_BYTES",
    "Cache",
    "Extension",
    "Latencies",
    "Machine",
    "MainMemory",
    "Origin",
    "SparseUnit",
    "as_machine",
    "extensions_of",
    "instruction_set_of",
    "load_machine",
    "machine_class",
    "presets",
    "to_toml",
]
