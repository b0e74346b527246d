import pytest
from crosscheck_cases import checked, numbers

from experiments.crosscheck.results import Results
from vecsim.machine import load_machine


@pytest.fixture
def results():
    """Three matrices, two of them in the list: JD over CRS falls on both machines, BBCS only in one."""
    return Results(
        (
            checked("gre_185", numbers(100, 80, 50, 20, 30), numbers(4.0, 3.0, 5.0, 2.0)),
            checked("memplus", numbers(100, 60, 40, 30, 20), numbers(4.0, 2.0, 6.0, 5.0), entries=60_000),
            checked("mine", numbers(100, 40, 30, 20, 10), numbers(4.0, 1.0, 7.0, 8.0)),
        ),
        {"qc324": "not found"},
        {"name": "A GPU"},
        load_machine("vs2003"),
        "jit",
        0,
        32,
        "2026-11-21T21:50:00+00:00",
        "abc",
    )
