"""Puts the tests of the machine's formats on the path, so that those of each format find `format_cases`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "formats"))
