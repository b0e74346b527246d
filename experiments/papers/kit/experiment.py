"""A paper as it declares itself: what it is, and which function makes each of its tables and figures.

A paper is a folder of this package with a module ``paper`` that has one name, `PAPER`. Functions are named
as ``module:function`` and imported when they are called, so that listing what can be reproduced is quick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.papers.kit.request import Request
    from experiments.papers.kit.results import Results
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
        ``module:function`` of what makes it, an item of the same name: of the results of its paper, or of the
        request where there are none.
    simulates
        Whether it is made of cycles that can be kept in a file and taken from there.
    arguments
        What the maker is given after that.
    """

    name: str
    title: str
    shows: str
    maker: str
    simulates: bool = False
    arguments: tuple[Any, ...] = ()

    def make(self, source: Results | Request) -> Item:
        """Make it.

        Raises
        ------
        UserError
            Whatever its maker objects to, such as an unknown engine.
        """
        maker: Callable[..., Item] = resolve_name(self.maker)
        return maker(source, *self.arguments)


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
        called after the experiments that were asked for, with what they are made of.
    recorded_kind
        The kind of the results files that it can be made of without a GPU; empty for none.
    remarks_maker
        ``module:function`` of what a reader must know of the verdict as a whole, sentences; called as
        `appendices_maker`. Empty for none.
    measured
        The package of a paper whose results a GPU measures, with the class `Results` in its module
        ``results`` and the function `measure` in ``measurement``; empty where items are made of the request.
    stand_in_programs
        What was measured in the place of programs of the paper, each in words.
    stand_in_matrices
        ``module:function`` of what says in words how many matrices stand in for others of the paper, called
        as `appendices_maker`; empty where the results of a measured paper say it, or where there are none.
    """

    name: str
    source: str
    experiments: tuple[Experiment, ...]
    appendices_maker: str
    recorded_kind: str = ""
    remarks_maker: str = ""
    measured: str = ""
    stand_in_programs: tuple[str, ...] = ()
    stand_in_matrices: str = ""

    def source_of(self, request: Request) -> Results | Request:
        """Return what its experiments are made of; errors as `experiments.papers.kit.source.results_for`."""
        if not self.measured:
            return request
        from experiments.papers.kit.source import results_for

        return results_for(self, request)

    def appendices(self, source: Results | Request) -> tuple[Appendix, ...]:
        """Make its appendices of a report; errors as those of its experiments."""
        maker: Callable[..., tuple[Appendix, ...]] = resolve_name(self.appendices_maker)
        return maker(source)

    def stand_ins(self, source: Results | Request) -> str:
        """Return in words what stands in for matrices and programs of the paper; empty for nothing."""
        from experiments.papers.kit.results import Results

        matrices = ""
        if self.stand_in_matrices:
            in_words: Callable[..., str] = resolve_name(self.stand_in_matrices)
            matrices = in_words(source)
        elif isinstance(source, Results):
            matrices = source.stand_in_matrices()
        return "; ".join(filter(None, (matrices, *self.stand_in_programs)))

    def remarks(self, source: Results | Request) -> tuple[str, ...]:
        """Return what a reader must know about the verdict as a whole."""
        if not self.remarks_maker:
            return ()
        maker: Callable[..., tuple[str, ...]] = resolve_name(self.remarks_maker)
        return maker(source)
