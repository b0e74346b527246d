"""Vectors of CuPy are borrowed where nothing is unusual about them; a stand-in for CuPy."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gpu.runtime import cupy_vectors as module
from gpu.runtime.cupy_vectors import cupy_vectors

SHAPE, DTYPE = (3, 2), np.dtype(np.float64)


def array(address=4096, size=2, dtype=DTYPE, ndim=1, contiguous=True, device=0):
    kind = type("ndarray", (), {"__module__": "cupy"})
    built = kind()
    built.__dict__.update(
        ndim=ndim,
        size=size,
        dtype=np.dtype(dtype),
        flags=SimpleNamespace(c_contiguous=contiguous),
        data=SimpleNamespace(ptr=address, device_id=device),
    )
    return built


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    stream = SimpleNamespace(ptr=0)
    stands_in = SimpleNamespace(
        empty=lambda size, dtype: array(8192, size, dtype),
        cuda=SimpleNamespace(get_current_stream=lambda: stream),
    )
    monkeypatch.setitem(sys.modules, "cupy", stands_in)
    context = SimpleNamespace(status=0, device=0)
    driver = SimpleNamespace(cuCtxGetDevice=lambda: (context.status, context.device))
    monkeypatch.setattr(module, "driver", lambda: driver)
    monkeypatch.setattr(module, "stream_of", "stream {}".format)
    return SimpleNamespace(stream=stream, context=context)


def test_where_they_lie_and_on_which_stream(cupy):
    for given, named in ((0, 0), (1, 0), (77, 77)):
        cupy.stream.ptr = given
        of = cupy_vectors(array(), None, SHAPE, DTYPE, 0)
        assert (of.x.device_ctypes_pointer.value, of.x.size) == (4096, 2)
        assert (of.y.device_ctypes_pointer.value, of.y.size) == (8192, 3)
        assert of.result.size == 3 and of.stream == f"stream {named}"
    out = array(4096 + 16, 3)
    assert cupy_vectors(array(), out, SHAPE, DTYPE, 0).result is out


@pytest.mark.parametrize(
    ("x", "out"),
    [
        (np.ones(2), None),
        (array(size=3), None),
        (array(dtype=np.float32), None),
        (array(ndim=2), None),
        (array(contiguous=False), None),
        (array(device=1), None),
        (array(), np.ones(3)),
        (array(), array(8192, 2)),
        (array(), array(8192, 3, device=1)),
        (array(), array(4096 + 8, 3)),
        (array(4096 + 16), array(4096, 3)),
    ],
)
def test_what_is_unusual_is_left_to_others(x, out):
    assert cupy_vectors(x, out, SHAPE, DTYPE, 0) is None


def test_another_device_or_none_is_current(cupy):
    cupy.context.device = 1
    assert cupy_vectors(array(), None, SHAPE, DTYPE, 0) is None
    cupy.context.device, cupy.context.status = 0, 201
    assert cupy_vectors(array(), None, SHAPE, DTYPE, 0) is None
    assert cupy_vectors(array(), None, (0, 2), DTYPE, 0) is None
