"""What-if sweeps: programs times matrices times machines, every cell computed once."""

from experiments.sweep.running import sweep
from experiments.sweep.specification import Sweep
from experiments.sweep.table import SweepTable

__all__ = ["Sweep", "SweepTable", "sweep"]
