"""Requests that are as expensive to read as one client can make them: every header, body and query, in many shapes."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote_plus

import pagegrade.web

SHAPES: Final = (
    "a",
    ";",
    ",",
    '"',
    "\\",
    "=",
    " ",
    "%",
    "a;",
    "a,",
    "a=",
    "a=&",
    'a="',
    'a="\\',
    'a="b;c",',
    ";a=b",
    "*/*;q=0.1,",
    "text/html;level=1;q=0.5,",
    'W/"a",',
    '"a",',
    "Mon, 01 ",
    "wait=1,",
    "127.0.0.1,",
    "[::1]:1,",
    "session=a;",
    "xn--a.",
    "%41",
    "%25",
    "\xe4",
    "9",
    "/",
    "?",
    "{",
    '[{"a":',
    '["a",',
    "1,",
    '"\\u0000",',
    "a\n",
    "https://a.example/\n",
)
"""The parts of which a hostile value is a repetition; they hold every separator of every grammar that is read."""
HEAD_BYTES: Final = 60_000
"""Of one header: the server takes a head of 64 KiB."""
QUERY_BYTES: Final = 7_800
"""Of a target: the server takes 8 KiB."""


def fill(shape: str, size: int) -> str:
    """The shape repeated to ``size`` characters."""
    return (shape * (size // len(shape) + 1))[:size]


@functools.cache
def headers_read() -> frozenset[str]:
    """The names of all request headers that the product reads, from its source."""
    found: set[str] = set()
    for path in Path(pagegrade.web.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                found |= _read_by(function)
    return frozenset(found)


def _read_by(function: ast.AST) -> set[str]:
    """The names that one function reads; where it goes through several, all of them."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and len(node.args) == 1 and ast.unparse(node.func).split(".")[-1] == "header":
            named = node.args[0] if isinstance(node.args[0], ast.Constant) else function
            names = {
                each.value.decode("ascii")
                for each in ast.walk(named)
                if isinstance(each, ast.Constant) and isinstance(each.value, bytes)
            }
            if not names:
                raise AssertionError(f"write down which headers are read: {ast.unparse(node)}")
            found |= names
    return found


