import numpy as np
import pytest

from gpu.choice.row_lengths import LENGTHS, RowLengths, places
from vecsim.formats.thread_count import WORK_OF_A_THREAD


def pointers(lengths):
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)


def lengths_of(kind):
    rng = np.random.default_rng(4)
    return {
        "no rows": np.zeros(0, int),
        "empty rows": np.zeros(70, int),
        "short": rng.integers(0, 9, 1000),
        "some long": np.where(rng.random(1000) < 0.01, rng.integers(LENGTHS - 2, 9 * LENGTHS, 1000), 3),
        "long": rng.integers(LENGTHS, 3 * LENGTHS, 100),
        # Counted in parts, by several threads.
        "many": np.where(rng.random(3 * WORK_OF_A_THREAD) < 1e-4, 2 * LENGTHS, 2),
    }[kind]


MANY = pytest.param("many", marks=pytest.mark.nightly)
KINDS = ["no rows", "empty rows", "short", "some long", "long", MANY]


@pytest.mark.parametrize("kind", KINDS)
class TestCounts:
    def test_longest_and_filled(self, kind):
        lengths = lengths_of(kind)
        actual = RowLengths.of(pointers(lengths))
        assert actual.longest == lengths.max(initial=0)
        assert actual.filled == np.count_nonzero(lengths)
        assert actual.of_length.sum() + len(actual.long) == len(lengths)
        assert (np.diff(actual.long) <= 0).all()

    @pytest.mark.parametrize("cap", [1, 4, 700, LENGTHS, 3000])
    def test_pieces(self, kind, cap):
        lengths = lengths_of(kind)
        cut = lengths[lengths > cap]
        assert RowLengths.of(pointers(lengths)).pieces(cap) == (len(cut), int((-(-cut // cap)).sum()))

    @pytest.mark.parametrize(("steps", "most"), [(1, 32), (8, 8), (8, 256)])
    def test_threads(self, kind, steps, most):
        count = 0
        values, rows = np.unique(lengths_of(kind), return_counts=True)
        for length, times in zip(values.tolist(), rows.tolist(), strict=True):
            own = 1
            while own < most and length > steps * own:
                own *= 2
            count += times * own * max(1, -(-length // (steps * most)))
        assert RowLengths.of(pointers(lengths_of(kind))).threads(steps, most) == count

    @pytest.mark.parametrize(("height", "group"), [(1, 32), (4, 8), (32, 1), (32, 2)])
    @pytest.mark.parametrize("window", [1, 96, None])
    def test_places(self, kind, height, group, window):
        lengths = lengths_of(kind)
        actual = RowLengths.of(pointers(lengths))
        built = places(pointers(lengths), actual, height=height, window=window, group=group)
        arranged = lengths.copy()
        run = len(lengths) if window is None else window
        for first in range(0, len(lengths), max(1, run)):
            arranged[first : first + run][::-1].sort()
        steps = [-(-arranged[k : k + height].max() // group) for k in range(0, len(lengths), height)]
        assert built == height * group * sum(steps)
        # What the lower bounds take for granted.
        assert actual.steps_sorted(height, group) <= sum(steps)


def test_rows_with_entries_anywhere_meet_as_many_classes_as_chance_says():
    lengths = np.repeat([0, 1, 2, 5000], [7, 4, 3, 2])
    actual = RowLengths.of(pointers(lengths))
    assert actual.classes_met(1) == pytest.approx(9, abs=1e-6)
    # One entry meets one of ten classes, two 1 + 9/10, very many all.
    assert actual.classes_met(10) == pytest.approx(4 + 3 * 1.9 + 2 * 10)
