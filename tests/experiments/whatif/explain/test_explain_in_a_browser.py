"""The page of a sweep as a browser shows it."""

import pytest
from browser import looked_at

from experiments.report.folder import PAGE
from vecsim.cli import main

pytestmark = pytest.mark.browser


def test_every_picture_of_a_sweep_is_visible(tmp_path):
    out = tmp_path / "out"
    command = ["sweep", "laplace2d-5", "laplace2d-9", "nos1", "pde225", "--program", "crs,hism"]
    command += ["--set", "banks=4,16", "--set", "section_size=16,64", "--store", str(tmp_path / "store")]
    assert main([*command, "--out", str(out), "--explain"]) == 0
    seen = looked_at(out / PAGE, tmp_path)
    assert seen["title"] == "Sweep out"
    assert len(seen["images"]) == 6
    for image in seen["images"]:
        assert image["complete"]
        assert image["visible"]
        assert min(image["natural"], image["width"], image["height"]) > 100
    assert all(name.startswith("data:") for name in seen["outside"])
    assert seen["wide"] <= seen["window"]  # nothing sticks out of the page