@functools.cache
def form_fields_read() -> frozenset[str]:
    """The names of all fields of forms that pages read, from their source, and some other names."""
    found = set()
    for path in (Path(pagegrade.web.__file__).parent / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named: list[ast.expr] = []
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".get", ".pop")):
                named = node.args[:1]
            elif isinstance(node, ast.Subscript):
                named = [node.slice]
            found |= {each.value for each in named if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Hostile:
    """One request, as bytes on the wire."""

    name: str
    wire: bytes


def request(method: str, target: str, headers: dict[str, str], body: bytes | None = None) -> bytes:
    """A request that ends its connection."""
    named = {"Host": "reports.example.org", "Connection": "close"} | headers
    if body is not None:
        named = {"Content-Length": str(len(body))} | named
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


def hostile_headers(
    targets: list[tuple[str, str, dict[str, str], bytes | None]], *, whole: Collection[str]
) -> Iterator[Hostile]:
    """Every header that is read, in every shape that a header can have, of every target.

    Args:
        targets: Method, target, headers and body of requests that reach the code that reads headers.
        whole: Headers whose values are only compared, or read up to a bounded length: the first target gets them in
            every shape, each other target in one.
    """
    shapes = [shape for shape in SHAPES if "\n" not in shape]
    for number, (method, target, headers, body) in enumerate(targets):
        for position, name in enumerate(sorted(headers_read() - {"content-length"})):
            is_whole = number > 0 and name in whole
            for shape in [shapes[(number + position) % len(shapes)]] if is_whole else shapes:
                start = {"authorization": "Bearer ", "content-type": "multipart/form-data; boundary="}.get(name, "")
                value = start + fill(shape, HEAD_BYTES - 2_000)
                others = {key: kept for key, kept in headers.items() if key.lower() != name}
                wire = request(method, target, {**others, name: value}, body)
                yield Hostile(f"{method} {target} {name}: {shape!r}", wire)


def multipart(shape: str, size: int) -> Iterator[tuple[str, bytes]]:
    """Bodies of a multipart form with the boundary ``B``: hostile around parts, in their headers and in their data."""
    text = fill(shape, size - 200).encode("latin-1").replace(b"\n", b" ")
    start = b'--B\r\nContent-Disposition: form-data; name="'
    yield "preamble", text
    yield "value", start + b'a"\r\n\r\n' + text + b"\r\n--B--\r\n"
    for length in (900, 4_000):
        part = start + text[:length] + b'"\r\n\r\nx\r\n'
        yield f"names of {length}", part * (size // len(part)) + b"--B--\r\n"
    part = start + b'a"; x="' + text[:900] + b'"\r\n\r\nx\r\n'
    yield "parameters", part * (size // len(part)) + b"--B--\r\n"
    yield "many", (start + b'a"\r\n\r\n\r\n') * (size // 60) + b"--B--\r\n"


def hostile_bodies(
    target: str, headers: dict[str, str], size: int, *fields: str, method: str = "POST"
) -> Iterator[Hostile]:
    """Bodies of every kind in every shape.

    Args:
        target: Of the request.
        headers: Of the request, without those of the body.
        size: Bytes, at most what the operation takes.
        fields: Of the form, which are read.
        method: Of the request.
    """

    def made(kind: str, media_type: str, body: bytes) -> Hostile:
        wire = request(method, target, {**headers, "Content-Type": media_type}, body[:size])
        return Hostile(f"{method} {target} {kind}", wire)

    for shape in SHAPES:
        text = fill(shape, size)
        form = "application/x-www-form-urlencoded"
        yield made(f"form {shape!r}", form, text.encode("latin-1"))
        for field in fields:
            yield made(f"form {field}={shape!r}", form, f"{field}={text}".encode())
        start = '{"url":'
        yield made(f"json {shape!r}", "application/json", (start + text).encode())
        yield made(f"json array {shape!r}", "application/json", (start + "[" + text).encode())
        for kind, body in multipart(shape, size):
            yield made(f"multipart {kind} {shape!r}", "multipart/form-data; boundary=B", body)
    members = b",".join(b'"%d":{}' % number for number in range(size // 12))
    yield made("json members", "application/json", b"{" + members[: size - 10].rpartition(b",")[0] + b"}")


def hostile_fields(
    targets: list[tuple[str, str, dict[str, str]]], size: int, fields: Collection[str], lists: Collection[str] = ()
) -> Iterator[Hostile]:
    """Bodies that can be read, each of whose fields holds as much of a shape as there is room for.

    Args:
        targets: Methods, paths and headers of requests.
        size: Bytes of the body.
        fields: Of the JSON object, which are texts.
        lists: Of the JSON object, which are arrays of texts: of one long text, and of as many as fit.
    """
    for method, path, headers in targets:
        sent = {**headers, "Content-Type": "application/json"}

        def made(
            kind: str, members: dict[str, object], to: tuple[str, str] = (method, path), sent: dict[str, str] = sent
        ) -> Hostile:
            body = json.dumps(members, ensure_ascii=False).encode()[:size]
            return Hostile(f"{to[0]} {to[1]} {kind}", request(*to, sent, body))

        for shape in SHAPES:
            for name in fields:
                # A quotation mark or backslash takes two bytes in JSON, a character beyond ASCII as well.
                yield made(f"{name}={shape!r}", {name: fill(shape, size // 2 - 100)})
            for name in lists:
                yield made(f"{name}[0]={shape!r}", {name: [fill(shape, size // 2 - 100)]})
                yield made(f"{name}[]={shape!r}", {name: [shape] * (size // (2 * len(shape) + 8))})


def hostile_forms(targets: list[tuple[str, dict[str, str]]], size: int, fields: Collection[str]) -> Iterator[Hostile]:
    """Forms of pages, with a field that holds as much of a shape as there is room for, and with all fields at once.

    Args:
        targets: Paths and headers of requests.
        size: Bytes of the form.
        fields: Names of fields that pages read.
    """
    for target, headers in targets:
        sent = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
        for shape in SHAPES:
            value = quote_plus(shape.encode("latin-1"))
            every = "&".join(f"{name}={value * (size // len(fields) // len(value) - 10)}" for name in sorted(fields))
            yield Hostile(f"POST {target} all {shape!r}", request("POST", target, sent, every.encode()[:size]))
        for number, name in enumerate(sorted(fields)):
            shape = SHAPES[number % len(SHAPES)]
            body = f"{name}={fill(quote_plus(shape.encode('latin-1')), size - 100)}"
            yield Hostile(f"POST {target} {name}={shape!r}", request("POST", target, sent, body.encode()))


def hostile_calls(target: str, headers: dict[str, str], size: int) -> Iterator[Hostile]:
    """Calls of tools for agents whose parts hold as much of a shape as there is room for.

    Args:
        target: Path.
        headers: Of the request, without those of the body.
        size: Bytes of the body.
    """
    for shape in SHAPES:
        text = fill(shape, size // 3)
        for kind, method, params in (
            ("method", text, {}),
            ("tool", "tools/call", {"name": text, "arguments": {}}),
            ("url", "tools/call", {"name": "analyze_url", "arguments": {"url": text}}),
            ("search", "tools/call", {"name": "list_reports", "arguments": {"search": text}}),
            ("check", "tools/call", {"name": "explain_check", "arguments": {"check": text}}),
            ("resource", "resources/read", {"uri": f"pagegrade://{text}"}),
            ("another resource", "resources/read", {"uri": text}),
            ("argument", "tools/call", {"name": "list_checks", "arguments": {text: 1}}),
        ):
            call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            body = json.dumps(call, ensure_ascii=False).encode()[:size]
            sent = {**headers, "Content-Type": "application/json"}
            yield Hostile(f"POST {target} {kind}={shape!r}", request("POST", target, sent, body))


def hostile_queries(targets: list[tuple[str, dict[str, str]]], names: list[str]) -> Iterator[Hostile]:
    """Queries and paths in every shape.

    Args:
        targets: Paths and headers of requests.
        names: Of query parameters.
    """
    for target, headers in targets:
        for shape in SHAPES:
            if any(character in shape for character in '\n \xe4\\"{'):
                continue
            yield Hostile(f"GET {target}?{shape}", request("GET", f"{target}?{fill(shape, QUERY_BYTES)}", headers))
            yield Hostile(f"GET {target}/{shape}", request("GET", f"{target}/{fill(shape, QUERY_BYTES)}", headers))
            for name in names:
                query = f"{name}={fill(shape, QUERY_BYTES)}"
                yield Hostile(f"GET {target}?{name}={shape}", request("GET", f"{target}?{query}", headers))


def hostile_framing(target: str, headers: dict[str, str]) -> Iterator[Hostile]:
    """Heads and bodies in as many pieces as there can be."""
    chunks = b"1\r\na\r\n" * 60_000 + b"0\r\n\r\n"
    yield Hostile("chunks of a byte", request("POST", target, {**headers, "Transfer-Encoding": "chunked"}) + chunks)
    lines = "".join(f"\r\nX-Forwarded-For: {fill('127.0.0.1,', 600)}" for _ in range(90))
    yield Hostile("one header ninety times", request("GET", target, {**headers, "Accept": f"*/*{lines}"}))
    upgrade = request("GET", target, {"Connection": "upgrade", "Upgrade": "h2c"})
    yield Hostile("upgrades in a row", upgrade * 600)
