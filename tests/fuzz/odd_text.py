"""Text as names of files and lines of a source may have it."""

from __future__ import annotations

import random

PIECES = (
    "a", "b c", "matrix", "0", "42", "-", "--set", "=1+1", "+1", "@sum", "$x^2$", "$\\frac$", "$", "\\",
    "\\n", "\\t", "\\x1b", "%s", "%", "{0}", "{", "}", "[red]", "[/]", "[bold", "<b>", "</script>",
    "<!--", "]]>", "&amp;", "&", '"', "'", "`", "|", "||", ";", ":", "::", ",", "=", "#", "*", "?", "~",
    "!", "(", ")", "^", "_", "__", "\n", "\r", "\r\n", "\t", "\x00", "\x01", "\x07", "\x08", "\x0b",
    "\x0c", "\x1b[31m", "\x1b]0;x\x07", "\x1f", "\x7f", "\x80", "\x85", "\x9b31m", "\xa0", "\xad", "é",
    "e\u0301", "ß", "İ", "Ω", "漢字", "שלום", "عربى", "\u200b", "\u200f", "\u202e", "\u2028", "\u2029",
    "\u2066", "\ufeff", "\ufffd", "\uffff", "\U0001f600", "\U0001f469\u200d\U0001f52c", "\U000e0041",
    "\udc80", "\udcff", "\udced\udca0\udc80", " ", "  ", ".", "..", ".mtx", ".s", ".gz", ".json", "/",
    "\\u0041", "\\ud800", "CON", "nul", "null", "true", "NaN", "1e400", "9007199254740993", "http://x",
    "file:", "~/", "$HOME", "x" * 60,
)  # fmt: skip


def odd_text(source: random.Random, pieces: tuple[str, ...] = PIECES) -> str:
    """Join pieces that some program reads as its own syntax, or cannot read."""
    return "".join(source.choice(pieces) for _ in range(source.choice((1, 1, 2, 2, 3, 5, 9))))
