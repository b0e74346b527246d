"""Orders of the rows of blocks: classes by hand, sorting, and the dynamic programme against other cuts."""

from itertools import pairwise

import numpy as np
import pytest

from gpu.hbp.hashing import RowHash, place_rows, place_rows_in_turn
from gpu.hbp.ordering import GROUP_COST, METHODS, class_of, ordered

COUNTS = np.random.default_rng(4).choice([0, 0, 1, 2, 3, 7, 90, 1000], (5, 64)).astype(np.int32)


def placed(method, **options):
    built = ordered(COUNTS, method, **options)
    assert (np.sort(built.order, axis=1) == np.arange(64)).all()
    return np.take_along_axis(COUNTS, built.order, axis=1), built


def test_classes_by_hand():
    # Four from each power of two to the next: 8 and 9 are one class, 16 to 19 are another.
    actual = [class_of(count, 2) for count in range(21)]
    assert actual == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 12, 12, 13]
    assert [class_of(count, 0) for count in (0, 1, 2, 3, 4, 7, 8)] == [0, 1, 2, 2, 3, 3, 4]
    assert class_of(2**31 - 1, 2) < 128


def test_classes_rise_and_rows_of_one_stay_in_order():
    counts, built = placed("classes")
    classes = np.array([[class_of(int(count), 2) for count in row] for row in counts])
    assert (np.diff(classes, axis=1) >= 0).all()
    assert (np.diff(built.order, axis=1)[np.diff(classes, axis=1) == 0] > 0).all()


def test_a_sort_the_rows_as_they_are_and_whole_rows():
    np.testing.assert_array_equal(placed("sort")[0], np.sort(COUNTS, axis=1))
    np.testing.assert_array_equal(placed("own")[0], COUNTS)
    whole = np.broadcast_to(np.arange(64, 0, -1, dtype=np.int32), COUNTS.shape).copy()
    np.testing.assert_array_equal(placed("sell", whole_rows=whole)[0], COUNTS[:, ::-1])


@pytest.mark.parametrize(("method", "rule"), [("hash", place_rows), ("in_turn", place_rows_in_turn)])
def test_the_hash_is_that_of_the_format(method, rule):
    chosen, exact = RowHash(1, 7, 3, 7), np.empty(COUNTS.size, np.int32)
    rule(chosen(COUNTS.ravel()) % 64, 64, exact)
    np.testing.assert_array_equal(placed(method, row_hash=chosen)[1].order.ravel(), exact)


def cost_of(counts, begins):
    starts = [*np.flatnonzero(begins), len(counts)]
    groups = [counts[a:b] for a, b in pairwise(starts)]
    assert max(map(len, groups)) <= 32
    return sum(int(group.max()) * len(group) - int(group.sum()) + GROUP_COST for group in groups)


def test_the_dynamic_programme_finds_the_least_padding():
    counts, built = placed("dynamic")
    regular = np.arange(64) % 32 == 0
    for row, begins in zip(counts, built.group_begins, strict=True):
        assert cost_of(row, begins) <= cost_of(row, regular)
        # No one group less or more, or elsewhere, is better.
        for at in range(1, 64):
            other = begins.copy()
            other[at] = not other[at]
            starts = np.flatnonzero(np.append(other, True))
            if np.diff(starts).max() <= 32:
                assert cost_of(row, begins) <= cost_of(row, other)


def test_what_is_not_possible():
    with pytest.raises(ValueError, match="method fast must be one of own, hash"):
        ordered(COUNTS, "fast")
    assert METHODS[0] == "own"
