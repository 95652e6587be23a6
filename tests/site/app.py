"""The test site as plain ASGI functions: no framework, one table of paths."""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Literal

import brotli

from tests.site import assets, pages
from tests.waiting import pause_for

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Kind = Literal["good", "soft_404", "spa"]

YEAR: Final = "public, max-age=31536000, immutable"
SLOW_S: Final = 2.0
"""Seconds until ``/slow`` answers."""
SECURITY_HEADERS: Final = (
    ("strict-transport-security", "max-age=63072000; includeSubDomains; preload"),
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)
_HTML, _CSS, _JS, _TEXT = (
    "text/html; charset=utf-8",
    "text/css; charset=utf-8",
    "text/javascript; charset=utf-8",
    "text/plain; charset=utf-8",
)
_SMALL: Final = 200
"""Bodies below this many bytes are not worth compressing."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer before compression."""

    body: bytes
    type: str = _HTML
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


def make_app(kind: Kind = "good", *, asked: Counter[str] | None = None, edited: Mapping[str, str] | None = None) -> App:
    """The site, or one of its two relatives that answer 200 to everything.

    Args:
        kind: Which of them.
        asked: Where to count how often each path was asked for, with its query.
        edited: HTML that takes the place of that of a path, headers stay; looked at for every request.
    """

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        origin = f"{scope['scheme']}://{headers.get('host', 'localhost')}"
        path = scope["path"]
        if asked is not None:
            query = scope["query_string"].decode("latin-1")
            asked[f"{path}?{query}" if query else path] += 1
        if path == "/slow":
            await pause_for(SLOW_S, "the answer of a slow page")
        answer = _relative(kind, path) if kind != "good" else _route(path, origin)
        if edited and path in edited:
            answer = replace(answer, body=edited[path].encode())
        await _reply(scope["method"], headers.get("accept-encoding", ""), answer, send)

    return app


def _relative(kind: Kind, path: str) -> Answer:
    if kind == "spa":
        return Answer(pages.application_shell().encode())
    if path == "/":
        return Answer(pages.plain_page("A shop", "Everything you ask for is here.").encode())
    return Answer(pages.plain_page("Page not found", "We could not find that page.").encode())


def _route(path: str, origin: str) -> Answer:
    fixed = _FIXED.get(path)
    if fixed is not None:
        return fixed(origin)
    first, _, rest = path.lstrip("/").partition("/")
    if first == "redirect" and rest.isdigit() and int(rest) <= 50:
        return _redirect(f"/redirect/{int(rest) - 1}" if int(rest) > 1 else "/")
    if first == "status" and rest.isdigit() and 400 <= int(rest) <= 599:
        return Answer(pages.plain_page(f"Error {rest}").encode(), status=int(rest))
    if first in ("many", "assets"):
        found = _file(rest)
        if found is not None:
            return found
    return Answer(pages.not_found_page().encode(), status=404)


def _redirect(target: str, status: int = 302) -> Answer:
    return Answer(b"", status=status, headers=(("location", target),))


def _page(text: str, *headers: tuple[str, str]) -> Answer:
    return Answer(text.encode(), headers=(("cache-control", "public, max-age=600"), *headers))


def _cached(body: bytes, media_type: str) -> Answer:
    return Answer(body, media_type, headers=(("cache-control", YEAR),))


