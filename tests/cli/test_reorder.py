"""`vecsim reorder`: a table, the changes, JSON."""

import json


def test_it_says_what_the_fastest_order_takes(vecsim):
    arguments = ("reorder", "laplace2d-12", "--program", "bbcs", "--option", "schedule=plain", "--most", "40")
    result = vecsim(*arguments, "--listing", "--json", "-")
    (program,) = json.loads(result.out)["programs"]
    assert program["ratio"] <= 1
    assert program["orders"] <= 40
    assert len(program["before"]) == len(program["after"]) == 1
    assert program["before"][0] >= program["after"][0] > 0
    assert "lds.f" in result.err


def test_mistakes(vecsim):
    assert "unknown program" in vecsim("reorder", "laplace2d-5", "--program", "csr").mistake()
    assert "use matrices of similar size" in (
        vecsim("reorder", "laplace2d-5", "laplace2d-12", "--program", "hism").mistake()
    )
