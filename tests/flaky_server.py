"""A web server on loopback that serves files properly, until it is told what goes wrong with the next request."""

import socket
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MONDAY = "Mon, 01 Jan 2024 00:00:00 GMT"
TUESDAY = "Tue, 02 Jan 2024 00:00:00 GMT"


@dataclass(frozen=True)
class File:
    """A file as the server has it."""

    body: bytes
    etag: str | None = '"one"'
    last_modified: str | None = MONDAY
    content_type: str = "application/gzip"

    def headers(self) -> dict[str, str]:
        named = {"ETag": self.etag, "Last-Modified": self.last_modified, "Content-Type": self.content_type}
        return {name: value for name, value in named.items() if value}


class Request:
    """A request that waits for its answer."""

    def __init__(self, handler: BaseHTTPRequestHandler, file: File, closing: threading.Event) -> None:
        self.file = file
        self._handler = handler
        self._closing = closing

    def header(self, name: str) -> str | None:
        return self._handler.headers.get(name)

    def start(self) -> int:
        """The first byte asked for, if what is asked for is still there."""
        asked = self.header("Range")
        is_current = self.header("If-Range") in (None, self.file.etag, self.file.last_modified)
        return int(asked.removeprefix("bytes=").removesuffix("-")) if asked and is_current else 0

    def send(self, status: int, headers: dict[str, str], *pieces: bytes) -> None:
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        if self._handler.command != "HEAD":
            self.send_more(*pieces)

    def send_more(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._handler.wfile.write(piece)

    def send_file(self, n_bytes: int | None = None) -> None:
        """Send the file or the rest of it that is asked for; of its body only so many bytes."""
        start, total = self.start(), len(self.file.body)
        headers = self.file.headers() | {"Content-Length": str(total - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{total - 1}/{total}"
        end = total if n_bytes is None else start + n_bytes
        self.send(206 if start else 200, headers, self.file.body[start:end])

    def send_properly(self) -> None:
        if self._is_unchanged():
            self.send(304, self.file.headers())
        elif self.start() >= len(self.file.body):
            self.send(416, {"Content-Range": f"bytes */{len(self.file.body)}", "Content-Length": "0"})
        else:
            self.send_file()

    def _is_unchanged(self) -> bool:
        if etag := self.header("If-None-Match"):
            return etag == self.file.etag
        since = self.header("If-Modified-Since")
        return since is not None and since == self.file.last_modified

    def close(self) -> None:
        self._handler.close_connection = True

    def reset(self) -> None:
        """End the connection as a crashed machine does."""
        self._handler.wfile.flush()
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._handler.rfile.close()
        self._handler.connection.close()
        self.close()

    def stall(self) -> None:
        """Say nothing more, until the test is over."""
        self._closing.wait(30)
        self.close()


Answer = Callable[[Request], None]


class FlakyServer:
    """Files, what goes wrong with the next requests of a method, and what was asked."""

    def __init__(self, port: int) -> None:
        self.files: dict[str, File] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[str] = []
        self.root = f"http://127.0.0.1:{port}"
        self.closing = threading.Event()
        self._troubles: dict[str, deque[Answer]] = {"GET": deque(), "HEAD": deque()}
        self._always: dict[str, Answer] = {}

    def url(self, name: str = "dump.nt.gz") -> str:
        return f"{self.root}/{name}"

    def next(self, *answers: Answer, method: str = "GET") -> None:
        """Answer the next requests for a file that is there in these ways."""
        self._troubles[method].extend(answers)

    def always(self, answer: Answer, *methods: str) -> None:
        self._always.update(dict.fromkeys(methods or ("GET",), answer))

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        name = handler.path.removeprefix("/")
        self.asked.append(" ".join(filter(None, (handler.command, name, handler.headers.get("Range")))))
        if name in self.redirects:
            handler.send_response(302)
            handler.send_header("Location", self.redirects[name])
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        elif name not in self.files:
            handler.send_error(404)
        else:
            self._answer(handler.command, name)(Request(handler, self.files[name], self.closing))

    def _answer(self, method: str, name: str) -> Answer:
        # What goes wrong goes wrong with dumps, not with the checksums beside them.
        if not name.endswith(".gz"):
            return Request.send_properly
        if troubles := self._troubles[method]:
            return troubles.popleft()
        return self._always.get(method, Request.send_properly)


@contextmanager
def flaky_server() -> Iterator[FlakyServer]:
    """Serve on a free port while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            flaky.handle(self)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            # A client that goes away is no error of the server.
            if not isinstance(sys.exception(), ConnectionError):
                super().handle_error(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as server:
        flaky = FlakyServer(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        try:
            yield flaky
        finally:
            flaky.closing.set()
            server.shutdown()
            thread.join()


def cut(n_bytes: int) -> Answer:
    """Send so many bytes and close the connection."""

    def answer(request: Request) -> None:
        request.send_file(n_bytes)
        request.close()

    return answer


def reset(n_bytes: int) -> Answer:
    """Send so many bytes and reset the connection."""

    def answer(request: Request) -> None:
        request.send_file(n_bytes)
        request.reset()

    return answer


def stall(n_bytes: int) -> Answer:
    """Send so many bytes and nothing more."""

    def answer(request: Request) -> None:
        request.send_file(n_bytes)
        request.stall()

    return answer


def status(code: int, **headers: str) -> Answer:
    """Answer with a status and no file."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request: request.send(code, {"Content-Length": "0"} | named)


def whole_again(request: Request) -> None:
    """Send the whole file, whatever was asked for."""
    request.send(200, request.file.headers() | {"Content-Length": str(len(request.file.body))}, request.file.body)


def exactly(code: int, headers: dict[str, str], *pieces: bytes) -> Answer:
    """Send the file's own headers, these and this body, and close the connection."""

    def answer(request: Request) -> None:
        request.send(code, request.file.headers() | headers, *pieces)
        request.close()

    return answer


def chunked(*pieces: bytes) -> Sequence[bytes]:
    """Write pieces as a chunked body."""
    return [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces] + [b"0\r\n\r\n"]
