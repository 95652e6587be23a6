"""Pages that are small on the wire and large in memory, by themselves or by what they name."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from pagegrade.parse.url import origin
from tests.lab.case import Case, PerPlace, Place, done, done_or_failed, web
from tests.lab.servers import Connection, Script, response

FILES: Final = 195
"""Named by a page; somewhat fewer than are fetched at most."""
ONE_MB: Final = 150
"""Resident memory that one such page may add to what all processes of an idle service hold."""
FOUR_MB: Final = 400
"""The same for four at once."""
ROW_PROCESS_MB: Final = 48
"""Of the analyzing process alone, without its children."""


@dataclass(frozen=True, slots=True)
class File:
    """One answer, compressed once."""

    media_type: str
    packed: bytes

    @classmethod
    def of(cls, body: bytes | str, media_type: str) -> File:
        """``body`` under gzip."""
        return cls(media_type, gzip.compress(body.encode() if isinstance(body, str) else body, 6))


Find = Callable[[str, str], File | None]
"""(path, origin of the site) -> what is there."""


def _page(body: str = "") -> File:
    markup = (
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>A page that unpacks</title></head>"
        f"<body><h1>Hello</h1>{body}</body></html>"
    )
    return File.of(markup, "text/html; charset=utf-8")


def _lines(line: str, size: int) -> str:
    """So many characters of numbered lines: they compress well, and are no bomb by their ratio."""
    text = "".join(line.replace("#", f"{number:x}") for number in range(size // len(line) + 1))
    return text[:size]


def _naming(markup: str, body: Callable[[], bytes], media_type: str) -> Find:
    """A page that names ``FILES`` files of the same content; ``@`` in the markup is the file's path."""
    page = _page("".join(markup.replace("@", f"/f/{number}") for number in range(FILES)))
    file = File.of(body(), media_type)
    return lambda path, _: page if path == "/" else file if path.startswith("/f/") else None


def _style_sheets() -> Find:
    rules = ".card-#{color:red;margin:0 auto;background:url(/i/#.png)}\n"
    return _naming("<link rel=stylesheet href=@.css>", lambda: _lines(rules, 4_900_000).encode(), "text/css")


def _images() -> Find:
    """GIFs of one frame after a comment: whether they move stands behind it."""
    comment = b"\x21\xfe" + b"".join(b"\xff" + f"{n:0255x}".encode() for n in range(8_000)) + b"\x00"
    body = b"GIF89a\x01\x00\x01\x00\x00\x00\x00" + comment + b"\x3b"
    return _naming('<img src=@.gif alt="">', lambda: body, "image/gif")


def _scripts() -> Find:
    line = "function f#(a){ return a + 1; } // comment\n"
    return _naming("<script src=@.js></script>", lambda: _lines(line, 1_900_000).encode(), "text/javascript")


def _sitemaps() -> Find:
    """Ten files of ten megabytes that robots.txt declares."""
    head = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    page, file = _page(), File.of(head + _lines("<url><loc>/p#</loc></url>", 9_900_000), "application/xml")

    def find(path: str, site: str) -> File | None:
        if path == "/robots.txt":
            named = "".join(f"Sitemap: {site}/m/{number}.xml\n" for number in range(20))
            return File.of("User-agent: *\nDisallow: /x\n" + named, "text/plain")
        return page if path == "/" else file if path.startswith("/m/") else None

    return find


def _document(body: Callable[[], str]) -> Find:
    page = _page(body())
    return lambda path, _: page if path == "/" else None


PAGES: Final[Mapping[str, Callable[[], Find]]] = {
    "style-sheets": _style_sheets,
    "images": _images,
    "scripts": _scripts,
    "sitemaps": _sitemaps,
    "elements": partial(_document, lambda: _lines("<b>#</b>", 9_000_000)),
    "open-elements": partial(_document, lambda: _lines("<p>#", 9_000_000)),
    "attributes": partial(_document, lambda: _lines('<i a="#" b="2" c="3">', 15_000_000)),
    "text": partial(_document, lambda: "\N{PILE OF POO}" + _lines("word # and ", 15_000_000)),
    "inline-styles": partial(
        _document, lambda: "<style>" + _lines(".c#{color:red;background:url(/i/#.png)}\n", 15_000_000)
    ),
    "long-addresses": partial(
        _document, lambda: f'<base href="/{"d" * 8_000}/">' + _lines("<img src=#><a href=#></a>", 500_000)
    ),
}
"""Name -> a page; each is at most five megabytes on the wire, with everything it names that is fetched."""


@cache
def find_page(name: str) -> Find:
    """The page of that name, made once in a process."""
    return PAGES[name]()


def ordinary(path: str, _: str) -> File | None:
    """A site of one small page."""
    return _page("<p>Nothing special.") if path == "/" else None


def cases() -> Iterator[Case]:
    """Rows U01 and on: each page, with the memory of all processes as a bound."""
    for number, name in enumerate(PAGES, 1):
        yield Case(
            id=f"U{number:02}",
            title=f"a page that unpacks: {name}",
            stage=web(PerPlace(partial(_script, name))),
            expect=done() if name in ("style-sheets", "images", "scripts", "sitemaps") else done_or_failed("too_large"),
            budget_s=20,
            evaluation_s=25,
            memory_mb=ROW_PROCESS_MB,
            memory_of_all_mb=ONE_MB,
        )


def _script(name: str, place: Place) -> Script:
    find = find_page(name)
    site = origin(f"http://{place.host}/")

    def script(connection: Connection) -> None:
        request = connection.read_request()
        method, path = [*request.split(b" ", 2), b"", b""][:2]
        found = find(path.decode("latin-1").partition("?")[0], site)
        if found is None:
            connection.send(response("<title>gone</title>", status="404 Not Found"))
            return
        answer = response(found.packed, "Content-Encoding: gzip", content_type=found.media_type)
        connection.send(answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if method == b"HEAD" else answer)

    return script
