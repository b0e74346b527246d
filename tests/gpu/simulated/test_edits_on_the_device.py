"""Batches of edits on the device, against the host's editor: the same nodes in the end."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import gpu
from gpu.hisparse.container import HiSparse
from vecsim.support.errors import UserError


def matrix(shape, entries, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    at = [rng.integers(0, side, entries) for side in shape]
    built = scipy.sparse.coo_array((rng.integers(1, 9, entries).astype(dtype), at), shape=shape)
    return HiSparse.from_scipy(built, node_size=4)


def check(device, host):
    actual = device.to_hisparse()
    actual.check()
    assert actual.structure() == host.structure()
    assert (actual.nnz, actual.shape, actual.transposed) == (host.nnz, host.shape, host.transposed)
    for one, two in zip(actual.triplets(), host.triplets(), strict=True):
        np.testing.assert_array_equal(one, two)


def edited(host, how, *arguments):
    editor = host.editor()
    getattr(editor, how)(*arguments)
    return editor.matrix()


def positions(shape, count, seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, side, count).astype(np.int32) for side in shape]


def test_inserted_twice_the_last_stays():
    host = matrix((9, 9), 12, 0)
    device = gpu.DeviceHiSparse.from_hisparse(host)
    rows, columns, values = np.array([8, 0, 8]), np.array([1, 5, 1]), np.array([1.0, 2, 3])
    check(device.insert(rows, columns, values), edited(host, "insert", rows, columns, values))
    check(device, host)


@pytest.mark.ci
@examples(2)
@given(
    shape=st.tuples(st.integers(1, 20), st.integers(1, 40)),
    entries=st.sampled_from([0, 5, 60]),
    count=st.sampled_from([1, 7, 20]),
    seed=st.integers(0, 99),
    is_transposed=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_a_batch_is_that_of_the_host(shape, entries, count, seed, is_transposed, dtype):
    host = matrix(shape, entries, seed, dtype)
    host = host.T if is_transposed else host
    device = gpu.DeviceHiSparse.from_hisparse(host)
    at = positions(host.shape, count, seed + 1)
    values = np.arange(count).astype(dtype)
    device, host = device.insert(*at, values), edited(host, "insert", *at, values)
    check(device, host)
    some = [each[::2] for each in at]
    device, host = device.set(*some, -values[::2]), edited(host, "set", *some, -values[::2])
    check(device, host)
    check(device.delete(*some), edited(host, "delete", *some))


def references(device):
    """Return where each leaf lies, by its key."""
    leaves = device.content.leaves
    keys, nodes = leaves.keys.copy_to_host(), leaves.nodes.copy_to_host()
    return dict(zip(keys[: leaves.number].tolist(), nodes[: 2 * leaves.number : 2].tolist(), strict=True))


def test_untouched_leaves_are_shared_and_a_full_pool_grows():
    host = matrix((16, 16), 200, 3)
    device = gpu.DeviceHiSparse.from_hisparse(host)
    other = device.insert(np.array([0, 1]), np.array([0, 1]), np.array([5.0, 6]))
    first, second = references(device), references(other)
    assert [key for key in first if second[key] != first[key]] == [0]
    assert other.content.pool is device.content.pool
    # One leaf of 4 x 4, dense or nearly, and the root of 16 children.
    assert other.added_nbytes < 300 < device.added_nbytes
    check(other, edited(host, "insert", np.array([0, 1]), np.array([0, 1]), np.array([5.0, 6])))
    check(device, host)
    # The first insertion made the pool grow, by more than it needed: the next one finds room.
    grown = device.content.words
    third = other.set(np.array([15]), np.array([0]), np.array([2.0])) if (15, 0) in stored(host) else other
    assert third.content.words is grown
    check(device, host)


def stored(host):
    rows, columns, _ = host.triplets()
    return set(zip(rows.tolist(), columns.tolist(), strict=True))


@pytest.mark.ci
def test_what_was_edited_away_is_not_kept_for_ever():
    device = gpu.DeviceHiSparse.from_hisparse(matrix((4, 4), 40, 2))
    sizes = set()
    for number in range(3):
        device = device.insert(np.array([0]), np.array([0]), np.array([float(number)]))
        sizes.add(int(device.content.words.size))
    # The matrix is one leaf of 144 bytes at most, 36 words; with the copied one, it is written four times.
    assert max(sizes) < 3 * 36
    assert device.to_scipy()[0, 0] == 2


@pytest.mark.ci
def test_products_of_a_matrix_on_the_device_see_its_edits(monkeypatch):
    host = matrix((9, 12), 40, 5)
    device = gpu.DeviceHiSparse.from_hisparse(host)
    changed = device.T.insert(np.array([11]), np.array([8]), np.array([4.0])).T
    total = gpu.add(device, changed, 2, -1)
    exact = [host.to_scipy().toarray()]
    exact.append(exact[0].copy())
    exact[1][8, 11] = 4
    exact.append(2 * exact[0] - exact[1])
    # Nothing is copied to the host in between.
    monkeypatch.setattr(gpu.DeviceHiSparse, "to_hisparse", None)
    for one, wanted in zip((device, changed, total), exact, strict=True):
        product = gpu.prepare(one)
        assert (product.format, product.shape, product.nnz) == ("hisparse-queues", wanted.shape, one.nnz)
        assert product.transposes_itself
        x = np.arange(1.0, 13)
        np.testing.assert_allclose(product @ x, wanted @ x, rtol=1e-13)
        np.testing.assert_allclose(product.T @ x[:9], wanted.T @ x[:9], rtol=1e-13)
    with pytest.raises(UserError, match="is not deterministic"):
        gpu.prepare(device, deterministic=True)


def test_all_deleted():
    host = matrix((7, 7), 9, 1)
    rows, columns, _ = host.triplets()
    built = gpu.DeviceHiSparse.from_hisparse(host).delete(rows, columns)
    assert built.nnz == 0 and built.content.root == 0
    check(built.insert(rows[:1], columns[:1], np.ones(1)), edited(matrix((7, 7), 0, 0), "insert", rows[:1],
          columns[:1], np.ones(1)))  # fmt: skip


@pytest.mark.parametrize(
    ("how", "row", "message"),
    [
        ("set", 6, "position 1 of the batch is not stored"),
        ("delete", 6, "position 1 of the batch is not stored"),
        (
            "insert",
            7,
            "an entry is outside the matrix of 7 x 7: rows and columns must be from 0 to the shape - 1",
        ),
    ],
)
def test_what_cannot_be_done(how, row, message):
    host = HiSparse.from_scipy(scipy.sparse.eye_array(7).tocsr(), node_size=4)
    device = gpu.DeviceHiSparse.from_hisparse(host)
    values = () if how == "delete" else (np.ones(2),)
    with pytest.raises(UserError, match=message):
        getattr(device, how)(np.array([0, row]), np.array([0, 2]), *values)


def test_other_arguments_are_refused_in_one_line():
    device = gpu.DeviceHiSparse.from_hisparse(matrix((3, 3), 2, 0))
    for wrong, message in (
        (lambda: device @ np.ones(3), "not multiplied: use gpu.prepare"),
        (lambda: np.ones(3) @ device, "not multiplied: use gpu.prepare"),
        (lambda: gpu.DeviceHiSparse.from_hisparse(np.eye(3)), "a HiSparse matrix is needed, not ndarray"),
        (lambda: device.insert([0], [0], np.ma.array([1.0], mask=[True])), "values have masked elements"),
    ):
        with pytest.raises(UserError, match=message):
            wrong()
    for copied in (pickle.loads(pickle.dumps(device)), device.delete([], [])):
        np.testing.assert_array_equal(copied.to_scipy().toarray(), device.to_scipy().toarray())


def test_a_scaled_matrix():
    device = gpu.DeviceHiSparse.from_hisparse(matrix((3, 3), 2, 0).scaled(2))
    with pytest.raises(UserError, match="a matrix with the scale 2 cannot be edited"):
        device.delete(np.array([0]), np.array([0]))


@pytest.mark.ci
def test_the_example_of_the_documentation(capsys):
    page = Path(__file__).parents[3] / "docs" / "reference" / "gpu-hisparse.md"
    text = page.read_text(encoding="utf-8")
    (block,) = (each for each in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "from_coo" in each)
    exec(compile(block, page.name, "exec"), {})
    shown = "[[ 0. -1.  0.]\n [ 7.  0.  0.]\n [ 0.  0.  8.]]\n[ 4.  7. 10.]\n"
    assert capsys.readouterr().out == shown
