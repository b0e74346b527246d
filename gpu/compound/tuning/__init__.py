"""Joint search over layouts and schedules, as Section 4.3 of the paper has it, pruned by a model first."""

from gpu.compound.tuning.search import Found, Progress, Timing, tune
from gpu.compound.tuning.store import TuningStore
from gpu.compound.tuning.variants import Variant, joint_variants, natural_variants

__all__ = [
    "Found",
    "Progress",
    "Timing",
    "TuningStore",
    "Variant",
    "joint_variants",
    "natural_variants",
    "tune",
]
