import pytest

from experiments.crosscheck.matrices import listed
from vecsim.support.errors import UserError


def test_the_list():
    names = [each.name for each in listed()]
    assert len(names) == len(set(names)) >= 40
    assert {"memplus", "qc324", "gre_185", "bcsstk16"} <= set(names)
    assert {each.class_ for each in listed()} == {"real", "generated"}
    for each in listed():
        assert bool(each.source) != bool(each.generator)
        assert each.generator or not each.arguments


def test_built_ins_and_files():
    by_name = {each.name: each for each in listed()}
    assert by_name["laplace2d-500"].load().csr.shape == (250_000, 250_000)


def test_a_generated_one():
    built = next(each for each in listed() if each.name == "band-4000-small").load()
    assert built.csr.shape == (60_000, 60_000)
    assert built.source == "generated"


@pytest.mark.parametrize("name", ["gre_185", pytest.param("memplus", marks=pytest.mark.ci)])
def test_a_file(real_matrices, real_matrix, name):
    real_matrix(name)
    assert next(each for each in listed() if each.name == name).load().csr.nnz in (1005, 126150)


def test_a_file_that_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    with pytest.raises(UserError):
        next(each for each in listed() if each.name == "memplus").load()
