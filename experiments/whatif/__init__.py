"""Four what-if studies: their specifications, their results, and the conclusions in words."""

from experiments.whatif.studies import STUDIES, conclusions, recorded, remarks, specification, summary, varied

__all__ = ["STUDIES", "conclusions", "recorded", "remarks", "specification", "summary", "varied"]
