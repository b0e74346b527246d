"""``python -m vecsim gpu`` where nothing but NumPy, SciPy, Numba and numba-cuda is installed."""

import json
import subprocess
import sys

import pytest

from gpu.measure import ceilings
from gpu.runtime import device_info
from gpu.runtime.cuda_driver import NoGpuError
from tests.cli.test_gpu import CEILINGS, INFO
from vecsim.cli import gpu_alone
from vecsim.cli.commands import gpu_commands
from vecsim.cli.printing import console

MISSING = ("typer", "click", "rich", "pydantic", "lark", "simpy", "requests", "platformdirs", "tomlkit")
"""What vecsim depends on beside those four."""
WITHOUT = f"import sys\nfor name in {MISSING}: sys.modules[name] = None\nfrom vecsim.cli import main\n"


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr(console, "RICH", False)


def test_info_as_plain_text(plain, monkeypatch, capsys):
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    assert gpu_alone.main(["gpu", "info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["GPU", "Fake", "GPU"]
    assert set(lines[1]) == {"-"}
    rows = dict(line.rsplit(maxsplit=1) for line in lines[2:])
    assert rows["compute capability"] == "9.0"
    assert rows["driver"] == "-"


def test_ceilings_as_plain_text_and_json(plain, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(ceilings, "measure_ceilings", lambda watch: CEILINGS)
    target = tmp_path / "ceilings.json"
    assert gpu_alone.main(["gpu", "ceilings", "--json", str(target)]) == 0
    lines = capsys.readouterr().out.splitlines()
    gather = next(line for line in lines if line.startswith("64 KiB"))
    header = next(line for line in lines if line.startswith("gather from"))
    assert gather.split()[2:] == ["900.00", "-"]
    assert len(gather[: gather.index("900.00") + 6]) == header.index("G/s") + 3, "numbers stand on the right"
    assert json.loads(target.read_text())["copy_gb_per_s"] == 4275.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "gre_185"], "typer is missing, without which there is `vecsim gpu` alone: pip install ."),
        (["gpu", "bench", "--quic"], "unrecognized arguments: --quic; see `vecsim gpu --help`"),
        (["gpu"], "the following arguments are required: COMMAND; see `vecsim gpu --help`"),
        (["gpu", "info"], f"vecsim gpu info: no GPU was found: {gpu_commands.WITHOUT_A_GPU}"),
    ],
)
def test_mistakes_end_in_one_line(plain, monkeypatch, capsys, arguments, message):
    def missing():
        raise NoGpuError("no GPU was found")

    monkeypatch.setattr(device_info, "driver", missing)
    assert gpu_alone.main(arguments) == 2
    assert capsys.readouterr().err == f"vecsim: error: {message}\n"


def test_help_names_the_options(capsys):
    assert gpu_alone.main(["gpu", "bench", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(option in shown for option in ("--json", "--only", "--quick", "FILE.journal"))


def test_nothing_else_is_imported():
    # With a GPU it shows what there is, without one it says so; neither needs what is missing.
    code = f"{WITHOUT}import experiments.gpu_bench.bench\nraise SystemExit(main(['gpu', 'info']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "error: vecsim gpu info: no GPU was found" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
