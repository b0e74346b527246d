"""Downloads from a server on this machine, good and bad ones."""

import random
import shutil
import socket
from collections import namedtuple
from pathlib import Path

import pytest
from file_server import Answer, File, FileServer
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from vecsim.data.addresses import is_safe
from vecsim.data.download import DownloadError, Patience, discard, download

CONTENT = random.Random(4).randbytes(20_500)
QUICK = Patience(connect=1, silence=0.2, attempts=3, pause=0.001)


@pytest.fixture
def partial(tmp_path):
    return tmp_path / "file.partial"


def serve(server, *answers, **about):
    """Put the file on the server; its answers are such, the last of them for ever."""
    file = server.files["/file"] = File(CONTENT, list(answers) or [Answer()], **about)
    return file


def bring(server, partial, report=None, patience=QUICK):
    return download(f"{server.url}/file", partial, report, patience)


def fails(server, partial, message, patience=QUICK):
    with pytest.raises(DownloadError, match=message) as error:
        bring(server, partial, patience=patience)
    assert str(error.value).startswith(f"{server.url}/file: ")
    assert "\n" not in str(error.value)


def test_a_whole_file(file_server, partial):
    serve(file_server)
    messages = []
    remote = bring(file_server, partial, lambda *progress: messages.append(progress))
    assert partial.read_bytes() == CONTENT
    assert (remote.size, remote.etag) == (len(CONTENT), '"1"')
    assert messages[0] == (0, len(CONTENT))
    assert messages[-1] == (len(CONTENT), len(CONTENT))
    assert messages == sorted(messages)
    assert {path.name for path in partial.parent.iterdir()} == {"file.partial", "file.partial.json"}
    assert file_server.asked("Accept-Encoding") == ["identity"]


@pytest.mark.parametrize("answer", [Answer(chunked=True), Answer(headers={"Content-Length": None})])
def test_a_server_that_does_not_tell_the_length(file_server, partial, answer):
    serve(file_server, answer)
    messages = []
    assert bring(file_server, partial, lambda *progress: messages.append(progress)).size is None
    assert partial.read_bytes() == CONTENT
    assert messages[-1] == (len(CONTENT), None)


def test_the_bytes_of_a_compressed_file_stay_as_they_are(file_server, partial):
    serve(file_server, Answer(headers={"Content-Encoding": "gzip"}))
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT


def test_a_redirection_is_followed(file_server, partial):
    file_server.files["/file"] = File(b"", [Answer(status=302, headers={"Location": "/elsewhere"})])
    file_server.files["/elsewhere"] = File(CONTENT, [Answer(cut=9_000), Answer()])
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range") == [None, None, "bytes=9000-", "bytes=9000-"]


# Broken lines.


@pytest.mark.parametrize(
    ("about", "condition"),
    [
        ({}, '"1"'),
        (
            {"etag": 'W/"1"', "last_modified": "Sat, 31 Mar 2018 21:10:09 GMT"},
            "Sat, 31 Mar 2018 21:10:09 GMT",
        ),
        ({"etag": None, "last_modified": "Sat, 31 Mar 2018 21:10:09 GMT"}, "Sat, 31 Mar 2018 21:10:09 GMT"),
        ({"etag": None}, None),
    ],
)
def test_a_broken_download_goes_on_where_it_stopped(file_server, partial, about, condition):
    serve(file_server, Answer(cut=7_000), Answer(cut=6_000), Answer(), **about)
    messages = []
    bring(file_server, partial, lambda done, _: messages.append(done))
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range") == [None, "bytes=7000-", "bytes=13000-"]
    assert file_server.asked("If-Range") == [None, condition, condition]
    assert messages == sorted(messages)
    assert {path.name for path in partial.parent.iterdir()} == {"file.partial", "file.partial.json"}


def test_a_broken_download_of_unknown_length_goes_on(file_server, partial):
    serve(file_server, Answer(chunked=True, cut=7_000), Answer(chunked=True))
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range") == [None, "bytes=7000-"]


def test_a_server_without_ranges_sends_it_all_again(file_server, partial):
    serve(file_server, Answer(cut=7_000), Answer(), ranges=False)
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range") == [None, "bytes=7000-"]


def test_a_server_without_ranges_that_always_breaks_off(file_server, partial):
    serve(file_server, Answer(cut=7_000), ranges=False)
    fails(file_server, partial, r"connection broke after 7,000 of 20,500 bytes$")
    assert len(file_server.requests) == 1 + QUICK.attempts


