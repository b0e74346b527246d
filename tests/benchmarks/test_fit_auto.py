import json
import pickle
import tomllib

import numpy as np
import pytest

from benchmarks import choice_times, fit_auto, measure_choice
from benchmarks.choice_matrices import RECIPES
from benchmarks.choice_times import Measured, read
from experiments.gpu_bench.suite import suite
from gpu.choice.cost_model import Constants, Machine

MACHINE = Machine(1.0, 0.002, 0.003, 0.3, 4e7, 4.0, 2e7, 4000.0, 2000.0, 3.0, 1e5)
SPEEDS = {
    "slow": (1500.0, 2000.0, 160.0, 2.0, 0.1, 0.002),
    "fast": (3000.0, 3500.0, 1600.0, 1.5, 0.02, 0.003),
    "odd": (900.0, 900.0, 400.0, 6.0, 0.5, 0.001),
}


@pytest.fixture(scope="module")
def lines():
    """Return measurements of formats that take exactly as long as the model says."""
    rng = np.random.default_rng(1)
    results = []
    for matrix in range(60):
        nnz = int(10 ** rng.uniform(4, 7.3))
        rows = int(nnz / rng.uniform(2, 50))
        longest = float(10 ** rng.uniform(0.5, 3.5))
        for dtype, size in (("float32", 4), ("float64", 8)):
            for name in SPEEDS:
                stored = nnz * (size + 4) * {"slow": 1.0, "fast": rng.uniform(1, 2), "odd": 0.8}[name]
                work = {"stored_bytes": stored, "chain": longest, "sectors": nnz * 0.5, "launches": 1}
                work |= {"warps": rows / 32, "scattered": name == "odd", "ahead": 8, "block_warps": 8}
                work |= {"lines": nnz * 0.6, "sums": rows if name == "odd" else 0}
                results.append(
                    {
                        "matrix": str(matrix),
                        "family": str(matrix % 6),
                        "rows": rows,
                        "columns": rows,
                        "nnz": nnz,
                        "mean_spread": rows / 2,
                        "dtype": dtype,
                        "format": name,
                        "work": work,
                        "us": 1.0,
                    }
                )
    measured = Measured.of(results)
    speeds = np.array([SPEEDS[name] for name in measured.formats])
    for line, time in zip(results, choice_times.predicted(measured, MACHINE, speeds), strict=True):
        line["us"] = float(time)
    return results


@pytest.fixture
def not_regularised(monkeypatch):
    """Regularise no constants: these formats differ too much for it."""
    monkeypatch.setattr(choice_times, "REGULARISE", 0.0)


def test_times_that_follow_the_model_are_found_again(lines, not_regularised):
    measured = Measured.of(lines)
    machine, speeds = fit_auto.fitted(measured)
    times = choice_times.predicted(measured, machine, speeds)
    assert np.median(np.abs(np.log(times / measured.us))) < 0.01
    assert fit_auto.quality(measured, times).max() < 1.02


def test_the_gradient_of_the_loss_is_that_of_its_values(lines):
    measured = Measured.of(lines)
    loss = choice_times.Loss(measured, measured.family != 2)
    at = choice_times.start(measured)
    at = at + 0.1 * np.random.default_rng(3).standard_normal(len(at))
    _, gradient = loss.value_and_gradient(at, 0.05)
    for place in range(len(at)):
        step = np.zeros(len(at))
        step[place] = 1e-5
        above, below = (loss.value_and_gradient(at + sign * step, 0.05)[0] for sign in (1, -1))
        assert gradient[place] == pytest.approx((above - below) / 2e-5, rel=1e-3, abs=1e-5)


def test_choices_among_deterministic_formats_count(lines):
    named = {"slow": "sell-segments-direct", "fast": "crs", "odd": "coo"}
    measured = Measured.of([line | {"format": named[line["format"]]} for line in lines])
    direct = np.array([line["format"] == "sell-segments-direct" for line in measured.lines])
    np.testing.assert_array_equal(measured.deterministic, ~direct)
    times = np.where(direct, 0.5, 1.0) * measured.us  # its estimates are too low: so it is taken too often
    assert fit_auto.quality(measured, times).max() > 1.01
    assert fit_auto.quality(measured, times, deterministic=True).max() == 1.0


def test_outliers_do_not_pull_the_fit_away(lines):
    rng = np.random.default_rng(2)
    noisy = [dict(line, us=line["us"] * (10.0 if rng.random() < 0.03 else 1.0)) for line in lines]
    clean = Measured.of(lines)
    times = choice_times.predicted(clean, *fit_auto.fitted(Measured.of(noisy)))
    assert np.median(np.abs(np.log(times / clean.us))) < 0.05


