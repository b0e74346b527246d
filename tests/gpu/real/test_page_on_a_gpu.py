"""The examples of the pages on GPUs on a real one, those with CuPy included."""

from pathlib import Path

import pytest

from docs.blocks import blocks

DOCS = Path(__file__).parents[3] / "docs"


def run(page, names, wanted):
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "python" and wanted(block):
            exec(compile(block.text, page.name, "exec"), names)


def test_the_examples_of_the_page(gpu_with_others, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    run(DOCS / "gpu.md", names, lambda block: not block.needs)
    pytest.importorskip("cupy")
    run(DOCS / "gpu.md", names, lambda block: block.needs == "gpu")
    assert names["status"] == 0
    assert isinstance(names["u"], names["cupy"].ndarray)


def test_a_matrix_is_edited_added_and_multiplied_on_the_device(gpu_with_others, capsys):
    run(DOCS / "reference" / "gpu-hisparse.md", {}, lambda block: "from_coo" in block.text)
    assert capsys.readouterr().out.endswith("[ 4.  7. 10.]\n")
