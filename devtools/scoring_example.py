"""The page whose score ``docs/explanation/scoring.md`` works out: one a small shop could have, with everyday faults."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from pagegrade.model.artifacts import (
    TLS,
    Artifacts,
    Certificate,
    DNSFacts,
    ImageFacts,
    Navigation,
    Resource,
    Resources,
    Response,
    SitemapFile,
    Sitemaps,
    Timings,
    WellKnown,
)
from pagegrade.model.report import Report
from pagegrade.service.runs.evaluation import evaluate_artifacts

SITE: Final = "https://lamps.example"
URL: Final = f"{SITE}/brass-lamps"
NOW: Final = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
HTML_TYPE: Final = ("Content-Type", "text/html; charset=utf-8")
HEADERS: Final = (
    HTML_TYPE,
    ("Cache-Control", "no-cache"),
    ("X-Content-Type-Options", "nosniff"),
    ("Server", "nginx/1.18.0"),
    ("Set-Cookie", "session=1; Path=/"),
)
TEXT: Final = (
    "Every lamp is turned from one bar of brass, fitted with a cotton wick and tested for an hour in our own workshop. "
    "It burns lamp oil or paraffin, stands safely on a ship or on a garden table, and can be opened for cleaning "
    "without tools. "
)
PARAGRAPH: Final = (TEXT * 4).strip()
PAGE: Final = f"""<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>Our lamps</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/style.css">
<script src="/menu.js"></script>
</head>
<body>
<header><a href="/"><img src="/logo.png" alt="Lamps" width="120" height="40"></a></header>
<main>
<h1>Brass lamps</h1>
<p>{PARAGRAPH}</p>
<h3>For ships</h3>
<p>{PARAGRAPH}</p>
<img src="/ship.jpg">
<h3>For gardens</h3>
<p>{PARAGRAPH}</p>
<img src="/garden.jpg">
<form action="/newsletter" method="post"><input type="email" name="email" placeholder="Your address">
<button type="submit"><img src="/arrow.png" width="24" height="24"></button></form>
<p>Brass lamps <a href="/care">need some care</a>, and <a href="/parts">every part can be replaced</a>.</p>
</main>
</body>
</html>
"""


def example_report() -> Report:
    """The report on the page, evaluated by the real checks."""
    return evaluate_artifacts(_artifacts(PAGE))


def noindex_report() -> Report:
    """The report on the same page with a robots directive that excludes search engines."""
    return evaluate_artifacts(_artifacts(PAGE.replace("<title>", '<meta name="robots" content="noindex">\n<title>')))


def _artifacts(page: str) -> Artifacts:
    body = page.encode()
    insecure = _answer("http://lamps.example/", body, headers=HEADERS)
    missing = _answer(f"{SITE}/zebra-lantern", PAGE.encode(), headers=HEADERS)
    return Artifacts(
        engine="example",
        gathered_at=NOW,
        navigation=Navigation(requested_url=URL, response=_answer(URL, body, headers=HEADERS, wire_bytes=len(body))),
        load_samples_ms=(310.0, 290.0, 300.0),
        robots_txt=_file(
            "robots.txt", f"User-agent: *\nDisallow:\nSitemap: {SITE}/sitemap.xml\n".encode(), "text/plain"
        ),
        sitemaps=Sitemaps(
            files=(
                SitemapFile(
                    url=f"{SITE}/sitemap.xml", source="robots", status=200, kind="urlset", url_count=12, lists_page=True
                ),
            ),
            declared_in_robots=(f"{SITE}/sitemap.xml",),
        ),
        not_found_probe=WellKnown(requested_url=missing.url, response=missing),
        insecure_probe=WellKnown(requested_url=insecure.url, response=insecure),
        sibling_probe=_redirected("https://www.lamps.example/", f"{SITE}/"),
        favicon=_file("favicon.ico", b"\0\0\1\0\1\0\x20\x20\0\0\1\0\x20\0" + b"\0" * 60, "image/x-icon"),
        tls=_tls(),
        dns=DNSFacts(host="lamps.example", addresses=("203.0.113.7",)),
        resources=Resources(
            items=(
                _text("style.css", "stylesheet", "text/css"),
                _text("menu.js", "script", "text/javascript"),
                _image("logo.png", "png", 3_000, 240, 80),
                _image("arrow.png", "png", 600, 48, 48),
                _image("ship.jpg", "jpeg", 240_000, 1600, 1000),
                _image("garden.jpg", "jpeg", 180_000, 1600, 1000),
            )
        ),
    )


def _answer(
    url: str, body: bytes = b"", *, status: int = 200, headers: tuple[tuple[str, str], ...] = (HTML_TYPE,), **more: int
) -> Response:
    return Response(
        url=url,
        status=status,
        headers=headers,
        http_version="HTTP/1.1",
        address="203.0.113.7",
        body=body,
        wire_bytes=more.get("wire_bytes", len(body)),
        header_bytes=400,
        content_encodings=("br",) if ("Content-Encoding", "br") in headers else (),
        timings=Timings(
            dns_ms=5.0, connect_ms=20.0, tls_ms=25.0, first_byte_ms=120.0, download_ms=20.0, total_ms=190.0
        ),
    )


def _file(name: str, body: bytes, kind: str) -> WellKnown:
    url = f"{SITE}/{name}"
    return WellKnown(requested_url=url, response=_answer(url, body, headers=(("Content-Type", kind),)))


def _redirected(url: str, target: str) -> WellKnown:
    hop = _answer(url, status=301, headers=(("Location", target),))
    return WellKnown(requested_url=url, hops=(hop,), response=_answer(target, b"<!doctype html><title>Lamps</title>"))


def _tls() -> TLS:
    certificate = Certificate(
        subject="CN=lamps.example",
        issuer="CN=Example CA",
        names=("lamps.example", "www.lamps.example"),
        not_before_at=NOW - timedelta(days=30),
        not_after_at=NOW + timedelta(days=60),
        key_type="EC",
        key_bits=256,
        signature_algorithm="ecdsa-with-SHA256",
        serial="1",
    )
    return TLS(
        host="lamps.example",
        verified=True,
        chain=(certificate,),
        alpn="http/1.1",
        versions=(("TLSv1.0", False), ("TLSv1.1", False), ("TLSv1.2", True), ("TLSv1.3", True)),
        checked_at=NOW,
    )


def _resource(name: str, media_type: str, wire_bytes: int, *, coded: bool = False) -> Response:
    kept = (("Content-Type", media_type), ("ETag", '"1"'))
    coding = (("Content-Encoding", "br"),) if coded else ()
    return _answer(f"{SITE}/{name}", headers=(*kept, *coding), wire_bytes=wire_bytes)


def _text(name: str, kind: str, media_type: str) -> Resource:
    return Resource(
        url=f"{SITE}/{name}",
        kinds=(kind,),
        initiator_url=URL,
        response=_resource(name, media_type, 4_000, coded=True),
        decoded_bytes=14_000,
        minified_bytes=13_900,
        digest=name,
    )


def _image(name: str, kind: Literal["jpeg", "png"], wire_bytes: int, width_px: int, height_px: int) -> Resource:
    return Resource(
        url=f"{SITE}/{name}",
        kinds=("image",),
        initiator_url=URL,
        response=_resource(name, f"image/{kind}", wire_bytes),
        image=ImageFacts(format=kind, width_px=width_px, height_px=height_px),
        decoded_bytes=wire_bytes,
        digest=name,
    )
