"""The runner of the tests on its own small project: kinds of processes, and tiers."""

import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import gpu_in_tests
import pytest
import tiers
from hypothesis import settings
from processes import KINDS, PLAIN, SIMULATOR, SIMULATOR_COMPILED, TESTS, kind_of, kinds_below, places

IN_ENVIRONMENT = """
import os
def test_environment():
    assert (os.environ["NUMBA_ENABLE_CUDASIM"], os.environ["NUMBA_DISABLE_JIT"]) == {expected}
"""
FILES = {
    "conftest.py": 'pytest_plugins = ("tiers", "processes", "worker_messages")\n',
    "test_plain.py": IN_ENVIRONMENT.format(expected=("0", "0")),
    "gpu/simulated/test_edges.py": IN_ENVIRONMENT.format(expected=("1", "1"))
    + "def test_wrong(): assert 0\ndef test_without_its_fixture(missing): pass\n",
    "gpu/simulated/test_choice.py": IN_ENVIRONMENT.format(expected=("1", "0")),
    "test_tiers.py": """
import pytest
from hypothesis import given, settings, strategies
def test_of_every_day(): pass
@pytest.mark.ci
def test_of_ci(): pass
@pytest.mark.nightly
@pytest.mark.gpu
def test_of_two_tiers(): pass
ran = []
@given(strategies.integers())
def test_by_hypothesis(number): ran.append(number)
def teardown_module(): print("examples:", len(ran))
""",
}


@pytest.fixture
def project(tmp_path):
    """Return a function that runs pytest on the small project."""
    tests = tmp_path / "tests"
    (tests / "gpu" / "simulated").mkdir(parents=True)
    for plugin in ("tiers.py", "processes.py", "scheduling.py", "worker_messages.py"):
        shutil.copy(TESTS / plugin, tests)
    for name, text in FILES.items():
        (tests / name).write_text(text)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers -v -s -p _hypothesis_pytestplugin\n"
    )

    def run(*arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *arguments]
        ran = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        return SimpleNamespace(code=ran.returncode, out=ran.stdout + ran.stderr)

    return run


@pytest.mark.ci
def test_every_test_has_the_environment_of_its_kind_and_a_failure_its_name(project):
    ran = project("-n", "2", "tests/gpu", "tests/test_plain.py")
    assert ran.code == pytest.ExitCode.TESTS_FAILED
    assert re.findall(r"^(?:FAILED|ERROR) (\S+)", ran.out, re.M) == [
        f"tests/gpu/simulated/test_edges.py::test_{name}" for name in ("wrong", "without_its_fixture")
    ]
    assert re.search("1 failed, 3 passed, 1 error", ran.out)


@pytest.mark.parametrize(
    ("workers", "name"),
    [("0", "test_choice"), pytest.param("1", "test_edges", marks=pytest.mark.ci)],
)
def test_a_simulated_test_runs_by_its_name(project, workers, name):
    ran = project("-n", workers, f"tests/gpu/simulated/{name}.py::test_environment")
    assert ran.code == 0, ran.out
    assert "1 passed" in ran.out


def test_one_process_says_what_it_cannot_run(project):
    ran = project("-n", "0", "tests", "-k", "environment")
    assert ran.code == 0, ran.out
    assert "1 passed" in ran.out
    assert "simulator tests need their own process" in ran.out
    assert "simulator-compiled tests need their own process" in ran.out


@pytest.mark.ci
def test_no_test_for_one_kind_of_worker_is_not_no_test_at_all(project):
    assert project("-n", "1", "tests", "-k", "of_every_day").code == 0


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--tier", "ci"), {"test_of_ci"}),
        pytest.param((), {"test_of_every_day", "test_by_hypothesis"}, marks=pytest.mark.ci),
        pytest.param(("--tier", "gpu"), {"test_of_two_tiers"}, marks=pytest.mark.ci),
        pytest.param(
            ("--tier", "nightly"), {"test_of_two_tiers", "test_by_hypothesis"}, marks=pytest.mark.ci
        ),
        pytest.param(("-m", "gpu or ci"), {"test_of_two_tiers", "test_of_ci"}, marks=pytest.mark.ci),
    ],
)
def test_a_tier_takes_its_own_tests_and_number_of_examples(project, arguments, names):
    ran = project(
        "-n", "0", "tests", "--ignore", "tests/gpu", "--deselect", "tests/test_plain.py", *arguments
    )
    assert ran.code == 0, ran.out
    assert set(re.findall(r"::(test_\w+) PASSED", ran.out)) == names
    if "test_by_hypothesis" in names:
        tier = next((t for t in tiers.TIERS if t.name in arguments), tiers.DEFAULT)
        assert f"examples: {tier.examples}\n" in ran.out


def test_a_named_file_runs_whatever_its_tests_tiers(project):
    assert "4 passed" in project("-n", "0", "tests/test_tiers.py").out


def test_examples_are_in_proportion_to_those_of_the_tier():
    before = settings.get_current_profile_name()
    try:
        settings.load_profile("nightly")
        assert tiers.examples(5).max_examples == 50
        settings.load_profile("default")
        assert [tiers.examples(count).max_examples for count in (1, 2, 5, 100)] == [1, 2, 2, 15]
    finally:
        settings.load_profile(before)


def test_the_nearest_place_above_says_what_a_test_needs():
    assert kind_of(TESTS / "cli" / "test_run.py") is PLAIN
    assert kind_of(TESTS / "gpu" / "test_timing.py") is PLAIN
    assert kind_of(TESTS / "gpu" / "simulated" / "test_edges.py") is SIMULATOR
    assert kind_of(TESTS / "gpu" / "simulated" / "test_choice.py") is SIMULATOR_COMPILED
    assert kind_of(TESTS / "formats" / "jd" / "test_jd.py") is SIMULATOR
    assert kind_of(TESTS / "formats" / "test_compiled_formats.py") is PLAIN
    assert kinds_below(TESTS / "formats") == [SIMULATOR, PLAIN]
    assert kinds_below(TESTS.parent) == kinds_below(TESTS) == kinds_below(TESTS / "gpu") == list(KINDS)
    assert kinds_below(TESTS / "gpu" / "simulated") == [SIMULATOR, SIMULATOR_COMPILED]
    assert kinds_below(TESTS / "engines") == [PLAIN]
    assert all(place.exists() for kind in KINDS for place in places(kind))


def test_those_that_fill_the_gpu_go_first():
    filling, sharing = ("gpu_to_itself", "all_memory_of_the_gpu"), ("gpu_with_others",)
    items = [SimpleNamespace(fixturenames=names) for names in (sharing, filling, ("gpu_to_itself",), filling)]
    gpu_in_tests.pytest_collection_modifyitems(items)
    assert [item.fixturenames for item in items] == [filling, filling, sharing, ("gpu_to_itself",)]
