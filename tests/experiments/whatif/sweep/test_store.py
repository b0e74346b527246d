"""A damaged store gives the right table, and one line; what never was a store stays as it is."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from experiments.whatif.sweep import Sweep, sweep
from experiments.whatif.sweep.cell import Cell, ImageRecord, checksum_of, content_of
from experiments.whatif.sweep.store import Store
from vecsim.support.errors import UserError

SPEC = Sweep(("laplace2d-3",), ("jd",), set={"banks": tuple(range(4, 24))})
GOOD = Cell(7, 3, 8, 0.5, 1e-8, 16, {"port": 7})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "whole"
    return path, sweep(SPEC, store=path, jobs=1)


@pytest.fixture
def path(whole, tmp_path):
    return shutil.copy(whole[0], tmp_path / "s")


def again(path, whole, capsys):
    """Sweep again; returns how many cells were computed, and the lines that were printed."""
    table = sweep(SPEC, store=path, jobs=1)
    assert table.columns == whole[1].columns
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    more = sweep(SPEC, store=path, jobs=1)
    assert (more.columns, more.computed, capsys.readouterr().err) == (table.columns, 0, "")
    return table.computed, lines


def changed(path, statement, *parameters):
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema=ON")
        return database.execute(statement, parameters).fetchall()


def row(path):
    return changed(path, "SELECT key, content, checksum FROM cells ORDER BY key LIMIT 1")[0]


@pytest.mark.parametrize("content", ["{", "[]", '{"cycles": "5"}', "null", b"\x00\xff", b"", 5, "[" * 9999])
def test_a_damaged_cell_is_computed_again(path, whole, capsys, content):
    changed(path, "UPDATE cells SET content = ? WHERE key = ?", content, row(path)[0])
    assert again(path, whole, capsys) == (1, [f"{path}: 1 damaged cell: computed again"])


def test_a_digit_that_changed_is_found(path, whole, capsys):
    key, content, _ = row(path)
    at = len('{"cycles":')
    other = content[:at] + str((int(content[at]) + 1) % 10) + content[at + 1 :]
    changed(path, "UPDATE cells SET content = ? WHERE key = ?", other, key)
    assert again(path, whole, capsys)[0] == 1


def test_cells_that_changed_places_are_found(path, whole, capsys):
    changed(path, "UPDATE cells SET key = 'x' || key")
    keys = [key for (key,) in changed(path, "SELECT key FROM cells ORDER BY key")]
    for key, other in zip(keys, keys[1:] + keys[:1], strict=True):
        changed(path, "UPDATE cells SET key = ? WHERE key = ?", other.removeprefix("x"), key)
    assert again(path, whole, capsys)[0] == 20


@pytest.mark.parametrize(
    "change",
    [
        {"cycles": 0},
        {"cycles": -1},
        {"cycles": 8},
        {"cycles": 7.0},
        {"cycles": True},
        {"cycles": [7]},
        {"cycles": None},
        {"cycles": 1 << 63},
        {"instructions": 0},
        {"bytes_moved": -1},
        {"peak_share": -0.5},
        {"peak_share": float("inf")},
        {"peak_share": "0.5"},
        {"peak_share": float("nan")},
        {"relative_error": -1.0},
        {"relative_error": None},
        {"storage_bytes": "16"},
        {"cycles_by_cause": None},
        {"cycles_by_cause": {"port": 7.0}},
        {"cycles_by_cause": [7]},
        {"fault": None},
        {"fault": 0},
        {"more": 1},
    ],
)
def test_a_record_that_is_no_cell_is_missing(tmp_path, change):
    with Store(tmp_path / "s") as store:
        store.keep({"good": GOOD})
        assert store.cells(["good"]) == {"good": GOOD}
        odd = Cell()
        vars(odd).update(vars(GOOD) | change)
        store.keep({"odd": odd})
        assert store.cells(["odd"]) == {}
        assert store.damaged == {"odd"}


@pytest.mark.parametrize("error", [0.0, 0.1 + 0.2, 5e-324, float("inf"), float("nan")])
def test_floats_come_back_as_they_were(tmp_path, error):
    cell = Cell(7, 3, 8, 0.1 + 0.2, error, 16, {"port": 7})
    with Store(tmp_path / "s") as store:
        store.keep({"k": cell})
        assert repr(store.cells(["k"])["k"]) == repr(cell)


def test_the_record_of_an_image_is_checked(tmp_path):
    good = ImageRecord("0" * 64, "1" * 64, {"a.s": "2" * 64})
    with Store(tmp_path / "s") as store:
        for key, record in (
            ("good", good),
            ("no digest", ImageRecord("0" * 63, "1" * 64, {"a.s": "2" * 64})),
            ("no inputs", ImageRecord("0" * 64, "1" * 64)),
        ):
            store.keep({key: record})
        assert store.image("good") == good
        assert store.image("no digest") is store.image("no inputs") is store.image("none") is None


def test_a_checksum_is_of_table_key_and_content():
    content = content_of(GOOD)
    actual = {
        checksum_of(kind, key, text)
        for kind in (Cell, ImageRecord)
        for key in ("a", "b")
        for text in (content, content + b" ")
    }
    assert len(actual) == 8


DAMAGE = {
    "the magic": lambda path: overwrite(path, 3, b"x"),
    "the page size": lambda path: overwrite(path, 16, b"\x03"),
    "the layout": lambda path: overwrite(path, 63, b"\x09"),
    "the application": lambda path: overwrite(path, 70, b"\x09"),
    "the text of a table": lambda path: replaced(path, b"checksum TEXT", b"checksun TEXT"),
    "no text in the schema": lambda path: replaced(path, b"CREATE TABLE cells", b"CREATE \xff\xfeBLE cells"),
    "no SQL in the schema": lambda path: replaced(path, b"CREATE TABLE cells", b"CREATE TABEL cells"),
    "lines in the schema": lambda path: replaced(path, b"CREATE TABLE cells", b"CREATE \n\x1b\rBLE cells"),
    "a column": lambda path: changed(path, "ALTER TABLE cells ADD COLUMN more"),
    "another table": lambda path: changed(path, "CREATE TABLE more (x)"),
    "a trigger": lambda path: changed(
        path, "CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM cells; END"
    ),
    "no table": lambda path: changed(path, "DROP TABLE cells"),
    "zeros": lambda path: overwrite(path, 4096, bytes(4096)),
    "random bytes": lambda path: overwrite(path, 4096, os.urandom(4096)),
    "cut off": lambda path: os.truncate(path, 5000),
    "cut off in the head": lambda path: os.truncate(path, 50),
}


def overwrite(path, at, content):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def replaced(path, old, new):
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_database_is_set_aside(path, whole, capsys, damage):
    damage(path)
    before = path.read_bytes()
    computed, lines = again(path, whole, capsys)
    assert computed in (0, 20)
    assert len(lines) == 1
    assert "set aside as s.1; " in lines[0] and "all other cells are computed again" in lines[0]
    assert path.with_name("s.1").read_bytes() == before


def test_a_database_whose_head_forbids_to_write(path, whole, capsys):
    changed(path, "UPDATE cells SET content = '' WHERE key = ?", row(path)[0])
    overwrite(path, 18, b"\x07")
    computed, lines = again(path, whole, capsys)
    assert computed == 1
    assert len(lines) == 2
    assert "set aside as s.1; 20 of its rows are used" in lines[1]  # 19 cells and an image


def test_what_can_be_read_of_a_damaged_database_is_taken_over(tmp_path, capsys):
    path = tmp_path / "s"
    with Store(path) as store:
        for number in range(1000):
            store.keep({f"{number:04}": GOOD})
    pages, leaf = path.read_bytes(), b"\x0a"  # what a leaf of an index begins with
    leaves = [at for at in range(0, len(pages), 4096) if pages[at : at + 1] == leaf]
    overwrite(path, leaves[len(leaves) // 2], os.urandom(4096))
    with Store(path) as store:
        actual = store.cells(f"{number:04}" for number in range(1000))
    assert 900 < len(actual) < 1000
    assert all(each == GOOD for each in actual.values())
    assert "set aside as s.1" in capsys.readouterr().err


def test_a_store_of_an_earlier_version_is_set_aside(tmp_path, capsys):
    path = tmp_path / "s"
    with closing(sqlite3.connect(path)) as database:
        for name, column in (("cells", "content"), ("images", "digest")):
            database.execute(
                f"CREATE TABLE IF NOT EXISTS {name} (key TEXT PRIMARY KEY, {column} TEXT NOT NULL) "
                "WITHOUT ROWID"
            )
        database.execute("PRAGMA user_version=1")
    assert sweep(SPEC, store=path, jobs=1).computed == 20
    assert capsys.readouterr().err == (
        f"{path}: its tables are not those of this version of vecsim: set aside as s.1; 0 of its rows are "
        "used, all other cells are computed again\n"
    )


@pytest.mark.parametrize(
    "content", [b"no database, but a text that is long enough to be taken for one" * 20, b"a,b\n1,2\n"]
)
def test_something_else_is_no_store(tmp_path, content):
    path = tmp_path / "s"
    path.write_bytes(content)
    with pytest.raises(UserError, match=f"{path}: is not a store of cells: name another --store"):
        Store(path)
    assert path.read_bytes() == content
    assert {each.name for each in tmp_path.iterdir()} <= {"s", "s.lock"}


@pytest.mark.parametrize("statement", ["CREATE TABLE images (id INTEGER, name)", "PRAGMA user_version=99"])
def test_the_database_of_another_program_stays_as_it_is(tmp_path, statement):
    path = tmp_path / "s"
    changed(path, statement)
    before = path.read_bytes()
    with pytest.raises(UserError, match=f"{path}: is a database of another program"):
        Store(path)
    assert path.read_bytes() == before


def test_what_is_no_file_is_no_store(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(UserError, match=f"{path}: is a (directory|pipe), a file of kept results"):
            Store(path)


def test_a_store_that_is_set_aside_while_it_is_open(path, whole, capsys):
    """What a process has open is renamed by another, which finds it damaged."""
    with Store(path) as first:
        first.keep({"before": GOOD})
        changed(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        overwrite(path, 63, b"\x09")
        with Store(path) as second:
            second.keep({"other": GOOD})
            first.keep({"after": GOOD})
            assert second.cells(["before", "after", "other"]).keys() >= {"after", "other"}
    assert capsys.readouterr().err.count("\n") == 1
