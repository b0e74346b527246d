"""Makes the pictures of the documentation from pages that vecsim writes, as Chromium shows them.

    python docs/pictures/make.py                # all of them
    python docs/pictures/make.py view-two-runs  # some

Each picture is a page (made by a command of vecsim), what is done to it, and the size of the window.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import sync_playwright

from vecsim.cli import main as vecsim

HERE = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PAGE = "{page}"
"""Stands for the page's file in a command; a command that makes a folder names the page in it behind that."""


@dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes
    ----------
    command
        Of vecsim, with `PAGE` where the page goes.
    script
        JavaScript that brings the page to what is shown.
    size
        Of the window, in pixels.
    """

    command: tuple[str, ...]
    script: str = ""
    size: tuple[int, int] = (1280, 760)


CHOOSE_GATHER = """() => {
  const { run } = view.panes[0];
  view.scale.show(1750, 2050);
  let k = run.issuedBy(1840);
  while (!run.text(k).startsWith("lvi")) k += 1;
  view.choose(view.panes[0], k);
}"""
PICTURES = {
    "view": Picture(("view", "laplace2d-30", "--program", "crs", "--out", PAGE), CHOOSE_GATHER),
    "view-two-runs": Picture(
        ("view", "--program", "crs,hism", "--out", PAGE),
        "() => { view.search.field.value = 'sv.'; view.search.look(); }",
    ),
}


def make(name: str, picture: Picture) -> None:
    """Make a page and take its picture, ``NAME.png`` beside this file."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        if vecsim([part.replace(PAGE, str(page_file)) for part in picture.command]):
            raise SystemExit(f"{name}: {' '.join(picture.command)} did not work")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        width, height = picture.size
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(page_file.as_uri())
        page.wait_for_load_state("networkidle")
        if picture.script:
            page.wait_for_timeout(500)
            page.evaluate(picture.script)
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    for chosen in sys.argv[1:] or PICTURES:
        make(chosen, PICTURES[chosen])