def test_a_line_that_breaks_often_but_gets_on(file_server, partial):
    serve(file_server, *[Answer(cut=1_000)] * 20, Answer())
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert len(file_server.requests) == 21


def test_a_later_call_goes_on(file_server, partial):
    file = serve(file_server, Answer(cut=7_000), Answer(status=503))
    fails(file_server, partial, "503")
    assert partial.stat().st_size == 7_000
    file.answers = [Answer()]
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range")[-1] == "bytes=7000-"


def test_a_later_call_that_finds_all_there(file_server, partial):
    """As when the process was killed between the last byte and what follows."""
    file = serve(file_server, Answer(cut=20_499), Answer(status=404))
    fails(file_server, partial, "404")
    partial.write_bytes(CONTENT)
    file.answers = [Answer()]
    assert bring(file_server, partial).size == len(CONTENT)
    assert partial.read_bytes() == CONTENT
    assert {path.name for path in partial.parent.iterdir()} == {"file.partial", "file.partial.json"}


@pytest.mark.parametrize("chunked", [False, True])
def test_a_whole_file_is_not_brought_again(file_server, partial, chunked):
    """As when the process was killed before the file was in its place."""
    serve(file_server, Answer(chunked=chunked))
    bring(file_server, partial)
    assert bring(file_server, partial).size == len(CONTENT)
    assert partial.read_bytes() == CONTENT
    assert len(file_server.requests) == 1


def test_what_is_left_of_another_file_is_gone_before_the_note_is(file_server, partial, monkeypatch):
    serve(file_server)
    partial.write_bytes(b"another file")
    monkeypatch.setattr("vecsim.data.download._receive", killed)
    with pytest.raises(KeyboardInterrupt):
        bring(file_server, partial)
    assert [path.name for path in partial.parent.iterdir()] == ["file.partial.json"]


def test_a_note_is_there_as_a_whole_while_a_download_goes_on(file_server, partial, monkeypatch):
    serve(file_server, Answer(cut=7_000), Answer(status=404))
    fails(file_server, partial, "404")
    before = partial.with_name("file.partial.json").read_bytes()
    file_server.files["/file"].answers = [Answer()]
    monkeypatch.setattr(Path, "write_text", killed)
    monkeypatch.setattr("vecsim.data.download._receive", killed)
    with pytest.raises(KeyboardInterrupt):
        bring(file_server, partial)
    assert partial.with_name("file.partial.json").read_bytes() == before


def killed(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "note", ["[" * 100_000, '{"url": 5, "size": [], "etag": {}, "last_modified": 1e400}']
)
def test_a_hostile_note_is_not_believed(file_server, partial, note):
    serve(file_server)
    partial.write_bytes(b"another file")
    partial.with_name("file.partial.json").write_text(note)
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT


def test_a_note_that_fits_not_is_not_believed(file_server, partial):
    serve(file_server)
    partial.write_bytes(b"x" * 30_000)
    bring(file_server, partial)
    partial.with_name("file.partial.json").write_text("{")
    partial.write_bytes(b"x" * 300)
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range") == [None, None]


@pytest.mark.parametrize(
    ("about", "then"),
    [
        # Well-behaved: the condition does not hold any more, so the server sends the new file.
        ({}, {"etag": '"2"'}),
        # These send the rest of the new file, whatever the condition says.
        ({"conditions": False}, {"etag": '"2"'}),
        ({"etag": None, "last_modified": "then", "conditions": False}, {"last_modified": "now"}),
        ({"etag": None}, {}),
    ],
)
def test_a_file_that_changed_meanwhile_is_downloaded_again(file_server, partial, about, then):
    file = serve(file_server, Answer(cut=7_000), Answer(status=404), **about)
    fails(file_server, partial, "404")
    file.content = CONTENT[::-1] + b"longer"
    file.answers = [Answer()]
    for name, value in then.items():
        setattr(file, name, value)
    bring(file_server, partial)
    assert partial.read_bytes() == file.content


def test_a_file_that_shrank_below_what_is_here(file_server, partial):
    file = serve(file_server, Answer(cut=7_000), Answer(status=404), conditions=False)
    fails(file_server, partial, "404")
    file.content, file.answers = CONTENT[:5_000], [Answer()]
    bring(file_server, partial)
    assert partial.read_bytes() == file.content


