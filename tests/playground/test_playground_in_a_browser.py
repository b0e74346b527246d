"""The playground as a student has it: opened without a network, used until an exercise is passed."""

import json
import os
import shutil
import subprocess
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browser import browser

from vecsim.engines.targets.wasm.linking import linker
from vecsim.playground.build import build
from vecsim.playground.worker.classroom import Classroom
from vecsim.support.errors import UserError

pytestmark = pytest.mark.browser

SOLUTIONS = Path(__file__).parents[1] / "experiments" / "course" / "solutions"
MOST_BYTES = 25_000_000
AXE = "axe-core@4.14.1"
SECONDS = 60
PHONE, DESK = (390, 844), (1400, 900)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder that the command builds, or that VECSIM_TESTS_PLAYGROUND names."""
    if named := os.environ.get("VECSIM_TESTS_PLAYGROUND"):
        return Path(named)
    for name in ("node", "npm"):
        shutil.which(name) or pytest.skip(f"{name} is not installed")
    try:
        linker()
    except UserError as error:
        pytest.skip(str(error))
    built = build(tmp_path_factory.mktemp("playground"))
    assert built.bytes < MOST_BYTES
    return built.folder


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """Return the source of axe-core."""
    folder = tmp_path_factory.mktemp("axe")
    command = [shutil.which("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund", AXE]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


class Handler(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def log_message(self, *arguments):
        """Print nothing."""


@pytest.fixture
def server(folder):
    """Serve the folder; yield the server."""
    serving = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield serving
    serving.shutdown()
    serving.server_close()


def test_lessons_and_solutions_take_the_cycles_of_the_native_engine(folder):
    script = Path(__file__).with_name("in_node.mjs")
    command = [shutil.which("node"), str(script), str(folder), str(SOLUTIONS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    *said, own, loop = [json.loads(line) for line in done.stdout.splitlines()]
    lines, checks = [line for line in said if "key" in line], [line for line in said if "solution" in line]
    given = json.loads((folder / "lessons.json").read_text(encoding="utf-8"))
    native = Classroom(given["lessons"], given["trials"], engine="jit")
    texts = {lesson["key"]: lesson["text"] for lesson in given["lessons"]}
    assert len(lines) == 2 * len(texts) > 60
    for line in lines:
        asked = {"do": "run", "lesson": line["key"], "text": texts[line["key"]], "changes": line["changes"]}
        expected = native.answer(asked)
        assert {name: line.get(name) for name in ("cycles", "instructions", "causes", "mistakes")} == {
            name: expected.get(name) for name in ("cycles", "instructions", "causes", "mistakes")
        }, line["key"]
    assert loop["instructions"] == 100_003
    asked = {"lesson": "", "text": own["own"]}  # an instruction that a text declares
    assert (own["taken"], own.get("wrong")) == (native.answer({"do": "run", **asked})["cycles"], None)
    native.answer({"do": "open", **asked})
    assert own["vectors"] == json.loads(json.dumps(native.answer({"do": "move", "how": "run"})["vectors"]))
    assert len({check["solution"] for check in checks}) == len(given["trials"]) == 20
    for check in checks:
        asked = {"do": "check", "lesson": check["solution"].removesuffix(".s"), "seed": check["seed"]}
        expected = native.answer(
            asked | {"text": (SOLUTIONS / check["solution"]).read_text(encoding="utf-8")}
        )
        assert expected["passed"]
        assert check["results"] == json.loads(json.dumps(expected["results"]))


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_what_a_student_does(size, server, axe, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install '.[browser]'")
    solution = (SOLUTIONS / "exercise-01.s").read_text(encoding="utf-8")
    address, said = f"http://127.0.0.1:{server.server_port}/", []
    with playwright.sync_playwright() as running:
        options = {"executable_path": browser(), "args": ["--no-sandbox"]}
        context = running.chromium.launch_persistent_context(
            str(tmp_path), viewport={"width": size[0], "height": size[1]}, **options
        )
        context.set_default_timeout(1000 * SECONDS)

        def opened(where):
            page = context.new_page()
            page.on("console", lambda each: said.append(each.text) if each.type == "error" else None)
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(where)
            page.wait_for_selector("#run:not([disabled])")
            page.wait_for_selector("#count")
            return page

        def cycles(page):
            return int(page.inner_text("#count").replace(",", ""))

        def changed_entries(page, count):
            page.wait_for_function(f"document.querySelectorAll('#matrix rect').length === {count}")
            page.wait_for_function("document.getElementById('status').innerText.startsWith('Ran')")
            assert page.inner_text("#product") == "y = A x is right."

        first = opened(address)
        first.evaluate("navigator.serviceWorker.ready.then(() => true)")
        first.select_option("#lesson", "dot")
        first.wait_for_function("document.getElementById('status').innerText.startsWith('Ran')")
        taken = cycles(first)
        first.close()
        context.set_offline(True)
        server.shutdown()

        early = context.new_page()  # what the last page had comes before vecsim has started
        early.goto(address)
        early.wait_for_selector("#count")
        assert early.is_disabled("#run")
        assert (early.locator("#lesson").input_value(), cycles(early)) == ("dot", taken)
        early.close()
        page = opened(address)
        page.select_option("#lesson", "exercise-01")
        page.locator(".cm-content").fill(solution.replace("lv.w", "load.w", 1))
        page.wait_for_selector("#mistakes li")
        assert "unknown instruction 'load.w'" in page.inner_text("#mistakes")
        page.wait_for_selector(".cm-lintRange-error, .cm-lint-marker-error")
        page.locator(".cm-content").fill(solution)
        page.wait_for_selector("#mistakes li", state="detached")

        page.click("#step")
        page.wait_for_function("/^cycle [1-9]/.test(document.getElementById('place').innerText)")
        for _ in range(3):
            before = page.inner_text("#place")
            page.click("#step")
            page.wait_for_function("text => document.getElementById('place').innerText !== text", arg=before)
        there = page.inner_text("#place")
        page.click("#back")
        page.wait_for_function("text => document.getElementById('place').innerText !== text", arg=there)
        assert int(page.inner_text("#place").split()[1].rstrip(",")) < int(there.split()[1].rstrip(","))

        page.click("#run")
        page.wait_for_function("document.getElementById('status').innerText.startsWith('Ran')")
        chained = cycles(page)
        page.uncheck("#field-chaining")
        page.wait_for_function(
            "text => document.getElementById('count').innerText !== text", arg=f"{chained:,}"
        )
        assert cycles(page) > chained
        assert f"+{cycles(page) - chained:,} from {chained:,}" in page.inner_text("#cycles")

        for seed in (51, 52):
            page.click("#check")
            page.wait_for_selector(f"#grade p:text('seed {seed}')")
            assert page.inner_text("#grade h3") == "Passed"
            assert page.locator("#grade .right").count() == 4

        page.click("#share")
        page.wait_for_function("location.hash.length > 100")
        again = opened(page.url)
        assert again.locator("#lesson").input_value() == "exercise-01"
        assert not again.is_checked("#field-chaining")
        assert cycles(again) == cycles(page)

        page.select_option("#lesson", "crs-arrowhead-32")
        page.wait_for_function("document.querySelectorAll('#matrix rect').length === 94")
        page.wait_for_function("document.getElementById('status').innerText.startsWith('Ran')")
        crs = page.inner_text("#count")
        page.select_option("#lesson", "hism-arrowhead-32")
        page.wait_for_function(f"document.getElementById('cycles').innerText.includes('from {crs}')")

        page.locator("#matrix svg").focus()
        for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Space"):
            page.keyboard.press(key)
        changed_entries(page, 95)
        assert "Row 1, column 2: 1" in page.inner_text("#matrix-says")
        page.locator("#matrix svg").click(position={"x": 1, "y": 1})
        changed_entries(page, 94)
        page.select_option("#lesson", "jd-arrowhead-32")
        changed_entries(page, 94)
        page.click("#matrix summary")
        page.fill("#matrix-rows", "1 0 2\n. -3 x")
        page.click("#matrix-take")
        assert page.inner_text("#matrix [role=alert]") == "row 1, column 2: x is no number of 32 bits"
        page.fill("#matrix-rows", "1 0 2\n. -3 .")
        page.click("#matrix-take")
        changed_entries(page, 3)
        page.click("#share")
        page.wait_for_function("document.getElementById('status').innerText.startsWith('The link')")
        same = opened(page.url)
        assert same.locator("#matrix rect").count() == 3
        assert cycles(same) == cycles(page)
        same.close()
        page.click("#matrix-undo")
        changed_entries(page, 94)

        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        page.evaluate(axe)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            violations = page.evaluate("axe.run()")["violations"]
            serious = [each for each in violations if each["impact"] in ("serious", "critical")]
            assert [
                (each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in serious
            ] == []

        page.select_option("#lesson", "")
        page.locator(".cm-content").fill("again:  j again\n")
        page.click("#run")
        page.wait_for_selector("#stop:not([disabled])")
        page.click("#stop")
        page.wait_for_function("document.getElementById('status').innerText === 'Ready.'")
        assert page.is_disabled("#stop")
        page.locator(".cm-content").fill("halt\n")
        page.click("#run")
        page.wait_for_function("document.getElementById('status').innerText.startsWith('Ran')")
        context.close()
    assert said == []


def test_solutions_are_not_in_the_folder(folder):
    with zipfile.ZipFile(folder / "python.zip") as archive:
        names = archive.namelist()
    assert any(name.startswith("experiments/course/") for name in names)
    assert not [name for name in names if "solutions" in name]
    given = (folder / "lessons.json").read_text(encoding="utf-8")
    solutions = [path.read_text(encoding="utf-8") for path in SOLUTIONS.glob("*.s")]
    assert len(solutions) > 10
    assert not [text for text in solutions if json.dumps(text) in given]
