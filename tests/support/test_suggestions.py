import pytest

from vecsim.support.suggestions import amount, nearest

MATRICES = ["bcspwr10", "bcspwr01", "memplus", "Trefethen_20b", "Trefethen_20"]


@pytest.mark.parametrize(
    ("word", "count", "ending"),
    [
        ("mempluss", 1, "; did you mean 'memplus'?"),
        ("MEMPLUS", 1, "; did you mean 'memplus'?"),
        ("trefethen_20", 2, "; did you mean 'Trefethen_20' or 'Trefethen_20b'?"),
        ("bcspwr1", 1, "; did you mean 'bcspwr10'?"),
        ("bcspwr1", 3, "; did you mean 'bcspwr10' or 'bcspwr01'?"),
        ("zzz", 3, ""),
        ("", 1, ""),
    ],
)
def test_the_nearest_names_are_proposed(word, count, ending):
    assert nearest(word, MATRICES, count) == ending


def test_names_that_differ_in_case_alone_are_proposed_once():
    assert nearest("lopp", ["Loop", "loop"], 3) == "; did you mean 'Loop'?"


@pytest.mark.parametrize(("count", "words"), [(0, "no rows"), (1, "1 row"), (2, "2 rows")])
def test_amounts(count, words):
    assert amount(count, "row") == words
