"""Declarations of compound entries: right ones against plain arithmetic, wrong ones with a clear error."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from docs.blocks import blocks as blocks_of
from gpu.compound import (
    COMPLEX,
    DUAL,
    QUATERNION,
    UNIT_QUATERNION,
    CompoundMatrix,
    EntryType,
    blocks,
    reference_product,
)
from vecsim.support.errors import MatrixWarning, UserError

PAIR = {"entry": ("p", "q"), "vector": ("v",)}


def random_csr(rows, columns, rng, density=0.3):
    return scipy.sparse.random_array((rows, columns), density=density, rng=rng, format="csr")


def test_a_complex_product_is_that_of_scipy():
    rng = np.random.default_rng(1)
    matrix = random_csr(20, 30, rng) + 1j * random_csr(20, 30, rng)
    x = rng.normal(size=30) + 1j * rng.normal(size=30)
    y = reference_product(CompoundMatrix.from_complex(matrix), np.stack((x.real, x.imag), axis=1))
    np.testing.assert_allclose(y @ [1, 1j], matrix @ x, rtol=1e-13)


@pytest.mark.parametrize("edge", [2, 3, 4, 5, 6])
def test_a_product_of_blocks_is_that_of_scipy(edge):
    rng = np.random.default_rng(edge)
    matrix = random_csr(5 * edge, 4 * edge, rng)
    x = rng.normal(size=4 * edge)
    y = reference_product(CompoundMatrix.from_blocks(matrix, edge), x.reshape(-1, edge))
    np.testing.assert_allclose(y.ravel(), matrix @ x, rtol=1e-13, atol=1e-15)


def as_real_matrix(q):
    """Equation (1) of the paper."""
    w, x, y, z = q
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def test_a_product_of_quaternions_is_that_of_their_real_matrices():
    rng = np.random.default_rng(3)
    pattern = random_csr(7, 9, rng)
    values = rng.normal(size=(pattern.nnz, 4))
    matrix = CompoundMatrix.from_arrays(QUATERNION, (7, 9), pattern.indptr, pattern.indices, [*values.T])
    expanded = scipy.sparse.bsr_array(
        (np.array([as_real_matrix(q) for q in values]), pattern.indices, pattern.indptr), shape=(28, 36)
    )
    x = rng.normal(size=(9, 4))
    np.testing.assert_allclose(reference_product(matrix, x).ravel(), expanded @ x.ravel(), rtol=1e-12)


def test_the_units_of_quaternions_by_hand():
    i, j, k = np.eye(4)[1:]
    one_entry = [0, 1], [0]
    for left, right, expected in ((i, j, k), (j, i, -k), (j, k, i), (k, i, j), (i, i, [-1, 0, 0, 0])):
        matrix = CompoundMatrix.from_arrays(QUATERNION, (1, 1), *one_entry, [*left.reshape(4, 1)])
        assert reference_product(matrix, right.reshape(1, 4)).tolist() == [list(expected)]


def test_unit_quaternions_are_quaternions_in_fewer_bytes():
    rng = np.random.default_rng(4)
    pattern = random_csr(7, 9, rng)
    values = rng.normal(size=(pattern.nnz, 4))
    values /= np.linalg.norm(values, axis=1)[:, None]
    places = (7, 9), pattern.indptr, pattern.indices
    signs = np.where(values[:, 0] < 0, -1, 1)
    short = CompoundMatrix.from_arrays(UNIT_QUATERNION, *places, [*values.T[1:], signs])
    whole = CompoundMatrix.from_arrays(QUATERNION, *places, [*values.T])
    x = rng.normal(size=(9, 4))
    np.testing.assert_allclose(reference_product(short, x), reference_product(whole, x), atol=1e-12)
    assert (UNIT_QUATERNION.entry_bytes(np.float32), QUATERNION.entry_bytes(np.float32)) == (13, 16)


def test_dual_numbers_differentiate():
    # d/dt of t x at t = 3, x = 5: the slope of (3 + e) (5 + 0 e)
    matrix = CompoundMatrix.from_arrays(DUAL, (1, 1), [0, 1], [0], [[3.0], [1.0]])
    assert reference_product(matrix, [[5.0, 0.0]]).tolist() == [[15.0, 5.0]]


def test_the_declarations_of_the_page(capsys):
    text = (Path(__file__).parents[3] / "docs" / "reference" / "gpu-compound.md").read_text(encoding="utf-8")
    (code,) = (block.text for block in blocks_of(text) if "EDGE = EntryType" in block.text)
    exec(compile(code, "gpu-compound.md", "exec"), {})
    (shown,) = re.findall(r"print\(.*\)  # (.*)", code)
    assert capsys.readouterr().out == f"{shown}\n"


def test_shortest_paths_have_another_sum():
    shortest = EntryType(
        "path",
        entry=("length",),
        vector=("distance",),
        product={"distance": "a.length + x.distance"},
        sum={"distance": "minimum(s.distance, t.distance)"},
        zero={"distance": np.inf},
    )
    matrix = CompoundMatrix.from_arrays(shortest, (3, 2), [0, 2, 2, 3], [0, 1, 1], [[1.0, 5.0, 2.0]])
    assert reference_product(matrix, [[7.0], [1.0]]).ravel().tolist() == [6, np.inf, 3]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"product": {}}, "'bad', product: component 'v' is missing"),
        ({"product": {"v": "a.p", "w": "a.q"}}, "no component 'w'; use one of v"),
        ({"product": {"v": "a.p *"}}, "product.v: 'a.p \\*' is not an expression"),
        ({"product": {"v": "a.p * x.w"}}, "'x' has no component 'w'; use one of v"),
        ({"product": {"v": "a.P * x.v"}}, "'a' has no component 'P'; use one of p, q; did you mean 'p'"),
        ({"product": {"v": "b.p * x.v"}}, "'b.p' is not a component of 'a' \\(p, q\\) or 'x' \\(v\\)"),
        ({"product": {"v": "p * x.v"}}, "'p' is not a component of"),
        ({"product": {"v": "exp(a.p)"}}, "function 'exp' is unknown; use one of sqrt, abs, minimum, maximum"),
        ({"product": {"v": "sqrt(a.p, a.q)"}}, "sqrt takes 1 argument:"),
        ({"product": {"v": "a.p if a.q else x.v"}}, "only \\+ - \\* / and .* are possible, not IfExp"),
        ({"product": {"v": "a.p ** 2"}}, "not Pow"),
        ({"product": {"v": "'text'"}}, "'text' is not a number; use an integer or a float"),
        ({"product": {"v": "__import__('os').system('x')"}}, "is unknown"),
        ({"sum": {"v": "s.v - t.v"}}, "the sum must be commutative"),
        ({"sum": {"v": "(s.v + t.v) / 2"}}, "the sum must be associative"),
        ({"zero": {"v": 1.0}}, "zero must be the neutral element"),
        ({"sum": {"v": "minimum(s.v, t.v)"}, "zero": {"v": 1e9}}, "zero must be the neutral element"),
        ({"product": None}, "'bad': the product is missing"),
        ({"entry": ("p", "lambda")}, "'lambda' is not a name"),
        ({"zero": {"v": "none"}}, "zero.v: 'none' is not a number; use an integer or a float"),
        ({"zero": {"u": 0}}, "no component 'u'"),
        ({"entry": ()}, "entry: at least one component"),
        ({"vector": ("v", "v")}, "'v' is there twice"),
        ({"entry": ("p", "2q")}, "'2q' is not a name"),
        ({"entry": {"p": "real", "q": "flaot"}}, "unknown type 'flaot'"),
        ({"entry": {"p": "int8", "q": "int16"}}, "have one type"),
    ],
)
def test_a_wrong_declaration_gets_a_clear_error(declared, message):
    right = {**PAIR, "product": {"v": "a.p * x.v + a.q * x.v"}}
    assert EntryType("good", **right).vector == ("v",)
    with pytest.raises(UserError, match=message):
        EntryType("bad", **{**right, **declared})


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([0, 1], [0], [[1.0]]), "need 2 arrays \\(re, im\\), not 1"),
        (([0, 1], [0], [[1.0], [1.0, 2.0]]), "'im' of complex entries: an array of 1 elements"),
        (([0, 1], [0], [[1.0], [1j]]), "real numbers are needed"),
        (([0, 1], [5], [[1.0], [1.0]]), "columns must be from 0 to 1"),
        (([0, 2], [1, 0], [[1.0, 2.0], [1.0, 2.0]]), "columns must rise"),
        (([0, 2], [0], [[1.0], [1.0]]), "rise from 0 to 1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays, message):
    with pytest.raises(UserError, match=message):
        CompoundMatrix.from_arrays(COMPLEX, (1, 2), *arrays)


def test_a_sign_that_does_not_fit_is_refused():
    with pytest.raises(UserError, match="is outside -128 to 127"):
        CompoundMatrix.from_arrays(UNIT_QUATERNION, (1, 1), [0, 1], [0], [[0.0], [0.0], [0.0], [200]])


def test_a_vector_that_does_not_fit_is_refused():
    matrix = CompoundMatrix.from_blocks(scipy.sparse.eye_array(6, format="csr"), 3)
    with pytest.raises(UserError, match=r"\(2, 3\) real numbers, not \(6,\)"):
        reference_product(matrix, np.zeros(6))
    with pytest.raises(UserError, match="blocks of 4 x 4: use a divisor"):
        CompoundMatrix.from_blocks(scipy.sparse.eye_array(6, format="csr"), 4)
    with pytest.raises(UserError, match="not possible: use an edge"):
        blocks(7)


def test_a_type_can_be_sent_to_other_processes():
    sent = pickle.loads(pickle.dumps(QUATERNION))
    assert sent == QUATERNION
    a, x = [[np.array([number]) for number in numbers] for numbers in ((0, 1, 0, 0), (0, 0, 1, 0))]
    assert [component.item() for component in sent.multiplied(a, x)] == [0, 0, 0, 1]  # i j = k


def test_components_lose_nothing_in_silence():
    with pytest.warns(MatrixWarning, match=f"the first {2**53 + 1} at entry 0 of"):
        CompoundMatrix.from_arrays(DUAL, (1, 1), [0, 1], [0], [[2**53 + 1], [1]])
    matrix = CompoundMatrix.from_arrays(DUAL, (1, 1), [0, 1], [0], [[1e300], [1.0]])
    with pytest.raises(UserError, match=r"the value 1e\+300 at entry 0 of .* is too large for 32 bits"):
        matrix.astype(np.float32)
    small = scipy.sparse.coo_array((np.array([100, 100], np.int8), ([0, 0], [0, 0])))
    assert CompoundMatrix.from_complex(small).components[0].tolist() == [200]


@pytest.mark.parametrize(
    ("shape", "indptr", "indices", "message"),
    [
        ((2, 2), [0, 1.5, 2], [0, 1], "indptr: integers are needed, not float64"),
        ((2, 2), [0, 1, 2], [0, 1.5], "indices: integers are needed, not float64"),
        ((2, 2), np.array([0, 3, 2], np.uint64), [0, 1], "numbers that rise from 0 to 2"),
        ((1, 3), [0, 2], np.array([2, 0], np.uint32), "columns must rise within each row"),
        ((1, 3), [0, 1], np.array([2**64 - 1], np.uint64), "columns must be from 0 to 2"),
        ((1.5, 2), [0, 1], [0], "must be two integers"),
    ],
)
def test_index_arrays_are_integers_and_compared_with_a_sign(shape, indptr, indices, message):
    values = [np.ones(len(indices))] * 2
    with pytest.raises(UserError, match=message):
        CompoundMatrix.from_arrays(DUAL, shape, indptr, indices, values)
