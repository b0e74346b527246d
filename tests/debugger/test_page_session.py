"""What pages send: each message becomes one whole packet, an answer, or is refused."""

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecsim.debugger.page_session import packet_of, size_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
kinds = (
    st.sampled_from(["stdin", "resize", "ping", "focus", "blur", "quit", "deliver_chunk_request"]) | values
)
sizes = st.fixed_dictionaries({}, optional={"width": values, "height": values})


def checked(message):
    """Take a message as the server does, and read the packet as textual does."""
    try:
        packet = packet_of(message)
    except ValueError:
        return None
    if isinstance(packet, str):
        assert json.loads(packet)[0] == "pong"
        return packet
    kind, size = struct.unpack(">cI", packet[:5])
    assert kind in b"DM" and len(packet) == 5 + size
    if kind == b"D":
        return packet[5:].decode("utf-8")
    shown_text = json.loads(packet[5:])
    assert shown_text["type"] in ("resize", "focus", "blur")
    if shown_text["type"] == "resize":
        assert all(
            type(shown_text[name]) is int and 1 <= shown_text[name] <= 1000 for name in ("width", "height")
        )
    return shown_text


@given(st.tuples(kinds, values | sizes) | st.tuples(kinds) | values)
def test_any_json(message):
    checked(json.dumps(message))


@given(st.text())
def test_any_text(message):
    checked(message)
    assert checked(json.dumps(["stdin", message])) == message


@pytest.mark.parametrize(
    "message", ["[" * 100_000, '["stdin", "\\ud800"]', '["quit"]', "[]", '"stdin"', "NaN", '[["stdin"], 1]']
)
def test_what_no_page_sends(message):
    assert checked(message) in (None, "?")


def test_sizes():
    assert size_of({"width": "120", "height": "40"}) == (120, 40)
    assert size_of({"width": "-3", "height": "9" * 4000}) == (1, 1000)
    assert size_of({"width": "9" * 9000, "height": "x"}) == size_of({}) == (80, 24)