def test_a_server_that_goes_on_at_another_place(file_server, partial):
    wrong = Answer(headers={"Content-Range": "bytes 0-20499/20500"})
    serve(file_server, Answer(cut=7_000), wrong, Answer())
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range") == [None, "bytes=7000-", None]


@examples(30)
@given(cuts=st.lists(st.integers(1, len(CONTENT) - 1), max_size=4), ranges=st.booleans())
def test_what_arrives_is_the_file_wherever_the_line_breaks(tmp_path_factory, cuts, ranges):
    server, partial = FileServer(), tmp_path_factory.mktemp("broken") / "file.partial"
    try:
        serve(server, *(Answer(cut=cut) for cut in cuts), Answer(), ranges=ranges)
        bring(server, partial, patience=Patience(connect=1, silence=1, attempts=6, pause=0))
        assert partial.read_bytes() == CONTENT
    finally:
        server.close()


# Slow and silent servers.


def test_a_slow_server_is_waited_for(file_server, partial):
    serve(file_server, Answer(pause=0.02))
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT


def test_a_server_that_falls_silent(file_server, partial):
    serve(file_server, Answer(stall=7_000), Answer())
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert file_server.asked("Range") == [None, "bytes=7000-"]


def test_a_server_that_falls_silent_for_good(file_server, partial):
    serve(file_server, Answer(stall=7_000), Answer(stall=0))
    fails(file_server, partial, r"silent for 0\.2 s after 7,000 of 20,500 bytes$")
    assert len(file_server.requests) == 1 + QUICK.attempts
    assert partial.stat().st_size == 7_000


def test_a_server_that_does_not_answer(file_server, partial):
    serve(file_server, Answer(stall=-1))
    fails(file_server, partial, r"the server did not answer within 0\.2 s$")
    assert len(file_server.requests) == QUICK.attempts


# Refusals.


@pytest.mark.parametrize("status", [404, 410])
def test_a_file_that_is_not_there(file_server, partial, status):
    serve(file_server, Answer(status=status))
    fails(file_server, partial, rf"no such file \(the server answered {status} ")
    assert len(file_server.requests) == 1
    assert list(partial.parent.iterdir()) == []


@pytest.mark.parametrize("status", [400, 401, 501])
def test_a_refusal_is_not_argued_with(file_server, partial, status):
    serve(file_server, Answer(status=status))
    fails(file_server, partial, f"the server answered {status}")
    assert len(file_server.requests) == 1


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_a_busy_server_is_asked_again(file_server, partial, status):
    serve(file_server, Answer(status=status), Answer(status=status), Answer())
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    assert len(file_server.requests) == 3


def pauses(monkeypatch):
    slept = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", slept.append)
    return slept


def test_pauses_grow(file_server, partial, monkeypatch):
    slept = pauses(monkeypatch)
    serve(file_server, Answer(status=503))
    fails(file_server, partial, "503", Patience(attempts=6, pause=2, longest_pause=20))
    assert slept == [2, 4, 8, 16, 20]


def test_pauses_are_as_the_server_asks(file_server, partial, monkeypatch):
    slept = pauses(monkeypatch)
    wanted = [Answer(status=429, headers={"Retry-After": text}) for text in ("7", "3600", "soon")]
    serve(file_server, *wanted, Answer())
    bring(file_server, partial, patience=Patience(pause=1, longest_pause=60))
    assert slept == [7, 60, 4]


def test_no_server(tmp_path, monkeypatch):
    slept = pauses(monkeypatch)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(DownloadError, match=rf"/file: no connection to {place}: Connection refused$"):
        download(f"http://{place}/file", tmp_path / "file.partial")
    assert slept == [1]


@pytest.mark.parametrize("url", ["http://[bad/file", "https://[bad/file", "http:///file", "https:///file"])
def test_what_is_no_address(tmp_path, url):
    with pytest.raises(DownloadError):
        download(url, tmp_path / "file.partial")


@pytest.fixture
def asks_nobody(monkeypatch):
    """Let no connection be made."""

    def connect(*_, **__):
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)


