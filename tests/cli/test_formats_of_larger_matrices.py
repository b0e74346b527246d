"""``vecsim formats`` of matrices that only compiled code reads soon."""

import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse


@pytest.mark.ci
def test_the_nodes_of_hisparse_as_a_table(vecsim, tmp_path):
    # Two leaves of the default 256 x 256: one full, so dense, and one with two entries.
    path = tmp_path / "corner.mtx"
    scipy.io.mmwrite(path, scipy.sparse.block_diag([np.ones((256, 256)), [[1.0, 1.0]]]))
    out = vecsim("formats", path, "--format", "hisparse").out
    assert "hisparse: level 0: 2 nodes, 1 of them dense, 65,538 non-zeros, 32769.0 a node\n" in out
    assert "hisparse: level 1: 1 node, 0 of them dense, 2 references, 2.0 a node\n" in out
    assert "block arrays" not in out


def test_chosen_formats_of_a_matrix_that_one_refuses(vecsim, tmp_path):
    # A full row among 4,000 others: as wide as it, every row takes far over four times CRS and a MiB.
    path = tmp_path / "arrow.mtx"
    entries = [f"1 {column} 1" for column in range(1, 4001)]
    path.write_text(
        f"%%MatrixMarket matrix coordinate real general\n4000 4000 4000\n{chr(10).join(entries)}\n"
    )
    result = vecsim("formats", path, "--format", "ell", "--format", "csr", "--format", "ell")
    refused = next(line for line in result.out.splitlines() if line.startswith("ell "))
    assert refused.split()[1:6] == ["-", "-", "-", "refused:", "padding"]
    assert "128,000,000 bytes, 2666.4 times CRS, over the limit of 4" in refused
    assert [line.split()[0] for line in result.out.splitlines() if line.startswith(("ell", "crs", "jd"))] == [
        "crs",
        "ell",
        "crs",
    ]
    document = json.loads(vecsim("formats", path, "--format", "ell", "--json", "-").out)
    assert list(document["formats"]) == ["ell"]
    assert document["formats"]["ell"]["bytes"] == {}
    assert document["formats"]["ell"]["refused"].endswith("times CRS, over the limit of 4")
