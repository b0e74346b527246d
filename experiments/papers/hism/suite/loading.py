"""From a member to its matrix."""

from typing import Any

from experiments.papers.hism.suite.member import Member, members
from experiments.papers.hism.suite.origin import fetch, is_available, sources_of
from vecsim.results.digests import pattern_sha256
from vecsim.support.errors import UserError
from vecsim.support.input_files import DOWNLOAD, file_sha256


def load(member: Member) -> Any:
    """Return the matrix of a member.

    Returns
    -------
    scipy.sparse.csr_array
        float64, sorted, without duplicates, explicit zeros kept; its values fit float32.

    Raises
    ------
    UserError
        If a file or mesh is missing, or what was found is not the matrix that the suite lists.
    """
    origin = _origin(member)
    csr = fetch(origin)
    result = pattern_sha256(csr)
    if result != member.pattern_sha256:
        raise UserError(
            f"{origin}: is not '{member.name}' of the suite, which has {member.size} entries in other places "
            f"(found: {csr.nnz}); use the Matrix Market file, with explicit zeros"
        )
    return csr


def identity(member: Member) -> str:
    """Name a member and the files that it is loaded from, whose values count as well as their pattern.

    Raises
    ------
    UserError
        A file is missing or cannot be read.
    """
    digests = [file_sha256(path, DOWNLOAD) for path in sources_of(_origin(member))]
    return f"{member!r} {digests}"


def _origin(member: Member) -> str:
    return next(filter(is_available, member.origins), member.origins[0])


def missing() -> tuple[Member, ...]:
    """Return the members that cannot be had here: their file or mesh is in none of the folders."""
    return tuple(member for member in members() if not any(map(is_available, member.origins)))
