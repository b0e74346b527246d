"""The page as a browser shows it, and as a user handles it."""

import shutil

import numpy as np
import pytest
from browser import NAMES
from view_cases import doubles, kernel, page, recorded

from programs.measurement import prepare_product
from vecsim.data import load
from vecsim.machine import load_machine
from vecsim.viewer import Subject

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium():
    """Yield a browser; skip the tests where Playwright or Chromium is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install '.[browser]'")
    path = next(filter(None, map(shutil.which, NAMES)), None) or pytest.skip(
        "no Chromium or Chrome is installed"
    )
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, tmp_path):
    """Open pages; at the end no page has asked for anything outside or complained."""
    complaints = []

    def open_page(text):
        file = tmp_path / "view.html"
        file.write_text(text, encoding="utf-8")
        shown = chromium.new_page(viewport={"width": 1440, "height": 900})
        shown.on("console", lambda message: complaints.append(message.text))
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.on("request", lambda request: complaints.append(request.url) if seen(request.url) else None)
        shown.goto(file.as_uri())
        shown.wait_for_selector("body[data-runs]", timeout=60_000)
        settled(shown)
        return shown

    def seen(address):
        return not address.startswith(("file:", "data:"))

    yield open_page
    assert complaints == []


def settled(shown):
    """Wait until the browser has rendered what was asked for."""
    shown.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def place_of(shown, number, pane=0):
    """Return a point of the screen where an instruction is shown."""
    return shown.evaluate(
        """([number, pane]) => {
          const { picture, canvas, run } = view.panes[pane], box = picture.box(run.at.age.indexOf(number));
          const frame = canvas.getBoundingClientRect();
          return [frame.left + (box.left + box.right) / 2, frame.top + box.y + box.height / 2];
        }""",
        [number, pane],
    )


def test_what_stands_under_the_pointer(opened):
    shown = opened(page(recorded(kernel())))
    shown.mouse.move(*place_of(shown, 4))
    tooltip = shown.locator("#hover")
    tooltip.wait_for(state="visible")
    shown_text = tooltip.inner_text()
    assert "mulvv.s v2, values, values" in shown_text
    assert "kernel.s:8" in shown_text
    assert "values (v1) = 0  1  2  3  4  5  6  7" in shown_text
    assert "v2 = 0  1  4  9  16  25  36  49" in shown_text
    assert "vector RAW" in shown_text
    shown.mouse.move(30, 500)
    tooltip.wait_for(state="hidden")


def test_zoom_and_pan(opened):
    shown = opened(page(recorded(kernel())))
    whole = shown.evaluate("[view.scale.from, view.scale.to]")
    x, y = place_of(shown, 4)
    under = "view.panes[0].picture.cycle({} - view.panes[0].canvas.getBoundingClientRect().left)"
    before = shown.evaluate(under.format(x))
    shown.mouse.move(x, y)
    for _ in range(4):
        shown.mouse.wheel(0, -200)
    settled(shown)
    near = shown.evaluate("[view.scale.from, view.scale.to]")
    assert near[1] - near[0] < 0.4 * (whole[1] - whole[0])
    assert shown.evaluate(under.format(x)) == pytest.approx(before, abs=0.5)
    shown.mouse.down()
    shown.mouse.move(x - 200, y, steps=5)
    shown.mouse.up()
    settled(shown)
    assert shown.evaluate(under.format(x - 200)) == pytest.approx(before, abs=0.5)
    shown.keyboard.press("0")
    settled(shown)
    assert shown.evaluate("[view.scale.from, view.scale.to]") == whole
    shown.click("#in")
    assert shown.evaluate("view.scale.span") == pytest.approx((whole[1] - whole[0]) / 2, rel=0.05)


def test_a_choice_shows_who_depends_on_whom_and_what_registers_held(opened):
    shown = opened(page(recorded(kernel())))
    shown.mouse.click(*place_of(shown, 4))
    details = shown.locator("#details").inner_text()
    assert "#3 lv.w values, 1028(x0)" in details and "#5 sumv.s f1, v2" in details
    assert "mulvv.s" in shown.locator("#source tr.chosen").inner_text()
    shown.get_by_text("#5 sumv.s f1, v2").click()
    assert "sumv.s f1, v2" in shown.locator("#details > div").first.inner_text()
    registers = shown.locator("#registers").inner_text()
    assert "count (x31)" in registers and "out: 6 x word from 4096" in registers
    squares = float(np.sum(np.arange(24, dtype=np.float32) ** 2))
    assert f"f1\t{squares:g}" in registers
    shown.evaluate("view.putCursor(view.panes[0], view.panes[0].run.end)")
    assert "0  4  8  12  16  20" in shown.locator("#registers").inner_text()


def test_values_of_64_bits(opened):
    shown = opened(page(recorded(doubles())))
    shown.evaluate("view.putCursor(view.panes[0], view.panes[0].run.end)")
    registers = shown.locator("#registers").inner_text()
    assert "v1\t0.1  -2.5  1e+300" in registers
    assert "f1\t-2.5" in registers
    assert "0.01  6.25" in registers


def test_search(opened):
    shown = opened(page(recorded(kernel())))
    shown.fill("#search", "sumv")
    assert shown.locator("#found").inner_text() == "2 found in 1 lines"
    assert "sumv" in shown.locator("#source tr.match").inner_text()
    for expected in (5, 13, 5):
        shown.press("#search", "Enter")
        assert shown.evaluate("view.panes[0].run.at.age[view.panes[0].picture.chosen]") == expected
    shown.press("#search", "Shift+Enter")
    assert shown.evaluate("view.panes[0].run.at.age[view.panes[0].picture.chosen]") == 13
    shown.fill("#search", "v3")
    assert shown.locator("#found").inner_text() == "5 found in 3 lines"
    shown.fill("#search", "#7")
    shown.press("#search", "Enter")
    assert "sv.w v3" in shown.locator("#details").inner_text()
    shown.fill("#search", "@30")
    shown.press("#search", "Enter")
    assert "cycle 30" in shown.locator("#registers").inner_text()


def test_two_runs_one_above_the_other(opened):
    runs = recorded(kernel(name="as it is")), recorded(kernel("startup=60", name="slow memory"))
    shown = opened(page(*runs))
    assert shown.locator(".run h2").all_inner_texts()[1].startswith("slow memory")
    first, second = (shown.locator("canvas").nth(i).bounding_box() for i in (0, 1))
    assert first["y"] + 100 < second["y"] and second["y"] < 900
    assert shown.evaluate("view.scale.to") >= runs[1].done.cycles > runs[0].done.cycles
    shown.mouse.click(*place_of(shown, 3, pane=1))
    assert "startup 60" in shown.locator("#details").inner_text()
    shown.get_by_role("button", name="as it is").click()
    shown.mouse.click(*place_of(shown, 3, pane=0))
    assert "startup 20" in shown.locator("#details").inner_text()


def test_a_hundred_thousand_instructions(opened):
    machine = load_machine("vs2003")
    prepared = prepare_product("crs", load("randomwalk-100"), machine)
    subject = Subject("crs", prepared.program, prepared.loaded.memory, machine)
    actual = recorded(subject, engine="jit")
    assert len(actual.times["age"]) > 100_000
    shown = opened(page(actual))
    shown.mouse.move(700, 300)
    for _ in range(30):
        shown.mouse.wheel(0, -240)
        settled(shown)
    assert shown.evaluate("view.scale.span") < 300
    for _ in range(40):
        shown.mouse.wheel(0, 240)
        settled(shown)
    assert shown.evaluate("view.scale.span") > 90_000
    frames = shown.evaluate("view.frames")
    assert len(frames) >= 60
    assert np.quantile(frames, 0.9) < 100  # ms, of drawing alone
    shown.mouse.move(700, 250)
    assert "busy" in shown.locator("#hover").inner_text()
