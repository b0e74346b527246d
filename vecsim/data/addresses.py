"""Which addresses a matrix may come from: nobody on the way may read or change it."""

THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]")
"""Hosts that are reached without a network, so that http will do."""
RULE = f"https:// is needed, http:// will do for this machine alone ({', '.join(THIS_MACHINE)})"


def is_safe(url: str) -> bool:
    """Return whether an address is one of https, or of http on this machine."""
    if url.startswith("https://"):
        return True
    # As Requests takes an address apart: for urllib.parse, the host of http://a\@localhost/ is localhost.
    from urllib3.exceptions import LocationParseError
    from urllib3.util import parse_url

    try:
        parts = parse_url(url)
    except LocationParseError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.host in THIS_MACHINE)
