import os
from pathlib import Path

import pytest
from report_cases import REPORT

from experiments.report.folder import PAGE, check_folder, files_of, write
from vecsim.support.errors import UserError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(".vecsim"))


def test_a_report_is_files_of_every_kind():
    files = files_of(REPORT)
    of_item = [f"tiny-table1{end}" for end in (".csv", ".md", ".svg", ".png", "-claims.csv")]
    assert sorted(files) == sorted(
        [*of_item, "tiny-fig1.csv", "tiny-fig1.md", "tiny-matrices.csv", "papers.csv", PAGE]
    )
    assert list(files)[-1] == PAGE
    assert all(files.values())


def test_files_are_written_into_a_new_folder(tmp_path):
    write({"a.csv": b"1", "b.md": b"2"}, str(tmp_path / "new" / "deep"))
    assert names(tmp_path / "new" / "deep") == ["a.csv", "b.md"]


def test_files_of_these_names_are_replaced_and_others_stay(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    (tmp_path / "mine.txt").write_text("mine")
    write({"a.csv": b"new"}, str(tmp_path))
    assert names(tmp_path) == ["a.csv", "mine.txt"]
    assert (tmp_path / "a.csv").read_text() == "new"


def test_a_file_is_no_folder(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for name in (file, file / "below"):
        with pytest.raises(UserError, match=r"is a file; name a folder"):
            check_folder(str(name))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match=r"permission denied"):
        check_folder(str(tmp_path / "new"))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no file system that takes no folder")
def test_a_place_where_nothing_can_be_made_is_found_out_by_trying():
    """To root the rights of /proc say that it can be written."""
    with pytest.raises(UserError, match=r"^/proc/x: cannot be written: "):
        check_folder("/proc/x")


def test_nothing_stays_of_the_trial(tmp_path):
    check_folder(str(tmp_path / "new" / "deep"))
    assert not list(tmp_path.iterdir())
