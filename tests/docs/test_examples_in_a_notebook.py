"""The Python of pages as cells of a notebook, run by a kernel: each works there, and results are shown."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/what-if.md", "docs/reference/python.md")
SHOWN = """
import vecsim
table = vecsim.sweep(vecsim.Sweep("laplace2d-5", ("crs", "hism"), set={"banks": (8, 16)}), jobs=1)
saved = table.save("saved")
"""
RESULTS = {
    "table": "<table><caption>SweepTable",
    "vecsim.explain(table)": "<svg",
    "vecsim.why('crs', 'laplace2d-5')": " cycles",
    "vecsim.view('crs', 'laplace2d-5')": "<iframe srcdoc=",
    "vecsim.trace('crs', 'laplace2d-5', 'crs.json')": "<caption>Measurement",
    "vecsim.compare(saved, saved)": "<caption>Comparison",
    "vecsim.rerun(saved)": "<caption>Again",
}
"""What a notebook shows of each result, as a part of its HTML."""

pytestmark = pytest.mark.ci


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Run cells in a new kernel, and return the notebook."""
    for name in ("nbclient", "ipykernel"):
        pytest.importorskip(name, reason="needs the extra notebook")
    import nbclient
    import nbformat

    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(cells):
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
        resources = {"metadata": {"path": str(tmp_path)}}
        return nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()

    return run


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(page, ran):
    cells = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    cells = [cell for cell in cells if "duckdb" not in cell]  # no dependency of vecsim
    assert len(cells) > 0
    ran(cells)


def test_every_result_is_shown(ran):
    shown = {
        expression: "".join(
            output["data"].get("text/html", "")
            for output in cell["outputs"]
            if output["output_type"] == "execute_result"
        )
        for expression, cell in zip(RESULTS, ran([SHOWN, *RESULTS])["cells"][1:], strict=True)
    }
    assert [name for name, part in RESULTS.items() if part not in shown[name]] == []
