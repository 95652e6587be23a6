"""Serves a site on loopback and keeps a log of its own."""

from __future__ import annotations

import contextlib
import html
import json
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.site_world.world import Link, Page, World
from tests.waiting import pause

JOIN_S: Final = 30.0
_SESSION: Final = "?PHPSESSID=0123456789abcdef0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Start:
    """One request, when its head was read."""

    at_s: float
    """On the monotonic clock."""
    method: str
    path: str
    user_agent: str
    authorization: str = ""


@dataclass(slots=True)
class SiteServer:
    """A site that is being served."""

    world: World
    port: int
    starts: list[Start] = field(default_factory=list)
    needs_access: bool = False
    """Without an Authorization line the answer is 401."""
    has_validators: bool = False
    """Pages and style sheets have an entity tag, and are not sent to who has them already."""
    sheet: str = "body { color: #222 }"
    headers: tuple[tuple[str, str], ...] = ()
    """Of every page, and of the answer that it has not changed."""
    page_bytes: int = 0
    """Of the bodies of all answers with a status of pages."""
    host: str = "127.0.0.1"
    """Name under which its pages speak of it; it is reached at the address of ``serving``."""
    files: dict[str, str] = field(default_factory=dict)
    """Path -> text of files that are no part of the world."""
    head: str = ""
    """Put into the head of every page."""
    at_once: int = 0
    """The most requests that were under way together."""

    @property
    def origin(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://{self.host}:{self.port}"

    def fetched(self) -> list[str]:
        """Paths in the order they were asked for with GET, without files that are no pages."""
        files = {"/robots.txt", "/sitemap.xml"}
        return [one.path for one in self.starts if one.method == "GET" and one.path not in files]


@contextlib.contextmanager
def serving(world: World, host: str = "127.0.0.1") -> Iterator[SiteServer]:
    """Serve a site for the length of a block, at an address of the loopback."""
    lock = threading.Lock()
    refused: Counter[str] = Counter()
    under_way = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            nonlocal under_way
            with lock:
                agent = self.headers.get("User-Agent", "")
                sent = self.headers.get("Authorization", "")
                site.starts.append(Start(time.monotonic(), self.command, self.path, agent, sent))
                under_way += 1
                site.at_once = max(site.at_once, under_way)
            try:
                self._answer()
            finally:
                with lock:
                    under_way -= 1

        do_HEAD = do_GET  # noqa: N815 - the name that the base class calls

        def _answer(self) -> None:
            if site.needs_access and not self.headers.get("Authorization"):
                self._send(401, "text/plain", "Who are you?", (("WWW-Authenticate", "Basic"),))
                return
            files = {
                "/robots.txt": ("text/plain; charset=utf-8", robots_text),
                "/sitemap.xml": ("application/xml", sitemap_text),
                **{path: ("text/plain", lambda *_: site.files[self.path]) for path in site.files},
            }
            if self.path in files and self.path not in world.pages:
                kind, make = files[self.path]
                self._send(200, kind, make(world, site.origin))
                return
            page = world.at(self.path)
            if page is None:
                self._send(404, "text/html; charset=utf-8", page_text(Page(self.path, 404, "Not found"), site.origin))
                return
            if page.delay_s:
                pause(page.delay_s, "the page is slow")
            with lock:
                refused[self.path] += 1
                refuses = refused[self.path] <= page.refusals
            refusal = (self.command == "HEAD" and page.head_status) or (refuses and 503)
            if refusal:
                self._send(refusal, "text/plain", "Later", (("Retry-After", "0"),) if refuses else ())
            elif page.redirect is not None:
                target = page.redirect if "://" in page.redirect else site.origin + page.redirect
                self._send(page.status, "text/plain", "Moved", (("Location", target), *page.headers))
            elif self.path.endswith(".css"):
                self._send(*answer_of(site, page, "text/css", site.sheet, self.headers.get("If-None-Match")))
            else:
                text = page_text(page, site.origin).replace("<head>", f"<head>{site.head}", 1)
                kind = "text/html; charset=utf-8"
                self._send(*answer_of(site, page, kind, text, self.headers.get("If-None-Match")))

        def _send(self, status: int, kind: str, text: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
            body = text.encode()
            self.send_response(status)
            for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
                with lock:
                    site.page_bytes += len(body) * (status < 400)

        def log_message(self, *_: Any) -> None:
            """Keep quiet: ``starts`` is the log."""

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    site = SiteServer(world, server.server_address[1], host=host)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join(JOIN_S)


def answer_of(
    site: SiteServer, page: Page, kind: str, text: str, known: str | None
) -> tuple[int, str, str, tuple[tuple[str, str], ...]]:
    """Status, type, body and headers of a page, for who knows the one with this entity tag."""
    headers = (*page.headers, *site.headers)
    if not site.has_validators or page.status != 200:
        return page.status, kind, text, headers
    tag = f'"{zlib.crc32(text.encode()):08x}"'
    headers = (*headers, ("ETag", tag))
    return (304, kind, "", headers) if known == tag else (200, kind, text, headers)


def robots_text(world: World, origin: str) -> str:
    """The robots.txt of a site."""
    rules = "".join(f"Disallow: {prefix}\n" for prefix in world.disallowed) or "Disallow:\n"
    return f"User-agent: *\n{rules}\nSitemap: {origin}/sitemap.xml\n"


def sitemap_text(world: World, origin: str) -> str:
    """The sitemap of a site."""
    entries = "".join(
        f"<url><loc>{html.escape(origin + page.path)}</loc>"
        + (f"<lastmod>{page.lastmod}</lastmod>" if page.lastmod else "")
        + "</url>\n"
        for page in world.sitemap()
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{entries}</urlset>\n"


def page_text(page: Page, origin: str) -> str:
    """The HTML of a page; each template has a structure of its own."""

    def absolute(path: str) -> str:
        return html.escape(path if "://" in path else origin + path)

    def anchors(links: list[Link]) -> str:
        return "\n".join(
            f'<li><a href="{absolute(link.path)}{_SESSION * link.session}"{" rel=nofollow" * link.nofollow}>'
            f"{html.escape(link.text)}</a></li>"
            for link in links
        )

    head = [f"<title>{html.escape(page.title)}</title>", "<meta charset=utf-8>"]
    head.append('<meta name="viewport" content="width=device-width, initial-scale=1">')
    if page.description:
        head.append(f'<meta name="description" content="{html.escape(page.description)}">')
    if page.noindex:
        head.append('<meta name="robots" content="noindex">')
    if page.canonical is not None:
        head.append(f'<link rel="canonical" href="{absolute(page.canonical)}">')
    for relation, path in (("next", page.next_path), ("prev", page.prev_path)):
        if path is not None:
            head.append(f'<link rel="{relation}" href="{absolute(path)}">')
    for language, path in page.alternates:
        head.append(f'<link rel="alternate" hreflang="{language}" href="{absolute(path)}">')
    if page.asset is not None:
        head.append(f'<link rel="stylesheet" href="{absolute(page.asset)}">')
    for kind in page.types:
        data = json.dumps({"@context": "https://schema.org", "@type": kind, "name": page.h1})
        head.append(f'<script type="application/ld+json">{data}</script>')
    head.append(page.markup.get("head", ""))
    kind = page.template
    # Sections of a template: deeper or shallower, with classes of its own.
    sections = {
        "product": ("article", "div", "section"),
        "guide": ("div", "article"),
        "news": ("section", "div", "div", "div"),
        "team": ("aside", "p"),
        "place": ("table", "tbody", "tr", "td"),
        "list": ("ul", "li"),
    }.get(kind, ("div",))
    opened = "".join(f'<{name} class="{kind}-{number}">' for number, name in enumerate(sections))
    closed = "".join(f"</{name}>" for name in reversed(sections))
    more = page.markup
    inside = more.get("main", "")
    text = f"<p>{html.escape(page.text)}</p>"
    around = {
        place: anchors([link for link in page.links if link.place == place]) for place in ("nav", "main", "footer")
    }
    return (
        f'<!doctype html>\n<html lang="{page.lang}">\n<head>\n{chr(10).join(head)}\n</head>\n<body class="{kind}">\n'
        f"<header>{more.get('header', '')}<nav><ul>{around['nav']}</ul></nav></header>\n"
        f"<main>\n<h1>{html.escape(page.h1)}</h1>\n{opened}{text}{inside}{closed}\n<ul>{around['main']}</ul>\n</main>\n"
        f"<footer><ul>{around['footer']}</ul>{more.get('footer', '')}</footer>\n</body>\n</html>\n"
    )
