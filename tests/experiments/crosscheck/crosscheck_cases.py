"""Results of a cross-check that are worked by hand."""

from experiments.crosscheck.products import Check, CrossCheck
from experiments.crosscheck.results import Checked
from programs.registry import PROGRAMS
from vecsim.cli.printing.output import to_json


def checked(name, cycles, times, entries=1000, rows=100, apart=0.0):
    """A matrix with these cycles, by program, and these times, by format."""
    checks = tuple(
        Check(
            program.name,
            program.format,
            {"SciPy": 1e-7, "simulator": 2e-7, "GPU": 3e-7},
            {"SciPy - simulator": 0.0, "SciPy - GPU": 1e-8, "simulator - GPU": apart},
            image_bytes=1000 * (1 + number),
            cycles=cycles[program.name],
            program_sha256=64 * "c",
            gpu_bytes=2000,
            gpu_us=times[program.format],
            gpu_spread=0.01,
        )
        for number, program in enumerate(PROGRAMS.values())
    )
    return Checked(name, rows, rows, entries, CrossCheck(checks, 1e-6, 20))


def numbers(*values):
    """Cycles or times of crs, jd, bbcs, hism, chism."""
    return dict(zip(PROGRAMS, values, strict=False))


def written(results, path):
    path.write_text(to_json(results.document()))
    return path