@pytest.mark.nightly
def test_the_file_is_what_auto_reads(lines, tmp_path, capsys, not_regularised, monkeypatch):
    monkeypatch.setattr(fit_auto, "PARTS", 2)
    source, target = tmp_path / "lines.jsonl", tmp_path / "constants.toml"
    failed = {"matrix": "0", "family": "0", "dtype": "float32", "format": "slow", "status": "failed"}
    source.write_text("\n".join(json.dumps(line) for line in [failed, *lines]))
    fit_auto.main(["fit", str(source), "--to", str(target), "--device", "none"])
    assert "families left out, in parts: auto over best: geometric mean 1.0" in capsys.readouterr().out
    constants = Constants.read(target)
    assert set(constants.formats) == {"default", *SPEEDS}
    assert constants.speed("fast").batch_ns == pytest.approx(1600, rel=0.02)
    assert constants.speed("unknown") == constants.formats["default"]
    provenance = tomllib.loads(target.read_text())["provenance"]
    assert (provenance["matrices"], provenance["measurements"]) == (60, 360)


def test_constants_at_a_bound_are_named():
    machine = Machine(1.0, 0.002, 0.003, 0.3, 4e7, 4.0, 2e7, 9000.0, 2000.0, 3.0, 1e5)
    speeds = np.array([(1500.0, 2000.0, 160.0, 0.2, 0.1, 0.002), (19_999.0, 2000.0, 160.0, 2.0, 0.1, 0.002)])
    assert fit_auto.at_bounds(["slow", "fast"], machine, speeds) == [
        "memory_gb_per_s 9000",
        "start_us of slow 0.2",
        "gb_per_s of float32 of fast 20000",
    ]


def refused(arguments, capsys):
    """Return the one line that a command ends with, and exit code 2."""
    with pytest.raises(SystemExit) as ended:
        fit_auto.main([*map(str, arguments)])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_what_an_earlier_measurement_lacks_is_to_be_counted_again(lines, tmp_path, capsys):
    source = tmp_path / "lines.jsonl"
    for missing, line in {
        "ahead": lines[0] | {"work": {name: of for name, of in lines[0]["work"].items() if name != "ahead"}},
        "mean_spread": {name: of for name, of in lines[0].items() if name != "mean_spread"},
    }.items():
        source.write_text("\n".join(json.dumps(each) for each in [line, *lines[1:]]))
        for command in ("fit", "check"):
            text = refused([command, source, "--to", tmp_path / "constants.toml"], capsys)
            assert text.startswith(f"error: 0 float32 slow: the line has no {missing}, ")
            assert " recount " in text


def test_check_names_bad_choices(lines, tmp_path, capsys):
    source = tmp_path / "lines.jsonl"
    source.write_text("\n".join(json.dumps(line) for line in lines))
    fit_auto.main(["check", str(source)])
    assert "auto over best" in capsys.readouterr().out


def test_of_a_format_measured_twice_the_later_counts(lines, tmp_path):
    source = tmp_path / "lines.jsonl"
    source.write_text("\n".join(json.dumps(line) for line in [lines[0], dict(lines[0], us=3.25)]))
    assert [line["us"] for line in read([source])] == [3.25]


def test_a_second_measurement_counts_with_the_first(lines, tmp_path):
    first, other = dict(lines[0], us=4.0), dict(lines[1], us=2.0)
    again = [dict(first, us=us, again=True) for us in (1.0, 3.0)] + [dict(lines[2], us=9.0, again=True)]
    (tmp_path / "file").write_text("".join(json.dumps(line) + "\n" for line in (first, other)))
    (tmp_path / "more").write_text("".join(json.dumps(line) + "\n" for line in again))
    actual = read([tmp_path / "file", tmp_path / "more"])
    assert [line["us"] for line in actual] == pytest.approx(
        [12 ** (1 / 3), 2.0]
    )  # nothing is known of the third
    (tmp_path / "anew").write_text(json.dumps(dict(first, us=5.0)) + "\n")
    assert [
        line["us"] for line in read([tmp_path / each for each in ("file", "more", "anew")])
    ] == pytest.approx([5.0, 2.0])


def test_formats_near_the_best_are_measured_again():
    times = {"a": 1.0, "b": 1.1, "c": 1.4}
    lines = [{"matrix": "m", "dtype": "float32", "format": name, "us": us} for name, us in times.items()]
    lines += [
        {"matrix": "m", "dtype": "float64", "format": "c", "us": 5.0},
        {"matrix": "m", "dtype": "float64", "format": "a", "status": "failed"},
    ]
    assert measure_choice.near_the_best(lines) == {"m": {"float32": ["a", "b"], "float64": ["c"]}}


