"""The fuzzers find nothing in a short time, and would find what is wrong."""

import ctypes
import faulthandler
import os
import random
import signal
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse

from tests.data.plain_readers import Plain, Refused
from tests.fuzz import (
    archives,
    arrays,
    assembly,
    campaign,
    commands,
    grader_submissions,
    harwell_boeing,
    hostile_cache,
    hostile_programs,
    journals,
    machine_files,
    matrix_cache,
    matrix_market,
    odd_names,
    program_files,
    recorded_results,
    result_files,
    sweep_folders,
    sweep_stores,
    trace_consumers,
    user_semantics,
)
from tests.fuzz.campaign import Case, Fuzzer, Tally, fuzz, left_of, main, outcome
from tests.fuzz.guarded_pages import guarded
from vecsim.data import Matrix
from vecsim.results import private_files
from vecsim.support.errors import UserError

FUZZERS = [matrix_market.FUZZER, harwell_boeing.FUZZER, archives.FUZZER]
OF_KEPT = [journals.FUZZER, recorded_results.FUZZER]
OF_RESULTS = [result_files.FUZZER, sweep_folders.FUZZER]
OF_COMMANDS = [machine_files.FUZZER, assembly.FUZZER, program_files.FUZZER, arrays.FUZZER]
RIGHT = Case("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n")
WRONG = Case("a.mtx", RIGHT.data.replace(b"5", b"x"))


def total(tallies):
    built = Tally()
    for tally in tallies:
        built.add(tally)
    return built


