"""The scripts that search matrices of families: what they go on with, what they count and report."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks import compound_exhaustive, compound_families, compound_held_out, compound_predictor
from gpu.compound import COMPLEX, CompoundMatrix
from gpu.compound.compound_files import ENTRIES
from gpu.compound.device_compound import Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import (
    Found,
    Timing,
    TuningStore,
    Variant,
    compilation,
    library,
    on_device,
    predictor,
)
from gpu.compound.tuning.features import features_of
from gpu.compound.tuning.prediction_loss import family_of
from gpu.compound.tuning.store import Search
from gpu.runtime import device_info
from tests.cli.test_gpu import INFO
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError

VARIANTS = [Variant(Layout("csr"), Schedule("whole", 32 * number)) for number in range(1, 8)]


def small():
    return CompoundMatrix.from_arrays(COMPLEX, (2, 2), [0, 1, 2], [0, 1], [[1.0, 2.0]] * 2)


@pytest.fixture
def two_families(monkeypatch):
    names = ("waves/1, complex", "waves/2, complex", "road/1, complex")
    monkeypatch.setattr(compound_predictor, "MATRICES", dict.fromkeys(names, small))
    return names


def test_families_are_many_and_entries_are_those_of_the_name():
    names = compound_families.MATRICES
    assert len(names) >= 30
    assert len({*map(family_of, names)}) >= 8
    assert {name.rpartition(", ")[2] for name in names} <= set(ENTRIES)
    whole = [name.rpartition(", ")[2] for name in compound_families.EXHAUSTIVE]
    assert sorted(whole) == ["block-2", "block-3", "block-4", "block-6", "complex", "quaternion"]
    assert set(compound_families.EXHAUSTIVE) <= set(names)


def test_entries_are_drawn_for_a_pattern():
    import scipy.sparse

    pattern = scipy.sparse.csr_array(np.array([[0, 1, 1], [1, 0, 0]]))
    found = compound_families.drawn_entries(lambda: pattern, "block-2")
    assert (found.entry.name, found.shape, found.nnz, len(found.components)) == ("2 x 2 block", (2, 3), 3, 4)


def test_batches_are_compiled_then_timed_until_the_time_is_spent():
    told, kept = [], {}
    answers = iter([True] * 6 + [False] * 9)

    def measure(variant):
        told.append(variant.name)
        if variant is VARIANTS[1]:
            raise NotRepresentableError("none")
        return Timing(1.0, 2)

    def prepare(batch):
        told.append(len(batch))
        return lambda: told.append("ready")

    done = compound_exhaustive.time_missing(
        VARIANTS, measure, kept.__setitem__, prepare, lambda: next(answers), 3
    )
    names = [variant.name for variant in VARIANTS]
    # The next batch is begun before one is timed.
    assert told == [3, 3, "ready", *names[:3], 1, "ready", names[3]]
    assert done == 4
    assert kept == {names[0]: Timing(1.0, 2), names[1]: None, **dict.fromkeys(names[2:4], Timing(1.0, 2))}


def test_a_wrong_product_stays_to_be_done(capsys):
    kept = {}

    def measure(variant):
        if variant is VARIANTS[0]:
            raise UserError("the product is off")
        return Timing(1.0, 2)

    how = (measure, kept.__setitem__, lambda batch: lambda: None, lambda: True)
    assert compound_exhaustive.time_missing(VARIANTS, *how) == len(VARIANTS) - 1
    assert VARIANTS[0].name not in kept
    assert "error: the product is off" in capsys.readouterr().err


def test_what_whole_runs_take_is_counted_without_a_gpu(two_families, monkeypatch, capsys):
    monkeypatch.setattr(compound_exhaustive, "MATRICES", {compound_families.EXHAUSTIVE[0]: small})
    assert compound_exhaustive.main(["--dry-run", "--only", "waves", "--workers", "16"]) == 0
    assert "7,812 variants, 693 kernels: 1 min to compile in 16 processes" in capsys.readouterr().out
    assert compound_predictor.main(["--dry-run", "--bits", "32"]) == 0
    assert "3 searches of 3 matrices, 1 pairs" in capsys.readouterr().out
    assert compound_predictor.main(["--dry-run", "--only", "nothing"]) == 2
    assert "no matrix has 'nothing' in its name" in capsys.readouterr().err


def test_a_run_goes_on_with_what_it_has_not_searched(two_families, monkeypatch, tmp_path):
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    monkeypatch.setattr(compound_predictor, "matrix_makers", lambda: ThreadPoolExecutor(1))
    monkeypatch.setattr(compound_predictor, "AT_ONCE", 1)
    begun, killed = [], True

    def tuning(matrix, name, store, device, **_):
        begun.append(name)
        store.begin(Search(device, matrix.entry.name, str(matrix.dtype), name), features_of(matrix))
        yield VARIANTS[:2]
        if killed and len(begun) == 3:
            raise KeyboardInterrupt
        yield []
        return Found(VARIANTS[0], Timing(1.0, 2), {}, complete=True)

    monkeypatch.setattr(on_device, "tuning_on_device", tuning)
    monkeypatch.delenv("VECSIM_KERNELS", raising=False)
    monkeypatch.setattr(compilation.Compilers, "begin", lambda self, entry, real, variants: [])
    arguments = ["--bits", "32", "--store", str(tmp_path / "store")]
    with pytest.raises(KeyboardInterrupt):
        compound_predictor.main(arguments)
    assert begun == [*two_families]
    begun[:], killed = [], False
    assert compound_predictor.main(arguments) == 0
    assert begun == [two_families[2]]


def test_several_searches_are_under_way_and_a_failing_one_costs_no_other(
    two_families, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    monkeypatch.setattr(compound_predictor, "matrix_makers", lambda: ThreadPoolExecutor(1))
    told = []

    def tuning(matrix, name, store, device, **_):
        store.begin(Search(device, matrix.entry.name, str(matrix.dtype), name), features_of(matrix))
        told.append(("first", name))
        yield VARIANTS[:2]
        if name == two_families[1]:
            raise UserError("no variant could be measured")
        told.append(("rest", name))
        yield []
        return Found(VARIANTS[0], Timing(1.0, 2), {}, complete=True)

    monkeypatch.setattr(on_device, "tuning_on_device", tuning)
    monkeypatch.setattr(compilation.Compilers, "begin", lambda self, entry, real, variants: [])
    assert compound_predictor.main(["--bits", "32", "--store", str(tmp_path / "store")]) == 0
    assert told[:3] == [("first", name) for name in two_families]
    assert ("rest", two_families[2]) in told
    assert f"{two_families[1]}, float32: error: no variant" in capsys.readouterr().err


def test_losses_of_a_store_by_families(two_families, tmp_path, capsys, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(predictor, "TREES", 5)
    with TuningStore(tmp_path / "store") as store:
        for name in two_families:
            search = Search("GPU", "complex", "float64", name)
            store.begin(search, features_of(small()))
            for number, variant in enumerate(VARIANTS):
                store.add(search, variant.name, Timing(1.0 + number, 2))
    assert compound_predictor.main(["--losses", "--store", str(tmp_path / "store")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:5]] == ["| road", "| waves", "| all"]
    arguments = ["--export", str(tmp_path / "GPU.json"), "--store", str(tmp_path / "store")]
    assert compound_predictor.main(arguments) == 0
    exported = library.recorded("GPU", tmp_path)
    assert [each.matrix for each in exported] == [*two_families]
    assert exported[0].times[VARIANTS[2].name] == 3.0
    assert compound_predictor.main(["--losses", "--store", str(tmp_path / "other")]) == 2
    assert "devices in the file: none" in capsys.readouterr().err


def test_predictions_are_measured_beside_what_the_search_found(two_families, monkeypatch, tmp_path, capsys):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(predictor, "TREES", 5)
    monkeypatch.setattr(predictor, "PREDICTED", 2)
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    for module, pool in ((compound_held_out, "learners"), (compound_predictor, "matrix_makers")):
        monkeypatch.setattr(module, pool, lambda: ThreadPoolExecutor(1))
    monkeypatch.setattr(compilation.Compilers, "begin", lambda self, entry, real, variants: [])
    with TuningStore(tmp_path / "store") as store:
        for name in two_families:
            search = Search(INFO.name, "complex", "float64", name)
            store.begin(search, features_of(small()))
            for number, variant in enumerate(VARIANTS[:4]):
                store.add(search, variant.name, Timing(4.0 - number, 2))

    def tuning(matrix, name, store, device, *, choose, **_):
        search = Search(device, matrix.entry.name, str(matrix.dtype), name)
        store.begin(search, features_of(matrix))
        tried = choose(features_of(matrix), VARIANTS[:3])
        yield tried
        for variant in tried:
            store.add(search, variant.name, Timing(2.0 if variant == VARIANTS[3] else 3.0, 2))
        return Found(VARIANTS[3], Timing(2.0, 2), {}, complete=True)

    monkeypatch.setattr(on_device, "tuning_on_device", tuning)
    out = tmp_path / "held-out.json"
    assert compound_held_out.main(["--store", str(tmp_path / "store"), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "| all | 3 | 50.0 % | 50.0 % |" in told
    assert compound_held_out.main(["--report", str(out)]) == 0
    assert capsys.readouterr().out.splitlines() == told.splitlines()[-len(two_families) - 3 :]
    out.write_text("[]")
    assert compound_held_out.main(["--report", str(out)]) == 2
    assert f"{out} is no file of held-out records" in capsys.readouterr().err
    assert compound_held_out.main([]) == 2
    assert "--store and --out are needed" in capsys.readouterr().err


def test_what_was_found_on_another_gpu_is_not_measured_here(two_families, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    with TuningStore(tmp_path / "store") as store:
        search = Search("another GPU", "complex", "float64", two_families[0])
        store.begin(search, features_of(small()))
        store.add(search, VARIANTS[0].name, Timing(1.0, 2))
    arguments = ["--store", str(tmp_path / "store"), "--out", str(tmp_path / "out.json")]
    assert compound_held_out.main(arguments) == 2
    assert f"has no search on {INFO.name}" in capsys.readouterr().err


def test_a_variant_that_cannot_be_launched_is_passed_over():
    made = compound_held_out.HeldOut("a", "float32", ["x", "y", "z"], "w", {"y": 3.0, "z": 2.0, "w": 2.0})
    assert (made.ratio(1), made.ratio(8)) == (1.5, 1.0)
    assert not compound_held_out.HeldOut("a", "float32", ["x"], "w", {"w": 2.0}).usable


def test_the_search_stands_beside_predictions():
    made = compound_held_out.HeldOut("a/1", "float32", ["x", "y"], "w", {"x": 3.0, "y": 2.0, "w": 4.0})
    assert (made.ratio(1), made.ratio(8), made.search_ratio) == (1.5, 1.0, 2.0)
    assert "| a | 1 | 50.0 % | 0.0 % | 100.0 % |" in compound_held_out.report([made])


def test_those_near_the_best_are_timed_again():
    times = {each.name: Timing(10.0 + number, 1) for number, each in enumerate(VARIANTS)}
    times[VARIANTS[0].name] = None
    assert compound_exhaustive.near_the_best(VARIANTS, times) == VARIANTS[1:2]
    times[VARIANTS[3].name] = Timing(11.8, 1)
    assert compound_exhaustive.near_the_best(VARIANTS, times) == [VARIANTS[1], VARIANTS[3]]
