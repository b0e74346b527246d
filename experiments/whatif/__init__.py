"""Four what-if studies: their specifications, what came out of them, and what it says in words."""

from experiments.whatif.studies import STUDIES, conclusions, recorded, remarks, specification, summary, varied

__all__ = ["STUDIES", "conclusions", "recorded", "remarks", "specification", "summary", "varied"]
