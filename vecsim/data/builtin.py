"""The matrices that come with vecsim, by name; each is generated when asked for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pkgutil import resolve_name
from typing import Any

from vecsim.data.families import beams, combinatorics, extremes, nep, networks, poisson
from vecsim.data.family_names import SEED, Parameter, head, numbers_in, require_in_range
from vecsim.data.limits import require_memory
from vecsim.data.matrix import MAX_DIMENSION, Matrix, check_size
from vecsim.support.errors import UserError

DEFAULT_BUILTIN = "randomwalk-100"
"""What `vecsim run` takes without an argument: more than 64 x 64 rows, so three levels of blocks."""


@dataclass(frozen=True)
class Builtin:
    """A built-in matrix, or a family of them if the name holds numbers to choose.

    Attributes
    ----------
    name
        As it is typed; in a family, letters stand for the numbers.
    description
        What it is, in a few words.
    source
        Who defined it.
    generator
        Makes the csr_array.
    arguments
        What a single matrix passes to the generator; empty for a family, which passes its numbers.
    parameters
        The numbers of a family.
    size
        Of a random matrix: returns rows, columns and expected entries for its numbers. The seed may end its
        name, and is passed to the generator last.
    """

    name: str
    description: str
    source: str
    generator: Callable[..., Any]
    arguments: tuple[float, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    size: Callable[..., tuple[int, int, int]] | None = None

    @property
    def is_family(self) -> bool:
        """Whether the name holds numbers to choose."""
        return bool(self.parameters)

    @property
    def is_random(self) -> bool:
        """Whether the matrix depends on a seed."""
        return self.size is not None

    def arguments_in(self, name: str) -> tuple[float, ...] | None:
        """Return what `name` passes to the generator, None if it is the name of something else."""
        if not self.is_family:
            return self.arguments if name == self.name else None
        return numbers_in(name, self.name, self.parameters, seeded=self.is_random)


_NEP = "NEP collection"
_WALK = f"G. W. Stewart 1978, {_NEP}"
_ELMAN = f"H. Elman 1982, {_NEP}"
_MEERBERGEN = f"K. Meerbergen 1994, {_NEP}"
_SAAD = f"Y. Saad 1992, {_NEP}"
_TOLOSA = f"S. Godet-Thobie 1991, {_NEP}"
_REACTOR = f"R. F. Heinemann, A. B. Poore 1981, {_NEP}"
_DIFFERENCES = "standard finite differences"
_SIMON = "H. Simon 1982, Harwell-Boeing collection"
_OBERWOLFACH = "J. Lienemann 2004, Oberwolfach benchmarks"
_TREFETHEN = "N. Trefethen 2002, SuiteSparse JGD_Trefethen"
_GIESBRECHT = "M. Giesbrecht, SuiteSparse JGD_BIBD"
_WELKER = "V. Welker, SuiteSparse JGD_Homology"
_MONIEN = "F. T. Leighton 1992, SuiteSparse AG-Monien"
_MYCIELSKI = "J. Mycielski 1955, SuiteSparse Mycielski"


def _family(name: str, what: str, source: str, make: Callable[..., Any], least: int, most: int) -> Builtin:
    return Builtin(name, what, source, make, parameters=(Parameter("N", least, most),))


_FAMILIES = (
    _family(
        "randomwalk-N",
        "random walk on a triangular grid, N steps a side, (N + 1)(N + 2) / 2 rows",
        _WALK,
        nep.random_walk,
        1,
        4096,
    ),
    _family("laplace1d-N", "three-point Laplacian, N rows", _DIFFERENCES, poisson.laplace1d, 2, 1 << 24),
    _family(
        "laplace2d-N",
        "five-point Laplacian on an N x N grid, N * N rows",
        _DIFFERENCES,
        poisson.laplace2d,
        2,
        4096,
    ),
    _family(
        "laplace3d-N", "seven-point Laplacian on an N x N x N grid", _DIFFERENCES, poisson.laplace3d, 2, 224
    ),
    _family("ninepoint-N", "nine-point operator on an N x N grid", _DIFFERENCES, poisson.nine_point, 2, 2048),
    _family(
        "stencil27-N",
        "27-point operator on an N x N x N grid",
        "HPCG benchmark, J. Dongarra, M. Heroux, P. Luszczek 2015",
        poisson.twenty_seven_point,
        2,
        128,
    ),
    _family("pde-N", "elliptic operator on N x N points", _ELMAN, nep.pde_square, 2, 4096),
    _family(
        "convdiff2d-N",
        "convection and diffusion on N x N points",
        _NEP,
        nep.convection_diffusion_square,
        2,
        4096,
    ),
    _family(
        "convdiff3d-N",
        "convection and diffusion on N x N x N points",
        _NEP,
        nep.convection_diffusion_cube,
        2,
        224,
    ),
    _family("olmstead-N", "Olmstead flow model, 2 N rows", _MEERBERGEN, nep.olmstead, 2, 1 << 22),
    _family("brusselator1d-N", "Brusselator wave model, 2 N rows", _SAAD, nep.brusselator_wave, 2, 1 << 22),
    _family(
        "brusselator2d-N",
        "reaction-diffusion Brusselator on N x N points, 2 N * N rows",
        _MEERBERGEN,
        nep.brusselator_square,
        2,
        2048,
    ),
    _family(
        "tubular-N", "tubular reactor model on N points, 2 N rows", _REACTOR, nep.tubular_reactor, 10, 100_000
    ),
    _family("tolosa-N", "Tolosa matrix, 90 + 5 N rows", _TOLOSA, nep.tolosa, 0, 1 << 21),
    _family("grcar-N", "Grcar's Toeplitz matrix, N rows", "J. F. Grcar 1989", nep.grcar, 2, 1 << 23),
    _family(
        "ising-N",
        "transfer matrix of the Ising model, 2 N rows",
        f"B. Friedman, {_NEP}",
        nep.ising,
        2,
        1 << 22,
    ),
    _family(
        "boundary-N",
        "ordinary boundary problem on N points, one long last row",
        _WALK,
        nep.boundary_problem,
        6,
        1 << 24,
    ),
    _family(
        "primes-N",
        "primes, and ones at powers of two, N rows",
        _TREFETHEN,
        combinatorics.trefethen,
        2,
        1 << 20,
    ),
    _family(
        "beam-N",
        "beam of N elements with torsion, 4 N - 2 rows",
        _OBERWOLFACH,
        beams.supported_beam_with_torsion,
        2,
        1 << 20,
    ),
    _family(
        "wathen-N", "mass matrix of N x N serendipity elements", "A. J. Wathen 1987", beams.wathen, 1, 1024
    ),
    _family("butterfly-N", "wrapped butterfly network, N * 2^N rows", _MONIEN, networks.butterfly, 3, 18),
    _family("debruijn-N", "De Bruijn graph, 2^N rows", _MONIEN, networks.de_bruijn, 2, 23),
    _family("diagonal-N", "diagonal matrix, N rows", "lumped mass", extremes.diagonal, 1, 1 << 25),
    _family("arrowhead-N", "arrowhead: one full row and column", "textbook", extremes.arrowhead, 2, 1 << 24),
    _family("dense-N", "Hilbert matrix, no zeros, N rows", "D. Hilbert 1894", extremes.hilbert, 1, 4096),
)
"""Families end where their generator would need more than a few GB."""


def _synthetic(function: str) -> Callable[..., Any]:
    """Return a generator of `vecsim.data.synthetic` by module and function, imported when it is called."""
    return lambda *numbers: resolve_name(f"vecsim.data.synthetic.{function}")(*numbers)


_ROWS = Parameter("N", 1, MAX_DIMENSION)
_EACH = Parameter("K", 1, MAX_DIMENSION)
_SHARE = Parameter("P", 0, 1, whole=False)
_EXPONENT = Parameter("A", 1.01, 20, whole=False)


def _web(pages: int, links: int, copied: float, local: float, seed: int) -> Any:
    web = resolve_name("vecsim.data.synthetic.random_graphs.web")
    return web(pages, seed, mean_links=links, copied=copied, local=local)


_RANDOM = (
    Builtin(
        "rmat-S-D",
        "Graph500 graph (R-MAT), 2^S vertices, D undirected edges a vertex",
        "D. Chakrabarti, Y. Zhan, C. Faloutsos 2004; Graph500",
        _synthetic("random_graphs:kronecker"),
        parameters=(Parameter("S", 1, 27), Parameter("D", 1, 1 << 20)),
        size=lambda scale, edges: (1 << scale, 1 << scale, 2 * edges << scale),
    ),
    Builtin(
        "powerlaw-N-M-A",
        "N rows of M entries on average, lengths by a power law of exponent A",
        "A. Clauset, C. R. Shalizi, M. E. J. Newman 2009",
        _synthetic("sampled_rows:power_law_rows"),
        parameters=(_ROWS, Parameter("M", 1, MAX_DIMENSION), _EXPONENT),
        size=lambda rows, mean, _: (rows, rows, rows * mean),
    ),
    Builtin(
        "uniform-N-K",
        "N rows of K entries anywhere",
        "P. Erdős, A. Rényi 1959",
        _synthetic("sampled_rows:uniform_rows"),
        parameters=(_ROWS, _EACH),
        size=lambda rows, each: (rows, rows, rows * each),
    ),
    Builtin(
        "banded-N-W-K-P",
        "N rows of K entries up to W from the diagonal, a share P of them outside",
        "D. J. Watts, S. H. Strogatz 1998",
        _synthetic("sampled_rows:banded_rows"),
        parameters=(_ROWS, Parameter("W", 0, MAX_DIMENSION), _EACH, _SHARE),
        size=lambda rows, _, each, __: (rows, rows, rows * each),
    ),
    Builtin(
        "block-N-B-K",
        "N rows, K dense B x B blocks anywhere in each block row",
        "E.-J. Im, K. Yelick, R. Vuduc 2004",
        _synthetic("sampled_rows:blocks"),
        parameters=(_ROWS, Parameter("B", 1, MAX_DIMENSION), _EACH),
        size=lambda rows, edge, each: (rows, rows, rows * edge * each),
    ),
    Builtin(
        "attachment-N-M",
        "graph of N nodes that grows by preferential attachment, M edges a node",
        "A.-L. Barabási, R. Albert 1999",
        _synthetic("network_models:preferential_attachment"),
        parameters=(_ROWS, Parameter("M", 1, MAX_DIMENSION)),
        size=lambda nodes, edges: (nodes, nodes, 2 * nodes * edges),
    ),
    Builtin(
        "chunglu-N-M-A",
        "graph of N nodes, expected degrees of mean M by a power law of exponent A",
        "F. Chung, L. Lu 2002",
        _synthetic("network_models:chung_lu"),
        parameters=(_ROWS, Parameter("M", 1, MAX_DIMENSION), _EXPONENT),
        size=lambda nodes, mean, _: (nodes, nodes, nodes * mean),
    ),
    Builtin(
        "communities-N-B-K-P",
        "graph of B equal communities, N nodes, mean degree K, a share P of edges between any",
        "P. W. Holland, K. B. Laskey, S. Leinhardt 1983",
        _synthetic("network_models:communities"),
        parameters=(_ROWS, Parameter("B", 1, MAX_DIMENSION), _EACH, _SHARE),
        size=lambda nodes, _, mean, __: (nodes, nodes, nodes * mean),
    ),
    Builtin(
        "hyperbolic-N-K-A",
        "hyperbolic graph of N nodes by angle, mean degree about K, power law of exponent A",
        "D. Krioukov et al. 2010",
        _synthetic("hyperbolic_graphs:hyperbolic"),
        parameters=(_ROWS, _EACH, Parameter("A", 2.01, 20, whole=False)),
        size=lambda nodes, mean, _: (nodes, nodes, nodes * mean),
    ),
    Builtin(
        "ratings-M-N-K-A",
        "M users, N items, K ratings a user on average, both by power laws of exponent A",
        "S. G. Aksoy, T. G. Kolda, A. Pinar 2017",
        _synthetic("network_models:ratings"),
        parameters=(Parameter("M", 1, MAX_DIMENSION), _ROWS, _EACH, _EXPONENT),
        size=lambda users, items, mean, _: (users, items, users * mean),
    ),
    Builtin(
        "web-N-K-P-Q",
        "N pages of about K links, a share P of links copied, a share Q to near pages",
        "R. Kumar et al. 2000",
        _web,
        parameters=(_ROWS, _EACH, Parameter("P", 0, 0.99, whole=False), Parameter("Q", 0, 1, whole=False)),
        size=lambda pages, links, _, __: (pages, pages, pages * links),
    ),
    Builtin(
        "zipf-N-K-A",
        "N rows of K entries, columns by Zipf's law of exponent A",
        "G. K. Zipf 1949",
        _synthetic("sparse_tables:zipf_columns"),
        parameters=(_ROWS, _EACH, Parameter("A", 0.05, 20, whole=False)),
        size=lambda rows, each, _: (rows, rows, rows * each),
    ),
    Builtin(
        "denserows-N-K-R-P",
        "N rows of K entries anywhere, R dense rows with a share P of the columns",
        "K. D. Andersen 1996",
        _synthetic("sparse_tables:few_dense_rows"),
        parameters=(_ROWS, _EACH, Parameter("R", 0, MAX_DIMENSION), _SHARE),
        size=lambda rows, each, dense, share: (rows, rows, rows * each + int(dense * share * rows)),
    ),
    Builtin(
        "hypersparse-N-E",
        "N rows, E entries anywhere, at most N",
        "A. Buluç, J. R. Gilbert 2008",
        _synthetic("sparse_tables:hypersparse"),
        parameters=(_ROWS, Parameter("E", 1, MAX_DIMENSION)),
        size=lambda rows, entries: (rows, rows, entries),
    ),
    Builtin(
        "staircase-T-M-N-K",
        "T periods of M constraints and N variables, K entries a constraint",
        "R. Fourer 1982",
        _synthetic("sparse_tables:staircase"),
        parameters=tuple(Parameter(letter, 1, MAX_DIMENSION) for letter in "TMNK"),
        size=lambda periods, height, width, each: (
            periods * height,
            periods * width,
            periods * height * each,
        ),
    ),
    Builtin(
        "shuffled3d-N-R",
        "seven-point Laplacian on an N x N x N grid, renumbered at random in runs of R rows",
        _DIFFERENCES,
        _synthetic("sparse_tables:shuffled_grid"),
        parameters=(Parameter("N", 2, 224), Parameter("R", 1, MAX_DIMENSION)),
        size=lambda points, _: (points**3, points**3, 7 * points**3),
    ),
)


def _named(name: str, description: str, source: str, make: Callable[..., Any], *arguments: float) -> Builtin:
    return Builtin(name, description, source, make, arguments)


def _nep() -> Iterator[Builtin]:
    for x, y in ((15, 15), (30, 30), (47, 63)):
        yield _named(f"pde{x * y}", f"elliptic operator on {x} x {y} points", _ELMAN, nep.pde, x, y)
    for k, p in enumerate(product((30, 80, 250), ((1, 2), (25, 50)))):
        arguments = (31, *p[1], p[0])
        what = f"convection and diffusion on 31 x 31 points, p = {p[1][0]}, {p[1][1]}, {p[0]}"
        yield _named(f"cdde{k + 1}", what, _NEP, nep.convection_diffusion, *arguments)
    for n in (100, 500, 1000, 2000, 5000):
        yield _named(f"olm{n}", f"Olmstead flow model, {n} rows", _MEERBERGEN, nep.olmstead, n // 2)
    for n in (200, 2000):
        yield _named(f"bwm{n}", f"Brusselator wave model, {n} rows", _SAAD, nep.brusselator_wave, n // 2)
    for name, points, length in (
        ("rdb200", 10, 0.5),
        ("rdb200l", 10, 1),
        ("rdb450", 15, 0.5),
        ("rdb450l", 15, 1),
        ("rdb800l", 20, 1),
        ("rdb968", 22, 1),
        ("rdb1250", 25, 0.5),
        ("rdb1250l", 25, 1),
        ("rdb2048", 32, 1),
        ("rdb2048_noL", 32, 0.5),
        ("rdb3200l", 40, 1),
        ("rdb5000", 50, 1),
    ):
        what = f"reaction-diffusion Brusselator on {points} x {points} points, L = {length}"
        yield _named(name, what, _MEERBERGEN, nep.brusselator, points, length)
    for n in (90, 340, 1090, 2000, 4000):
        yield _named(f"tols{n}", f"Tolosa matrix, {n} rows", _TOLOSA, nep.tolosa, (n - 90) // 5)
    yield _named("odepa400", "ordinary boundary problem on 400 points", _WALK, nep.boundary_problem, 400)


def _structures() -> Iterator[Builtin]:
    yield _named(
        "gr_30_30", "nine-point operator on a 30 x 30 grid", "Harwell-Boeing", poisson.nine_point, 30
    )
    yield _named(
        "lap_25", "nine-point pattern on a 5 x 5 grid", "Harwell-Boeing", poisson.nine_point_pattern, 5
    )
    yield _named("nos1", "clamped beam of 80 elements", _SIMON, beams.clamped_beam, 80)
    yield _named("nos2", "clamped beam of 320 elements", _SIMON, beams.clamped_beam, 320)
    yield _named("nos7", "conduction of heat in a cube of three materials", _SIMON, poisson.nested_cubes, 9)
    for nodes in (10, 10_000):
        what = f"supported beam of {nodes} nodes in flexure"
        yield _named(f"LF{nodes}", what, _OBERWOLFACH, beams.supported_beam, nodes - 1)
    for nodes in (5, 5000):
        what = f"supported beam of {nodes} nodes with torsion"
        yield _named(f"LFAT{nodes}", what, _OBERWOLFACH, beams.supported_beam_with_torsion, nodes - 1)


def _combinatorics() -> Iterator[Builtin]:
    for n in (20, 150, 200, 300, 500, 700, 2000, 20000):
        what = f"primes, and ones at powers of two, {n} rows"
        yield _named(f"Trefethen_{n}", what, _TREFETHEN, combinatorics.trefethen, n)
    for n in (20, 200, 20000):
        what = f"Trefethen_{n} without the first row and column"
        yield _named(f"Trefethen_{n}b", what, _TREFETHEN, combinatorics.trefethen_minor, n - 1)
    for points, sizes in (
        (9, (3, 5)),
        (11, (5,)),
        (12, (4, 5)),
        (13, (6,)),
        (14, (7,)),
        (15, (3, 7)),
        (16, (8,)),
        (17, (3, 4, 8)),
        (18, (9,)),
        (19, (9,)),
        (49, (3,)),
        (81, (2, 3)),
    ):
        for size in sizes:
            what = f"pairs of {points} points in their subsets of {size}"
            yield _named(f"bibd_{points}_{size}", what, _GIESBRECHT, combinatorics.block_design, points, size)
    for rows, columns, dimensions in (
        (3, 3, (1, 2)),
        (4, 4, (1, 2, 3)),
        (5, 5, (1, 2, 3, 4)),
        (6, 6, (1, 2, 3, 4, 5)),
        (7, 6, (1, 2, 3, 4, 5)),
        (7, 7, (1, 2, 5)),
        (7, 8, (1, 2, 3, 4, 5)),
        (7, 9, (1, 2, 3, 4, 5)),
        (8, 8, (1, 2, 3, 4, 5)),
    ):
        for d in dimensions:
            what = f"boundary map {d} of the {rows} x {columns} chessboard complex"
            arguments = (rows, columns, d)
            make = combinatorics.chessboard_boundary
            yield _named(f"ch{rows}-{columns}-b{d}", what, _WELKER, make, *arguments)


def _networks() -> Iterator[Builtin]:
    yield _named("bfly", "butterfly network of dimension 12", _MONIEN, networks.butterfly, 12)
    yield _named("cca", "cube-connected cycles of dimension 12, cut", _MONIEN, networks.cut_cube_cycles, 12)
    yield _named("ccc", "cube-connected cycles of dimension 12", _MONIEN, networks.cube_cycles, 12)
    yield _named("debr", "De Bruijn graph of dimension 20", _MONIEN, networks.de_bruijn, 20)
    yield _named("se", "shuffle-exchange graph of dimension 15", _MONIEN, networks.shuffle_exchange, 15)
    for order in range(2, 15):
        what = f"Mycielski graph {order}, {3 * 2 ** (order - 2) - 1} rows"
        yield _named(f"mycielskian{order}", what, _MYCIELSKI, networks.mycielskian, order)


_ALL = (*_FAMILIES, *_RANDOM, *_nep(), *_structures(), *_combinatorics(), *_networks())

BUILTINS: dict[str, Builtin] = {builtin.name: builtin for builtin in _ALL}


def find_builtin(name: str) -> Builtin | None:
    """Return the built-in that `name` names or belongs to, None if there is none."""
    return next((builtin for builtin in _ALL if builtin.arguments_in(name) is not None), None)


def family_of(name: str) -> Builtin | None:
    """Return the family whose name begins like `name` up to the first ``-``, None if there is none."""
    return next((each for each in _ALL if each.is_family and head(each.name) == head(name)), None)


def how_to_write(name: str) -> str:
    """Return how to write the name of a family that a mistyped name begins like, empty if there is none."""
    family = family_of(name)
    if family is None:
        return ""
    numbers = ", ".join(f"{each.letter} from {each.least} to {each.most}" for each in family.parameters)
    return f"write {family.name}{f'[-{SEED}X]' if family.is_random else ''} with {numbers}"


def check_builtin(name: str) -> tuple[Builtin, tuple[float, ...]]:
    """Return the built-in that `name` names or belongs to, and what its generator is passed.

    Raises
    ------
    UserError
        If there is no such built-in, a number is out of range, or the matrix does not fit the memory.
    """
    builtin = find_builtin(name)
    if builtin is None:
        raise UserError(
            f"'{name}' is not a built-in matrix; {how_to_write(name) or '`vecsim list matrices` lists them'}"
        )
    arguments = builtin.arguments_in(name) or ()
    require_in_range(name, builtin.name, builtin.parameters, arguments)
    if builtin.size is not None:
        require_memory(name, *builtin.size(*arguments[:-1]))
    return builtin, arguments


def load_builtin(name: str) -> Matrix:
    """Generate a built-in matrix.

    Parameters
    ----------
    name
        A name of `BUILTINS`, in a family with numbers in place of the letters.

    Raises
    ------
    UserError
        As `check_builtin`, or if the numbers do not go together or give no entry.
    """
    builtin, arguments = check_builtin(name)
    try:
        csr = builtin.generator(*arguments)
    except UserError as error:
        raise UserError(f"'{name}' is not a built-in matrix: in {builtin.name}, {error}") from None
    rows, columns = csr.shape
    check_size(name, rows, columns, csr.nnz)
    return Matrix(name, csr, "built-in")
