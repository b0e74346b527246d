"""All examples of docs/gpu.md on a real GPU, those with CuPy included."""

from pathlib import Path

import pytest

from docs.blocks import blocks

PAGE = Path(__file__).parents[3] / "docs" / "gpu.md"


def test_the_examples_of_the_page(gpu_with_others, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.language == "python":
            if "import cupy" in block.text:
                pytest.importorskip("cupy")
            exec(compile(block.text, PAGE.name, "exec"), names)
    assert names["status"] == 0
