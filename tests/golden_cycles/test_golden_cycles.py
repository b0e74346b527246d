"""The cycles of the suite are those written down; the command says what differs."""

from dataclasses import replace

import pytest

from experiments.papers.hism import suite
from experiments.papers.hism.suite.origin import is_available, needs_no_file

from . import __main__ as command
from . import recorded
from .running import rows_of

MEMBERS = suite.members()
GENERATED = [member for member in MEMBERS if any(map(needs_no_file, member.origins))]
OF_FILES = [member for member in MEMBERS if member not in GENERATED]
SMALLEST, *OTHERS = GENERATED
EARLIER = [SMALLEST, *OTHERS[::3]]


@pytest.fixture(scope="module")
def written_down():
    return {row.key: row for row in recorded.read()}


def test_there_is_a_row_for_each_matrix_and_preset(written_down):
    assert len(written_down) == len(recorded.read()) == len(MEMBERS) * len(recorded.PRESETS)
    for preset in recorded.PRESETS:
        named = {row.name for row in written_down.values() if row.preset == preset}
        assert named == {member.name for member in MEMBERS}


@pytest.mark.parametrize(
    "member",
    [
        SMALLEST,
        *(pytest.param(member, marks=pytest.mark.ci) for member in OTHERS[::3]),
        *(pytest.param(member, marks=pytest.mark.nightly) for member in MEMBERS if member not in EARLIER),
    ],
    ids=lambda member: member.name,
)
@pytest.mark.usefixtures("real_matrices")
def test_cycles_are_those_written_down(member, written_down):
    if member in suite.missing():
        pytest.skip(f"{member.origin} is not here")
    by_name = {(row.name, row.preset): row for row in written_down.values()}
    for row in rows_of(member):
        expected = by_name[row.name, row.preset]
        if needs_no_file(member.origins[0]):  # the last digits of its values are the host's
            expected = replace(expected, matrix=row.matrix)
        elif not is_available(member.origins[0]):  # made here: its values have more digits
            expected = replace(expected, matrix=row.matrix, results=row.results)
        assert row == expected


class InThisProcess:
    """A substitute for a pool of processes that runs in this one."""

    def __init__(self, jobs, initializer):
        self.map = map

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@pytest.fixture
def golden(monkeypatch, tmp_path):
    """Return a function that calls the command for two members; the second, of a file, is missing."""
    first, second = SMALLEST, OF_FILES[0]
    rows = [row for row in recorded.read() if row.name in (first.name, second.name)]
    monkeypatch.setattr(recorded, "FILE", tmp_path / "cycles.csv")
    recorded.write(rows)
    monkeypatch.setattr(command, "members", lambda: [first, second])
    monkeypatch.setattr(command, "missing", lambda: [second])
    monkeypatch.setattr(command, "ProcessPoolExecutor", InThisProcess)

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["golden_cycles", *arguments])
        return command.main()

    return call


def test_the_command_says_what_is_missing(golden, capsys):
    assert golden() == 0
    out = capsys.readouterr().out
    assert f"1 matrices are missing here: {OF_FILES[0].name}\n3 rows compared, 0 differ" in out


@pytest.mark.parametrize("field", ["crs", "jd", "bbcs", "hism", "chism", "results"])
def test_the_command_finds_one_number_that_differs(golden, capsys, field):
    rows = recorded.read()
    changed = next(row for row in rows if row.name == SMALLEST.name and row.preset == "t0")
    other = "0" * 16 if field == "results" else getattr(changed, field) + 1
    recorded.write(replace(row, **{field: other}) if row is changed else row for row in rows)
    assert golden() == 1
    out = capsys.readouterr().out
    assert f"{SMALLEST.name} on t0: found Row(" in out
    assert "3 rows compared, 1 differ" in out


def test_a_matrix_that_is_not_written_down_differs(golden, capsys):
    recorded.write(row for row in recorded.read() if row.name != SMALLEST.name)
    assert golden() == 1
    assert "written down None" in capsys.readouterr().out


def test_recording_writes_what_was_found_and_needs_every_matrix(golden, monkeypatch, capsys):
    before = recorded.read()
    with pytest.raises(SystemExit):
        golden("--record")
    assert OF_FILES[0].name in capsys.readouterr().err
    assert recorded.read() == before
    monkeypatch.setattr(command, "missing", list)
    monkeypatch.setattr(command, "members", lambda: [SMALLEST])
    assert golden("--record") == 0
    assert recorded.read() == [row for row in before if row.name == SMALLEST.name]
