"""The programs of the course: the one place where each is declared."""

from __future__ import annotations

from programs.course import conjugate_gradients, dense, insertion, padded_rows, transposed
from programs.course.declaration import CourseProgram
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

_PROGRAMS = (
    CourseProgram(
        "axpy",
        "y = a x + y",
        "strip-mining, chaining of a load, a multiply-add and a store",
        dense.axpy,
        1000,
    ),
    CourseProgram(
        "dot", "r = x . y", "partial sums in a register, one reduction at the end", dense.dot, 1000
    ),
    CourseProgram("gemv", "y = M x, M dense", "four rows share each section of x", dense.gemv, 100),
    CourseProgram(
        "gemm", "C = A B, dense", "registers as a block of C: few words for many operations", dense.gemm, 64
    ),
    CourseProgram(
        "prefix-sum",
        "z[i] = x[0] + ... + x[i]",
        "a sum that looks serial, as s sums side by side",
        dense.prefix_sum,
        4096,
    ),
    CourseProgram(
        "histogram", "h[x[i]] += 1", "elements of a vector that meet in one counter", dense.histogram, 4096
    ),
    CourseProgram(
        "crs-transposed",
        "y = A^T x in CRS",
        "gather, add, scatter: what a transposed product costs",
        transposed.crs_transposed,
    ),
    CourseProgram(
        "jd-transposed", "y = A^T x in JD", "long vectors, in which columns repeat", transposed.jd_transposed
    ),
    CourseProgram(
        "bbcs-transposed",
        "y = A^T x in BBCS",
        "a format that is made for one direction",
        transposed.bbcs_transposed,
    ),
    CourseProgram(
        "hism-transposed",
        "y = A^T x in HiSM",
        "a format in which rows and columns are alike",
        transposed.hism_transposed,
    ),
    CourseProgram(
        "chism-transposed", "y = A^T x in CHiSM", "y in the vector cache", transposed.chism_transposed
    ),
    CourseProgram(
        "ellpack", "y = A x in ELLPACK", "long vectors for the price of padding", padded_rows.ellpack
    ),
    CourseProgram(
        "sliced-ellpack",
        "y = A x in Sliced ELLPACK",
        "padding held within slices of s rows",
        padded_rows.sliced_ellpack,
    ),
    CourseProgram(
        "crs-insertion", "an element inserted into CRS", "everything after it moves", insertion.crs_insertion
    ),
    CourseProgram(
        "hism-insertion", "an element inserted into HiSM", "only its block moves", insertion.hism_insertion
    ),
    CourseProgram(
        "conjugate-gradient",
        "A x = b by conjugate gradients on HiSM",
        "a whole method: where products, vectors and scalars wait for each other",
        conjugate_gradients.conjugate_gradient,
    ),
)
COURSE = {each.name: each for each in _PROGRAMS}


def find(name: str) -> CourseProgram:
    """Return the program of a name.

    Raises
    ------
    UserError
        There is none.
    """
    if name not in COURSE:
        raise UserError(
            f"no program {name!r} in the course{nearest(name, COURSE)}; they are {', '.join(COURSE)}"
        )
    return COURSE[name]
