"""The formats by name: the one place where each is declared, and what it can do."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from vecsim.formats.bbcs.container import BBCS
from vecsim.formats.crs.container import CRS
from vecsim.formats.hism.container import HiSM
from vecsim.formats.jd.container import JD
from vecsim.formats.protocol import Format
from vecsim.formats.section_size import DEFAULT_SECTION_SIZE
from vecsim.support.overview import Overview


@dataclass(frozen=True, repr=False)
class NamedFormat(Overview):
    """A format by the name that the command line, the programs, the GPU and the reports use.

    Attributes
    ----------
    name
        As it stands in `FORMATS`.
    summary
        What it is, in a line.
    source
        Who described it, or whose arrangement it is.
    container
        The class of a matrix in it. Several formats may share one, with other options.
    options
        What `container.from_scipy` is given for it.
    aliases
        Other names of it.
    for_gpu
        Whether it was made for GPUs.
    historical
        Whether it comes from an earlier paper and is never the fastest on a GPU of today: the choice of a
        format leaves it out, and the benchmark measures it on small matrices alone.
    """

    name: str
    summary: str
    source: str
    container: type[Format]
    options: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    for_gpu: bool = False
    historical: bool = False

    def overview(self) -> dict[str, object]:
        """Return name, summary and container."""
        return {"name": self.name, "summary": self.summary, "container": self.container.__name__}

    @property
    def needs_section_size(self) -> bool:
        """Whether it is made for a section size s of the simulated machine."""
        return "section_size" in inspect.signature(self.container.from_scipy).parameters

    @property
    def has_image(self) -> bool:
        """Whether it has a memory image for the simulated machine, as `FormatWithImage`."""
        return hasattr(self.container, "image")

    @property
    def takes_insertion(self) -> bool:
        """Whether it takes up single elements, as `FormatWithInsertion`."""
        return hasattr(self.container, "insert")

    @property
    def accountings(self) -> tuple[str, ...]:
        """The storage accountings that it knows."""
        return self.container.accountings

    def conversion(self, *, section_size: int = DEFAULT_SECTION_SIZE, **options: Any) -> Callable[[Any], Any]:
        """Return what converts a SciPy sparse matrix.

        Parameters
        ----------
        section_size
            s, a power of two from 4 to 4096; a format that needs none takes no notice of it.
        **options
            Further ones of `container.from_scipy`.
        """
        sized = {"section_size": section_size} if self.needs_section_size else {}
        given = {**self.options, **sized, **options}
        return partial(self.container.from_scipy, **given) if given else self.container.from_scipy

    def from_scipy(self, matrix: Any, *, section_size: int = DEFAULT_SECTION_SIZE, **options: Any) -> Any:
        """Convert a SciPy sparse matrix into a `container`.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        section_size
            s, a power of two from 4 to 4096; a format that needs none takes no notice of it.
        **options
            Further ones of `container.from_scipy`.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or the section size is not possible.
        NotRepresentableError
            If the format cannot hold it in reasonable space; it is a `UserError`.
        """
        return self.conversion(section_size=section_size, **options)(matrix)


HISM_PAPER = "Stathis, Vassiliadis, Cotofana, IPDPS 2003"

_ALL = (
    NamedFormat(
        "crs",
        "compressed row storage: the rows one after the other, with a pointer to the start of each row",
        f"in general use; {HISM_PAPER}, section 3",
        CRS,
        aliases=("csr",),
    ),
    NamedFormat(
        "jd",
        "rows sorted by length; the first entries of all rows, then the second entries, and so on",
        f"in general use; {HISM_PAPER}, section 3",
        JD,
        aliases=("jad",),
        historical=True,
    ),
    NamedFormat(
        "bbcs",
        "groups of s columns, stored row by row; a flag at the end of a row replaces row numbers",
        f"{HISM_PAPER}, section 3; first in Euro-Par 1999",
        BBCS,
        historical=True,
    ),
    NamedFormat(
        "hism",
        "blocks of s x s entries, blocks of s x s pointers to those blocks, and so on",
        f"{HISM_PAPER}, section 2",
        HiSM,
        historical=True,
    ),
)

MACHINE_FORMATS: dict[str, NamedFormat] = {each.name: each for each in _ALL}
"""The formats that programs of the simulated machine read, by name, in the order of the tables."""
