"""How smoothly the page of `vecsim view` zooms: the times between frames, in Chromium without a screen.

    python -m benchmarks.view_frames                      # CRS on the default matrix: 105,504 instructions
    python -m benchmarks.view_frames --program hism,crs   # other arguments go to `vecsim view`

The page zooms in from the whole run to some hundred cycles and out again, around a place that moves on, as
fast as the browser asks for frames. A frame's time is the time since the one before, drawing, layout and all.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vecsim.cli import main as vecsim

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ROUNDS = 3
GOAL_MS = 50.0
"""95 % of the frames are to take less."""
ZOOM = """async (rounds) => {
  const times = [], { scale } = view, [begin, end] = scale.whole;
  let last = await new Promise(requestAnimationFrame);
  for (let round = 0; round < rounds; round += 1) {
    const middle = begin + (end - begin) * (round + 1) / (rounds + 1);
    for (const factor of [0.95, 1 / 0.95]) {
      scale.show(...(factor < 1 ? scale.whole : [middle - 150, middle + 150]));
      while (factor < 1 ? scale.span > 300 : scale.span < end - begin) {
        scale.zoom(factor, middle);
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
      }
    }
  }
  const instructions = view.panes.map((pane) => pane.run.count);
  return { times, drawing: view.frames.slice(-times.length), instructions };
}"""


def measured(page_file: Path, rounds: int = ROUNDS) -> dict[str, Any]:
    """Open a page, zoom, and give the times in ms."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(page_file.as_uri())
        page.wait_for_selector("body[data-runs]", timeout=120_000)
        found: dict[str, Any] = page.evaluate(ZOOM, rounds)
        found["browser"] = browser.version
        browser.close()
    return found


def main() -> None:
    """Make a page, measure it and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", metavar="FILE", help="write the times to a file")
    known, others = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "view.html"
        if vecsim(["view", *(others or ["--program", "crs"]), "--out", str(page)]):
            raise SystemExit("the page could not be made")
        found = measured(page) | {"page_bytes": page.stat().st_size}
    times, drawing = np.array(found["times"]), np.array(found["drawing"])
    share = float(np.mean(times < GOAL_MS))
    print(f"{sum(found['instructions']):,} instructions, page of {found['page_bytes'] / 1e6:.1f} MB")
    print(f"{len(times)} frames, {share:.1%} under {GOAL_MS:g} ms: {_spread(times)}")
    print(f"of it drawing: {_spread(drawing)}")
    if known.json:
        Path(known.json).write_text(json.dumps(found) + "\n", encoding="utf-8")


def _spread(times: npt.NDArray[np.float64]) -> str:
    middle, high = np.quantile(times, [0.5, 0.95])
    return f"median {middle:.1f} ms, 95 % under {high:.1f} ms, longest {times.max():.1f} ms"


if __name__ == "__main__":
    main()
