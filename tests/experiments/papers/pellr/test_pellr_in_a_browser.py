"""The page opens in a browser with every chart."""

import pytest
from browser import looked_at
from pellr_cases import results

from experiments.papers.kit.registry import chosen, reproduce
from experiments.papers.kit.request import Request
from experiments.papers.pellr.paper import PAPER
from experiments.report.folder import PAGE, files_of, write
from vecsim.machine import load_machine


@pytest.mark.browser
def test_every_chart_is_seen(tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(results().to_json())
    request = Request(load_machine("vs2003"), recorded={PAPER.recorded_kind: path})
    write(files_of(reproduce(chosen(["pellr"]), request)), str(tmp_path / "out"))
    seen = looked_at(tmp_path / "out" / PAGE, tmp_path)
    # The claims are a table.
    assert len(seen["images"]) == len(PAPER.experiments) - 1
    for image in seen["images"]:
        assert image["complete"]
        assert image["visible"]
        assert min(image["natural"], image["width"], image["height"]) > 100
    assert all(name.startswith("data:") for name in seen["outside"])
    assert seen["wide"] <= seen["window"]
