"""Assembly texts as one: for what takes a text and opens no files."""

import re
from pathlib import Path

PROGRAMS = Path(__file__).parents[1] / "programs"
INCLUDE = re.compile(r'^\.include "(.*)"$', re.MULTILINE)


def whole_text(path):
    """Return a text that comes with vecsim, with those that it includes in their places."""
    text = Path(path).read_text(encoding="utf-8")
    return INCLUDE.sub(lambda line: whole_text(PROGRAMS / line[1]), text)
