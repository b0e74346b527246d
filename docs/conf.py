"""The documentation site: ``nox -s site``, or ``python -m sphinx -W -c docs . build/site``.

The source folder is the repository's root, so that pages link to each other as they do in a checkout.
What a page shows of a table of vecsim stands in it as a comment, ``<!-- made from: machine -->``, and is
filled in here (`docs.tables`).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from docs.assembly_lexer import AssemblyLexer  # noqa: E402
from docs.blocks import recorded_blocks  # noqa: E402
from docs.tables import filled  # noqa: E402

project = "vecsim"
copyright = "the authors of vecsim"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
root_doc = "docs/index"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md", "docs/**.md"]
exclude_patterns = [".*", "build", "tests"]
highlight_language = "text"

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block", "colon_fence"]
suppress_warnings = ["myst.header"]  # a changelog and a table begin where they like

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_render_text_lexer = "text"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
autosummary_generate = False

html_theme = "furo"
html_title = "vecsim"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_extra_path = ["root"]
html_show_sphinx = False
html_copy_source = False


def setup(app: Any) -> None:
    """Fill in tables, know our assembly, and list the blocks whose output was recorded elsewhere."""
    app.add_lexer("asm", AssemblyLexer)
    app.connect("source-read", lambda _, __, text: text.__setitem__(0, filled(text[0])))
    app.connect("build-finished", _list_recorded)


def _list_recorded(app: Any, problem: Exception | None) -> None:
    """Name the blocks that are not run: they need a GPU or the network."""
    if problem is None:
        for page in sorted((ROOT / "docs").rglob("*.md")):
            for block in recorded_blocks(page.read_text(encoding="utf-8")):
                print(f"recorded, not run ({block.needs}): {page.relative_to(ROOT)}:{block.line}")
