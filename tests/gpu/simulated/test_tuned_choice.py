"""Formats chosen by times of products, here by those of the simulator."""

import weakref

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu import preparation
from gpu.choice import timed
from gpu.choice.structure import Structure
from gpu.runtime.cuda_driver import OutOfDeviceMemoryError
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X = np.array([1.0, 10, 100])
ESTIMATED = {"crs": 2.0, "coo": 2.1, "sliced-ell": 2.2, "crs-split": 2.3, "ell": 9.0}
ORDER = tuple(ESTIMATED)
CONVERTING = dict.fromkeys(ORDER, 1.0)
"""Seconds that each conversion takes by the clock."""


@pytest.fixture
def converted(monkeypatch):
    """Estimate in this order, time by `seconds`; return the formats converted and the times to be."""
    names, seconds = [], {"crs": 2.2, "coo": 2.0, "sliced-ell": 2.1, "crs-split": 2.4, "ell": 1.0}
    convert = preparation._Wanted.convert
    monkeypatch.setattr(timed, "clock", lambda: sum(CONVERTING[name] for name in names))

    def recorded(self, matrix, name):
        names.append(name)
        if isinstance(error := seconds[name], Exception):
            raise error
        return convert(self, matrix, name)

    monkeypatch.setattr(preparation._Wanted, "convert", recorded)
    monkeypatch.setattr(preparation, "ranked", lambda counts, matrix: iter(ESTIMATED.items()))
    monkeypatch.setattr(timed, "_remembered", {})
    monkeypatch.setattr(timed, "_simulated_seconds", lambda matrix, x, y: seconds[matrix.format])
    return names, seconds


def prepare(matrix=MATRIX, **options):
    return gpu.prepare(matrix, threads_per_block=THREADS, **options)


def test_the_fastest_of_few_is_taken_and_remembered(converted):
    names, seconds = converted
    built = prepare(tune=True)
    assert (built.format, names) == ("coo", list(ORDER[:4]))
    np.testing.assert_array_equal(built @ X, MATRIX @ X)
    names.clear()
    assert prepare(2 * MATRIX, tune=True).format == "coo"
    assert names == ["coo"]
    names.clear()
    prepare(tune=True, dtype=np.float32)
    assert names == list(ORDER[:4])
    seconds["crs"] = 0.1
    assert prepare(scipy.sparse.eye_array(40, format="csr"), tune=True).format == "crs"


def test_two_copies_are_on_the_device_at_most_and_the_first_stays_without_room_to_time(
    converted, monkeypatch
):
    copies, alive, right = [], [], preparation._Wanted.convert

    def counted(self, matrix, name):
        alive.append(sum(copy() is not None for copy in copies))
        copies.append(weakref.ref(result := right(self, matrix, name)))
        return result

    def no_room(*given):
        raise OutOfDeviceMemoryError("no room for x")

    monkeypatch.setattr(preparation._Wanted, "convert", counted)
    assert prepare(tune=True).format == "coo"
    assert alive == [0, 1, 1, 1]
    monkeypatch.setattr(timed, "_compared", no_room)
    assert prepare(tune="full").format == "crs"
    assert max(alive) == 1


@pytest.mark.parametrize(
    ("of_name", "recorded"),
    [
        ({"sliced-ell": 1.6}, 3),  # a fourth as slow as the third could end after 5.2 times the first
        ({"coo": 3.0}, 2),
        ({"coo": 60.0}, 2),  # at least two
        ({"crs": 60.0}, 4),
    ],
)
def test_timing_ends_before_it_takes_far_longer_than_the_first_conversion(
    converted, monkeypatch, of_name, recorded
):
    for name, seconds in of_name.items():
        monkeypatch.setitem(CONVERTING, name, seconds)
    assert prepare(tune=True).format == "coo"
    assert converted[0] == list(ORDER[:recorded])


@pytest.mark.parametrize(
    ("of_name", "timed_formats"),
    [
        ({"coo": 1.0}, 2),  # the rest should take over 1.25 times as long
        ({"crs": 4.0}, 2),  # estimates are too low, and coo is still far below
        ({"crs": 1.8, "coo": 1.9, "sliced-ell": 1.4}, 3),
    ],
)
def test_formats_that_could_be_faster_are_timed(converted, of_name, timed_formats):
    names, seconds = converted
    seconds |= of_name
    fastest = min(ORDER[:timed_formats], key=lambda name: seconds[name])
    assert prepare(tune=True).format == fastest
    assert names == list(ORDER[:timed_formats])


def test_full_times_all_formats(converted, monkeypatch):
    monkeypatch.setitem(CONVERTING, "coo", 60.0)
    assert prepare(tune="full").format == "ell"
    assert converted[0] == list(ORDER)


def test_formats_without_room_or_that_cannot_hold_the_matrix_are_left_out(converted):
    _, seconds = converted
    seconds |= {"crs": NotRepresentableError("too long"), "coo": OutOfDeviceMemoryError("too little")}
    assert prepare(tune=True).format == "sliced-ell"
    seconds |= dict.fromkeys(ORDER, NotRepresentableError("too long"))
    with pytest.raises(NotRepresentableError, match="too long"):
        prepare(scipy.sparse.eye_array(3, format="csr"), tune=True)


def test_the_transposed_copy_is_tuned(converted):
    built = prepare(tune=True, transpose=True)
    assert (built.format, built.T.format) == ("coo", "coo")


def test_features_tell_sizes_and_locality_apart():
    band = scipy.sparse.diags_array([1.0, 1, 1], offsets=[-1, 0, 1], shape=(900, 900), format="csr")
    order = np.random.default_rng(1).permutation(900)
    shuffled = band[order][:, order].tocsr()
    shuffled.sort_indices()
    both = [timed.features(Structure.of(each)) for each in (band, shuffled)]
    assert both[0] != both[1]
    assert timed.features(Structure.of(3 * band)) == both[0]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_there_is_nothing_to_time(shape):
    built = prepare(scipy.sparse.csr_array(shape), tune=True)
    np.testing.assert_array_equal(built @ np.ones(shape[1]), np.zeros(shape[0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tune": "all"}, "tune 'all' is not possible: use False, True or 'full'"),
        ({"tune": True, "format": "crs"}, "tune=True chooses a format: leave out format"),
    ],
)
def test_wrong_arguments_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        prepare(**options)