@pytest.mark.usefixtures("asks_nobody")
@pytest.mark.parametrize(
    "url",
    [
        "http://matrices.example/file",
        "HTTP://127.0.0.1.matrices.example/file",
        # The host is matrices.example to what connects, 127.0.0.1 to urllib.parse.
        "http://matrices.example\\@127.0.0.1/file",
        "http://127.0.0.1@matrices.example/file",
        "http://127.0.0.2/file",
        "ftp://127.0.0.1/file",
    ],
)
def test_an_address_that_is_not_safe_is_refused(tmp_path, url):
    with pytest.raises(DownloadError) as error:
        download(url, tmp_path / "file.partial")
    assert str(error.value) == (
        f"{url}: https:// is needed, http:// will do for this machine alone (127.0.0.1, localhost, [::1])"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address", ["http://matrices.example/file", "//matrices.example/file", "ftp://127.0.0.1/file"]
)
def test_a_redirection_that_is_not_safe_is_refused(file_server, partial, monkeypatch, address):
    looked_up, look_up = [], socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *more, **m: looked_up.append(host) or look_up(host, *more, **m)
    )
    file_server.files["/file"] = File(b"", [Answer(status=302, headers={"Location": "/next"})])
    file_server.files["/next"] = File(b"", [Answer(status=301, headers={"Location": address})])
    fails(file_server, partial, r"file: leads to (http|ftp)://.*/file: https:// is needed, http:// will do")
    # On a busy machine an answer may come too late, and is asked for again.
    assert list(dict.fromkeys(file_server.paths)) == ["/file", "/next"]
    assert set(looked_up) == {"127.0.0.1"}


@pytest.mark.parametrize("host", ["localhost", "[::1]", "127.0.0.1"])
def test_http_is_for_this_machine(host):
    assert is_safe(f"http://{host}:8080/file")
    assert not is_safe(f"http://{host}.example/file")


def test_the_cause_is_that_of_the_download(tmp_path, file_server):
    """Not that of what the caller was just dealing with."""
    try:
        raise OSError(5, "another matter")
    except OSError:
        with pytest.raises(DownloadError, match=r"no secure connection: .*SSL"):
            download(f"{file_server.url.replace('http:', 'https:')}/file", tmp_path / "file.partial")


def test_certificates_are_checked(file_server, tmp_path):
    url = file_server.url.replace("http:", "https:")
    with pytest.raises(DownloadError, match=r"no secure connection: "):
        download(f"{url}/file", tmp_path / "file.partial")


# The disk.


def test_a_full_disk_is_noticed_before(file_server, partial, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 0, 20_000))
    serve(file_server)
    fails(
        file_server,
        partial,
        r"20,500 bytes are missing, but the disk of .* has 20,000 free; free some "
        "space",
    )


def test_a_folder_that_cannot_be_written(file_server, tmp_path):
    serve(file_server)
    (tmp_path / "file.partial").mkdir()
    with pytest.raises(DownloadError, match=r"file\.partial: cannot be written: Is a directory"):
        bring(file_server, tmp_path / "file.partial")


@pytest.mark.parametrize(
    ("answer", "arrived"),
    [
        (Answer(), 0),
        (Answer(chunked=True), 20_000),
        (Answer(headers={"Content-Length": None}), 20_000),
        # No number of bytes that anything could have.
        (Answer(headers={"Content-Length": "9" * 5_000}), 20_000),
    ],
)
def test_more_bytes_than_may_be_are_not_taken(file_server, partial, monkeypatch, answer, arrived):
    """Whether the server tells or not; a file of just this many is taken."""
    serve(file_server, answer)
    monkeypatch.setenv("VECSIM_FILE_LIMIT", str(len(CONTENT)))
    bring(file_server, partial)
    assert partial.read_bytes() == CONTENT
    discard(partial)
    monkeypatch.setenv("VECSIM_FILE_LIMIT", "20000")
    messages = []
    with pytest.raises(DownloadError, match=r"has more than 19\.5 KiB; VECSIM_FILE_LIMIT sets another limit"):
        bring(file_server, partial, lambda done, _: messages.append(done))
    assert max(messages, default=0) <= arrived
    assert len(file_server.requests) == 2
    assert list(partial.parent.iterdir()) == []


def test_a_download_goes_on_no_further_than_it_may(file_server, partial, monkeypatch):
    serve(file_server, Answer(chunked=True, cut=7_000), Answer(chunked=True, cut=6_000), Answer(chunked=True))
    monkeypatch.setenv("VECSIM_FILE_LIMIT", "12000")
    fails(file_server, partial, r"has more than 11\.7 KiB")
    assert len(file_server.requests) == 2
    assert list(partial.parent.iterdir()) == []


def test_discard(file_server, partial):
    serve(file_server, Answer(cut=7_000), Answer(status=404))
    fails(file_server, partial, "404")
    assert len(list(partial.parent.iterdir())) == 2
    discard(partial)
    assert list(partial.parent.iterdir()) == []
