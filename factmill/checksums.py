"""Checksums that are published beside a file, in the form of sha256sum, sha1sum and md5sum.

Nobody says where they are: unless an address is given, we look where they usually stand, and none there is no error.
"""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

import httpx

from factmill.errors import ConfigError, SourceFormatError
from factmill.fetch_record import Checksum
from factmill.remote import MAY_PASS, answer, check_status, file_name, is_page, parse_url, shown

_ALGORITHMS = {128: "sha512", 64: "sha256", 40: "sha1", 32: "md5"}
_LINE = re.compile(r"\\?([0-9A-Fa-f]{32,128})(?:\s+\*?(\S.*))?")
_DATED = re.compile(r"(wikidata-\d{8})-.+")
_MAX_BYTES = 4 << 20
_MAX_SECONDS = 60.0
_NAMELESS = ""


def given_checksum(client: httpx.Client, url: str, names: Sequence[str]) -> Checksum:
    """Return the checksum of a file from a list that must name it by one of its names."""
    address = parse_url(url)
    with answer(client, "GET", address) as response:
        check_status(response, address)
        digests = parse_checksums(_text(response))
    if not digests:
        raise SourceFormatError(f"{shown(address)} is no list of checksums in the form of sha256sum.")
    for name in (*names, _NAMELESS):
        if name in digests:
            return _checksum(digests[name], address)
    raise ConfigError(f"{shown(address)} names no checksum of {names[0]}, or several.")


def find_checksum(client: httpx.Client, url: httpx.URL, tell: Callable[[str], None]) -> Checksum | None:
    """Return the checksum of the file at an address from where it is usually published, or None."""
    name = file_name(url)
    for address in usual_addresses(url):
        try:
            with answer(client, "GET", address) as response:
                # Servers that hide what is missing answer 403, or with a page.
                if response.is_client_error and response.status_code not in MAY_PASS:
                    continue
                if response.is_success and is_page(response):
                    continue
                check_status(response, address)
                digests = parse_checksums(_text(response))
        except (ConfigError, SourceFormatError) as error:
            tell(f"{error} It is left aside: nobody asked for it.")
            continue
        if digest := digests.get(name) or digests.get(_NAMELESS):
            return _checksum(digest, address)
        tell(f"{shown(address)} names no checksum of {name} and is left aside.")
    return None


def parse_checksums(text: str) -> dict[str, str]:
    r"""Return the digests in a list by file name, the longest of each; a digest that stands alone has no name.

    A name with two digests of the same length has none: a list of folders may name a file of each.

    >>> parse_checksums("d41d8cd98f00b204e9800998ecf8427e  ./empty.nt.gz\n")
    {'empty.nt.gz': 'd41d8cd98f00b204e9800998ecf8427e'}
    """
    digests: dict[str, set[str]] = defaultdict(set)
    lines = text.split("\n") if "\n" in text.strip() else [text.strip()]
    for line in lines:
        found = _LINE.fullmatch(line.rstrip())
        if found and len(found[1]) in _ALGORITHMS and (found[2] or len(lines) == 1):
            digests[PurePosixPath(found[2] or _NAMELESS).name].add(found[1].lower())
    longest = {name: [each for each in found if len(each) == max(map(len, found))] for name, found in digests.items()}
    return {name: chosen[0] for name, chosen in longest.items() if len(chosen) == 1}


def _checksum(digest: str, address: httpx.URL) -> Checksum:
    return Checksum(_ALGORITHMS[len(digest)], digest, shown(address))


def usual_addresses(url: httpx.URL) -> Iterator[httpx.URL]:
    """Yield where the checksum of a file may stand; Wikimedia's dated dumps have lists of their own.

    >>> [file_name(url) for url in usual_addresses(httpx.URL("https://example.org/wikidata-20240101-truthy.nt.gz"))][3:]
    ['wikidata-20240101-sha1sums.txt', 'wikidata-20240101-md5sums.txt']
    """
    for ending in ("sha256", "sha1", "md5"):
        yield url.copy_with(path=f"{url.path}.{ending}")
    if dated := _DATED.fullmatch(file_name(url)):
        for algorithm in ("sha1", "md5"):
            yield url.copy_with(path=f"{url.path.rpartition('/')[0]}/{dated[1]}-{algorithm}sums.txt")


def _text(response: httpx.Response) -> str:
    """Read a small text; what is larger or takes long is no list."""
    body = bytearray()
    deadline = time.monotonic() + _MAX_SECONDS
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > _MAX_BYTES or time.monotonic() > deadline:
            return ""
    return body.decode("utf-8", "replace")