def _file(name: str) -> Answer | None:
    """Everything under ``/assets/`` and ``/many/``; the name alone says what it is."""
    stem, _, extension = name.rpartition(".")
    digits = "".join(character for character in stem if character.isdigit())
    number = int(digits[:5]) if digits else 0
    match extension:
        case "css" if stem.startswith("style-"):
            return _cached(pages.many_style(number).encode(), _CSS)
        case "css":
            return _cached(
                b".skip { position: absolute }\nmain { max-width: 42rem; margin: auto; line-height: 1.5 }\n", _CSS
            )
        case "js":
            return _cached(assets.script(number), _JS)
        case "webp":
            wide = max(100, number)
            return _cached(assets.webp(wide, 630 if wide == 1200 else wide * 315 // 600), "image/webp")
        case "png":
            return _cached(assets.png(180, 180) if stem == "touch-180" else assets.png(40, 40), "image/png")
        case "gif":
            return _cached(assets.gif(10, 10), "image/gif")
        case "svg":
            return _cached(assets.svg("A lamp"), "image/svg+xml")
        case "woff2":
            return _cached(assets.woff2(), "font/woff2")
        case _:
            return None


def _sitemap(origin: str) -> Answer:
    urls = "".join(f"<url><loc>{origin}{path}</loc><lastmod>2026-04-02</lastmod></url>" for path in ("/", "/about"))
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>\n'
    return Answer(text.encode(), "application/xml; charset=utf-8")


_FIXED: Final[dict[str, Callable[[str], Answer]]] = {
    "/": lambda origin: _page(pages.good_page(origin)),
    "/good": lambda origin: _page(pages.good_page(origin, "/good")),
    "/about": lambda origin: _page(pages.about_page(origin)),
    "/poor": lambda _: Answer(
        pages.poor_page().encode(),
        "text/html",
        headers=(("server", "Apache/2.2.3"), ("x-powered-by", "PHP/5.3"), ("set-cookie", "session=1")),
    ),
    "/many": lambda _: _page(pages.many_page()),
    "/slow": lambda _: _page(pages.plain_page("Slow", "That took a while.")),
    "/loop": lambda _: _redirect("/loop/back"),
    "/loop/back": lambda _: _redirect("/loop"),
    "/moved": lambda _: _redirect("/", 301),
    "/challenge": lambda _: Answer(
        pages.challenge_page().encode(), status=403, headers=(("cf-mitigated", "challenge"), ("server", "cloudflare"))
    ),
    "/image.png": lambda _: _cached(assets.png(40, 40), "image/png"),
    "/data.json": lambda _: Answer(b'{"not": "a page"}\n', "application/json"),
    "/document.pdf": lambda _: Answer(b"%PDF-1.7\n%%EOF\n", "application/pdf"),
    "/notes.txt": lambda _: Answer(b"Just text.\n", _TEXT),
    "/empty": lambda _: Answer(b""),
    "/robots.txt": lambda origin: Answer(f"User-agent: *\nAllow: /\n\nSitemap: {origin}/sitemap.xml\n".encode(), _TEXT),
    "/sitemap.xml": _sitemap,
    "/favicon.ico": lambda _: _cached(assets.ico(), "image/x-icon"),
    "/site.webmanifest": lambda _: _cached(
        b'{"name": "The Lamp Room", "icons": [{"src": "/assets/touch-180.png", "sizes": "180x180"}]}',
        "application/manifest+json",
    ),
    "/.well-known/security.txt": lambda origin: Answer(
        f"Contact: {origin}/about\nExpires: 2030-01-01T00:00:00Z\n".encode(), _TEXT
    ),
}


async def _reply(method: str, accepted: str, answer: Answer, send: Send) -> None:
    body, coding = _compressed(answer, accepted)
    headers = [(b"content-type", answer.type.encode())]
    if not any(name == "server" for name, _ in answer.headers):
        headers += [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS]
    headers += [(name.encode(), value.encode()) for name, value in answer.headers]
    if _compressible(answer):
        headers.append((b"vary", b"Accept-Encoding"))
    if coding:
        headers.append((b"content-encoding", coding.encode()))
    headers.append((b"etag", b'"' + hashlib.sha256(answer.body).hexdigest()[:16].encode() + b'"'))
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})


def _compressible(answer: Answer) -> bool:
    textual = ("text/", "application/xml", "application/json", "application/manifest", "image/svg")
    poor = any(name == "x-powered-by" for name, _ in answer.headers)
    return answer.type.startswith(textual) and len(answer.body) > _SMALL and not poor


def _compressed(answer: Answer, accepted: str) -> tuple[bytes, str]:
    offered = {each.split(";")[0].strip().lower() for each in accepted.split(",")}
    if not _compressible(answer):
        return answer.body, ""
    for coding in ("br", "gzip"):
        if coding in offered:
            return _coded(answer.body, coding), coding
    return answer.body, ""


@lru_cache(maxsize=256)
def _coded(body: bytes, coding: str) -> bytes:
    # Kept, so that a bench measures who fetches and not who compresses.
    return brotli.compress(body, quality=5) if coding == "br" else gzip.compress(body, 6, mtime=0)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
