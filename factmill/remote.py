"""A file on a web server: what the server says about it, and every way it can fail as one of our errors.

We ask for identity encoding and read raw bytes: an HTTP client would otherwise inflate what should arrive packed.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import httpx

from factmill import __version__
from factmill.errors import ConfigError, SourceFormatError, SourceUnavailable
from factmill.fetch_record import Remote
from factmill.patience import asked_wait_seconds

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19}|\*)")
MAY_PASS = (408, 425, 429)


class ContentRange(NamedTuple):
    """Which bytes of a file an answer holds; both ends belong to it."""

    first: int
    last: int
    total: int | None


def parse_url(text: str) -> httpx.URL:
    """Read a web address that names a file.

    >>> parse_url("https://example.org/dumps/latest-truthy.nt.gz").host
    'example.org'
    """
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError) as error:
        raise ConfigError(f"{text[:200]!r} is no web address.") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(f"{text[:200]!r} is no web address. It starts with http:// or https://.")
    return url


def file_name(url: httpx.URL) -> str:
    """Return the name of the file at this address; nothing else than a plain name gets to our disk.

    >>> file_name(httpx.URL("https://example.org/dumps/latest-truthy.nt.gz?mirror=2"))
    'latest-truthy.nt.gz'
    """
    if not has_file_name(url):
        raise ConfigError(f"{shown(url)} does not end with the name of a file.")
    return _last_step(url)


def has_file_name(url: httpx.URL) -> bool:
    """Whether an address ends with a plain name."""
    return _NAME.fullmatch(_last_step(url)) is not None


def _last_step(url: httpx.URL) -> str:
    return url.raw_path.decode("ascii", "replace").partition("?")[0].rpartition("/")[2]


def shown(url: httpx.URL) -> str:
    """Return an address as we print and keep it: without user name and password."""
    return str(url.copy_with(userinfo=b""))


def open_client(timeout_seconds: float) -> httpx.Client:
    """Return a client that follows redirects and gives up on silence."""
    headers = {"User-Agent": f"factmill/{__version__}", "Accept-Encoding": "identity"}
    try:
        return httpx.Client(headers=headers, timeout=timeout_seconds, follow_redirects=True)
    except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
        raise ConfigError(
            f"the proxy or the certificates that the environment names cannot be used: {error}. See HTTP_PROXY,"
            " HTTPS_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE."
        ) from error


@contextmanager
def answer(
    client: httpx.Client, method: str, url: httpx.URL, headers: Mapping[str, str] | None = None
) -> Iterator[httpx.Response]:
    """Give the head of an answer, whatever its status; its body is read by the block. What fails is our error."""
    try:
        with client.stream(method, url, headers=headers) as response:
            yield response
    except httpx.TimeoutException as error:
        raise SourceUnavailable(f"{shown(url)} sends nothing for {client.timeout.read:g} s.") from error
    except (httpx.UnsupportedProtocol, httpx.TooManyRedirects, httpx.InvalidURL, UnicodeError) as error:
        raise ConfigError(f"{shown(url)} leads nowhere: {error}.") from error
    except httpx.HTTPError as error:
        raise SourceUnavailable(f"{shown(url)} cannot be reached or broke off: {error}.") from error


def check_status(response: httpx.Response, url: httpx.URL) -> None:
    """Refuse an answer that holds no file."""
    what = f"{shown(url)} answers {response.status_code} {response.reason_phrase}".rstrip()
    if response.status_code in MAY_PASS or response.is_server_error:
        wait_seconds = asked_wait_seconds(response.headers.get("retry-after", ""))
        asks = f" and asks to wait {wait_seconds:,.0f} s" if wait_seconds else ""
        raise SourceUnavailable(f"{what}{asks}.", wait_seconds)
    if response.is_client_error:
        raise ConfigError(f"{what}. Check the address.")
    if response.status_code not in (200, 206):
        raise SourceFormatError(f"{what}. That is not a file.")
    if is_page(response):
        raise SourceFormatError(f"{shown(url)} is a web page (text/html), not a file. Check the address.")


def is_page(response: httpx.Response) -> bool:
    """Whether this is a page for people: a portal, or an error with status 200."""
    content_type: str = response.headers.get("content-type", "")
    return content_type.partition(";")[0].strip().lower() == "text/html"


def remote_of(response: httpx.Response, url: httpx.URL) -> Remote:
    """Read what the server says about the whole file."""
    total = content_range(response, url).total if response.status_code == 206 else _length(response)
    return Remote(
        url=shown(url),
        etag=_validator(response, "etag"),
        last_modified=_validator(response, "last-modified"),
        n_bytes=total,
    )


def _validator(response: httpx.Response, name: str) -> str | None:
    """Return a header that can be sent back; one that is not ASCII cannot."""
    text: str = response.headers.get(name, "")
    return text if text and text.isascii() else None


def content_range(response: httpx.Response, url: httpx.URL) -> ContentRange:
    """Read which part of the file this is."""
    text = response.headers.get("content-range", "")
    found = _CONTENT_RANGE.fullmatch(text)
    if not found:
        raise SourceFormatError(f"{shown(url)} sends a part of the file and does not say which: {text[:80]!r}.")
    first, last, total = found.groups()
    return ContentRange(int(first), int(last), None if total == "*" else int(total))


def _length(response: httpx.Response) -> int | None:
    text = response.headers.get("content-length", "")
    # Some servers answer a HEAD with 0 where they do not know.
    return int(text) or None if text.isascii() and text.isdigit() else None
