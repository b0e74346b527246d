"""Results read from files: compared, and run again."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from experiments.whatif.compare import compare, read_document, rerun
from vecsim.cli import main
from vecsim.support.errors import UserError


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Results of run, exec and sweep."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "k.s").write_text("li x1, SIZE\nsetvl x1\nlv.w v1, 64(x0)\nhalt\n")
    run = ["run", "laplace2d-10", "--program", "crs,hism", "--engine", "jit"]
    sweep = ["sweep", "laplace2d-5", "--program", "crs", "--jobs", "1", "--store", f"{folder / 'store'}"]
    calls = {
        "a": [*run, "--json", f"{folder / 'a.json'}"],
        "b": [*run, "--set", "banks=4", "--option", "schedule=plain", "--json", f"{folder / 'b.json'}"],
        "k": ["exec", f"{folder / 'k.s'}", "--define", "SIZE=32", "--json", f"{folder / 'k.json'}"],
        "sweep": [*sweep, "--set", "banks=0,4,8", "--out", f"{folder / 'sweep'}"],
    }
    for arguments in calls.values():
        assert main(arguments) == 0
    return folder


def test_what_differs_and_by_how_much(files):
    before, after = (read_document(files / name) for name in ("a.json", "b.json"))
    actual = compare(before, after)
    assert ("machine.banks", "16", "4") in actual.settings
    assert ("option crs.schedule", "pipelined", "plain") in actual.settings
    assert not [name for name, *_ in actual.settings if name.startswith("versions")]
    assert [change.key for change in actual.changes] == [("laplace2d-10", "hism"), ("laplace2d-10", "crs")]
    first = actual.changes[0]
    assert first.before == before.rows[first.key].cycles
    assert first.percent == actual.largest == 100 * (first.after / first.before - 1)
    assert (first.causes[0].name, first.program, first.lines) == ("bank_conflict", True, ())
    assert sum(part.before for part in first.causes) == first.before
    assert sum(part.after for part in first.causes) == first.after
    moved = [abs(part.change) for part in first.causes]
    assert moved == sorted(moved, reverse=True)
    assert compare(before, before).largest == 0
    assert compare(before, before).settings == ()


def test_explanations_have_their_instructions_side_by_side(tmp_path, capsys):
    paths = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for path, banks in zip(paths, (16, 4), strict=True):
        how = ["--program", "hism", "--engine", "jit", "--set", f"banks={banks}", "--json", path]
        assert main(["why", "laplace2d-5", *how]) == 0
    actual = compare(*(read_document(Path(path)) for path in paths))
    assert actual.settings == (("machine.banks", "16", "4"),)
    (change,) = actual.changes
    assert sum(part.before for part in change.lines) == change.before
    assert sum(part.after for part in change.lines) == change.after > change.before
    capsys.readouterr()
    assert main(["compare", *paths]) == 0
    shown = capsys.readouterr().out
    assert f"{change.lines[0].name} " in shown and f"{change.lines[0].change:+,}" in shown
    assert main(["rerun", paths[0]]) == 0


def test_two_files_of_one_run_each_are_compared_whatever_their_names(files, tmp_path):
    (tmp_path / "other.s").write_text("li x1, 16\nsetvl x1\nlv.w v1, 64(x0)\nhalt\n")
    assert main(["exec", str(tmp_path / "other.s"), "--json", str(tmp_path / "other.json")]) == 0
    actual = compare(read_document(files / "k.json"), read_document(tmp_path / "other.json"))
    assert ("run", "k.s", "other.s") in actual.settings
    (change,) = actual.changes
    # A load of 16 words for one of 32, at 4 a cycle.
    assert (change.after - change.before, change.program) == (-4, True)
    assert actual.only_before == actual.only_after == ()


def test_runs_that_one_alone_has(files):
    actual = compare(read_document(files / "a.json"), read_document(files / "k.json"))
    assert actual.changes == ()
    assert actual.only_before == (("laplace2d-10", "crs"), ("laplace2d-10", "hism"))
    assert actual.only_after == (("k.s",),)
    assert actual.largest == 0


@pytest.mark.parametrize("name", ["a.json", "b.json", "k.json"])
def test_run_again_the_cycles_are_the_same(files, name):
    document = read_document(files / name)
    actual = rerun(document)
    assert actual.inputs == ()
    assert [each.key for each in actual.runs] == list(document.rows)
    assert all(each.same and each.program is False for each in actual.runs)


def test_a_sweep_is_run_again_with_its_faults(files, tmp_path):
    actual = rerun(read_document(files / "sweep"), store=tmp_path / "empty").runs
    assert [each.then is None for each in actual] == [True, False, False]
    assert all(each.same for each in actual)
    assert actual[1].key == ("laplace2d-5", "crs", "banks=4")


def test_a_latin_hypercube_that_takes_a_point_twice_is_run_again(tmp_path):
    where = ["--jobs", "1", "--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]
    points = ["--set", "banks=4,8", "--set", "chaining=true,false"]
    points += ["--design", "latin-hypercube", "--samples", "5"]
    assert main(["sweep", "laplace2d-3", "--program", "crs", *points, *where]) == 0
    document = read_document(tmp_path / "out")
    assert len(document.rows) < 5
    actual = rerun(document, store=tmp_path / "empty").runs
    assert [each.key for each in actual] == list(document.rows)
    assert all(each.same for each in actual)


def test_other_cycles_are_seen(files, tmp_path):
    content = json.loads((files / "a.json").read_text())
    content["results"][0]["cycles"] += 1
    content["results"][0]["cycles_by_cause"]["bank_conflict"] += 1
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert [each.same for each in rerun(read_document(tmp_path / "a.json")).runs] == [False, True]
    assert main(["rerun", str(tmp_path / "a.json")]) == 1
    assert main(["rerun", str(files / "a.json")]) == 0
    both = ["compare", str(files / "a.json"), str(tmp_path / "a.json"), "--threshold"]
    assert main([*both, "0.001"]) == 1
    assert main([*both, "1"]) == 0


def test_results_without_a_common_run_are_not_below_a_threshold(files, tmp_path, capsys):
    content = json.loads((files / "a.json").read_text())
    for number, result in enumerate(content["results"]):
        result["program"] = f"other-{number}"
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert main(["compare", str(files / "a.json"), str(tmp_path / "a.json"), "--threshold", "1"]) == 2
    assert "no run in common" in capsys.readouterr().err
    (tmp_path / "a.json").write_text(json.dumps({**content, "results": []}))
    assert main(["rerun", str(tmp_path / "a.json")]) == 2
    assert "no run" in capsys.readouterr().err


def test_another_matrix_or_program_is_seen(files, tmp_path):
    content = json.loads((files / "a.json").read_text())
    content["matrices"][0]["sha256"] = "0" * 64
    (tmp_path / "a.json").write_text(json.dumps(content))
    actual = rerun(read_document(tmp_path / "a.json"))
    assert [(each.now, each.same) for each in actual.runs] == [(None, False)] * 2
    (line,) = actual.inputs
    assert "matrix laplace2d-10: built-in is another one now (digest " in line
    assert "then 000000000000)" in line
    content = json.loads((files / "k.json").read_text())
    content["define"] = {"SIZE": 16}
    (tmp_path / "k.json").write_text(json.dumps(content))
    (actual,) = rerun(read_document(tmp_path / "k.json")).runs
    assert actual.program
    assert not actual.same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is nested too deeply"),
        ("[]", "does not state its kind"),
        ('{"kind": "vecsim isa"}', "is of 'vecsim isa'; use results of vecsim run, "),
        ('{"kind": "vecsim run", "results": [{}]}', "is damaged or of another version"),
        ('{"kind": "vecsim run", "results": 3}', "is damaged or of another version"),
        ('{"kind": ["vecsim run"]}', "does not state its kind"),
        ('{"kind": "vecsim sweep", "sweep": {"set": {}, "option": {}}}', "versions: field required"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path, text, message):
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_document(path)


def test_a_file_without_what_a_run_needs_is_refused(files, tmp_path):
    content = json.loads((files / "a.json").read_text())
    del content["seed"]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    with pytest.raises(
        UserError, match="is damaged or of another version; write it again: seed: field required"
    ):
        read_document(path)


@examples(200)
@given(data=st.data())
def test_a_damaged_file_ends_in_one_line(files, data):
    """Anything in the place of anything else: compared and run again, or refused."""
    name = data.draw(st.sampled_from(["a.json", "k.json"]))
    content = json.loads((files / name).read_text())
    place = content
    while isinstance(place, dict | list) and place:
        keys = sorted(set(place) - {"versions", "command"}) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(keys))
        if not (isinstance(place[key], dict | list) and place[key]) or data.draw(st.booleans()):
            place[key] = data.draw(
                st.sampled_from([None, -1, 2**70, 1e308, "", "x", [], [1], {}, {"a": 1}, True])
            )
            break
        place = place[key]
    path = files / "damaged.json"
    path.write_text(json.dumps(content))
    try:
        document = read_document(path)
        compare(read_document(files / "a.json"), document)
        rerun(document)
    except UserError as error:
        assert str(error)
