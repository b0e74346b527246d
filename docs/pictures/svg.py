"""A drawing as SVG text: boxes, bars, lines and words on a white ground."""

from __future__ import annotations

from html import escape

INK, MUTED, PAPER, FAINT = "#24292f", "#6e7781", "#ffffff", "#eaeef2"
COLOURS = ("#0969da", "#bf8700", "#1a7f37", "#cf222e", "#8250df", "#57606a")
"""Colours of the things that a picture distinguishes."""
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"


class Drawing:
    """An SVG picture, in pixels from the upper left corner, on a white ground."""

    def __init__(self, width: float, height: float, message: str) -> None:
        self._size = (width, height)
        self._parts = [f"<title>{escape(message)}</title>"]
        self.box(0, 0, width, height, PAPER, rounded=6)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        *,
        edge: str = "none",
        rounded: float = 0,
        opacity: float = 1,
    ) -> None:
        """Draw a box."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{edge}"'
            + (f' rx="{rounded:g}"' if rounded else "")
            + (f' opacity="{opacity:g}"' if opacity != 1 else "")
            + "/>"
        )

    def text(
        self, x: float, y: float, text: object, *, size: float = 12, anchor: str = "start", fill: str = INK
    ) -> None:
        """Write a text from, around (``middle``) or up to (``end``) a point of its base line."""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" fill="{fill}">'
            f"{escape(str(text))}</text>"
        )

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: str = MUTED, width: float = 1) -> None:
        """Draw a line."""
        self._parts.append(
            f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{colour}" '
            f'stroke-width="{width:g}"/>'
        )

    def finished(self) -> str:
        """Return the file's text."""
        width, height = self._size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="{FONT}" role="img">'
        )
        return "\n".join([head, *self._parts, "</svg>", ""])
