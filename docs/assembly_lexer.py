"""How the site colours vecsim's assembly: mnemonics, directives and registers are those of the tables."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Punctuation, Text

from isa.directives import DIRECTIVES
from isa.instructions import BASE
from isa.mnemonics import known_names
from isa.registers import REGISTER_NAMES

END = r"(?![A-Za-z0-9_.])"


class AssemblyLexer(RegexLexer):
    """Assembly text of vecsim."""

    name = "vecsim assembly"
    aliases: ClassVar = ["asm"]
    tokens: ClassVar = {
        "root": [
            (r"(#|;|//).*", Comment.Single),
            (r"[A-Za-z_][\w.]*:", Name.Label),
            (words([d.name for d in DIRECTIVES], suffix=END), Keyword.Pseudo),
            (words(sorted(known_names(BASE)), suffix=END), Keyword),
            (words(sorted(REGISTER_NAMES), suffix=END), Name.Variable),
            (r"%(hi|lo)", Name.Builtin),
            (r"0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?", Number),
            (r"[A-Za-z_][\w.]*", Name),
            (r"\s+", Text),
            (r".", Punctuation),
        ]
    }
