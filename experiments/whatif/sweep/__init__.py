"""What-if sweeps: programs times matrices times machines, every cell computed once."""

from experiments.whatif.sweep.running import plan, sweep
from experiments.whatif.sweep.specification import Sweep
from experiments.whatif.sweep.table import SweepTable

__all__ = ["Sweep", "SweepTable", "plan", "sweep"]
