"""The examples of docs/gpu.md that need no GPU, in its order."""

from pathlib import Path

import numpy as np

from docs.blocks import blocks

PAGE = Path(__file__).parents[3] / "docs" / "gpu.md"


def test_the_examples_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.language == "python" and not block.needs:
            exec(compile(block.text, PAGE.name, "exec"), names)
    product = names["A"] @ np.ones(6)
    first, second, transposed, back, solved, largest, total = capsys.readouterr().out.splitlines()
    assert first == f"{names['M'].format} {product}"
    assert second == str(2 * product)
    assert (float(transposed), back) == (product.sum(), "0 [5. 5. 5. 5. 5. 5.]")
    assert solved == "True"
    assert abs(float(largest[1:-1]) - 2 * np.linalg.eigvalsh(names["A"].toarray())[-1]) < 1e-5
    assert total == str(1.5 * product)
