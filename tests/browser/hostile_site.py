"""A malicious page, served for real: payloads in its head, its text, its links and its headers."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from tests.browser.payloads import OUTSIDE, PAYLOADS, everything

_NAMES: Final = ("description", "author", "generator", "robots", "viewport", "theme-color", "twitter:title", "referrer")
_PROPERTIES: Final = ("og:title", "og:description", "og:image", "og:url", "og:site_name", "article:author")


def hostile_page() -> str:
    """A whole document in which every part that a report quotes is a payload, correctly escaped for its own page."""
    said = escape(everything())
    metas = "\n".join(f'<meta name="{name}" content="{said}">' for name in _NAMES)
    metas += "\n".join(f'<meta property="{name}" content="{said}">' for name in _PROPERTIES)
    headings = "\n".join(
        f"<h{1 + number % 6}>{escape(text)}</h{1 + number % 6}>" for number, text in enumerate(PAYLOADS.values())
    )
    links = "\n".join(f'<a href="{escape(text)}">{escape(text)}</a>' for text in PAYLOADS.values())
    images = "\n".join(f'<img src="{escape(text)}" alt="{escape(text)}">' for text in PAYLOADS.values())
    return f"""<!doctype html>
<html lang="{said}">
<head>
<meta charset="utf-8">
<title>{said}</title>
{metas}
<link rel="canonical" href="javascript:alert('canonical')">
<link rel="icon" href="//{OUTSIDE}/icon.png">
<link rel="stylesheet" href="//{OUTSIDE}/style.css">
<script src="//{OUTSIDE}/script.js"></script>
<script type="application/ld+json">{{"@type": "Article", "headline": "{PAYLOADS["J02"].replace('"', "")}"}}</script>
</head>
<body style="background: url(//{OUTSIDE}/body.png)" onload="alert('body')">
{headings}
{links}
{images}
<form action="javascript:alert('form')"><input name="{said}" value="{said}"></form>
<iframe src="//{OUTSIDE}/frame" title="{said}"></iframe>
<p id="{said}">{said}</p>
</body></html>
"""


class _Handler(BaseHTTPRequestHandler):
    """Answers the page to everything, with headers that a report quotes."""

    server_version = "Evil/1.0"
    sys_version = "<svg/onload=alert('server')>"

    def do_GET(self) -> None:
        """The page."""
        body = hostile_page().encode("utf-8", "surrogatepass")
        self.send_response(200)
        for name, value in (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("X-Powered-By", PAYLOADS["J02"]),
            ("Link", f"<//{OUTSIDE}/preload.js>; rel=preload; as=script"),
            ("Set-Cookie", "a=<script>alert('cookie')</script>; Path=/"),
            ("Content-Security-Policy", f"default-src {OUTSIDE} '\"><svg onload=alert(1)>'"),
            ("Cache-Control", PAYLOADS["J04"]),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_about: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serve_hostile_page() -> Iterator[str]:
    """The address of the page, for the length of a block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join(5)
        server.server_close()
