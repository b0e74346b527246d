"""A paper as it declares itself: what it is, and which function makes each of its tables and figures.

A paper is a folder of this package with a module ``paper`` that has one name, `PAPER`. Functions are named
as ``module:function`` and imported when they are called, so that listing what can be reproduced is quick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.papers.kit.request import Request
    from experiments.report.item import Appendix, Item


@dataclass(frozen=True)
class Experiment:
    """A table or figure that can be reproduced.

    Attributes
    ----------
    name
        As it is typed: the name of its paper, a hyphen, and its own.
    title
        As the paper calls it.
    shows
        What it shows, in a line.
    maker
        ``module:function`` of what makes it: a request in, an item of the same name out.
    simulates
        Whether it is made of cycles that can be kept in a file and taken from there.
    """

    name: str
    title: str
    shows: str
    maker: str
    simulates: bool = False

    def make(self, request: Request) -> Item:
        """Make it.

        Raises
        ------
        UserError
            Whatever its maker objects to, such as an unknown engine.
        """
        maker: Callable[[Request], Item] = resolve_name(self.maker)
        return maker(request)


@dataclass(frozen=True)
class Paper:
    """A paper, by whose name all its experiments are asked for at once.

    Attributes
    ----------
    name
        As it is typed.
    source
        The paper, as one cites it.
    experiments
        In the paper's order.
    appendices_maker
        ``module:function`` of what gives the report's appendices for it: its matrices, its machine. It is
        called after the experiments that were asked for, with the same request.
    recorded_kind
        The kind of the results files that it can be made of without a GPU; empty for none.
    remarks_maker
        ``module:function`` of what a reader must know of the verdict as a whole, sentences; called as
        `appendices_maker`. Empty for none.
    """

    name: str
    source: str
    experiments: tuple[Experiment, ...]
    appendices_maker: str
    recorded_kind: str = ""
    remarks_maker: str = ""

    def appendices(self, request: Request) -> tuple[Appendix, ...]:
        """Give its appendices of a report; errors as those of its experiments."""
        maker: Callable[[Request], tuple[Appendix, ...]] = resolve_name(self.appendices_maker)
        return maker(request)

    def remarks(self, request: Request) -> tuple[str, ...]:
        """Give what a reader must know of the verdict as a whole."""
        if not self.remarks_maker:
            return ()
        maker: Callable[[Request], tuple[str, ...]] = resolve_name(self.remarks_maker)
        return maker(request)
