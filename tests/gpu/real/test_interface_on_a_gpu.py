"""Vectors of every library, streams and graphs, on a real GPU."""

import pickle

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.runtime import cuda_driver
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

pytestmark = pytest.mark.usefixtures("gpu_with_others")

RNG = np.random.default_rng(5)
AT = RNG.integers(0, 3000, 40_000), RNG.integers(0, 2000, 40_000)
MATRIX = scipy.sparse.csr_array((RNG.integers(-3, 4, 40_000).astype(float), AT), shape=(3000, 2000))
X = RNG.integers(-9, 10, 2000).astype(float)
# Small whole numbers: sums are exact.
Y = MATRIX @ X
FORMATS = ("auto", "crs", "crs-split", "coo", "sliced-ell-wide", "sliced-diagonals", "sliced-deltas")


def prepare(format="auto", **options):
    return gpu.prepare(MATRIX, format, **options)


class ByDLPack:
    """A tensor that offers itself by DLPack alone."""

    def __init__(self, tensor):
        self.tensor, self.streams = tensor, []

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.tensor.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def libraries():
    """Yield for each library that is installed: a vector of X, and how its result comes back."""
    from gpu.runtime.cuda import cuda

    yield "numba", cuda.to_device, lambda y: y.copy_to_host()
    try:
        import cupy

        yield "cupy", cupy.asarray, cupy.asnumpy
    except ImportError:
        pass
    try:
        import torch

        yield "torch", lambda x: torch.from_numpy(np.array(x)).cuda(), lambda y: y.cpu().numpy()
    except ImportError:
        pass


@pytest.mark.parametrize("format", FORMATS)
def test_the_result_is_of_the_callers_kind(format):
    built = prepare(format)
    for name, put, fetch in libraries():
        x = put(X)
        y = built @ x
        assert type(y) is type(x), name
        np.testing.assert_array_equal(fetch(y), Y)
        out = put(np.full(3000, np.nan))
        assert built.matvec(x, out=out) is out
        np.testing.assert_array_equal(fetch(out), Y)
        # Vectors that begin at an odd element.
        longer, target = put(np.append(7.0, X)), put(np.full(3001, -1.0))
        built.matvec(longer[1:], out=target[1:])
        np.testing.assert_array_equal(fetch(target), np.append(-1, Y))


def test_vectors_of_another_library_than_out():
    built = prepare()
    kinds = list(libraries())
    for _, put, _ in kinds:
        for _, other, fetch in kinds:
            out = other(np.zeros(3000))
            built.matvec(put(X), out=out)
            np.testing.assert_array_equal(fetch(out), Y)


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_dlpack_alone(library):
    module = pytest.importorskip(library)
    built = prepare()
    x = module.from_dlpack(module.asarray(X).cuda()) if library == "torch" else module.asarray(X)
    out = module.zeros(3000, dtype=module.float64, **({"device": "cuda"} if library == "torch" else {}))
    given, target = ByDLPack(x), ByDLPack(out)
    built.matvec(given, out=target)
    assert given.streams == [1]
    np.testing.assert_array_equal(out.cpu().numpy() if library == "torch" else module.asnumpy(out), Y)
    y = built @ ByDLPack(x)
    np.testing.assert_array_equal(y.copy_to_host(), Y)


def test_jax_by_its_interface_or_dlpack():
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(X.astype(np.float32))
    if not any(device.platform in ("gpu", "cuda") for device in jax.devices()):
        pytest.skip("JAX sees no GPU")
    y = gpu.prepare(MATRIX, dtype=np.float32) @ x
    np.testing.assert_array_equal(y.copy_to_host(), Y.astype(np.float32))


def test_tensors_of_the_host():
    torch = pytest.importorskip("torch")
    y = prepare() @ torch.from_numpy(X)
    assert isinstance(y, torch.Tensor)
    np.testing.assert_array_equal(y.numpy(), Y)
    with pytest.raises(UserError, match="detach"):
        prepare() @ torch.from_numpy(X).cuda().requires_grad_()


