"""vecsim: a cycle-level vector machine for sparse matrices.

The names below are loaded when they are first used::

    import vecsim

    matrix = vecsim.load("pde900")
    machine = vecsim.load_machine("vs2003", {"banks": 32})
    vecsim.measure("hism", matrix, machine).cycles
"""

from __future__ import annotations

import importlib
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.whatif.compare import Comparison, compare
    from experiments.whatif.compare.rerun import Again, rerun
    from experiments.whatif.explained import ExplainedSweep, explain
    from experiments.whatif.optimise import Optimum, optimise
    from experiments.whatif.sweep import Sweep, SweepTable, sweep
    from experiments.whatif.viewing import Page, trace, view
    from experiments.whatif.why import Explanation, ProductExplanation, why, why_program
    from gpu.format_registry import FORMATS
    from isa.assembler import assemble, assemble_file
    from isa.program import Program
    from programs.measurement import Measurement, measure
    from programs.registry import PROGRAMS
    from programs.user_format import Parameter, UserFormat
    from vecsim.data import Matrix, load, values_as
    from vecsim.engines.result import Run
    from vecsim.engines.running import run, start
    from vecsim.engines.timeline import TimelineRequest
    from vecsim.machine import Extension, Machine, load_machine
    from vecsim.support.errors import MatrixWarning, UserError

__version__ = "0.1.0"

LOADED_NS = time.time_ns()
"""When this process loaded vecsim: files of it that changed later are not what runs."""

_HOME = {
    "why_program": "experiments.whatif.why",
    "ProductExplanation": "experiments.whatif.why",
    "view": "experiments.whatif.viewing",
    "trace": "experiments.whatif.viewing",
    "Page": "experiments.whatif.viewing",
    "explain": "experiments.whatif.explained",
    "ExplainedSweep": "experiments.whatif.explained",
    "rerun": "experiments.whatif.compare",
    "compare": "experiments.whatif.compare",
    "Comparison": "experiments.whatif.compare",
    "Again": "experiments.whatif.compare",
    "Explanation": "experiments.whatif.why",
    "Extension": "vecsim.machine",
    "FORMATS": "gpu.format_registry",
    "Machine": "vecsim.machine",
    "Matrix": "vecsim.data",
    "MatrixWarning": "vecsim.support.errors",
    "Measurement": "programs.measurement",
    "Optimum": "experiments.whatif.optimise",
    "PROGRAMS": "programs.registry",
    "Parameter": "programs.user_format",
    "Program": "isa.program",
    "Run": "vecsim.engines.result",
    "Sweep": "experiments.whatif.sweep",
    "SweepTable": "experiments.whatif.sweep",
    "TimelineRequest": "vecsim.engines.timeline",
    "UserError": "vecsim.support.errors",
    "UserFormat": "programs.user_format",
    "assemble": "isa.assembler",
    "assemble_file": "isa.assembler",
    "load": "vecsim.data",
    "load_machine": "vecsim.machine",
    "measure": "programs.measurement",
    "optimise": "experiments.whatif.optimise",
    "run": "vecsim.engines.running",
    "start": "vecsim.engines.running",
    "sweep": "experiments.whatif.sweep",
    "values_as": "vecsim.data",
    "why": "experiments.whatif.why",
}

__all__ = [
    "FORMATS",
    "PROGRAMS",
    "Again",
    "Comparison",
    "ExplainedSweep",
    "Explanation",
    "Extension",
    "Machine",
    "Matrix",
    "MatrixWarning",
    "Measurement",
    "Optimum",
    "Page",
    "Parameter",
    "ProductExplanation",
    "Program",
    "Run",
    "Sweep",
    "SweepTable",
    "TimelineRequest",
    "UserError",
    "UserFormat",
    "assemble",
    "assemble_file",
    "compare",
    "explain",
    "load",
    "load_machine",
    "measure",
    "optimise",
    "rerun",
    "run",
    "start",
    "sweep",
    "trace",
    "values_as",
    "view",
    "why",
    "why_program",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module where it lives.

    Raises
    ------
    UserError
        A folder in the way is taken for one of vecsim's packages, such as ``programs`` next to a script.
    """
    if name not in _HOME:
        raise AttributeError(f"module 'vecsim' has no attribute {name!r}")
    guard: Any = importlib.import_module("vecsim.support.project_packages")
    with guard.project_packages():
        return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Return the public names, loaded or not, so that an interpreter completes them."""
    return sorted([*__all__, "__version__"])
