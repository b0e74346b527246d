"""The candidates that are made: why each exists, and which of the collection's matrices it is or stands for.

Order and entries of the originals are those of the SuiteSparse index (explicit zeros included).
"""

from typing import NamedTuple

from experiments.papers.hism.suite.member import Provenance


class Made(NamedTuple):
    """A candidate that no file holds.

    Attributes
    ----------
    name, provenance, origin, note
        As in `Member`.
    original
        The collection's matrix that it is, has the pattern of, or stands for, as the collection names it.
    """

    name: str
    provenance: Provenance
    origin: str
    original: str
    note: str


_CYLINDER = (
    "grid, unknowns and numbering of the collection's shells (s1rmq4m1 agrees entry by entry); order, number "
    "of entries and bandwidth (614) are those of the original"
)
_CAVITY = "cavity14 agrees in every place; order, number of entries and bandwidth are those of the original"
_FLOW = "its file was not found; of its family e05r0000 and e20r0000 agree in every entry, to seven digits"
_SHL = (
    "the rebuilt file lacks five diagonal entries, which are restored: columns 0, 1, 2 would be empty, 660 "
    "and 661 have them in shl_200; order, number of entries and longest row (422) are then the original's; "
    "values on the diagonal are ours"
)

MADE = (
    Made("e05r0000", "generated", "driven_cavity cells=5 boundary=dropped", "e05r0000", ""),
    Made("e20r0000", "generated", "driven_cavity cells=20 boundary=dropped", "e20r0000", ""),
    Made("e30r0000", "generated", "driven_cavity cells=30 boundary=dropped", "e30r0000", _FLOW),
    Made("e40r0000", "generated", "driven_cavity cells=40 boundary=dropped", "e40r0000", _FLOW),
    Made("cavity01-pattern", "pattern", "driven_cavity cells=5 boundary=kept", "cavity01", _CAVITY),
    Made("cavity05-pattern", "pattern", "driven_cavity cells=10 boundary=kept", "cavity05", _CAVITY),
    Made("cavity16-pattern", "pattern", "driven_cavity cells=20 boundary=kept", "cavity16", _CAVITY),
    Made(
        "s1rmt3m1-pattern",
        "pattern",
        "cylindrical_shell rows=31 columns=31",
        "s1rmt3m1",
        _CYLINDER.replace("614", "191"),
    ),
    Made(
        "s3dkt3m2-pattern",
        "pattern",
        "cylindrical_shell rows=101 columns=151 along=axis",
        "s3dkt3m2",
        _CYLINDER,
    ),
    Made("shl_0-pattern", "pattern", "reconstructed shl_0 diagonal=0,1,2,660,661", "shl_0", _SHL),
    Made(
        "migration-3140",
        "stand-in",
        "migration counties=3140 entries=543162",
        "psmigr_1",
        "gravity model; order, number of entries and diagonal are the original's",
    ),
    Made(
        "randomwalk-30",
        "stand-in",
        "builtin randomwalk-30",
        "rw496",
        "random walk on the same grid; the original has one entry less, and an unsymmetric pattern",
    ),
    Made(
        "randomwalk-100",
        "stand-in",
        "builtin randomwalk-100",
        "rw5151",
        "random walk on the same grid; the original has one entry less, and an unsymmetric pattern",
    ),
    Made(
        "tubular-500",
        "stand-in",
        "builtin tubular-500",
        "tub1000",
        "the same reactor with as many points",
    ),
    Made(
        "wilson-4",
        "stand-in",
        "wilson_hopping sites=4",
        "conf5.0-00l4x4-1000",
        "order and number of entries are the original's; the numbering of the unknowns is ours",
    ),
    Made(
        "wilson-8",
        "stand-in",
        "wilson_hopping sites=8",
        "conf5.4-00l8x8-0500",
        "order and number of entries are the original's; the numbering of the unknowns is ours",
    ),
    Made(
        "brick-21x21x21",
        "stand-in",
        "elastic_brick nodes=21x21x21",
        "bcsstk30",
        "elastic box of hexahedra; the original has 28,924 rows and 2,043,492 entries",
    ),
    Made(
        "brick-5x33x33",
        "stand-in",
        "elastic_brick nodes=5x33x33",
        "fidap011",
        "elastic plate of hexahedra; the original has 16,614 rows and 1,096,948 entries",
    ),
    Made(
        "brick-2x27x27",
        "stand-in",
        "elastic_brick nodes=2x27x27",
        "bcsstk28",
        "elastic plate of hexahedra; the original has 4,410 rows and 219,024 entries",
    ),
    Made(
        "vessel-43x44",
        "stand-in",
        "cylindrical_shell rows=43 columns=44",
        "bcsstk17",
        "cylindrical shell of triangles; the original, a vessel, has 10,974 rows and 428,650 entries",
    ),
    Made(
        "lion-shell",
        "stand-in",
        "shell mesh=libigl_lion numbering=rcm",
        "bcsstk32",
        "shell on a mesh; the original, a car's chassis, has 44,609 rows and 2,014,701 entries",
    ),
    Made(
        "homer-shell",
        "stand-in",
        "shell mesh=homer numbering=rcm",
        "bcsstk31",
        "shell on a mesh; the original, a car's component, has 35,588 rows and 1,181,416 entries",
    ),
    Made(
        "bunny-membrane",
        "stand-in",
        "membrane mesh=libigl_bunny numbering=rcm",
        "bcsstk25",
        "membrane on a mesh; the original, a skyscraper, has 15,439 rows and 252,241 entries",
    ),
    Made(
        "coupled-155x38",
        "stand-in",
        "coupled_grid rows=155 columns=38 unknowns=4",
        "af23560",
        "a grid of as many points with four unknowns each; the original, an airfoil, has 484,256 entries",
    ),
    Made(
        "cow-laplace",
        "stand-in",
        "laplace_beltrami mesh=libigl_cow numbering=rcm",
        "blckhole",
        "Laplace-Beltrami on a mesh; the original, a geodesic dome, has 2,132 rows and 14,872 entries",
    ),
)
