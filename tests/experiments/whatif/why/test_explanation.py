"""What is said of a product: numbers of runs that anybody can repeat."""

import json
import re
from pathlib import Path

import pytest

import vecsim
from experiments.whatif.why.ablations import ABLATIONS, ALL, effective
from vecsim.cli import main
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture(scope="module")
def explanation():
    return vecsim.why("crs", "laplace2d-10", options={"schedule": "plain"})


def test_everything_adds_up_to_the_cycles_of_the_run(explanation):
    alone = vecsim.measure("crs", "laplace2d-10", options={"schedule": "plain"})
    assert explanation.cycles == alone.cycles == sum(explanation.causes.values())
    assert explanation.cycles == sum(line.cycles for line in explanation.lines)
    assert explanation.relative_error == alone.relative_error < 1e-6
    assert sum(explanation.shares.values()) == pytest.approx(1)
    assert list(explanation.shares.values()) == sorted(explanation.shares.values(), reverse=True)


def test_ablations_are_runs(explanation):
    assert [each.name for each in explanation.ablations[:1]] == [ALL]
    assert {each.name for each in explanation.ablations[1:]} == {e.name for e in ABLATIONS if not e.rare}
    for each in explanation.ablations[:4]:
        machine = load_machine("vs2003", each.settings)
        again = vecsim.measure("crs", "laplace2d-10", machine, options={"schedule": "plain"})
        assert again.cycles == each.cycles
        assert each.speedup == explanation.cycles / again.cycles
    assert [each.cycles for each in explanation.ablations[1:]] == sorted(
        each.cycles for each in explanation.ablations[1:]
    )


def test_what_is_so_already_is_not_run(explanation):
    (chaining,) = (each for each in explanation.ablations if each.name == "chaining")
    assert (chaining.settings, chaining.cycles, chaining.speedup) == ((), explanation.cycles, 1.0)
    without = load_machine("vs2003", {"chaining": False, "startup": 0})
    changes = {each.name: effective(without, each.changes(without)) for each in ABLATIONS}
    assert changes["chaining"] == {"chaining": True}
    assert changes["no startup of memory accesses"] == {}


def test_the_sentence_is_made_of_the_numbers(explanation):
    message = explanation.in_words()
    words, cycles = next(iter(explanation.parts.items()))
    bound, best = explanation.bounds[0], explanation.ablations[1]
    assert sum(explanation.parts.values()) == explanation.cycles
    assert not explanation.is_bound
    assert message.startswith(
        f"CRS on laplace2d-10: {explanation.cycles:,} cycles; {bound.name} need at least "
        f"{bound.cycles / explanation.cycles:.0%} of the cycles. "
        f"The oldest instruction: {cycles / explanation.cycles:.0%} {words}, "
    )
    assert (
        f"Best change: {best.name}, {best.speedup:.2f} times as fast ({' '.join(best.settings)})" in message
    )


def test_the_limit_comes_before_latencies_that_it_hides():
    """The first tutorial's run: half of its cycles go to a latency, and without that it is no faster."""
    explanation = vecsim.why("hism", "laplace2d-30")
    message = explanation.in_words()
    assert explanation.is_bound and explanation.bounds[0].name == "memory ports"
    assert "latency" in next(iter(explanation.parts))
    limit = "memory ports need at least 97% of the cycles and limit the run. Twice the rate: 1.31 times"
    assert message.index(limit) < message.index("latency")
    wider = vecsim.measure("hism", "laplace2d-30", load_machine("vs2003", explanation.wider.settings))
    assert wider.cycles == explanation.wider.cycles < min(each.cycles for each in explanation.ablations)


def test_a_rate_that_cannot_be_doubled_is_not_run():
    explanation = vecsim.why("jd", "laplace2d-4", load_machine("vs2003", {"words_per_cycle": 1024}))
    assert explanation.bounds[0].name == "memory ports" and explanation.wider is None
    assert "not among these" not in json.dumps(explanation.to_dict())


@pytest.mark.parametrize("engine", [pytest.param("simpy", marks=pytest.mark.nightly), "jit"])
def test_without_bank_conflicts_equal_addresses_go_together(engine):
    """On a port that takes several addresses a cycle and merges none, with banks busy for a cycle only."""
    unmerged = load_machine("wide", {"merge_bytes": 0})
    machine = unmerged.changed({"bank_busy": 1, "banks": 65536})
    explanation = vecsim.why("jd", "dense-12", machine, engine=engine)
    (without,) = (each for each in explanation.ablations if each.name == "no bank conflicts")
    assert explanation.causes["bank_conflict"] > 0.1 * explanation.cycles
    assert without.settings == ("bank_busy=0",)
    again = vecsim.measure("jd", "dense-12", unmerged.changed({"bank_busy": 0}), engine=engine)
    assert again.run.cycles_by_cause["bank_conflict"] == 0
    assert again.cycles == without.cycles < explanation.cycles


