"""Make the pictures of the documentation from pages that vecsim writes, as Chromium shows them.

    python docs/pictures/make.py                # all of them
    python docs/pictures/make.py view-two-runs  # some

Each picture is a page, made by commands of vecsim, what is done to it, and the size of the window.
Playwright is needed (the extra ``browser``), and Chromium or Chrome.
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
FOLDER = "{folder}"
"""Stands for an empty folder in commands."""


@dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes
    ----------
    commands
        Of vecsim, each as it is typed; they make the page.
    page
        The page's name in `FOLDER`.
    ready
        What the page has when it can be seen, as a selector of CSS.
    script
        JavaScript that brings it to what is shown.
    size
        Of the window, in pixels.
    """

    commands: tuple[str, ...]
    page: str = "page.html"
    ready: str = "body"
    script: str = ""
    size: tuple[int, int] = (1280, 760)


VIEW_READY = "body[data-runs]"
CHOOSE_GATHER = """() => {
  const { run } = view.panes[0];
  view.scale.show(1750, 2050);
  let k = run.issuedBy(1840);
  while (!run.text(k).startsWith("lvi")) k += 1;
  view.choose(view.panes[0], k);
}"""
SEARCH_STORES = "() => { view.search.field.value = 'sv.'; view.search.look(); }"
PICTURES = {
    "view": Picture(
        (f"view laplace2d-30 --program crs --out {FOLDER}/page.html",), "page.html", VIEW_READY, CHOOSE_GATHER
    ),
    "view-two-runs": Picture(
        (f"view --program crs,hism --out {FOLDER}/page.html",), "page.html", VIEW_READY, SEARCH_STORES
    ),
}


def make(name: str, picture: Picture) -> None:
    """Make a page and take its picture, ``NAME.png`` next to this file."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for command in picture.commands:
            if vecsim(command.replace(FOLDER, folder).split()):
                raise SystemExit(f"{name}: vecsim {command} did not work")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        width, height = picture.size
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto((Path(folder) / picture.page).as_uri())
        page.wait_for_selector(picture.ready)
        if picture.script:
            page.evaluate(picture.script)
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    for chosen in sys.argv[1:] or PICTURES:
        make(chosen, PICTURES[chosen])
