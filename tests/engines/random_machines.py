"""Machines with random values for every number that a formula may name, and programs on them."""

from engine_runs import trace
from hypothesis import strategies as st
from tiers import examples

few = examples(40)
RATES = st.sampled_from([1, 2, 3, 4, 5, 8, 16])
SMALL = st.integers(0, 3)


def up(n, d):
    return -(-n // d)


@st.composite
def machines(draw, **fixed):
    """Return a random value for every parameter that a formula may name."""
    sampled = {
        "section_size": draw(st.sampled_from([4, 16, 64])),
        "vector_registers": 32,
        "issue_width": draw(st.sampled_from([1, 2, 3, 8])),
        "unit_queue": draw(st.sampled_from([0, 1, 2, 5])),
        "accesses_in_flight": draw(st.sampled_from([1, 2, 3, 7])),
        "startup": draw(st.integers(0, 40)),
        "words_per_cycle": draw(RATES),
        "addresses_per_cycle": draw(RATES),
        "banks": 65536,
        "bank_busy": draw(st.integers(0, 9)),
        "lanes": draw(RATES),
        "chaining": draw(st.booleans()),
        "latency.move": draw(st.integers(1, 30)),
        "latency.add": draw(st.integers(1, 30)),
        "latency.multiply": draw(st.integers(1, 30)),
        "latency.multiply_add": draw(st.integers(1, 30)),
        "latency.sum": draw(st.integers(1, 30)),
    }
    return sampled | fixed


def traced(text, machine, engine):
    changes = [f"{key}={str(value).lower()}" for key, value in machine.items()]
    return trace(text, *changes, engine=engine)


def after_dispatch(row, what="last"):
    return row[what] - row["dispatch"]


def of_length(n, text):
    return f"li x30, {n}\nsetvl x30\n{text}"


def numbered(lines):
    return "\n".join(f"i{i}: {line}" for i, line in enumerate(lines))


def end_of_load(i, machine, T, U):
    """Cycles from the first dispatch to the end of load i of equal loads.

    Up to F startups run at once. If F transfers last longer than one access by itself, transfers follow each
    other; otherwise load i starts when load i - F has ended, and the F of a group end T + U apart.
    """
    S, F = machine["startup"], machine["accesses_in_flight"]
    group = max(S + U + T, F * (U + T))
    return S + U + T + i // F * group + i % F * (U + T)
