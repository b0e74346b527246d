"""Propagation blocking: both steps of a product side by side in one kernel."""

from gpu.formats.propagation.product import Arrangement, PropagationProduct

__all__ = ["Arrangement", "PropagationProduct"]
