"""Group H: shapes of response headers and of strings in certificates."""

from __future__ import annotations

import datetime as dt
import ssl
from collections.abc import Callable, Iterator
from typing import Final

from cryptography import x509
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import NameOID

from tests.fault.pages import OK, with_body, with_head
from tests.lab.authority import Issued, server_context
from tests.lab.case import Case, Expect, PerPlace, Place, Seen, done, done_or_failed, secure, web
from tests.lab.servers import Connection, Script, page

EITHER: Final = done_or_failed("connect", "http_error", "tls")
"""Evaluated, or refused because a limit of the header block was passed."""
HTML_NAME: Final = "<script>alert(1)</script>"


def cases() -> Iterator[Case]:
    """Rows H01 to H10."""
    rows: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("H01a", "a policy of sixty kilobytes", ("Content-Security-Policy: " + "default-src 'self'; " * 3000,)),
        (
            "H01b",
            "a policy of many directives",
            ("Content-Security-Policy: " + ";".join(f"d{n} x" for n in range(1900)),),
        ),
        ("H01c", "a hundred policies", tuple(f"Content-Security-Policy: script-src 'nonce-{n}'" for n in range(100))),
        ("H02a", "an endless HSTS age", ("Strict-Transport-Security: max-age=99999999999999999999",)),
        ("H02b", "a negative HSTS age", ("Strict-Transport-Security: max-age=-1",)),
        ("H02c", "a quoted HSTS age", ('Strict-Transport-Security: max-age="31536000"',)),
        ("H02d", "HSTS twice", ("Strict-Transport-Security: max-age=1", "Strict-Transport-Security: max-age=2")),
        ("H02e", "an HSTS age of five thousand digits", ("Strict-Transport-Security: max-age=" + "9" * 5000,)),
        (
            "H03",
            "odd cookies",
            (
                "Set-Cookie: a=" + "b" * 10_000,
                "Set-Cookie: =x",
                "Set-Cookie: ",
                "Set-Cookie: __Host-a=b; Domain=example.com",
                "Set-Cookie: a\x01=\x7f; Path=\x02; Max-Age=" + "9" * 5000,
                "Set-Cookie: a=b; Expires=Thu, 99 Foo 99999 99:99:99 GMT",
            ),
        ),
        (
            "H04",
            "odd dates",
            (
                "Date: Fri, 31 Dec 9999 23:59:59 GMT",
                "Expires: -1",
                "Age: 1e30",
                "Last-Modified: Mon, 01 Jan 0001 00:00:00 GMT",
            ),
        ),
        ("H04b", "a date that is none", ("Date: " + "0" * 5000, "Cache-Control: max-age=" + "9" * 5000)),
        ("H05", "a thousand links", ("Link: " + ", ".join(f"</{n}>; rel=r{n}" for n in range(700)),)),
        ("H06", "HTML in Server", (f"Server: {HTML_NAME}", f"X-Powered-By: {HTML_NAME}")),
        (
            "H07",
            "a path as a file name",
            ("Content-Disposition: inline; filename=../../etc/x; filename*=UTF-8''%00%ff",),
        ),
        (
            "H10",
            "headers that point inside",
            (
                'Alt-Svc: h2="127.0.0.1:443"; ma=9999, h3="169.254.169.254:443"',
                'NEL: {"report_to": "x", "max_age": 9999}',
                'Report-To: {"group": "x", "max_age": 9999, "endpoints": [{"url": "http://127.0.0.1/"}]}',
                'Reporting-Endpoints: x="http://10.0.0.1/"',
                "Link: <http://127.0.0.1/a.css>; rel=preload; as=style, <http://10.0.0.1/>; rel=preconnect",
                "Refresh: 0; url=http://127.0.0.1/",
                "Content-Location: http://127.0.0.1/",
                "SourceMap: http://127.0.0.1/x.map",
            ),
        ),
    )
    for case_id, title, lines in rows:
        yield Case(id=case_id, title=title, stage=web(page(OK, *lines)), expect=EITHER)
    yield from _names_in_pages()
    yield from _certificates()


