r"""Names of files as text that every reader takes: terminals, CSV, HTML, JSON, traces and pictures.

A name may be any bytes but two. Python keeps those that are not UTF-8 as surrogates, which no file of text
may have.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")
_OF_BYTES = range(0xDC80, 0xDD00)
"""Surrogates that stand for the bytes from 0x80 on."""


def unicode_text(text: str) -> str:
    r"""Return a text without surrogates: a byte that is not UTF-8 is written as ``\xff``."""
    return text if text.isascii() else _SURROGATE.sub(lambda c: _escaped(c[0]), text)


def utf8(text: str) -> bytes:
    r"""Return the content of a file of text: a byte of a name that is not UTF-8 is written as ``\xff``."""
    return unicode_text(text).encode("utf-8")


def printable(text: str) -> str:
    r"""Write control characters as ``\x1b``: names of files may have any, and a terminal obeys them.

    So are those that show nothing or turn the direction of what follows. Newlines and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if code in _OF_BYTES else ascii(character)[1:-1]
