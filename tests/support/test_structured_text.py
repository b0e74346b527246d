"""Limits of TOML and JSON texts: kept without parsing, and nothing else is refused."""

import json
import tomllib

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from vecsim.support.errors import UserError
from vecsim.support.structured_text import (
    MOST_JSON_DEPTH,
    MOST_KEY_PARTS,
    MOST_TOKEN,
    MOST_TOKENS,
    MOST_TOML_BYTES,
    MOST_TOML_DEPTH,
    NotTomlError,
    json_value,
    toml_table,
)

KEYS = st.one_of(st.from_regex(r"[a-z0-9_-]{1,5}", fullmatch=True), st.text("a.[]{}#=\"'\\ \n", max_size=5))
TEXTS = st.text("a1.,[]{}#=\"'\\ \n\té", max_size=12)
LEAVES = st.one_of(TEXTS, st.integers(-9, 1 << 60), st.booleans(), st.floats(allow_nan=False))
TABLES = st.dictionaries(
    KEYS,
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@given(TABLES)
def test_what_is_within_the_limits_is_read_as_it_is(table):
    text = tomlkit.dumps(table)
    assert toml_table(text, "it") == tomllib.loads(text)


# Strings in all four forms, with what looks like their ends, and a key after them that is too long.
STRINGS = st.one_of(
    TEXTS.map(lambda text: json.dumps(text, ensure_ascii=False).replace("\x7f", "")),
    st.text('a."\\# ', max_size=6).map(lambda text: '"""' + text.replace("\\", "\\\\") + '"""'),
    st.text("a.'# {\"", max_size=6).map(lambda text: f"'''{text}'''"),
    st.text('a."# {', max_size=6).map(lambda text: f"'{text}'"),
)


@given(STRINGS, st.sampled_from(["", " # '''\n", "\n"]))
def test_no_string_hides_a_key_that_is_too_long(string, comment):
    try:
        tomllib.loads(f"a = [{string}{comment}, {{b.b = 1}}]")
    except tomllib.TOMLDecodeError:
        return
    deep = ".".join("b" * (MOST_KEY_PARTS + 1))
    with pytest.raises(UserError, match="parts"):
        toml_table(f"a = [{string}{comment}, {{{deep} = 1}}]", "it")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a" + ".a" * 50_000 + " = 1", f"has more than {MOST_KEY_PARTS} parts"),
        ("a" + ' . "a"' * 50 + " = 1", f"has more than {MOST_KEY_PARTS} parts"),
        ("[" + "a." * 20_000 + "a]", f"has more than {MOST_KEY_PARTS} parts"),
        ("a = " + "[" * 100_000, f"at most {MOST_TOML_DEPTH} arrays"),
        ("a = " + "[" * 9 + "]" * 9, f"at most {MOST_TOML_DEPTH} arrays"),
        ("a = " + "{a=" * 30_000, f"at most {MOST_TOML_DEPTH} arrays"),
        ("a = " + "9" * 4000, f"at most {MOST_TOKEN} letters"),
        ("a = 0x" + "f" * 100_000, f"at most {MOST_TOKEN} letters"),
        ("".join(f"[t{k}]\n" for k in range(20_000)), f"more than {MOST_TOKENS:,} keys"),
        ("".join(f"[a{k}.b.c.d.e.f.g]\n" for k in range(5_000)), f"more than {MOST_TOKENS:,} keys"),
        ("a = [" + "1," * 20_000 + "]", f"more than {MOST_TOKENS:,} keys"),
        ("#" * (MOST_TOML_BYTES + 1), f"has more than {MOST_TOML_BYTES:,} letters"),
        ("a = 1e999", "does not fit float64"),
    ],
)
def test_what_exceeds_a_limit_is_refused_in_a_line(text, message):
    with pytest.raises(UserError) as error:
        toml_table(text, "it")
    assert not isinstance(error.value, NotTomlError)
    assert str(error.value).startswith("it: ")
    assert message in str(error.value)
    assert len(str(error.value)) < 160
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["a = ", "a = 2001-02-30", 'a = """', "= 1", "a = 1\nb = [1 2]"])
def test_what_is_no_toml_is_said(text):
    with pytest.raises(NotTomlError, match=r"^it: not valid TOML: "):
        toml_table(text, "it")


NESTED = {
    "lists": lambda depth: "[" * depth + "]" * depth,
    "objects": lambda depth: '{"a":' * depth + "1" + "}" * depth,
}


@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
def test_json_has_a_depth(nested):
    assert json_value(nested(MOST_JSON_DEPTH), "it") == json.loads(nested(MOST_JSON_DEPTH))
    for depth in (MOST_JSON_DEPTH + 1, 100_000):
        with pytest.raises(UserError, match=f"^it: is nested too deeply: at most {MOST_JSON_DEPTH} lists"):
            json_value(nested(depth), "it")


@pytest.mark.parametrize("text", ["", "{", "[1,]", "9" * 5000, '"\n"'])
def test_what_is_no_json_is_said(text):
    with pytest.raises(UserError, match=r"^it: is not (strict )?JSON: "):
        json_value(text, "it")
