"""Files of matrices and meshes are found by VECSIM_MATRICES and VECSIM_MESHES alone, nowhere else."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETS_THEM = ".ci/run"
"""The one file that may set the two variables from a folder next to the clone."""
THIS = "tests/test_named_folders.py"
FOLDER = "sha" + "red"
NAMES_IT = re.compile(rf"""\.\./{FOLDER}|\b{FOLDER}/|["']{FOLDER}["']|\(facts: [^)]*paper|: facts on""")


def lines_naming_it(files):
    """Return file and line of whatever names the folder or its notes."""
    return [
        f"{name}: {line.strip()}"
        for name, text in files
        for line in text.splitlines()
        if NAMES_IT.search(line)
    ]


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if name not in (SETS_THEM, THIS) and path.suffix != ".json" and path.is_file():
            yield name, path.read_text(encoding="utf-8", errors="replace")


def test_no_file_names_a_folder_next_to_the_clone():
    assert lines_naming_it(tracked()) == []


def test_the_scan_finds_what_it_looks_for():
    texts = [f'Path("{FOLDER}")', f"../{FOLDER}/meshes", f"from {FOLDER}/matrices", "bytes (facts: a paper)"]
    assert len(lines_naming_it([("x", text) for text in texts])) == len(texts)
    assert lines_naming_it([("x", f"cuda.{FOLDER}.array"), ("x", f"{FOLDER} memory")]) == []
