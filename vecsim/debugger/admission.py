"""Who may use the debugger in a browser: whoever knows the address that its start has printed.

Other users of the computer reach the port, and pages of any origin reach it through the user's browser. So
every request must carry the secret of this start, which is the first part of its path. There is no cookie:
a browser would send it to the servers of other users on other ports, too.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

HOST = "127.0.0.1"
SECRET_BYTES = 32
CONNECTION = "ws"
"""What a page asks for to be connected with its own debugger."""


def new_secret() -> str:
    """Return a secret that nobody guesses, in letters that stand in an address as they are."""
    return secrets.token_urlsafe(SECRET_BYTES)


@dataclass(frozen=True)
class Asked:
    """A request as it arrived: its method, its target as it was written, and all its headers in order."""

    method: str
    target: str
    headers: Sequence[tuple[str, str]]

    def values(self, name: str) -> list[str]:
        """Return every value of a header."""
        return [value for key, value in self.headers if key.lower() == name]


@dataclass(frozen=True)
class Address:
    """The address of one start of a server.

    Attributes
    ----------
    port
        Its port on this computer.
    secret
        What a request must begin with.
    """

    port: int
    secret: str = field(default_factory=new_secret, repr=False)

    @property
    def host(self) -> str:
        """Host and port: the only ``Host`` that is answered, whatever name leads here."""
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin of the pages from here."""
        return f"http://{self.host}"

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"{self.origin}/{self.secret}/"

    def admitted(self, asked: Asked) -> str | None:
        """Return what is asked for, as a path after the secret; None if the request is to be refused.

        The host must be this one (a name that was made to lead here is another), and so must be the origin,
        which a connection always states. The secret is compared in constant time.
        """
        root, _, path = asked.target.partition("?")[0].partition("/")
        given, _, wanted = path.partition("/")
        knows = hmac.compare_digest(_bytes(given), _bytes(self.secret))
        origins = asked.values("origin")
        own_page = all(origin == self.origin for origin in origins)
        if wanted == CONNECTION:
            own_page = origins == [self.origin]
        here = asked.values("host") == [self.host]
        return wanted if knows and here and own_page and not root and asked.method == "GET" else None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