def test_a_machine_with_memory_after_its_ports():
    changes = {"l1.bytes": 1024, "l1.serves": 3, "main_memory.latency": 40, "main_memory.bytes": 3}
    explanation = vecsim.why("crs", "laplace2d-4", load_machine("vs2003", changes), engine="simpy")
    by_name = {each.name: each for each in explanation.ablations}
    assert {each.name for each in ABLATIONS} == set(by_name) - {ALL}
    settings = {
        "every cache perfect": ("l1.perfect=true",),
        "any number of words and lines outstanding": ("l1.misses=0",),
        "main memory without latency and rows": ("main_memory.latency=0",),
        "unlimited bandwidth of main memory and refill": ("main_memory.bytes=0",),
        "equal words of a gather or scatter merged": ("merge_bytes=4", "merge_window=64"),
    }
    for name, changed in settings.items():
        assert by_name[name].settings == changed
        assert by_name[name].cycles <= explanation.cycles
    assert "waiting for the latency of memory" in explanation.parts
    # Every request of the run is one of a line of the program.
    assert explanation.counters["l1_misses"] == sum(line.misses.get("l1", 0) for line in explanation.lines)
    assert explanation.counters["l1_hits"] == sum(line.hits.get("l1", 0) for line in explanation.lines) > 0
    assert explanation.to_dict()["counters"] == explanation.counters
    assert "main memory" in {bound.name for bound in explanation.bounds}


def test_a_machine_without_has_none_of_it(explanation):
    assert explanation.counters == {}
    assert all(line.hits == line.misses == {} for line in explanation.lines)


def test_as_plain_data(explanation):
    message = json.loads(json.dumps(explanation.to_dict()))
    assert message["in_words"] == explanation.in_words()
    assert message["lines"][0]["place"].split(":")[0].endswith("plain.s")
    assert repr(explanation).startswith("ProductExplanation(subject='CRS on laplace2d-10', machine='vs2003'")


def test_hism_waits_for_bmipa_and_moves_y_where_blocks_hold_few_entries(real_matrix):
    explanation = vecsim.why("hism", real_matrix("bcspwr10"), options={"schedule": "plain"})
    first, *others = list(explanation.shares)[:3]
    assert first == "bmipa.f y, x, value, position"
    assert set(others) == {"sv.f y, (yseg)", "lv.f y, (yseg)"}
    assert max(explanation.causes, key=explanation.causes.__getitem__) == "contiguous_transfer"
    by_name = {line.text: line for line in explanation.lines}
    assert by_name[first].mostly(1).startswith("sparse latency 9")
    assert all(by_name[text].mostly(1).startswith("contiguous transfer") for text in others)
    assert explanation.ablations[1].settings == ("sparse_unit.latency=1",)
    assert list(explanation.parts)[:2] == ["moving `y`", "waiting for bmipa's latency"]
    page = " ".join((DOCS / "why.md").read_text(encoding="utf-8").split())
    assert explanation.in_words() in page


def test_run_repeats_what_would_help(real_matrix, tmp_path):
    """The three that help most, by ``--set``, as anybody would."""
    path, plain = str(real_matrix("bcspwr10")), ["--program", "hism", "--option", "schedule=plain"]
    assert main(["why", path, *plain, "--json", str(tmp_path / "why.json")]) == 0
    (message,) = json.loads((tmp_path / "why.json").read_text())["explanations"]
    for each in message["ablations"][1:4]:
        settings = [word for setting in each["settings"] for word in ("--set", setting)]
        assert main(["run", path, *plain, *settings, "--json", str(tmp_path / "run.json")]) == 0
        (again,) = json.loads((tmp_path / "run.json").read_text())["results"]
        assert settings and again["cycles"] == each["cycles"] < message["cycles"]


def test_the_example_of_the_page_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "why.md").read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(compile(example, "docs/why.md", "exec"), names)
    assert capsys.readouterr().out.startswith(names["found"].in_words())


def test_bounds_know_no_rules_of_extensions():
    explanation = vecsim.why(
        "jd", "laplace2d-10", load_machine("vs2003", extend=["gather_cache"]), engine="simpy"
    )
    assert not explanation.is_bound
    assert ". Without the rules of gather_cache memory ports need at least " in explanation.in_words()


def test_a_machine_that_differs_in_unknown_numbers_is_refused():
    machine = load_machine("vs2003")
    assert machine.changed({"latency.add": 6, "banks": 32}).label == "vs2003 with banks=32, latency.add=6"
    with pytest.raises(
        UserError, match="machine: unknown number 'bank'; `vecsim machine` lists them; did you mean 'banks'"
    ):
        machine.changed({"bank": 3})
    with pytest.raises(UserError, match="unknown number 'latency'"):
        machine.changed({"latency": 3})
    with pytest.raises(UserError, match="machine: banks = 0: "):
        machine.changed({"banks": 0})
