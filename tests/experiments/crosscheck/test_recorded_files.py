"""Files of results measured on a GPU find the experiments that they are for."""

import json

import pytest
from crosscheck_cases import written

from experiments.crosscheck import paper as of_crosscheck
from experiments.papers.kit.registry import PAPERS, chosen, recorded_files
from vecsim.support.errors import UserError


def test_kinds_are_those_of_the_files():
    kinds = {paper.name: paper.recorded_kind for paper in PAPERS}
    assert kinds["crosscheck"] == of_crosscheck.KIND
    assert kinds["pellr"] == "vecsim reproduce pellr"
    assert kinds["hism"] == ""


def test_files_by_their_kind(results, tmp_path):
    path = written(results, tmp_path / "r.json")
    assert recorded_files(chosen(["crosscheck"]), [path]) == {of_crosscheck.KIND: path}
    assert recorded_files(chosen(["crosscheck-pairs"]), [path]) == {of_crosscheck.KIND: path}
    assert recorded_files(chosen(["hism"]), []) == {}


@pytest.mark.parametrize(
    ("asked", "content", "message"),
    [
        ("crosscheck", None, "no such file"),
        ("crosscheck", "{", "is not JSON"),
        ("crosscheck", "[1]", "of the chosen papers: crosscheck takes `vecsim crosscheck`"),
        ("pellr", json.dumps({"kind": of_crosscheck.KIND}), "pellr takes `vecsim reproduce pellr`"),
        ("hism", json.dumps({"kind": of_crosscheck.KIND}), "none is taken"),
    ],
)
def test_files_for_something_else_are_refused(tmp_path, asked, content, message):
    path = tmp_path / "r.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=message):
        recorded_files(chosen([asked]), [path])
