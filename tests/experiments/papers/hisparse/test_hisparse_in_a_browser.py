"""The page opens in a browser with every chart."""

import pytest
from browser import looked_at

from experiments.papers.kit.registry import chosen, reproduce
from experiments.papers.kit.request import Request
from experiments.report.folder import PAGE, files_of, write
from vecsim.machine import load_machine


@pytest.mark.browser
def test_every_chart_is_seen(tmp_path):
    report = reproduce(chosen(["hisparse"]), Request(load_machine("vs2003")))
    write(files_of(report), str(tmp_path / "out"))
    seen = looked_at(tmp_path / "out" / PAGE, tmp_path)
    assert len(seen["images"]) == sum(item.chart is not None for item in report.items) >= 6
    for image in seen["images"]:
        assert image["complete"]
        assert image["visible"]
        assert min(image["natural"], image["width"], image["height"]) > 100
    assert all(name.startswith("data:") for name in seen["outside"])
    assert seen["wide"] <= seen["window"]
