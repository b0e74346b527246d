"""Plain vectors of CuPy and torch are borrowed, with stand-ins for both libraries."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gpu.runtime import borrowed_vectors as module
from gpu.runtime.borrowed_vectors import borrowed

SHAPES, DTYPE = ((2,), (3,)), np.dtype(np.float64)
CUPY = type("ndarray", (), {"__module__": "cupy"})
TORCH = type("Tensor", (), {"__module__": "torch"})


def of_cupy(address=4096, shape=(2,), dtype=DTYPE, contiguous=True, device=0):
    built = CUPY()
    built.__dict__.update(
        shape=shape,
        strides=(*(8 * each for each in shape[1:]), 8 if contiguous else 16),
        dtype=np.dtype(dtype),
        data=SimpleNamespace(ptr=address, device_id=device),
    )
    return built


def of_torch(
    address=4096,
    shape=(2,),
    dtype=DTYPE,
    contiguous=True,
    device=0,
    layout="strided",
    gradient=False,
    negative=False,
):
    built = TORCH()
    built.__dict__.update(
        is_cuda=device is not None,
        layout=layout,
        dtype=sys.intern(str(np.dtype(dtype))),
        shape=shape,
        is_contiguous=lambda: contiguous,
        requires_grad=gradient,
        is_neg=lambda: negative,
        get_device=lambda: device,
        data_ptr=lambda: address,
        new_empty=lambda shape: of_torch(8192, shape, dtype),
    )
    return built


OF = {"cupy": of_cupy, "torch": of_torch}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """Let both libraries be imported, and yield their current stream and the driver's context."""
    now = SimpleNamespace(stream=0, status=0, device=0)
    cupy = SimpleNamespace(
        empty=lambda shape, dtype: of_cupy(8192 if shape[0] else 0, shape, dtype),
        cuda=SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=now.stream)),
    )
    torch = SimpleNamespace(
        float32="float32",
        float64="float64",
        strided="strided",
        cuda=SimpleNamespace(current_stream=lambda device: SimpleNamespace(cuda_stream=now.stream)),
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "torch", torch)
    module._library.cache_clear()
    module._library_of.cache_clear()
    driver = SimpleNamespace(cuCtxGetDevice=lambda: (now.status, now.device))
    monkeypatch.setattr(module, "driver", lambda: driver)
    yield now
    module._library.cache_clear()
    module._library_of.cache_clear()


@pytest.mark.parametrize("of", OF.values(), ids=OF)
def test_where_they_lie_and_on_which_stream(of, surroundings):
    for given, named in ((0, 0), (77, 77), *([(1, 0)] if of is of_cupy else [])):
        surroundings.stream = given
        taken = borrowed(of(), None, SHAPES, DTYPE, 0)
        assert (taken.x, taken.y, taken.stream) == ((4096, 2), (8192, 3), named)
        assert taken.result.shape == (3,)
    out = of(4096 + 16, (3,))
    assert borrowed(of(), out, SHAPES, DTYPE, 0).result is out
    assert module.borrowed_vector(of(), 2, DTYPE, 0) == ((4096, 2), named)
    for other, size in ((of(), 3), (np.ones(2), 2)):
        assert module.borrowed_vector(other, size, DTYPE, 0) is None


@pytest.mark.parametrize("of", OF.values(), ids=OF)
def test_several_vectors_row_by_row(of):
    taken = borrowed(of(shape=(2, 5)), None, ((2, 5), (3, 5)), DTYPE, 0)
    assert (taken.x, taken.y) == ((4096, 10), (8192, 15))
    assert module.Elements(*taken.x).device_ctypes_pointer.value == 4096
    assert borrowed(of(shape=(2, 5), contiguous=False), None, ((2, 5), (3, 5)), DTYPE, 0) is None


@pytest.mark.parametrize("of", OF.values(), ids=OF)
def test_what_is_unusual_is_left_to_others(of):
    other = of_cupy if of is of_torch else of_torch
    x, out = of(), of(8192, (3,))
    unusual = [
        (np.ones(2), None),
        (of(shape=(3,)), None),
        (of(shape=(2, 1)), None),
        (of(dtype=np.float32), None),
        (of(contiguous=False), None),
        (of(device=1), None),
        (x, np.ones(3)),
        (x, other(8192, (3,))),
        (x, of(8192, (2,))),
        (x, of(8192, (3,), device=1)),
        (x, of(4096 + 8, (3,))),
        (of(4096 + 16), of(4096, (3,))),
    ]
    if of is of_torch:
        changes = ({"layout": "csr"}, {"gradient": True}, {"negative": True}, {"device": None})
        unusual += [(of(**change), None) for change in changes]
        unusual.append((x, of(8192, (3,), gradient=True)))
    assert borrowed(x, out, SHAPES, DTYPE, 0) is not None
    for number, (x, out) in enumerate(unusual):
        assert borrowed(x, out, SHAPES, DTYPE, 0) is None, number


def test_another_device_or_none_is_current(surroundings):
    surroundings.device = 1
    assert borrowed(of_cupy(), None, SHAPES, DTYPE, 0) is None
    surroundings.device, surroundings.status = 0, 201
    assert borrowed(of_cupy(), None, SHAPES, DTYPE, 0) is None
    surroundings.status = 0
    # The library has no memory for no elements.
    for x, shapes in ((of_cupy(), ((2,), (0,))), (of_cupy(0, (0,)), ((0,), (3,)))):
        assert borrowed(x, None, shapes, DTYPE, 0) is None