def test_streams_of_every_library_keep_their_order():
    from gpu.runtime.cuda import cuda

    built = prepare()
    x, out = cuda.to_device(X), cuda.device_array(3000)
    built.matvec(x, out=out)
    streams = [cuda.stream(), None]
    for name in ("cupy", "torch"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        streams.append(module.cuda.Stream())
    own = cuda_driver.Stream()
    streams += [own, own.address]
    for stream in streams:
        out.copy_to_device(np.full(3000, np.nan))
        cuda.synchronize()
        # 40 products, each of the last one's result, in the order of the stream.
        for _ in range(40):
            built.matvec(x, out=out, stream=stream)
        built.matvec(x, out=out, stream=stream, beta=1)
        cuda.synchronize()
        np.testing.assert_array_equal(out.copy_to_host(), 2 * Y)
    np.testing.assert_array_equal(built.matvec(X, stream=cuda.stream()), Y)


@pytest.mark.parametrize("format", [*gpu.KERNELS, "auto"])
def test_products_are_captured_into_a_graph(format):
    from gpu.runtime.cuda import cuda

    try:
        built = gpu.prepare(MATRIX, format)
    except NotRepresentableError as error:
        pytest.skip(str(error))
    x, out = cuda.to_device(X), cuda.device_array(3000)
    built.matvec(x, out=out)
    cuda.synchronize()
    with cuda_driver.Stream() as stream:
        graph = stream.capture(lambda into: built.matvec(x, out=out, stream=into))
        with graph:
            out.copy_to_device(np.full(3000, np.nan))
            cuda.synchronize()
            graph.launch(stream)
            graph.launch(stream)
            stream.synchronize()
            np.testing.assert_array_equal(out.copy_to_host(), Y)
            x.copy_to_device(2 * X)
            cuda.synchronize()
            graph.launch(stream)
            stream.synchronize()
            np.testing.assert_array_equal(out.copy_to_host(), 2 * Y)


def test_captured_by_cupy_torch_and_cuda_core():
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    built = prepare()
    x, out = cupy.asarray(X), cupy.zeros(3000)
    built.matvec(x, out=out)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        built.matvec(x, out=out, stream=stream)
        graph = stream.end_capture()
    out[:] = np.nan
    cupy.cuda.Device().synchronize()
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(cupy.asnumpy(out), Y)

    tensor, target = torch.from_numpy(X).cuda(), torch.zeros(3000, dtype=torch.float64, device="cuda")
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        built.matvec(tensor, out=target, stream=torch.cuda.current_stream())
    captured.replay()
    torch.cuda.synchronize()
    np.testing.assert_array_equal(target.cpu().numpy(), Y)


def test_the_current_stream_of_torch():
    torch = pytest.importorskip("torch")
    built, stream = prepare(), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        slow = torch.rand((4000, 4000), device="cuda", dtype=torch.float64)
        for _ in range(4):
            slow = slow @ slow / 1000
        late = torch.from_numpy(X).cuda() + 0 * slow[0, 0]
        y = built @ late
        np.testing.assert_array_equal(y.cpu().numpy(), Y)


def test_the_transposed_product():
    built = prepare(transpose=True)
    v = np.arange(3000.0)
    np.testing.assert_array_equal(built.rmatvec(v), MATRIX.T @ v)
    np.testing.assert_array_equal(built @ X, Y)


def test_row_vectors_of_every_library():
    built = prepare(transpose=True)
    for name, put, fetch in libraries():
        for rows in (Y, np.stack([Y, 2 * Y])):
            x = put(rows)
            y = x @ built
            assert type(y) is type(x), name
            np.testing.assert_array_equal(fetch(y), rows @ MATRIX)


@pytest.mark.parametrize("format", ["crs", "crs-adaptive", "crs-split", "sell-near", "hisparse", "coo"])
def test_several_vectors_of_every_library(format):
    built, several = 2 * prepare(format), np.stack([X, 2 * X, -X, X], axis=1)
    for name, put, fetch in libraries():
        y = built @ put(several)
        assert type(y) is type(put(X)), name
        np.testing.assert_array_equal(fetch(y), 2 * (MATRIX @ several))
        out = put(np.ones((3000, 4)))
        assert built.matmat(put(several), out=out, alpha=3, beta=-1) is out
        np.testing.assert_array_equal(fetch(out), 6 * (MATRIX @ several) - 1)


def test_strided_vectors_and_columns():
    from gpu.runtime.cuda import cuda

    built, wide = prepare(), np.arange(8000.0).reshape(2000, 4)
    there = cuda.to_device(wide)
    for part in (np.s_[:, 2], np.s_[:, ::2], np.s_[:, 1:2]):
        np.testing.assert_array_equal((built @ there[part]).copy_to_host(), MATRIX @ wide[part])


def test_it_is_saved_pickled_and_brought_back(tmp_path):
    built = 2 * prepare()
    built.save(tmp_path / "M.npz")
    for copied in (gpu.load(tmp_path / "M.npz"), pickle.loads(pickle.dumps(built))):
        assert copied.format == built.format
        np.testing.assert_array_equal(copied @ X, 2 * Y)
    assert (built.to_scipy() != 2 * MATRIX).nnz == 0
    np.testing.assert_array_equal(built.diagonal(), 2 * MATRIX.diagonal())
    np.testing.assert_array_equal(built.T @ Y, 2 * (MATRIX.T @ Y))


def test_products_and_new_values_on_two_streams_stay_in_order():
    from gpu.runtime.cuda import cuda

    dense = np.ones((40, 60_000))
    dense[1::2] = 2
    matrix = scipy.sparse.csr_array(dense)
    streams, x = [cuda.stream(), cuda.stream()], cuda.to_device(np.ones(60_000))
    for name in ("crs-split", "crs-adaptive", "sell-near", "coo", "sell-segments", "sliced-ell"):
        built = gpu.prepare(matrix, name, updatable=True)
        values = [cuda.to_device(factor * matrix.data) for factor in (1, 2)]
        outs = [cuda.device_array(40) for _ in range(20)]
        for turn, out in enumerate(outs):
            stream = streams[turn % 2]
            if turn % 3 == 0:
                built.update_values(values[turn // 3 % 2], stream=stream)
            built.matvec(x, out=out, stream=stream)
        for stream in streams:
            stream.synchronize()
        for turn, out in enumerate(outs):
            exact = (1 + turn // 3 % 2) * dense.sum(axis=1)
            np.testing.assert_array_equal(out.copy_to_host(), exact, err_msg=f"{name}, {turn}")


def test_wrong_vectors_on_the_device():
    from gpu.runtime.cuda import cuda

    built = gpu.prepare(scipy.sparse.eye_array(64, format="csr"), "crs")
    memory = cuda.to_device(np.ones(200))
    for x, out, message in (
        (memory[:64], memory[32:96], "share memory"),
        (memory[:64], memory[64:192:2], "contiguous"),
        (memory[:63], None, "x has shape"),
        (cuda.to_device(np.ones(64, dtype=np.float32)), None, "x has type float32"),
    ):
        with pytest.raises(UserError, match=message):
            built.matvec(x, out=out)
