"""The steps of the conversion to HBP, with a clock that does not measure."""

import numpy as np
import pytest
import scipy.sparse

from benchmarks import hbp_conversion


@pytest.mark.ci
def test_every_step_runs(monkeypatch):
    def once(run):
        run()
        return 1.0

    monkeypatch.setattr(hbp_conversion, "_kernel", lambda rows, run: once(run))
    monkeypatch.setattr(hbp_conversion, "_host", once)
    monkeypatch.setattr(hbp_conversion, "METHODS", ("own", "hash"))
    matrix = scipy.sparse.csr_array(np.arange(36.0).reshape(6, 6) % 7)
    found = {name: us for name, _, us in hbp_conversion.steps(matrix)}
    assert found["fill"] == found["order by hash"] == 1.0
    assert found["all, by the hash"] > 0
    assert len(found) == 10


def test_an_unknown_matrix(capsys, monkeypatch):
    assert hbp_conversion.main(["m99"]) == 2
    assert "matrix m99 is none of m1-circuit" in capsys.readouterr().err
