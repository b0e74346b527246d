"""Propagation blocking: both steps of a product side by side in one kernel."""

from gpu.formats.propagation.arrangement import Arrangement
from gpu.formats.propagation.product import PropagationProduct

__all__ = ["Arrangement", "PropagationProduct"]