@pytest.mark.nightly  # compiled
def test_formats_are_converted_by_type(tmp_path):
    number = min(range(len(RECIPES)), key=lambda each: len(RECIPES[each].name))
    results = measure_choice.convert(number, tmp_path, {"float32": ["crs"], "float64": ["crs", "coo"]})
    assert [(each.record["dtype"], each.record["format"]) for each in results] == [
        ("float32", "crs"),
        ("float64", "crs"),
        ("float64", "coo"),
    ]


def test_there_are_enough_matrices_and_each_is_its_own():
    assert len(RECIPES) >= 200
    assert len({recipe.name for recipe in RECIPES}) == len(RECIPES)
    assert len({recipe.seed for recipe in RECIPES}) == len(RECIPES)
    assert len({recipe.family for recipe in RECIPES}) >= 20


FIRST, *OTHERS = (recipe for recipe in RECIPES[::23] if recipe.family != "large")


@pytest.mark.parametrize(
    "recipe",
    [FIRST, *(pytest.param(recipe, marks=pytest.mark.nightly) for recipe in OTHERS)],
    ids=lambda recipe: recipe.name,
)
def test_matrices_are_reproducible_sorted_and_none_of_the_suite(recipe):
    shapes = {(entry.statistics.rows, entry.statistics.entries) for entry in suite()}
    results, again = recipe.make(), recipe.make()
    assert results.has_canonical_format
    assert results.indices.dtype == np.int32
    np.testing.assert_array_equal(results.data, again.data)
    np.testing.assert_array_equal(results.indices, again.indices)
    assert (results.shape[0], results.nnz) not in shapes


@pytest.mark.nightly
def test_work_is_counted_again(tmp_path):
    name = next(recipe.name for recipe in RECIPES if recipe.family == "dense")
    line = {"matrix": name, "dtype": "float64", "us": 2.5, "work": {"chain": -1}}
    source = tmp_path / "lines.jsonl"
    source.write_text("\n".join(json.dumps(line | {"format": each}) for each in ("crs", "no such format")))
    fit_auto.main(["recount", str(source), "--processes", "1"])
    (actual,) = read([source])
    assert (actual["format"], actual["us"], actual["work"]["launches"]) == ("crs", 2.5, 1)
    assert actual["work"]["chain"] > 0


def test_a_format_that_cannot_be_measured_is_refused(tmp_path, capsys):
    text = refused(["measure", tmp_path / "lines.jsonl", "--formats", "crs,jd"], capsys)
    assert "--formats jd: auto does not have this format; use some of crs, " in text


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), ("{}\nno", "line 1: is not a measurement"), ("no", "line 1: is not JSON")],
)
def test_a_file_that_has_no_measurements_is_refused(content, message, tmp_path, capsys):
    source = tmp_path / "lines.jsonl"
    if content is not None:
        source.write_text(content)
    for arguments in (["check", source], ["measure", tmp_path / "more", "--near", source]):
        assert message in refused(arguments, capsys)


def test_times_of_all_places_count_alike(lines, tmp_path):
    first = dict(lines[0], us=2.0, placements=[1.0, 4.0])
    again = dict(lines[0], us=16.0, placements=[16.0], again=True)
    (tmp_path / "file").write_text("".join(json.dumps(line) + "\n" for line in (first, again)))
    (line,) = choice_times.read([tmp_path / "file"])
    assert (line["us"], line["placements"]) == (pytest.approx(4.0), [1.0, 4.0, 16.0])


def test_more_places_are_tried_while_times_differ(monkeypatch, tmp_path):
    class Timing:
        spread = 0.0

        def __init__(self, us):
            self.median_us = us

    class Copy:
        device_arrays = (np.zeros(3),)

    def measured(*times):
        coming = iter(times)
        monkeypatch.setattr(measure_choice, "_timed_in_place", lambda *_: ((Copy,), Timing(next(coming))))
        (tmp_path / "host").write_bytes(pickle.dumps(None))
        return measure_choice._timed(measure_choice.Converted({}, tmp_path / "host"), None)["placements"]

    assert measured(1.0, 1.01, 1.0, 5.0) == [1.0, 1.01, 1.0]
    assert measured(*range(1, 10)) == [*range(1, measure_choice.MOST_PLACEMENTS + 1)]


def test_each_device_has_its_own_times(lines, tmp_path):
    both = [dict(lines[0], us=us, device=device) for us, device in ((2.0, "one"), (5.0, "other"))]
    (tmp_path / "file").write_text("".join(json.dumps(line) + "\n" for line in both))
    actual = Measured.of(read([tmp_path / "file"]))
    assert actual.best() == pytest.approx([2.0, 5.0])
    assert actual.case.tolist() == [0, 1] and actual.family.tolist() == [0, 0]
