"""Group F: bodies, content codings, character encodings, and the files beside the page."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Final

import brotli

from tests.fault import bodies
from tests.fault.pages import OK
from tests.lab.case import Case, Expect, Holds, PerPlace, Place, Seen, done, done_or_failed, failed, web
from tests.lab.servers import Connection, Script, page, paths, response

BOMB: Final = done_or_failed("too_large", "connect", "http_error", "not_html")
BOMB_MEMORY_MB: Final = 64
"""3 MB of a document or 10 MB of a sitemap may be kept, and are copied once on their way to the child."""
MAX_DECODED_BYTES: Final = 3_000_000 + 65_536
"""The cap, and the piece that went over it."""
CODING: Final = done_or_failed("connect", "http_error", "not_html", "too_large")
UNREAD: Final = failed("connect", "http_error", "not_html", "too_large")
"""A body nothing could be read of: a page that was not seen is never scored."""
_HTML: Final = "text/html; charset=utf-8"


def cases() -> Iterator[Case]:
    """Rows F01 to F24."""
    yield from _bombs()
    yield from _codings()
    yield from _types()
    yield from _charsets()
    yield from _robots()
    yield from _sitemaps()


def _bombs() -> Iterator[Case]:
    bombs: tuple[tuple[str, str, Callable[[], bytes]], ...] = (
        ("F01", "gzip", bodies.gzip_bomb),
        ("F02", "br", bodies.brotli_bomb),
        ("F03", "zstd", bodies.zstd_bomb),
        ("F04a", "gzip, gzip", bodies.double_gzip_bomb),
        ("F05a", "deflate", lambda: bodies.deflate_bomb(raw=False)),
        ("F05b", "deflate", lambda: bodies.deflate_bomb(raw=True)),
        ("F10", "gzip", bodies.gzip_bomb),
    )
    for case_id, coding, make in bombs:
        yield Case(
            id=case_id,
            title=f"a bomb of 256 MB in {coding}",
            stage=web(PerPlace(_coded(make, coding))),
            expect=BOMB,
            holds=[_capped],
            budget_s=8,
            evaluation_s=12,
            memory_mb=BOMB_MEMORY_MB,
        )
    yield Case(
        id="F04b",
        title="three codings",
        stage=web(
            PerPlace(lambda _: page(gzip.compress(bodies.double_gzip_bomb()), "Content-Encoding: gzip, gzip, gzip"))
        ),
        expect=UNREAD,
        holds=[_capped],
        memory_mb=BOMB_MEMORY_MB,
    )
    yield Case(
        id="F04c",
        title="a thousand codings named",
        stage=web(page(gzip.compress(OK.encode()), "Content-Encoding: " + ", ".join(["gzip"] * 1000))),
        expect=UNREAD,
    )
    yield Case(
        id="F08b",
        title="a hundred thousand gzip members",
        stage=web(PerPlace(lambda _: page(bodies.gzip_members(100_000), "Content-Encoding: gzip"))),
        expect=CODING,
        memory_mb=BOMB_MEMORY_MB,
        evaluation_s=5,
    )
    yield Case(
        id="F12",
        title="thirty megabytes of honest HTML",
        stage=web(PerPlace(lambda _: page(bodies.honest_page(30_000_000)))),
        expect=BOMB,
        holds=[_capped, _cut],
        budget_s=8,
        evaluation_s=12,
        memory_mb=BOMB_MEMORY_MB,
    )


def _codings() -> Iterator[Case]:
    plain = OK.encode()
    packed = gzip.compress(plain)
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    rows: tuple[tuple[str, str, bytes, str, Expect, tuple[Holds, ...]], ...] = (
        ("F06", "coding declared, body plain", plain, "gzip", CODING, ()),
        ("F07", "a gzip stream cut off", gzip.compress(bodies.honest_page(100_000))[:400], "gzip", CODING, (_cut,)),
        ("F08a", "garbage after the gzip member", packed + b"garbage", "gzip", CODING, ()),
        ("F09a", "a coding that exists nowhere", plain, "foo", done(), (_whole,)),
        ("F09h", "a coding that no browser removes", plain, "compress", done(), (_whole,)),
        ("F09b", "identity by name", plain, "identity", done(), (_whole,)),
        ("F09c", "GZIP in capitals", packed, "GZIP", done(), (_whole,)),
        ("F09d", "x-gzip", packed, "x-gzip", done(), (_whole,)),
        ("F09e", "brotli", brotli.compress(plain), "br", done(), (_whole,)),
        ("F09f", "deflate without its wrapper", raw.compress(plain) + raw.flush(), "deflate", done(), (_whole,)),
        ("F09g", "two codings", gzip.compress(packed), "gzip, gzip", CODING, ()),
    )
    for case_id, title, body, coding, expect, holds in rows:
        yield Case(
            id=case_id, title=title, stage=web(page(body, f"Content-Encoding: {coding}")), expect=expect, holds=holds
        )


def _types() -> Iterator[Case]:
    html = OK.encode()
    rows: tuple[tuple[str, str, bytes, str, Expect], ...] = (
        ("F11a", "an empty page", b"", _HTML, done_or_failed("not_html", "http_error")),
        ("F11b", "white space only", b" \r\n\t " * 100, _HTML, done_or_failed("not_html", "http_error")),
        ("F13a", "no content type", html, "", done_or_failed("not_html")),
        ("F13b", "an empty charset", html, "text/html; charset=", done()),
        ("F13c", "two content types", html, "text/html\r\nContent-Type: image/png", done_or_failed("not_html")),
        (
            "F13d",
            "a content type of ten kilobytes",
            html,
            "text/html; x=" + "y" * 10_000,
            done_or_failed("not_html", "connect"),
        ),
        ("F14a", "an image", b"\x89PNG\r\n\x1a\n", "image/png", failed("not_html")),
        ("F14b", "a PDF", b"%PDF-1.7\n", "application/pdf", failed("not_html")),
        ("F14c", "a download", b"\0\1\2", "application/octet-stream", failed("not_html")),
        ("F14d", "a stream of pictures", b"--x\r\n\r\n", "multipart/x-mixed-replace; boundary=x", failed("not_html")),
        ("F15a", "a ZIP that says it is HTML", bodies.archive(), _HTML, done_or_failed("not_html")),
        ("F15b", "a program that says it is HTML", b"\x7fELF\2\1\1" + bytes(4000), _HTML, done_or_failed("not_html")),
    )
    for case_id, title, body, media_type, expect in rows:
        yield Case(id=case_id, title=title, stage=web(page(body, content_type=media_type)), expect=expect)
    yield Case(
        id="F15c",
        title="ten megabytes of noise that says it is HTML",
        stage=web(PerPlace(lambda _: page(bodies.noise(10_000_000)))),
        expect=done_or_failed("not_html", "too_large"),
        budget_s=8,
        evaluation_s=15,
    )


def _charsets() -> Iterator[Case]:
    def titled(text: str) -> str:
        return OK.replace("A page in the lab", text).replace("<meta charset=utf-8>", "")

    cafe = titled("café")
    rows: tuple[tuple[str, str, bytes, str, str], ...] = (
        ("F16a", "windows-1252 that says utf-8", cafe.encode("cp1252"), _HTML, "caf\ufffd"),
        (
            "F16b",
            "a byte order mark against the header",
            b"\xef\xbb\xbf" + cafe.encode(),
            "text/html; charset=windows-1252",
            "café",
        ),
        (
            "F16c",
            "the header against a meta",
            titled("café").replace("<head>", "<head><meta charset=koi8-r>").encode(),
            _HTML,
            "café",
        ),
        ("F17g", "an unknown label", cafe.encode("cp1252"), "text/html; charset=no-such-thing", "café"),
        (
            "F19a",
            "bytes that are not UTF-8",
            titled("a\x00").encode().replace(b"\x00", b"\xff\xc0\xaf\xed\xa0\x80"),
            _HTML,
            "",
        ),
        ("F20a", "UTF-16 with a mark", b"\xff\xfe" + cafe.encode("utf-16-le"), "text/html", "café"),
        (
            "F20b",
            "UTF-16 without a mark but in the header",
            cafe.encode("utf-16-be"),
            "text/html; charset=utf-16be",
            "café",
        ),
        ("F20c", "UTF-32, which browsers do not know", b"\xff\xfe\0\0" + cafe.encode("utf-32-le"), "text/html", ""),
    )
    for case_id, title, body, media_type, wanted in rows:
        holds = [_title_is(wanted)] if wanted else [_clean_title]
        yield Case(id=case_id, title=title, stage=web(page(body, content_type=media_type)), expect=done(), holds=holds)
    for letter, label in zip("abcdef", ("zlib", "rot13", "hex", "base64", "idna", "undefined"), strict=True):
        yield Case(
            id=f"F17{letter}",
            title=f"the label {label}, a codec of Python but no encoding of the web",
            stage=web(page(cafe.encode("cp1252"), content_type=f"text/html; charset={label}")),
            expect=done(),
            holds=[_title_is("café")],
        )
    for letter, label in zip("abc", ("utf\x008", "../../etc/passwd", "x" * 5000), strict=True):
        yield Case(
            id=f"F18{letter}",
            title="a label that is not one",
            stage=web(page(titled("plain"), content_type=f"text/html; charset={label}")),
            expect=done_or_failed("connect", "http_error"),
            holds=[_clean_title],
        )
        yield Case(
            id=f"F18{letter}m",
            title="a label in a meta that is not one",
            stage=web(
                page(titled("plain").replace("<head>", f'<head><meta charset="{label}">'), content_type="text/html")
            ),
            expect=done(),
            holds=[_title_is("plain")],
        )
    yield Case(
        id="F21",
        title="NUL bytes throughout",
        stage=web(page(titled("a\0b").replace("<p>", "<p\0>").encode())),
        expect=done(),
        holds=[_clean_title],
    )


def _robots() -> Iterator[Case]:
    text = "text/plain; charset=utf-8"
    answers: tuple[tuple[str, str, Callable[[], bytes] | bytes], ...] = (
        (
            "F22b",
            "a binary robots.txt",
            lambda: response(bodies.noise(100_000), content_type="application/octet-stream"),
        ),
        ("F22c", "HTML as robots.txt", response(OK)),
        ("F22d", "status 500 for robots.txt", response("oh", status="500 Oh")),
        (
            "F22e",
            "robots.txt redirects inside",
            response("", "Location: http://127.0.0.1/robots.txt", status="302 Found"),
        ),
        ("F22f", "robots.txt redirects to a file", response("", "Location: file:///etc/passwd", status="302 Found")),
        (
            "F22g",
            "a bomb as robots.txt",
            lambda: response(bodies.gzip_bomb(), "Content-Encoding: gzip", content_type=text),
        ),
        ("F23a", "sixty thousand rules", lambda: response(bodies.robots_rules(60_000), content_type=text)),
        ("F23b", "a hundred thousand groups", lambda: response(bodies.robots_groups(100_000), content_type=text)),
        (
            "F24s",
            "robots.txt names sitemaps inside",
            response(
                "Sitemap: http://127.0.0.1/s.xml\nSitemap: http://169.254.169.254/s.xml\nSitemap: file:///etc/passwd\n",
                content_type=text,
            ),
        ),
    )
    for case_id, title, answer in answers:
        yield Case(
            id=case_id,
            title=title,
            stage=web(PerPlace(_robots_answer(answer))),
            expect=done(),
            evaluation_s=4,
        )
    yield Case(
        id="F22a",
        title="a robots.txt of a hundred megabytes",
        stage=web(PerPlace(lambda _: _long_robots)),
        expect=done(),
        memory_mb=BOMB_MEMORY_MB,
    )


def _sitemaps() -> Iterator[Case]:
    for letter, kind in zip("abcde", ("laughs", "quadratic", "file", "http", "dtd"), strict=True):
        answer = response(bodies.sitemap_bomb(kind), content_type="application/xml")
        yield Case(
            id=f"F24{letter}",
            title=f"a sitemap with declarations: {kind}",
            stage=web(_beside("/sitemap.xml", answer)),
            expect=done(),
            memory_mb=64,
            evaluation_s=4,
        )
    yield Case(
        id="F24f",
        title="a sitemap index that names itself and things inside",
        stage=web(PerPlace(_endless_index)),
        expect=done(),
        holds=[_few_sitemaps],
    )
    yield Case(
        id="F24g",
        title="a compressed sitemap that is a bomb",
        stage=web(
            PerPlace(
                lambda p: paths(
                    {
                        "/": response(OK),
                        "/robots.txt": response(f"Sitemap: http://{p.host}/s.xml.gz\n", content_type="text/plain"),
                        "/s.xml.gz": response(bodies.gzip_bomb(), content_type="application/gzip"),
                    }
                )
            )
        ),
        expect=done(),
        memory_mb=BOMB_MEMORY_MB,
        evaluation_s=4,
    )


def _coded(make: Callable[[], bytes], coding: str) -> Callable[[Place], Script]:
    return lambda _: page(make(), f"Content-Encoding: {coding}")


def _robots_answer(answer: Callable[[], bytes] | bytes) -> Callable[[Place], Script]:
    return lambda _: _beside("/robots.txt", answer)


def _beside(path: str, answer: Callable[[], bytes] | bytes) -> Script:
    return paths({"/": response(OK), path: answer if isinstance(answer, bytes) else answer()})


def _long_robots(connection: Connection) -> None:
    if b" /robots.txt " not in connection.read_request():
        connection.send(response(OK))
        return
    connection.send(response(b"", "Content-Length: 100000000", length=False, content_type="text/plain"))
    connection.repeat(b"User-agent: *\nDisallow: /x\n" * 1000, at_most=100_000_000)


def _endless_index(place: Place) -> Script:
    numbers = iter(range(1_000_000))

    def script(connection: Connection) -> None:
        request = connection.read_request()
        if b" / " in request:
            connection.send(response(OK))
        elif b".xml" in request:
            named = "".join(
                f"<sitemap><loc>{each}</loc></sitemap>"
                for each in (
                    f"http://{place.host}/sitemap.xml",
                    f"http://{place.host}/{next(numbers)}.xml",
                    f"http://{place.host}/{next(numbers)}.xml",
                    "http://127.0.0.1/x.xml",
                    "file:///etc/passwd",
                )
            )
            body = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{named}</sitemapindex>'
            connection.send(response(body, content_type="application/xml"))
        else:
            connection.send(response("gone", status="404 Not Found"))

    return script


def _capped(seen: Seen) -> str | None:
    size = seen.outcome.body_bytes
    return f"{size} bytes were decoded and kept" if size > MAX_DECODED_BYTES else None


def _cut(seen: Seen) -> str | None:
    outcome = seen.outcome
    return "the page is not called truncated" if outcome.state == "done" and not outcome.truncated else None


def _whole(seen: Seen) -> str | None:
    outcome = seen.outcome
    right = outcome.title == "A page in the lab" and not outcome.truncated
    return None if right else f"title {outcome.title!r}, truncated {outcome.truncated!r}"


def _title_is(text: str) -> Holds:
    def holds(seen: Seen) -> str | None:
        return None if seen.outcome.title == text else f"the title is {seen.outcome.title!r}, not {text!r}"

    return holds


def _clean_title(seen: Seen) -> str | None:
    title = seen.outcome.title
    return f"NUL or a surrogate in {title!r}" if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in title) else None


def _few_sitemaps(seen: Seen) -> str | None:
    count = sum(1 for record in seen.records if b".xml" in record.received.split(b"\r\n", 1)[0])
    return f"asked for {count} sitemaps" if count > 10 else None
