"""Who is admitted to the debugger's page: requests that differ from a right one in anything are refused."""

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from vecsim.debugger.admission import Address, Asked

ADDRESS = Address(8000)
HERE = ("Host", "127.0.0.1:8000")
OURS = ("Origin", "http://127.0.0.1:8000")
texts = st.text(max_size=60) | st.sampled_from(
    [ADDRESS.secret[:-1], ADDRESS.secret + "x", ADDRESS.secret.swapcase(), "", ".", ADDRESS.secret + "\0"]
)


def asked(target="", *headers, method="GET", secret=ADDRESS.secret):
    return ADDRESS.admitted(Asked(method, f"/{secret}/{target}", headers or (HERE,)))


def test_what_is_admitted():
    assert asked() == "" and asked("static/x.css") == "static/x.css" and asked("?a=1") == ""
    assert ADDRESS.admitted(Asked("GET", f"/{ADDRESS.secret}", (HERE,))) == ""
    assert asked("", HERE, OURS) == ""
    assert asked("ws?width=80", HERE, OURS) == asked("ws", ("hOST", HERE[1]), ("oRIGIN", OURS[1])) == "ws"


def test_a_connection_states_its_origin():
    assert asked("ws", HERE) is None
    assert asked("ws", HERE, OURS, OURS) is None


@given(texts.filter(lambda text: text.split("?")[0].split("/")[0] != ADDRESS.secret))
def test_another_secret_is_refused(secret):
    for target in ("", "ws", "static/css/xterm.css"):
        assert asked(target, HERE, OURS, secret=secret) is None


@given(
    texts
    | st.sampled_from(
        ["localhost:8000", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8000.evil.example", "evil.example:8000"]
    )
)
def test_another_host_or_origin_is_refused(text):
    for target in ("", "ws"):
        assert text == HERE[1] or asked(target, ("Host", text), OURS) is None
        assert asked(target, HERE, ("Host", text), OURS) is None
        assert text == OURS[1] or asked(target, HERE, ("Origin", text)) is None
        assert text == OURS[1] or asked(target, HERE, ("Origin", f"http://{text}")) is None or text == HERE[1]
    assert asked("", OURS) is None  # no host at all


@given(st.text(max_size=8).filter(lambda text: text != "GET"))
def test_another_method_is_refused(method):
    assert asked(method=method) is None


def test_targets_that_are_no_paths():
    for target in (
        f"http://127.0.0.1:8000/{ADDRESS.secret}/",
        f"x/{ADDRESS.secret}/",
        f"//{ADDRESS.secret}/",
        "*",
    ):
        assert ADDRESS.admitted(Asked("GET", target, (HERE,))) is None


def test_each_start_has_a_long_secret_that_only_its_address_tells():
    other = Address(8000)
    assert other.secret != ADDRESS.secret and len(other.secret) >= 43
    assert ADDRESS.url == f"http://127.0.0.1:8000/{ADDRESS.secret}/"
    assert ADDRESS.secret not in repr(ADDRESS)
    assert dataclasses.replace(ADDRESS, port=8001).host == "127.0.0.1:8001"
