"""``vecsim gpu check``, with what the GPU would find put in its place."""

import json

import pytest

from experiments.gpu_bench import check
from experiments.gpu_bench.check import Checked
from gpu.runtime import device_info
from tests.cli.test_gpu import INFO

RIGHT = (
    Checked("memplus", "crs", "float64", "ok", "", 1e-16, 1e-12),
    Checked("memplus", "ell", "float64", "not_representable", "too wide"),
)
WRONG = (*RIGHT, Checked("memplus", "jd", "float32", "wrong", "the error is 0.5", 0.5, 1e-5))


@pytest.fixture
def finds(monkeypatch):
    """Let a check find something, and return what it was asked for."""
    asked = []

    def prepare(actual):
        def check_suite(only, methods, *, seconds, watch):
            asked.append((only, methods, seconds))
            watch("crs (1): 2 of 2 products are right")
            return actual

        monkeypatch.setattr(check, "check_suite", check_suite)
        monkeypatch.setattr(device_info, "device_info", lambda: INFO)
        return asked

    return prepare


def test_what_is_right_is_counted_and_written(vecsim, finds, tmp_path):
    asked = finds(RIGHT)
    target = tmp_path / "check.json"
    result = vecsim(
        "gpu",
        "check",
        "--only",
        "small",
        "--format",
        "crs",
        "--format",
        "ell",
        "--seconds",
        9,
        "--json",
        target,
    )
    assert (result.code, result.err) == (0, "")
    assert asked == [("small", ["crs", "ell"], 9)]
    assert "2 of 2 products are right" in result.out
    lines = [line.split() for line in result.out.splitlines()]
    assert ["format", "ok", "not", "representable"] in lines
    assert ["crs", "1", "0"] in lines
    assert ["ell", "0", "1"] in lines
    document = json.loads(target.read_text())
    assert (document["kind"], document["device"]["name"]) == ("vecsim gpu check", "Fake GPU")
    assert len(document["records"]) == 2


def test_a_wrong_product_ends_in_exit_code_1_and_its_name(vecsim, finds):
    asked = finds(WRONG)
    result = vecsim("gpu", "check", "--format", "jd", "--seconds", 2.5)
    assert result.code == 1
    assert asked == [(None, ["jd"], 2.5)]
    assert result.err == "vecsim: jd on memplus, float32: wrong: the error is 0.5\n"


def test_a_check_that_reached_nothing_is_refused(vecsim, finds):
    finds((Checked("memplus", "crs", "float32", "not_reached", "the time was over"),))
    result = vecsim("gpu", "check", "--seconds", 0)
    assert result.code == 2
    assert "no product was checked" in result.err
