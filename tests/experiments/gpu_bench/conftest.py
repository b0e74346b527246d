"""The fakes of a driver and of cuSPARSE stand with the tests of `gpu`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "gpu"))
