"""A page in a headless browser, where there is one: Chromium or Chrome, by Debian's package or any other."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SECONDS = 120
LOOK = """
<script>
addEventListener("load", () => {
  const seen = [...document.images].map(image => {
    const box = image.getBoundingClientRect();
    return {alt: image.alt, complete: image.complete, natural: image.naturalWidth,
            width: box.width, height: box.height,
            visible: image.checkVisibility({opacityProperty: true, visibilityProperty: true})};
  });
  const page = {title: document.title, images: seen, window: innerWidth,
                wide: document.documentElement.scrollWidth,
                outside: performance.getEntriesByType("resource").map(entry => entry.name)};
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = JSON.stringify(page);
  document.body.append(result);
});
</script>
"""


def browser() -> str:
    """Return the path of a browser; skip the test if there is none."""
    match = next(filter(None, map(shutil.which, NAMES)), None)
    return match or pytest.skip("no Chromium or Chrome is installed")


def looked_at(page: Path, folder: Path) -> dict[str, Any]:
    """Open a page and say what can be seen: its title, its images with their boxes, what else it fetched."""
    copy = folder / "looked-at.html"
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", LOOK + "</body>"), encoding="utf-8")
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += [
        f"--user-data-dir={folder / 'profile'}",
        "--window-size=1280,900",
        "--virtual-time-budget=10000",
    ]
    done = subprocess.run(
        [*command, "--dump-dom", copy.as_uri()], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    match = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
    assert match is not None, done.stderr
    seen: dict[str, Any] = json.loads(html.unescape(match[1]))
    return seen