def _names_in_pages() -> Iterator[Case]:
    """T3: every way a page can name a URL, each pointing inside."""
    inside = ("http://127.0.0.1/", "http://169.254.169.254/", "http://[::1]/", "http://10.0.0.1/", "http://localhost/")
    body = "".join(
        f'<img src="{url}a.png" alt=""><img srcset="{url}b.png 2x" src="{url}c.png" alt="">'
        f'<script src="{url}d.js"></script>'
        f'<iframe src="{url}"></iframe><video src="{url}e.mp4" poster="{url}f.png"></video><embed src="{url}g">'
        f'<object data="{url}h"></object><input type=image src="{url}i.png"><svg><image href="{url}j.png"/></svg>'
        f'<style>@import "{url}k.css"; p {{ background: url({url}l.png) }}</style>'
        f'<p style="background:url({url}m.png)">x</p>'
        for url in inside
    )
    head = "".join(
        f'<link rel=stylesheet href="{url}n.css"><link rel=icon href="{url}o.ico">'
        f'<link rel=manifest href="{url}p.json">'
        f'<link rel=preload as=image href="{url}q.png"><link rel=canonical href="{url}">'
        f'<meta http-equiv=refresh content="0;url={url}">'
        f'<meta property="og:image" content="{url}r.png">'
        f'<link rel=alternate type="application/json+oembed" href="{url}s">'
        f'<link rel=dns-prefetch href="{url}"><link rel=preconnect href="{url}"><link rel=sitemap href="{url}t.xml">'
        for url in inside
    )
    page_markup = with_body(body).replace("</head>", head + "</head>")
    yield Case(
        id="H10p",
        title="a page that names the inside in every way",
        stage=web(page(page_markup)),
        expect=done(),
        holds=[_none_fetched],
        trips_naive=True,
    )
    yield Case(
        id="H10b",
        title="a base that points inside",
        stage=web(page(with_head('<base href="http://127.0.0.1/">').replace("<p>", "<img src=a.png alt=''><p>"))),
        expect=done(),
        holds=[_none_fetched],
    )
    yield Case(
        id="H10s",
        title="a sub-resource that redirects inside",
        stage=web(
            PerPlace(_names_other),
            other=lambda _: _redirects_inside,
        ),
        expect=done(),
        trips_naive=True,
    )


def _certificates() -> Iterator[Case]:
    def name(text: str, *, encoding: _ASN1Type | None = None) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text, _type=encoding)])

    def patched(old: bytes, new: bytes, text: str, encoding: _ASN1Type | None = None) -> Callable[[Place], Issued]:
        return lambda p: p.authority.patched(p.authority.issue(p.host, subject=name(text, encoding=encoding)), old, new)

    many = tuple(f"n{number}.many-names-lab.com" for number in range(10_000))
    rows: tuple[tuple[str, str, Callable[[Place], Issued], Expect], ...] = (
        ("H08a", "HTML in the subject", lambda p: p.authority.issue(p.host, subject=name(HTML_NAME)), done()),
        ("H08b", "NUL in the subject", patched(b"good\x20name", b"good\x00name", "good name"), EITHER),
        (
            "H08c",
            "right-to-left marks in the subject",
            lambda p: p.authority.issue(p.host, subject=name("a\u202eb\u2066c")),
            done(),
        ),
        ("H08d", "ten thousand names", lambda p: p.authority.issue(p.host, *many), EITHER),
        (
            "H08e",
            "a BMPString",
            lambda p: p.authority.issue(p.host, subject=name("wide", encoding=_ASN1Type.BMPString)),
            EITHER,
        ),
        (
            "H08f",
            "a TeletexString of bytes that mean nothing",  # OpenSSL refuses such bytes in a UTF8String on either side
            patched(b"bad\x20utf8", b"bad\xff\xfe\xc0\xaf8", "bad utf8", _ASN1Type.T61String),
            EITHER,
        ),
        (
            "H09a",
            "valid from 1950 to 9999",
            lambda p: p.authority.issue(
                p.host,
                not_before=dt.datetime(1950, 1, 1, tzinfo=dt.UTC),
                not_after=dt.datetime(9999, 12, 31, 23, 59, 59, tzinfo=dt.UTC),
            ),
            EITHER,
        ),
        ("H09b", "a negative serial number", _negative_serial, EITHER),
    )
    for case_id, title, make, expect in rows:
        yield Case(
            id=case_id,
            title=title,
            url="https://{host}/",
            stage=secure(page(OK), _presenting(make)),
            expect=expect,
        )


def _presenting(make: Callable[[Place], Issued]) -> Callable[[Place], ssl.SSLContext]:
    return lambda p: server_context(make(p))


def _negative_serial(place: Place) -> Issued:
    issued = place.authority.issue(place.host)
    serial = x509.load_der_x509_certificate(issued.certificate).serial_number
    size = (serial.bit_length() + 8) // 8
    old = bytes((0x02, size)) + serial.to_bytes(size, "big")
    return place.authority.patched(issued, old, bytes((0x02, size, 0x81)) + old[3:])


def _redirects_inside(connection: Connection) -> None:
    connection.read_request()
    connection.send(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/x.png\r\nContent-Length: 0\r\n\r\n")


def _names_other(place: Place) -> Script:
    return page(with_body(f'<img src="http://{place.other}/a.png" alt="">'))


def _none_fetched(seen: Seen) -> str | None:
    got = {url: code for url, code in seen.outcome.resources.items() if code.isdigit() and "lab.com" not in url}
    return f"fetched {got}" if got else None
