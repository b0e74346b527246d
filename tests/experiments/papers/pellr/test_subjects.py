import numpy as np
import pytest
import scipy.sparse

from experiments.papers.pellr.row_lengths import DISTRIBUTIONS, MILLION, generate
from experiments.papers.pellr.subjects import GENERATED, NAMED, OURS, QUADRO_P600_THREADS, filled, load


def test_twenty_matrices_and_four_generated_at_least():
    assert len(NAMED) + len(OURS) == 20
    assert len(GENERATED) >= 4
    names = [subject.name for subject in (*NAMED, *OURS, *GENERATED)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda each: each.name)
def test_generated_lengths_are_what_is_asked_for(distribution):
    lengths = distribution.draw(np.random.default_rng(distribution.seed), distribution.rows)
    assert len(lengths) >= MILLION
    assert lengths.min() >= 1
    assert lengths.std() > 10
    assert lengths.max() <= 50 * lengths.mean()


@pytest.mark.parametrize("index", [0, -1])
def test_a_generated_matrix_is_canonical_and_the_same_every_time(index):
    from dataclasses import replace

    small = replace(DISTRIBUTIONS[index], rows=5000, spread=min(5000, DISTRIBUTIONS[index].spread))
    built = generate(small)
    built.check_format(full_check=True)
    assert built.has_canonical_format
    np.testing.assert_array_equal(
        np.diff(built.indptr), small.draw(np.random.default_rng(small.seed), small.rows)
    )
    assert (built.data.min() >= 0.5) & (built.data.max() < 1.5)
    again = generate(small)
    np.testing.assert_array_equal(built.indices, again.indices)
    np.testing.assert_array_equal(built.data, again.data)
    rows = np.repeat(np.arange(5000), np.diff(built.indptr))
    if small.spread < 5000:
        inside = (rows > small.spread) & (rows < 5000 - small.spread)
        assert np.abs(built.indices - rows)[inside].max() <= small.spread // 2


def test_a_matrix_repeated_along_the_diagonal():
    matrix = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 3]]))
    built, copies = filled(matrix, 3 * QUADRO_P600_THREADS)
    assert copies == 3
    np.testing.assert_array_equal(built.toarray(), np.kron(np.eye(3), matrix.toarray()))
    assert filled(matrix, 5)[1] == 1


def test_large_matrices_are_repeated_less_often(monkeypatch):
    monkeypatch.setattr("experiments.papers.pellr.subjects.MOST_FILLED_ENTRIES", 10)
    matrix = scipy.sparse.csr_array(np.eye(4))
    assert filled(matrix, 44 * QUADRO_P600_THREADS)[1] == 2


def test_patterns_need_no_file():
    cavity = next(subject for subject in NAMED if subject.stands_for == "cavity25")
    assert load(cavity).shape == (4562, 4562)
    assert load(cavity).nnz == 138187
