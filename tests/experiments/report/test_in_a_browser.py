import pytest
from browser import looked_at
from report_cases import REPORT

from experiments.report.folder import PAGE, files_of, write

pytestmark = pytest.mark.browser


def test_every_chart_is_visible(tmp_path):
    write(files_of(REPORT), str(tmp_path / "report"))
    seen = looked_at(tmp_path / "report" / PAGE, tmp_path)
    assert seen["title"] == "A report"
    (image,) = seen["images"]
    assert image["alt"] == 'Bars "described"'
    assert image["complete"]
    assert image["visible"]
    assert min(image["natural"], image["width"], image["height"]) > 200
    assert all(name.startswith("data:") for name in seen["outside"])
    assert seen["wide"] <= seen["window"]  # nothing sticks out of the page


def test_a_broken_chart_would_be_noticed(tmp_path):
    files = dict(files_of(REPORT))
    files[PAGE] = files[PAGE].replace(b"image/svg+xml;base64,", b"image/svg+xml;base64,AAAA")
    write(files, str(tmp_path / "report"))
    assert looked_at(tmp_path / "report" / PAGE, tmp_path)["images"][0]["natural"] == 0
