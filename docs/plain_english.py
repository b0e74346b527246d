"""Check words and sentence length of pages, docstrings, comments and messages: ``python -m
docs.plain_english``.

It prints ``FILE:LINE: what is wrong -> what would be right`` and ends with exit code 1 if there is anything
to print. Code in backticks and fenced blocks is not read. ``# plain: REASON`` at the end of a line, or
``<!-- plain: REASON -->`` in a page, exempts that line.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

INSTEAD = {
    r"rules? of (?:its |the )?time": "timing rule",
    r"time is kept": "timing model",
    r"charge[sd]?": "attributed to, cycle attribution",
    r"ledgers?": "cycle attribution",
    r"under way|on (?:its|their) way": "in flight, running",
    r"drawn": "random, sampled; plotted",
    r"anew|once more": "again, reproduced, remeasured",
    r"(?:of )?one's own|of (?:your|its|their) own|of yours": "user-defined; your, its",
    r"own rules": "user-defined rules",
    r"threads as pay": "limit_threads",
    r"one-port|jit-general": "single-port, jit-multiport",
    r"quick runs?": "scalar block",
    r"hand(?:s|ed)? over": "pass on, inter-block synchronisation",
    r"lets? (?:the )?next begin": "launch dependents",
    r"launched in turn": "kernel sequence",
    r"the house|rooms|floors": "repository layout, modules",
    r"comes? out|came out": "is reproduced, results in",
    r"(?:by|for|of) which": "two sentences",
    r"behind": "after",
    r"besides?": "next to, in addition",
    r"told": "reported, printed, distinguished",
    r"shall": "must",
    r"hindrances?": "bottleneck",
    r"dear|dearer": "expensive",
    r"that is none|that are none": "not a number, not a ...",
    r"so many": "a number, n",
}
"""What is not written, as a regular expression of whole words, and what is written instead."""

NAMES = frozenset(["told", "found", "turned", "drawn", "anew", "charged", "charges", "ledger", "wakes"])
"""Names that code does not use: they say how a thing came about and not what it is."""
ELSE = re.compile(r"(?:^|[.,;:] )(?:or )?else\b(?! if)", re.I)
OPENERS = re.compile(r"\s*(?:Gives?|Tells?|Says?)\b")
_ANY = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.I)
_WRONG = [(re.compile(rf"\b(?:{words})\b", re.I), instead) for words, instead in INSTEAD.items()]
MOST_WORDS = {".md": 35, ".py": 45}
"""The most words of a sentence in a page, and in a docstring, comment or message."""

PAGES = ("README.md", "CONTRIBUTING.md", "docs", "benchmarks/README.md")
CODE = ("isa", "vecsim", "programs", "gpu", "experiments", "docs", "benchmarks", "tests", "noxfile.py")
STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
"""Kinds of tokens that hold texts: from Python 3.12 on those of an f-string are apart from its code."""
SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*(?:[-*|]|\d+\.)\s|\n\s*\S+ {2,}(?=\S)")
EXEMPT = "plain: "


def passages(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield the line, the text and whether it is a docstring of all prose in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield 1, _without_code(text), False
        return
    docstrings = {
        (node.body[0].lineno, node.body[0].col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, False)
    }
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type in STRINGS and " " in token.string):
            yield token.start[0], _without_code(token.string.strip("\"'rfb#")), token.start in docstrings


def complaints(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line of each thing that is wrong in a file, and what would be right."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for first, text, is_docstring in passages(path):
        wrong = [
            (match.start(), f"{match[0]!r} -> {instead}")
            for words, instead in (_WRONG if _ANY.search(text) else ())
            for match in words.finditer(text)
        ]
        wrong += [(match.start(), "'else' -> otherwise") for match in ELSE.finditer(text)]
        if is_docstring and OPENERS.match(text):
            wrong.append((0, f"{text.split()[0]!r} -> Return, Print, or another verb of what it does"))
        wrong += _long_sentences(text, MOST_WORDS[path.suffix])
        for place, what in sorted(wrong):
            line = first + text.count("\n", 0, place)
            if EXEMPT not in lines[line - 1]:
                yield line, what
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline):
            if token.type == tokenize.NAME and token.string in NAMES:
                yield token.start[0], f"the name {token.string!r} -> what it is: message, result, sample"


def _long_sentences(text: str, most: int) -> Iterator[tuple[int, str]]:
    begin = 0
    for end in [*(match.start() for match in SENTENCE.finditer(text)), len(text)]:
        words = [word for word in text[begin:end].split() if any(map(str.isalpha, word))]
        if len(words) > most and "|" not in text[begin:end]:
            yield begin + 1, f"a sentence of {len(words)} words -> at most {most}"
        begin = end


def _without_code(text: str) -> str:
    """Replace code by as many lines of nothing."""
    code = re.compile(r"^ *(`{3,}).*?^ *\1 *$|`+[^`]*`+|<!--.*?-->|\{[^{}\n]*\}|https?://\S+", re.S | re.M)
    return code.sub(lambda match: "x" + "\n" * match[0].count("\n"), text)


def main() -> int:
    """Print all that is wrong; return 1 if there is anything."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *PAGES, *CODE], capture_output=True, text=True, check=True
    )
    wrong = 0
    for name in sorted(set(listed.stdout.split())):
        path = Path(name)
        if path.stem.endswith("plain_english"):
            continue  # words that are wrong are what it is about
        if path.suffix == ".py" or (path.suffix == ".md" and name.startswith(PAGES)):
            for line, what in complaints(path):
                print(f"{name}:{line}: {what}")
                wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
