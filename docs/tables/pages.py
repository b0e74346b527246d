"""The pages that the index does not place: they stand together at its end, so that none is lost."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1]


def further() -> str:
    """Return a table of contents of all pages that no line of the index names."""
    named = set((DOCS / "index.md").read_text(encoding="utf-8").splitlines()) | {"index"}
    pages = sorted(str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.rglob("*.md"))
    left = [page for page in pages if page not in named]
    if not left:
        return ""
    return "\n".join(["```{toctree}", ":caption: More", ":hidden:", "", *left, "```"])
