"""Reads the head of an HTTP answer line by line, and refuses what two readers could read differently.

libcurl tolerates more than we want to build a report on: a Content-Length that
is no number, names with blanks, endless interim answers.

Source: https://www.rfc-editor.org/rfc/rfc9112
"""

from __future__ import annotations

from typing import Final

from pagegrade.gather.exchange import Limits

_TOKEN: Final = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""RFC 9110 5.6.2."""
_VERSIONS: Final = {b"HTTP/1.0": "HTTP/1.0", b"HTTP/1.1": "HTTP/1.1", b"HTTP/2": "HTTP/2", b"HTTP/3": "HTTP/3"}
_CONTROLS: Final = bytes((*range(9), *range(10, 32), 127))
_ESCAPES: Final = {code: f"\\x{code:02x}" for code in _CONTROLS}
_MAX_LENGTH_DIGITS: Final = 18
"""More digits do not fit into 64 bits with a sign."""
_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding", b"location", b"content-encoding"})
"""Names whose values are looked at here; no line with one is taken for known."""
MAX_KNOWN: Final = 256
"""Lines that are remembered for one client, and what the longest of them may have."""
MAX_KNOWN_BYTES: Final = 1_024

KnownLines = dict[bytes, tuple[str, str]]
"""Header line as received, its end included -> (name, value)."""


class HeaderReader:
    """The head of one exchange: interim answers, the answer, trailers.

    Args:
        limits: Of the block, of its lines and of their number.
        known: Lines that other answers had and what they mean, filled here: a site sends the same ones again and
            again, and so they are read, kept and handed on once.
    """

    def __init__(self, limits: Limits, known: KnownLines | None = None) -> None:
        self.status = 0
        self.version = ""
        self.headers: list[tuple[str, str]] = []
        self.complete = False
        """The head of the answer that is not interim has been read."""
        self.size = 0
        """Bytes of all lines so far."""
        self.notes: list[str] = []
        self.locations: list[bytes] = []
        """Raw values of Location headers."""
        self._lengths: set[bytes] = set()
        self._chunked = False
        self._coded = False
        self._interim = 0
        self._limits = limits
        self._in_block = False
        self._lines = 0
        self._known: KnownLines = {} if known is None else known

    @property
    def content_encodings(self) -> list[str]:
        """The values of Content-Encoding lines, in order."""
        if not self._coded:
            return []
        return [value for name, value in self.headers if len(name) == 16 and name.lower() == "content-encoding"]

    @property
    def media_type(self) -> str:
        """Declared type in lower case without parameters; "" when missing."""
        lines = [value for name, value in self.headers if len(name) == 12 and name.lower() == "content-type"]
        return ", ".join(lines).partition(";")[0].strip().lower()

    @property
    def request_ids(self) -> list[str]:
        """The values of X-Request-Id lines, in order; proxies may add one of their own."""
        return [value for name, value in self.headers if len(name) == 12 and name.lower() == "x-request-id"]

    def note(self, word: str) -> None:
        """Remember a tolerated oddity once."""
        if word not in self.notes:
            self.notes.append(word)

    def feed(self, line: bytes) -> str | None:
        """Take the next line with its line end.

        Returns:
            What is wrong with the head, as one sentence; ``None`` when reading may go on.
        """
        length = len(line)
        self.size += length
        limits = self._limits
        if self.size > limits.header_block_bytes or length > limits.header_line_bytes:
            return "The headers of the answer are too long."
        if not self._in_block:
            # Trailers carry nothing that a report is built on.
            return None if self.complete else self._read_status(line.rstrip(b"\r\n"))
        known = self._known.get(line)
        if known is not None:
            self._lines += 1
            if self._lines > limits.header_count:
                return self._too_many()
            self.headers.append(known)
            return None
        text = line.rstrip(b"\r\n")
        if not line.endswith(b"\r\n"):
            self.note("bare_line_feed")
        if not text:
            return self._end_block()
        return self._read_header(text, line)

    def _read_status(self, text: bytes) -> str | None:
        version, _, rest = text.partition(b" ")
        code = rest[:3]
        if version not in _VERSIONS or not code.isdigit() or len(code) != 3 or rest[3:4] not in (b"", b" "):
            return "The answer does not begin with an HTTP status line."
        self.version = _VERSIONS[version]
        self.status = int(code)
        if not 100 <= self.status <= 599:
            return f"The answer has the status {self.status}, which HTTP does not know."
        if self.version.startswith("HTTP/1") and not rest[4:].strip():
            self.note("no_reason_phrase")
        self.headers, self.locations, self._lengths = [], [], set()
        self._chunked = self._coded = False
        self._lines = 0
        self._in_block = True
        return None

    def _too_many(self) -> str:
        return f"The answer has more than {self._limits.header_count} header lines."

    def _read_header(self, text: bytes, line: bytes) -> str | None:
        self._lines += 1
        if self._lines > self._limits.header_count:
            return self._too_many()
        if b"\x00" in text:
            return "A header of the answer contains a NUL byte."
        if text[:1] in (b" ", b"\t"):
            if not self.headers:
                return "The first header of the answer begins with a blank."
            self.note("folded_header")
            name, value = self.headers[-1]
            more = _decode(text.strip(b" \t"))
            self.headers[-1] = (name, f"{value} {more}".strip())
            return None
        raw_name, colon, raw_value = text.partition(b":")
        if not colon or not raw_name or raw_name.translate(None, _TOKEN):
            return "A header line of the answer has no proper name."
        raw_value = raw_value.strip(b" \t")
        header = raw_name.decode("ascii"), _decode(raw_value)
        self.headers.append(header)
        lower = raw_name.lower()
        if lower in _FRAMING:
            return self._read_framing(lower, raw_value)
        if len(line) <= MAX_KNOWN_BYTES and len(self._known) < MAX_KNOWN and line.endswith(b"\r\n"):
            self._known[line] = header
        return None

    def _read_framing(self, name: bytes, value: bytes) -> str | None:
        if name == b"content-length":
            for each in value.split(b","):
                length = each.strip(b" \t")
                if not length.isdigit() or len(length) > _MAX_LENGTH_DIGITS:
                    return "The answer's Content-Length is not a number that can be."
                self._lengths.add(length)
            if len(self._lengths) > 1:
                return "The answer has two Content-Length values that differ."
        elif name == b"transfer-encoding":
            if self._chunked or value.lower() != b"chunked":
                return "The answer has a Transfer-Encoding other than chunked."
            self._chunked = True
        elif name == b"location":
            self.locations.append(value)
        else:
            self._coded = True
        return None

    def _end_block(self) -> str | None:
        self._in_block = False
        if self.status == 101:
            return "The server switched to another protocol without being asked."
        if self.status < 200:
            self._interim += 1
            if self.status == 103:
                self.note("early_hints")
            if self._interim > self._limits.interim_count:
                return f"The server sent more than {self._limits.interim_count} interim answers."
            return None
        if self._chunked and self._lengths:
            # RFC 9112 6.3: chunked wins; a second reader on the way might think otherwise.
            self.note("length_and_chunked")
        self.complete = True
        return None


def _decode(raw: bytes) -> str:
    text = raw.decode("latin-1")
    # Almost no header holds control bytes; looking is much cheaper than translating.
    return text if len(raw.translate(None, _CONTROLS)) == len(raw) else text.translate(_ESCAPES)
