"""What a matrix in a format shows of itself."""

import json

import pytest

from gpu.format_registry import FORMATS
from vecsim.data import load

LONGEST = 200
"""Characters of an overview, at most."""


@pytest.mark.parametrize("name", FORMATS)
def test_a_matrix_in_a_format_shows_its_size_and_bytes(name):
    built = FORMATS[name].from_scipy(load("laplace2d-10").csr)
    text = repr(built)
    assert "shape=(100, 100), nnz=460, dtype='float64', bytes={" in text
    assert len(text) <= LONGEST
    document = json.loads(json.dumps(built.to_dict()))
    assert document["shape"] == [100, 100]
    assert document["bytes"] == {each: built.storage(each) for each in built.accountings}
