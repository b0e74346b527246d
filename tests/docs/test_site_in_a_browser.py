"""The site as a headless browser shows it: every page, on a phone and on a wide screen."""

import subprocess
import sys
from pathlib import Path

import pytest
from browser import browser as browser_path

ROOT = Path(__file__).parents[2]
WIDTHS = (390, 1400)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for needed in ("sphinx", "myst_nb", "furo"):
        pytest.importorskip(needed)
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", ".", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recorded, not run (gpu): docs/notebooks/on-a-gpu.md" in done.stdout
    return folder


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_opens_without_an_error(site, chromium, width):
    pages = sorted(path for path in site.rglob("*.html") if "_modules" not in path.parts)
    pages.remove(site / "index.html")  # it leads elsewhere
    assert len(pages) > 35
    tab = chromium.new_page(viewport={"width": width, "height": 900})
    wrong, outside = [], []
    tab.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("requestfailed", lambda request: wrong.append(f"not found: {request.url}"))
    tab.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else outside.append(r.url))
    for page in pages:
        tab.goto(page.as_uri())
        tab.wait_for_load_state("load")
        seen = tab.evaluate(
            "() => ({wide: document.documentElement.scrollWidth, title: document.title,"
            " broken: [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)})"
        )
        assert not wrong and not outside, (page.name, wrong, outside)
        assert seen["wide"] <= width, f"{page.name} is {seen['wide']} pixels wide"
        assert not seen["broken"], (page.name, seen["broken"])
        assert "vecsim" in seen["title"]
    tab.close()


def test_the_search_finds_an_instruction_without_a_network(site, chromium):
    tab = chromium.new_page()
    tab.goto((site / "search.html").as_uri() + "?q=bmipac")
    tab.wait_for_selector("#search-results li")
    assert any("Instructions" in each for each in tab.locator("#search-results li").all_inner_texts())
    tab.close()


def test_the_root_leads_to_the_first_page(site, chromium):
    tab = chromium.new_page()
    tab.goto((site / "index.html").as_uri())
    tab.wait_for_url("**/docs/index.html")
    assert tab.locator("h1").first.inner_text().startswith("vecsim")
    tab.close()
