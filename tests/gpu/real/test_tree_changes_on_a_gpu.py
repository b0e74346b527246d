"""HiSparse made, edited and traversed on a real GPU: the host's trees, and equal bits in every run.

Those named `small` are what compute-sanitizer looks at: CONTRIBUTING.md says how.
"""

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.hisparse.container import HiSparse

pytestmark = pytest.mark.usefixtures("gpu_with_others")

SIZES = {"small": (90, 400), "large": (60_000, 900_000)}
"""Rows and columns, and random entries, some of them twice."""


def random_matrix(side, entries, dtype, seed=0):
    rng = np.random.default_rng(seed)
    rows, columns = (rng.integers(0, side, entries).astype(np.int32) for _ in range(2))
    return rows, columns, rng.integers(-3, 4, entries).astype(dtype)


def check_tree(device, host):
    actual = device.to_hisparse()
    actual.check()
    assert actual.structure() == host.structure()
    for one, two in zip(actual.triplets(), host.triplets(), strict=True):
        np.testing.assert_array_equal(one, two)


def host_of(rows, columns, values, side, node_size):
    matrix = scipy.sparse.coo_array((values, (rows, columns)), (side, side))
    return HiSparse.from_scipy(matrix, node_size=node_size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_made_of_coordinates(size, dtype):
    side, entries = SIZES[size]
    node_size = 16 if size == "small" else 256
    given = random_matrix(side, entries, dtype)
    device = gpu.DeviceHiSparse.from_coo(*given, (side, side), node_size=node_size)
    check_tree(device, host_of(*given, side, node_size))
    again = gpu.DeviceHiSparse.from_coo(*given, (side, side), node_size=node_size).to_hisparse()
    for one, two in zip(device.to_hisparse().triplets(), again.triplets(), strict=True):
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_batches_of_edits(size, dtype):
    side, entries = SIZES[size]
    node_size = 16 if size == "small" else 256
    host = host_of(*random_matrix(side, entries, dtype), side, node_size)
    kept = [gpu.DeviceHiSparse.from_hisparse(host)]
    rows, columns, values = random_matrix(side, entries // 10, dtype, 1)
    for how, given in (
        ("insert", (rows, columns, values)),
        ("set", (rows[::2], columns[::2], -values[::2])),
        ("delete", (rows[::3], columns[::3])),
    ):
        editor = host.editor()
        getattr(editor, how)(*given)
        kept.append(getattr(kept[-1], how)(*given))
        host = editor.matrix()
        check_tree(kept[-1], host)
    # As long as all of them are held they lie in one pool.
    assert len({id(each.content.pool) for each in kept}) == 1
    one = kept[0].insert(rows[:1], columns[:1], values[:1])
    assert one.added_nbytes < kept[0].added_nbytes / (2 if size == "small" else 20)


@pytest.mark.parametrize("schedule", ["controller", "levels", "filled"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_the_traversal_is_the_product(size, dtype, schedule):
    from gpu.hisparse.traversal.product import HiSparseTraversal
    from gpu.runtime.memory import upload

    side, entries = SIZES[size]
    host = host_of(*random_matrix(side, entries, dtype), side, 16 if size == "small" else 256)
    exact, x = host.to_scipy(), np.linspace(-1, 2, side).astype(dtype)
    built = HiSparseTraversal(gpu.DeviceHiSparse.from_hisparse(host), schedule)
    kind = np.dtype(dtype).type
    # Queues are emptied and filled again by every product.
    for product, matrix in 5 * ((built, exact), (built.transposed, exact.T)):
        y = upload(np.full(side, np.nan, dtype))
        product.launch(upload(x), y, kind(1), kind(0), 0)
        bound = 64 * np.finfo(dtype).eps * (abs(matrix) @ np.abs(x)).max()
        np.testing.assert_allclose(y.copy_to_host(), matrix @ x, rtol=0, atol=bound)


def test_edited_added_and_multiplied_on_the_device():
    side, entries = SIZES["large"]
    first = gpu.DeviceHiSparse.from_coo(*random_matrix(side, entries, np.float64), (side, side))
    second = first.insert(*random_matrix(side, 100, np.float64, 1))
    total = gpu.add(first, second.T, 2, -1)
    exact = 2 * first.to_scipy() - second.to_scipy().T
    x = np.linspace(-1, 2, side)
    product = gpu.prepare(total)
    assert product.format == "hisparse-queues"
    bound = 1e-14 * (abs(exact) @ np.abs(x)).max()
    np.testing.assert_allclose(product @ x, exact @ x, rtol=0, atol=bound)
    np.testing.assert_allclose(product.T @ x, exact.T @ x, rtol=0, atol=64 * bound)


@pytest.mark.parametrize("vectors", [1, 2, 4, 8])
@pytest.mark.parametrize("size", SIZES)
def test_several_vectors_at_once(size, vectors):
    side, entries = SIZES[size]
    matrix = host_of(
        *random_matrix(side, entries, np.float64), side, 16 if size == "small" else 256
    ).to_scipy()
    built = gpu.prepare(matrix, format="hisparse")
    x = np.random.default_rng(2).uniform(-1, 1, (side, vectors))
    actual = built.matmat(x)
    np.testing.assert_allclose(actual, matrix @ x, rtol=0, atol=1e-12 * (abs(matrix) @ np.abs(x)).max())
    assert actual.tobytes() == built.matmat(x).tobytes()
