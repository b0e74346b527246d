"""What a results file must hold, in plain code: the judge of `experiments.whatif.compare.layouts`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.data.plain_readers import Refused
from vecsim.machine import Machine, load_machine
from vecsim.results.digests import ADDED_NUMBERS

Json = Any
MOST = 2**63 - 1
ENGINES = ("jit", "jit-multiport", "simpy")
MACHINE = load_machine("vs2003").to_dict()
TEXTS = ("label", "sha256", "file", "based_on", "differences", "taken_from_base", "extensions")


def need(condition: object, what: str) -> None:
    if not condition:
        raise Refused(what)


def is_text(value: Json) -> bool:
    return type(value) is str


def is_name(value: Json) -> bool:
    return is_text(value) and value != ""


def is_digest(value: Json) -> bool:
    return is_text(value) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_whole(value: Json, least: int = 0, most: int = MOST) -> bool:
    return type(value) is int and least <= value <= most


def is_list(value: Json, of: Callable[[Json], bool]) -> bool:
    return type(value) is list and all(map(of, value))


def is_table(value: Json, of: Callable[[Json], bool]) -> bool:
    return type(value) is dict and all(map(is_text, value)) and all(map(of, value.values()))


def record(value: Json, **fields: Callable[[Json], bool]) -> bool:
    """Whether a table has these fields, each as it must be; it may have others."""
    return type(value) is dict and all(name in value and of(value[name]) for name, of in fields.items())


def optional(table: Json, name: str, of: Callable[[Json], bool]) -> None:
    need(name not in table or of(table[name]), name)


def is_engine(value: Json) -> bool:
    return is_text(value) and all(part in ENGINES for part in value.split(", "))


def is_bits(value: Json) -> bool:
    return type(value) is int and value in (32, 64)


def flat(table: Json, prefix: str = "") -> dict[str, Json]:
    actual = {}
    for name, value in table.items():
        inner = flat(value, f"{prefix}{name}.") if type(value) is dict else {}
        actual |= inner or {prefix + name: value}
    return actual


def machine(value: Json) -> None:
    """Judge the numbers of a machine by those of the preset that every file is made with."""
    need(type(value) is dict, "machine")
    for name in ("file", "based_on"):
        need(name in value and (value[name] is None or is_text(value[name])), name)
    need(record(value, label=is_text, sha256=is_digest), "label or digest")
    need(record(value, taken_from_base=lambda v: is_list(v, is_text)), "taken_from_base")
    optional(
        value,
        "extensions",
        lambda v: is_list(v, lambda e: record(e, name=is_name, file=is_text, sha256=is_digest)),
    )
    right = {name: MACHINE[name] for name in Machine.model_fields}
    stated = {name: value[name] for name in value if name in right}
    for name in flat(right):
        need(name in flat(stated) or name in ADDED_NUMBERS or name == "latency", f"machine.{name}")
    same = _same_numbers(stated, right)
    others = [name for name in value if not (name in right or name in TEXTS or value[name] is None)]
    need(same and value["sha256"] == MACHINE["sha256"] and not others, "digest")
    need(not value.get("extensions"), "digest with extensions")


def _same_numbers(stated: Json, right: Json) -> bool:
    one, other = flat(stated), flat(right)
    one.pop("name", None)
    other.pop("name")
    if not is_name(stated.get("name")):
        raise Refused("machine.name")
    return (
        all(
            (name in one and type(one[name]) is type(other[name]) and one[name] == other[name])
            or (name not in one and ADDED_NUMBERS.get(name) == other[name])
            for name in other
        )
        and one.keys() <= other.keys()
    )


def lines(value: Json, cycles: int) -> None:
    need(is_list(value, lambda each: record(each, text=is_text, cycles=is_whole)), "lines")
    need(not value or sum(each["cycles"] for each in value) == cycles, "sum of lines")


def counted(value: Json, causes: str) -> None:
    need(
        record(value, **{"cycles": lambda v: is_whole(v, 1), causes: lambda v: is_table(v, is_whole)}), causes
    )
    need(sum(value[causes].values()) == value["cycles"], f"sum of {causes}")


def check_settings(value: Json) -> None:
    """Judge what every file says of how it was made."""
    optional(value, "date", is_text)
    optional(value, "command", lambda v: is_list(v, is_text))
    need(record(value, versions=lambda v: is_table(v, is_text), commit=is_text), "versions or commit")
    optional(
        value,
        "matrices",
        lambda v: is_list(v, lambda each: record(each, name=is_name, source=is_text, sha256=is_digest)),
    )
    files = {"what": is_name, "file": is_name, "sha256": is_digest}
    need(record(value, files=lambda v: is_list(v, lambda each: record(each, **files))), "files")
    digests: dict[str, str] = {}
    for each in value.get("matrices", ()):
        need(digests.setdefault(each["name"], each["sha256"]) == each["sha256"], "two matrices of one name")


def rows(actual: list[tuple[tuple[str, ...], int | None]]) -> dict[tuple[str, ...], int | None]:
    """Return rows by their keys; two of one key must be of the same cycles."""
    by_key: dict[tuple[str, ...], int | None] = {}
    for key, cycles in actual:
        need(by_key.setdefault(key, cycles) == cycles, "two rows of one key")
    return by_key