@pytest.mark.parametrize(
    ("fuzzer", "cases"),
    [
        (FUZZERS[0], 100),
        *(pytest.param(each, 80, marks=pytest.mark.ci) for each in (*FUZZERS, *OF_KEPT, *OF_COMMANDS)),
    ],
    ids=lambda fuzzer_or_cases: getattr(fuzzer_or_cases, "name", str(fuzzer_or_cases)),
)
def test_a_short_time_of_fuzzing(fuzzer, cases):
    actual = total(fuzz(fuzzer, 0, cases, jobs=1, batch=cases // 2))
    assert actual.findings == []
    assert actual.counts.total() == cases
    assert actual.counts["read"] >= cases // 5
    assert actual.counts["refused"] >= cases // (80 if fuzzer is recorded_results.FUZZER else 5)


@pytest.mark.ci
@pytest.mark.parametrize("fuzzer", OF_RESULTS, ids=lambda fuzzer: fuzzer.name)
def test_a_short_time_of_damaged_results(fuzzer):
    actual = total(fuzz(fuzzer, 0, 100, jobs=1, batch=100))
    assert actual.findings == []
    assert actual.counts["read"] >= 20
    assert actual.counts["refused"] >= 40


@pytest.mark.ci
def test_a_short_time_of_damaged_downloads():
    actual = total(fuzz(matrix_cache.FUZZER, 0, 60, jobs=1))
    assert actual.findings == []
    assert actual.counts["kept"] >= 10
    assert actual.counts["downloaded"] >= 30


# A record of 20,000 brackets, one whose address is another text.
@pytest.mark.parametrize("seed", [31, 232])
def test_a_download_that_was_found_damaged(seed, tmp_path):
    word, wrong = matrix_cache.FUZZER.outcome(matrix_cache.FUZZER.case(seed), tmp_path)
    assert word in ("kept", "downloaded")
    assert wrong == ""


@pytest.mark.nightly
def test_a_short_time_of_traces_as_others_read_them():
    actual = total(fuzz(trace_consumers.FUZZER, 0, 30, jobs=1))
    assert actual.findings == []
    assert actual.counts["whole"] >= 5
    assert actual.counts["window"] >= 10


@pytest.mark.nightly
def test_a_time_of_odd_names():
    """In the other tiers `tests/cli/test_odd_names.py` takes every command."""
    odd_names.compile_first()
    actual = total(fuzz(odd_names.FUZZER, 0, 2000, jobs=2, batch=100))
    assert actual.findings == []
    assert actual.counts["done"] >= 1900


@pytest.mark.ci
@pytest.mark.parametrize(
    "count",
    [3, pytest.param(1000, marks=pytest.mark.nightly)],
)
def test_a_byte_of_a_store_that_has_changed(count):
    actual = total(fuzz(sweep_stores.ONE_BYTE, 0, count, jobs=1))
    assert actual.findings == []
    assert actual.counts.keys() <= {"same", "missing", "again", "aside"}
    assert actual.counts.total() == count


@pytest.mark.parametrize(
    "count", [pytest.param(60, marks=pytest.mark.ci), pytest.param(5000, marks=pytest.mark.nightly)]
)
def test_a_short_time_of_damaged_stores(count):
    actual = total(fuzz(sweep_stores.FUZZER, 0, count, jobs=1))
    assert actual.findings == []
    for word, share in (("same", 0.2), ("again", 0.2), ("missing", 0.05), ("aside", 0.05), ("refused", 0.01)):
        assert actual.counts[word] >= count * share, actual.counts


@pytest.mark.ci
def test_a_short_time_of_submissions():
    actual = total(fuzz(grader_submissions.FUZZER, 0, 60, jobs=1))
    assert actual.findings == []
    assert actual.counts["passed"] >= 2
    assert {"assembly", "wrong"} <= actual.counts.keys()


@pytest.mark.parametrize(
    ("engines", "count"),
    [(("simpy", "simpy"), 12), pytest.param(user_semantics.ENGINES, 150, marks=pytest.mark.nightly)],
    ids=lambda each: str(each),
)
def test_a_short_time_of_semantics(engines, count, tmp_path, monkeypatch):
    """Without the compiled engine, which takes long to compile, in the default tier."""
    monkeypatch.setattr(user_semantics, "ENGINES", engines)
    actual = Counter()
    for seed in range(count):
        word, wrong = user_semantics.FUZZER.outcome(user_semantics.FUZZER.case(seed), tmp_path)
        assert wrong == ""
        actual[word] += 1
    assert actual.keys() == {"value", "error"}
    assert min(actual.values()) >= count // 6


@pytest.mark.ci
def test_a_submission_that_is_too_large(tmp_path):
    case = Case("my.s", bytes(70_000), ("exercise-01", "0", "0"))
    assert grader_submissions.FUZZER.outcome(case, tmp_path) == ("too large", "")


@pytest.mark.ci
def test_a_short_time_of_hostile_programs():
    actual = total(fuzz(hostile_programs.FUZZER, 0, 160, jobs=1))
    assert actual.findings == []
    assert actual.counts["ran"] >= 32
    assert actual.counts["fault"] >= 80


@pytest.mark.ci
@pytest.mark.parametrize(
    "way",
    [
        pytest.param("another part", marks=pytest.mark.ci),  # it compiles an engine
        "foreign code, file of another user",
        "foreign code, folder writable by all",
    ],
)
def test_a_hostile_cache_of_compiled_code_changes_no_result(way, tmp_path):
    word, wrong = hostile_cache.FUZZER.outcome(hostile_cache.case_of(way, "single_port"), tmp_path)
    assert word in ("compiled", "not tried")
    assert wrong == ""


@pytest.mark.ci
def test_every_page_of_every_file_of_the_cache_is_damaged(tmp_path):
    good = hostile_cache.good_code()
    assert {"single_port", "multiport_loop"} < good.keys()
    sampled = list(hostile_cache.fixed())
    for part, content in good.items():
        private_files.write(tmp_path / part, content)
        pages = -(-(tmp_path / part).stat().st_size // hostile_cache.PAGE)
        for way in ("flip", "zeroed page"):
            numbers = [int(rest[0]) for built, of, *rest in sampled if (built, of) == (way, part)]
            assert numbers == list(range(pages))


@pytest.mark.parametrize(
    "count", [pytest.param(30, marks=pytest.mark.nightly), pytest.param(1000, marks=pytest.mark.nightly)]
)
def test_more_hostile_caches(count):
    hostile_cache.good_code()
    actual = total(fuzz(hostile_cache.FUZZER, 0, count, jobs=1))
    assert actual.findings == []
    assert actual.counts["compiled"] >= count * 0.8


@pytest.mark.nightly
def test_foreign_code_in_a_private_file_would_show():
    hostile_cache.good_code()
    for part in hostile_cache.FILES:
        actual = total(fuzz(_Control(part=part), 0, 1, jobs=1))
        assert [finding.what for finding in actual.findings] == [
            f"crash: its process ended with code {hostile_cache.FOREIGN}"
        ]


@dataclass(frozen=True)
class _Control(hostile_cache.CacheFuzzer):
    """Foreign code that may run."""

    part: str = "single_port"
    name: str = "control"

    def case(self, seed):
        return hostile_cache.case_of(hostile_cache.CONTROL, self.part)


def test_what_is_after_a_guarded_array_ends_the_process():
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        array = guarded(100)
        array[:] = 1
        ctypes.memset(array.ctypes.data + len(array), 1, 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGSEGV


@pytest.mark.parametrize(
    "fuzzer",
    [
        *FUZZERS,
        *OF_KEPT,
        *OF_COMMANDS,
        hostile_programs.FUZZER,
        hostile_cache.FUZZER,
        grader_submissions.FUZZER,
        sweep_stores.FUZZER,
        trace_consumers.FUZZER,
        odd_names.FUZZER,
        user_semantics.FUZZER,
    ],
    ids=lambda fuzzer: fuzzer.name,
)
def test_a_seed_names_a_case(fuzzer):
    cases = [fuzzer.case(seed) for seed in range(50)]
    assert cases == [fuzzer.case(seed) for seed in range(50)]
    assert len({(case.data, case.arguments) for case in cases}) > 35


SHORT = Case("a.s", b"    halt\n")


@pytest.mark.parametrize(
    ("ending", "word", "wrong"),
    [
        ((0, "text", ""), "read", ""),
        ((0, "wrong text", ""), "read", "the output"),
        ((2, "", "vecsim: error: {path}:1:1: wrong\n"), "refused", ""),
        ((2, "", "vecsim: error: --set banks: wrong\n"), "refused", ""),
        ((2, "text", "vecsim: error: {path}: wrong\n"), "message", "is not all there is"),
        ((2, "", "vecsim: note\nvecsim: error: {path}: wrong\n"), "message", "is not all there is"),
        ((2, "", "vecsim: error: wrong\n"), "message", "names no file"),
        ((2, "", "vecsim: error: {path}: wrong\nand more\n"), "message", "more lines"),
        ((2, "", "vecsim: error: {path}: \x1b[1m\n"), "message", "printable"),
        ((2, "", "vecsim: error: {path}: " + "x" * 2_000 + "\n"), "message", "is long"),
        ((1, "", ""), "exit code", "it is 1"),
        (ValueError("5"), "traceback", "ValueError: 5"),
    ],
)
def test_what_is_a_finding_of_a_command(monkeypatch, tmp_path, ending, word, wrong):
    def called(arguments):
        if isinstance(ending, Exception):
            raise ending
        return ending[0], ending[1], ending[2].replace("{path}", arguments[-1])

    def check(case, path, out):
        return "" if out == "text" else "the output"

    monkeypatch.setattr(commands, "called", called)
    fuzzer = commands.CommandFuzzer("some", lambda source: SHORT, lambda case, path: [str(path)], check)
    actual = fuzzer.outcome(SHORT, tmp_path)
    assert actual[0] == word
    assert wrong in actual[1]
    assert bool(wrong) == bool(actual[1])
    assert list(tmp_path.iterdir()) == []


def test_a_command_is_called_in_this_process(tmp_path):
    (tmp_path / "a.s").write_bytes(SHORT.data)
    code, out, err = commands.called(["asm", str(tmp_path / "a.s"), "--listing"])
    assert (code, err) == (0, "")
    assert "halt" in out
    assert commands.called(["asm", str(tmp_path / "b.s")])[::2] == (
        2,
        f"vecsim: error: {tmp_path / 'b.s'}: no such file; check the path\n",
    )


# Where the reader and the judge once disagreed: malformed records of PAX, a global header
# before the end of the archive, a long name that is empty, two of them for one file, one
# with more after it than belongs to it; damage of the packed bytes after the archive;
# a file of -1 bytes, a link of as many.
DISAGREED = {
    archives.FUZZER: (
        101958, 106305, 106768, 108088, 110516, 111117, 111254, 112560, 114243, 116281, 118766, 200528,
        208897, 236053, 263223, 1022024, 1091361, 1401797,
    )
}  # fmt: skip


@pytest.mark.parametrize(
    ("fuzzer", "seed"), [(fuzzer, seed) for fuzzer, seeds in DISAGREED.items() for seed in seeds]
)
def test_a_case_that_was_found(fuzzer, seed, tmp_path):
    word, wrong = outcome(fuzzer, fuzzer.case(seed), tmp_path)
    assert word in ("read", "refused")
    assert wrong == ""


def given(values=((0, 5), (0, 0)), shape=(2, 2)):
    csr = scipy.sparse.csr_array(np.array(values, dtype=float)[: shape[0], : shape[1]])
    return lambda path: Matrix("a", csr, str(path))


def raised(error):
    def read(path):
        raise error(str(path)) if callable(error) else error

    return read


@pytest.mark.parametrize(
    ("case", "read", "word", "wrong"),
    [
        (RIGHT, given(), "read", ""),
        (RIGHT, given(((0, 6), (0, 0))), "read", "at (0, 1) it has 6.0, not 5.0"),
        (RIGHT, given(((5, 0), (0, 0))), "read", "it has entries at other places"),
        (RIGHT, given(((5, 5), (0, 0))), "read", "it has entries at other places"),
        (RIGHT, given(shape=(1, 2)), "read", "it has the shape (1, 2), not (2, 2)"),
        (WRONG, given(), "accepted", "the judge refuses it: no digits"),
        (WRONG, raised(lambda path: UserError(f"{path}, line 3: no number")), "refused", ""),
        (
            RIGHT,
            raised(lambda path: UserError(f"{path}, line 3: no number")),
            "too strict",
            "the judge takes it",
        ),
        (RIGHT, raised(lambda path: UserError(f"{path}: VECSIM_MEMORY_LIMIT")), "beyond limits", ""),
        (WRONG, raised(lambda path: UserError("no number")), "message", "does not begin with the file"),
        (WRONG, raised(lambda path: UserError(f"{path}: a\nb")), "message", "is not one printable line"),
        (WRONG, raised(lambda path: UserError(f"{path}: \x1b[1m")), "message", "is not one printable line"),
        (WRONG, raised(lambda path: UserError(f"{path}: {'x' * 2000}")), "message", "is long"),
        (WRONG, raised(ValueError("5")), "traceback", "ValueError: 5"),
        (WRONG, raised(MemoryError()), "traceback", "MemoryError"),
    ],
)
def test_what_is_a_finding(monkeypatch, tmp_path, case, read, word, wrong):
    monkeypatch.setattr(campaign, "read", read)
    actual = outcome(matrix_market.FUZZER, case, tmp_path)
    assert actual[0] == word
    assert wrong in actual[1]
    assert bool(wrong) == bool(actual[1])
    assert list(tmp_path.iterdir()) == []


def deadly(source: random.Random) -> Case:
    """The first number of seed 7 ends the process that asks for it."""
    if source.random() == random.Random("deadly 7").random():
        os.kill(os.getpid(), signal.SIGKILL)
    return RIGHT


def fitting(case: Case) -> Plain:
    plain = Plain(2, 2)
    plain.add(0, 1, 5.0, "general")
    return plain


def refusing(case: Case) -> Plain:
    raise Refused("never")


@pytest.mark.nightly
def test_a_process_that_dies_is_a_finding_and_the_others_go_on():
    actual = total(fuzz(Fuzzer("deadly", deadly, fitting), 0, 20, jobs=1, batch=10))
    assert actual.counts == Counter({"read": 19, "crash": 1})
    (finding,) = actual.findings
    assert (finding.seed, finding.what) == (7, f"crash: its process ended with code {-signal.SIGKILL}")


def harmless(source: random.Random) -> Case:
    return RIGHT


@pytest.mark.nightly
def test_the_command_keeps_what_it_finds(tmp_path, capsys):
    wrong = Fuzzer("harmless", harmless, refusing)
    arguments = ["--first", "5", "--count", "3", "--jobs", "1", "--keep", str(tmp_path / "kept")]
    assert main(wrong, arguments) == 1
    out = capsys.readouterr().out
    assert "seed 5: accepted: the judge refuses it: never" in out
    assert "harmless: 3 cases" in out
    assert "3 findings; go on with --first 8" in out
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["5-a.mtx", "6-a.mtx", "7-a.mtx"]
    assert main(wrong, ["--show", "5"]) == 0
    assert "accepted: the judge refuses it: never" in capsys.readouterr().out
    assert main(Fuzzer("harmless", harmless, fitting), ["--count", "2", "--jobs", "1"]) == 0


@pytest.mark.parametrize(
    ("done", "left"),
    [
        ([], [(0, 10)]),
        ([(0, 4)], [(4, 10)]),
        ([(8, 10), (2, 3), (3, 4)], [(0, 2), (4, 8)]),
        ([(5, 50)], [(0, 5)]),
        ([(20, 30)], [(0, 10)]),
        ([(0, 6), (1, 2), (4, 10)], []),
    ],
)
def test_seeds_that_are_left(done, left):
    assert list(left_of((0, 10), done)) == left


@pytest.mark.nightly
def test_a_run_goes_on_where_its_journal_ends(tmp_path, capsys):
    fitting_fuzzer, wrong = Fuzzer("harmless", harmless, fitting), Fuzzer("harmless", harmless, refusing)
    journal = ["--jobs", "1", "--journal", str(tmp_path / "journal")]
    assert main(fitting_fuzzer, ["--count", "3", *journal]) == 0
    assert "harmless: 3 cases in" in capsys.readouterr().out
    assert main(wrong, ["--count", "5", *journal]) == 1
    out = capsys.readouterr().out
    assert "seed 3: " in out and "seed 4: " in out and "seed 2: " not in out
    assert "harmless: 2 cases" in out and "3 before: 2 accepted, 3 read; 2 findings" in out
    # A finding of an earlier run may have been mended since.
    assert main(fitting_fuzzer, ["--count", "5", *journal]) == 0
    out = capsys.readouterr().out
    assert "harmless: 0 cases" in out and "; 0 findings, and 2 of earlier runs in the journal; " in out


@pytest.mark.parametrize("content", [b"text\n", b""])
def test_a_file_that_is_not_a_journal_is_refused_in_one_line(content, tmp_path, capsys):
    path = tmp_path / "journal" if content else tmp_path
    if content:
        path.write_bytes(content)
    assert main(Fuzzer("harmless", harmless, fitting), ["--count", "1", "--journal", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"harmless: error: {path}")
    assert error.count("\n") == 1
