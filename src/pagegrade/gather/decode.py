"""Reads answers of HTTP: the head line by line, and the body out of its content codings, in small steps.

libcurl tolerates more than we want to build a report on: a Content-Length that is no number, names with blanks,
endless interim answers. So a head that two readers could read differently is refused
(https://www.rfc-editor.org/rfc/rfc9112).

HTTP libraries hand over what one read inflates to in one piece: 405 bytes of brotli became one piece of 268 MB. Here no
step of decoding yields more than about 100 kB, and limits are looked at after each.
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal, Protocol

import brotli

from pagegrade.gather.exchange import Limits
from pagegrade.gather.held_bytes import Hold

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


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPT_ENCODING: Final = "gzip, deflate, br, zstd"
MAX_CODINGS: Final = 2
MAX_FRAMES: Final = 1_024
"""zstd frames in one stream."""
RATIO_FREE_BYTES: Final = 1_000_000
"""Decoded bytes that any ratio may give."""
MAX_RATIO: Final = 200
"""Decoded bytes per wire byte beyond the free ones. Honest HTML reaches about 40; gzip can give 1,030."""
ZSTD_WINDOW_LOG: Final = 23
"""8 MiB, what RFC 8878 3.1.1.1.2 asks decoders to support and RFC 9659 allows on the web."""
_STEP_BYTES: Final = 65_536
_ALIASES: Final = {"x-gzip": "gzip"}

Problem = Literal[
    "unknown_coding", "no_coding", "too_many_codings", "plain_body", "corrupt", "truncated_stream", "trailing_garbage",
    "decode_bomb", "limit",
]  # fmt: skip
"""Reason why a body is not fully decoded. ``trailing_garbage`` leaves it whole; ``limit`` is our cap on an honest body;
``plain_body``: a coding was declared and the bytes are not coded, they are kept as they are; ``no_coding``: nothing
that was declared is a coding that browsers know, so the bytes are the body, as they take them."""

_AS_IT_CAME: Final = (None, "no_coding", "plain_body")


def read_codings(values: Sequence[str]) -> tuple[str, ...]:
    """The codings named by Content-Encoding lines, in the order they were applied, as browsers read them.

    Returns:
        Lower case, aliases resolved, without empty elements. ``identity`` alone is no coding; beside others it is one
        that nobody can remove.

    Source: https://www.rfc-editor.org/rfc/rfc9110#section-8.4
    """
    if not values:
        return ()
    names = [name for value in values for element in value.split(",") if (name := element.strip(" \t").lower())]
    return () if set(names) == {"identity"} else tuple(_ALIASES.get(name, name) for name in names)


class _StageError(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem: Problem = problem


class _Stage(Protocol):
    """One coding: bytes in, pieces of bounded size out."""

    ended: bool
    """The last thing seen was the proper end of the stream."""
    trailing: bool
    """Something that is not part of the stream followed it."""

    def decode(self, data: bytes) -> Iterator[bytes]: ...


class _Gzip:
    """gzip; what follows its first member is skipped, as browsers do, although RFC 1952 2.2 allows several."""

    def __init__(self) -> None:
        self.ended = False
        self.trailing = False
        self._inflate: Any = None
        self._held = b""

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self.ended:
            self.trailing = self.trailing or bool(data)
            return
        if self._inflate is None:
            data, self._held = self._held + data, b""
            if data == b"\x1f":
                # The second byte of the magic number decides, and comes with the next piece.
                self._held = data
                return
            if not data.startswith(b"\x1f\x8b"):
                raise _StageError("plain_body")
            self._inflate = zlib.decompressobj(wbits=31)
        yield from _inflate(self._inflate, data)
        if self._inflate.eof:
            self.ended = True
            self.trailing = bool(self._inflate.unused_data)


class _Deflate:
    """zlib as the standard says, or raw deflate as some servers send."""

    def __init__(self) -> None:
        self.ended = False
        self.trailing = False
        self._inflate: Any = None
        self._held = b""

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self.ended:
            self.trailing = self.trailing or bool(data)
            return
        if self._inflate is None:
            data, self._held = self._held + data, b""
            if len(data) < 2:
                self._held = data
                return
            # RFC 1950 2.2: method 8, and the two bytes are a multiple of 31.
            wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._inflate = zlib.decompressobj(wbits=15 if wrapped else -15)
        yield from _inflate(self._inflate, data)
        if self._inflate.eof:
            self.ended = True
            self.trailing = bool(self._inflate.unused_data)


def _inflate(stream: Any, data: bytes) -> Iterator[bytes]:
    """Decompress ``data`` with a zlib stream in pieces of bounded size, to the end of the data or of the stream."""
    while True:
        try:
            piece = stream.decompress(data, _STEP_BYTES)
        except zlib.error as error:
            raise _StageError("corrupt") from error
        if piece:
            yield piece
        data = stream.unconsumed_tail
        if stream.eof or not (data or len(piece) >= _STEP_BYTES):
            return


class _Brotli:
    """brotli; its library refuses trailing bytes, so they count as corruption."""

    def __init__(self) -> None:
        self.ended = False
        self.trailing = False
        self._stream = brotli.Decompressor()

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self.ended:
            self.trailing = self.trailing or bool(data)
            return
        while True:
            try:
                piece = self._stream.process(data, output_buffer_limit=_STEP_BYTES)
            except brotli.error as error:
                raise _StageError("corrupt") from error
            if not piece:
                break
            yield piece
            data = b""
        self.ended = bool(self._stream.is_finished())


class _Zstd:
    """zstd, also of several frames."""

    def __init__(self) -> None:
        self.ended = False
        self.trailing = False
        self._frames = 0
        self._stream: Any = None
        self._held = b""

    def decode(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        while data:
            if self._stream is None:
                if len(data) < 4:
                    self._held = data
                    return
                if not _is_zstd_magic(data[:4]):
                    raise _StageError("corrupt" if self._frames else "plain_body")
                self._frames += 1
                if self._frames > MAX_FRAMES:
                    raise _StageError("decode_bomb")
                self._stream = zstd.ZstdDecompressor(
                    options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG}
                )
                self.ended = False
            while True:
                try:
                    piece = self._stream.decompress(data, _STEP_BYTES)
                except zstd.ZstdError as error:
                    raise _StageError("corrupt") from error
                data = b""
                if piece:
                    yield piece
                if self._stream.eof or self._stream.needs_input:
                    break
            if self._stream.eof:
                data = self._stream.unused_data
                self._stream = None
                self.ended = True


def _is_zstd_magic(head: bytes) -> bool:
    """RFC 8878 3.1.1 and 3.1.2: a frame, or one of sixteen kinds to skip."""
    number = int.from_bytes(head, "little")
    return number == 0xFD2FB528 or number & 0xFFFFFFF0 == 0x184D2A50


_STAGES: Final[dict[str, Callable[[], _Stage]]] = {
    "gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


class BodyDecoder:
    """Takes a body as it arrives and stores what it decodes to, within limits.

    Args:
        codings: From ``read_codings``.
        max_bytes: Decoded bytes at which decoding ends with the problem ``limit``.
        keep_bytes: Decoded bytes that are stored. ``None``: all.
        hold: Charged for what is stored, before it is; when it refuses, the body ends there as at ``max_bytes``.
        survey: Decode, count and hash everything, whatever is stored. Otherwise decoding stops without a problem when
            ``keep_bytes`` are there.
    """

    def __init__(
        self,
        codings: Sequence[str],
        *,
        max_bytes: int,
        keep_bytes: int | None = None,
        hold: Hold | None = None,
        survey: bool = False,
    ) -> None:
        self.body = bytearray()
        self.problem: Problem | None = None
        """Reason why decoding ended early, or the anomaly of the stream."""
        self.removed: tuple[str, ...] = ()
        """The codings that were removed, in the order they had been applied."""
        self.decoded_bytes = 0
        """Of the whole body under ``survey``; otherwise as many as were decoded until enough was stored."""
        self._max_bytes = max_bytes
        self._keep_bytes = max_bytes if keep_bytes is None else keep_bytes
        self._hold = hold
        self._hash = hashlib.sha256() if survey else None
        self._wire_bytes = 0
        self._produced = [0] * len(codings)
        self._stages: list[_Stage] = []
        self._done = keep_bytes == 0 and not survey
        if len(codings) > MAX_CODINGS:
            self.problem, self._done = "too_many_codings", True
        elif codings and _STAGES.keys().isdisjoint(codings):
            self.problem, self._produced = "no_coding", []
        elif not all(coding in _STAGES for coding in codings):
            self.problem, self._done = "unknown_coding", True
        else:
            self.removed = tuple(codings)
            # The coding applied last is the outermost one.
            self._stages = [_STAGES[coding]() for coding in reversed(codings)]

    @property
    def digest(self) -> str:
        """The first half of the SHA-256 of everything decoded, hexadecimal; "" without ``survey`` or without a body."""
        return self._hash.hexdigest()[:32] if self._hash is not None and self.decoded_bytes else ""

    @property
    def stores(self) -> bool:
        """Return whether more of the body would be stored."""
        return not self._done and len(self.body) < self._keep_bytes

    def feed(self, data: bytes) -> bool:
        """Take the next bytes from the wire.

        Returns:
            Whether reading on makes sense: false once the decoded limit is reached or the stream is broken.
        """
        self._wire_bytes += len(data)
        if self._done:
            return self.problem is None or self.problem in ("too_many_codings", "unknown_coding")
        if not self._stages:
            self._keep(data)
            return self.problem in _AS_IT_CAME
        first = self._wire_bytes == len(data)
        try:
            for piece in self._pump(data, 0):
                if not self._keep(piece):
                    break
        except _StageError as error:
            self._fail(error.problem, data, first=first)
        return self.problem in _AS_IT_CAME

    def _fail(self, problem: Problem, data: bytes, *, first: bool) -> None:
        if problem == "plain_body" and first and len(self._stages) == 1:
            # Not coded at all: the declaration is wrong, the bytes are the page.
            self.problem, self.removed, self._stages, self._produced = "plain_body", (), [], []
            self._keep(data)
            return
        self.problem = "corrupt" if problem == "plain_body" else problem
        self._done = True

    def _pump(self, data: bytes, depth: int) -> Iterator[bytes]:
        is_last = depth + 1 == len(self._stages)
        for piece in self._stages[depth].decode(data):
            self._produced[depth] += len(piece)
            if self._produced[depth] > RATIO_FREE_BYTES + MAX_RATIO * self._wire_bytes:
                raise _StageError("decode_bomb")
            if is_last:
                yield piece
                continue
            if self._produced[depth] > self._max_bytes:
                raise _StageError("decode_bomb")
            yield from self._pump(piece, depth + 1)

    def _keep(self, piece: bytes) -> bool:
        """Take a decoded piece; whether to go on."""
        space = self._max_bytes - self.decoded_bytes
        is_over = len(piece) > space
        if is_over:
            piece = piece[:space]
        self.decoded_bytes += len(piece)
        if self._hash is not None:
            self._hash.update(piece)
        refused = not self._store(piece)
        if is_over or (refused and self._hash is None):
            self.problem, self._done = "limit", True
        elif self._hash is None and self._keep_bytes < self._max_bytes and len(self.body) >= self._keep_bytes:
            self._done = True
        return not self._done

    def _store(self, piece: bytes) -> bool:
        """Store as much of a piece as is wanted; false when the budget is used up, and then nothing more is stored."""
        wanted = self._keep_bytes - len(self.body)
        if wanted <= 0:
            return True
        if len(piece) > wanted:
            piece = piece[:wanted]
        if self._hold is not None and not self._hold.take(len(piece)):
            self._keep_bytes = len(self.body)
            return False
        self.body += piece
        return True

    def finish(self) -> None:
        """Say that the body has ended; sets the problem of a stream that has not, or that goes on after its end."""
        if self._done or self.problem is not None or not self._wire_bytes:
            return
        if not all(stage.ended for stage in self._stages):
            self.problem = "truncated_stream"
        elif any(stage.trailing for stage in self._stages):
            self.problem = "trailing_garbage"
