"""Makers of hostile bodies: bombs, odd encodings, markup that parsers choke on. Everything is made when asked for."""

from __future__ import annotations

import functools
import gzip
import io
import random
import sys
import zipfile
import zlib
from collections.abc import Callable
from typing import Final

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BOMB_BYTES: Final = 256 << 20
_PIECE: Final = bytes(1 << 20)


@functools.cache
def gzip_bomb() -> bytes:
    """256 MB of zeros in about 256 kB."""
    return _deflated(16 + zlib.MAX_WBITS)


@functools.cache
def deflate_bomb(*, raw: bool) -> bytes:
    """The same as zlib, or as raw deflate, which many servers send under the same name."""
    return _deflated(-zlib.MAX_WBITS if raw else zlib.MAX_WBITS)


@functools.cache
def brotli_bomb() -> bytes:
    """256 MB of zeros in a few hundred bytes."""
    compressor = brotli.Compressor(quality=5, lgwin=24)
    pieces = [compressor.process(_PIECE) for _ in range(BOMB_BYTES // len(_PIECE))]
    return bytes(b"".join(pieces) + compressor.finish())


@functools.cache
def zstd_bomb() -> bytes:
    """256 MB of zeros in a few kilobytes."""
    compressor = zstd.ZstdCompressor(level=3)
    pieces = [compressor.compress(_PIECE) for _ in range(BOMB_BYTES // len(_PIECE))]
    return bytes(b"".join(pieces) + compressor.flush())


@functools.cache
def double_gzip_bomb() -> bytes:
    """256 MB of zeros, packed twice."""
    return gzip.compress(gzip_bomb(), 9, mtime=0)


def gzip_members(count: int) -> bytes:
    """Many tiny gzip members one after another."""
    return gzip.compress(b"<p>x</p>", mtime=0) * count


def _deflated(window_bits: int) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, window_bits)
    pieces = [compressor.compress(_PIECE) for _ in range(BOMB_BYTES // len(_PIECE))]
    return b"".join(pieces) + compressor.flush()


def honest_page(size_bytes: int) -> bytes:
    """A long but ordinary page."""
    head = b"<!doctype html><html lang=en><head><title>A long page</title></head><body><h1>Long</h1>"
    paragraph = b"<p>The keeper climbed the stairs and lit the lamp before the sun went down.</p>\n"
    return head + paragraph * (size_bytes // len(paragraph))


def archive() -> bytes:
    """A ZIP file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archived:
        archived.writestr("a.txt", "text")
    return buffer.getvalue()


def noise(size_bytes: int) -> bytes:
    """Reproducible random bytes."""
    return random.Random(1).randbytes(size_bytes)  # noqa: S311 -- reproducible on purpose


def _in_page(markup: str) -> bytes:
    return f"<!doctype html><html lang=en><head><title>Odd</title></head><body>{markup}</body></html>".encode()


def repeated(piece: str, count: int) -> Callable[[], bytes]:
    """A page whose body is ``piece`` again and again, never closed."""
    return lambda: _in_page(piece * count)


def many_attributes(count: int) -> bytes:
    """One tag with many attributes."""
    return _in_page("<div " + " ".join(f"a{number}=1" for number in range(count)) + ">x</div>")


def unterminated_quotes(count: int) -> bytes:
    """Attribute quotes that never close."""
    return _in_page('<a href="' * count)


def long_text(size_bytes: int) -> bytes:
    """One text node."""
    return _in_page("word " * (size_bytes // 5))


def long_attribute(size_bytes: int) -> bytes:
    """One attribute."""
    return _in_page(f'<p title="{"a" * size_bytes}">x</p>')


def long_title(size_bytes: int) -> bytes:
    """A title too long to read."""
    return f"<!doctype html><title>{'t' * size_bytes}</title><p>x</p>".encode()


def many_references(count: int) -> bytes:
    """Links, images and scripts in great number."""
    part = "".join(
        f'<a href="/l{number}">l</a><img src="/i{number}.gif" alt=""><script src="/s{number}.js"></script>'
        for number in range(count // 3)
    )
    return _in_page(part)


def many_head_elements(count: int) -> bytes:
    """Metas, links and JSON-LD blocks in great number."""
    part = "".join(
        f'<meta name="m{number}" content="c"><link rel="x{number}" href="/{number}">'
        f'<script type="application/ld+json">{{"@type": "Thing", "name": "{number}"}}</script>'
        for number in range(count // 3)
    )
    return f"<!doctype html><head><title>Odd</title>{part}</head><body>x</body>".encode()


def deep_json(depth: int) -> bytes:
    """JSON-LD nested beyond any recursion limit."""
    return _ld('{"@type":"Thing","a":' * depth + "1" + "}" * depth)


def deep_json_lists(depth: int) -> bytes:
    """The same with lists, never closed."""
    return _ld("[" * depth)


def long_number(digits: int) -> bytes:
    """JSON-LD with a number Python refuses to read."""
    return _ld('{"@context":"https://schema.org","@type":"Thing","n":' + "9" * digits + "}")


def _ld(text: str) -> bytes:
    return f'<!doctype html><title>Odd</title><script type="application/ld+json">{text}</script><p>x'.encode()


def bases() -> bytes:
    """Several odd base elements; the first with an href wins."""
    return (
        b'<!doctype html><head><base target=_top><base href="javascript:alert(1)"><base href="http://127.0.0.1/">'
        b"<title>Odd</title></head><body><a href=next>n</a><img src=pixel.gif alt=''></body>"
    )


def unclosed() -> bytes:
    """Duplicate ids, nothing closed, storms of end tags, a frameset."""
    return _in_page("<p id=a><p id=a><b><i><table><td id=a>" * 300 + "</p>" * 3000 + "<frameset><frame src=/f>")


def shadow() -> bytes:
    """Declarative shadow roots and nested templates."""
    return _in_page(
        "<div><template shadowrootmode=open><h1>In the shadow</h1></template></div>"
        + "<template>" * 50
        + "<img src=/t.gif>"
        + "</template>" * 50
    )


def foreign() -> bytes:
    """HTML inside SVG inside HTML, and MathML."""
    return _in_page(
        "<svg><title>not the page's</title><foreignObject><div><h1>h</h1><svg><script>1</script></svg></div>"
        "</foreignObject></svg><math><mi><p>x</p></mi><annotation-xml encoding='text/html'><div>d</div>"
        "</annotation-xml></math>"
    )


def bait(size_bytes: int) -> bytes:
    """Text that patterns with backtracking take for ever over: e-mail, URL, date and version lookalikes."""
    part = size_bytes // 8
    return _in_page(
        "a" * part
        + "!"
        + "<p>"
        + "a@" * (part // 2)
        + "<p>"
        + "1." * (part // 2)
        + "<p>"
        + "(" * part
        + '<a href="'
        + "http:" * (part // 5)
        + '">x</a>'
        + '<meta http-equiv=refresh content="'
        + " " * part
        + '">'
        + f'<meta name="generator" content="{"1." * (part // 2)}x">'
        + f"<style>{'a{' * (part // 2)}</style><script>{'/*' * (part // 2)}</script>"
    )


def zalgo() -> bytes:
    """A title of one letter with ten thousand marks on it, and family emoji."""
    marks = "\u0301" * 10_000
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 100
    return f"<!doctype html><meta charset=utf-8><title>Z{marks}{family}</title><p>x".encode()


def wide_srcset(count: int) -> bytes:
    """An image with a great many candidates."""
    candidates = ", ".join(f"/c{number}.gif {number + 1}w" for number in range(count))
    return _in_page(f'<img srcset="{candidates}" sizes=100vw alt="">')


def long_style(size_bytes: int) -> bytes:
    """A style attribute and a style element of unreasonable size."""
    rule = "color:red;"
    sheet = "p{" + rule + "}" + "@import" * (size_bytes // 14)
    return _in_page(f'<p style="{rule * (size_bytes // 20)}">x</p><style>{sheet}</style>')


def long_data_uri(size_bytes: int) -> bytes:
    """An image inside the page."""
    return _in_page(f'<img alt="" src="data:image/png;base64,{"A" * size_bytes}">')


def entities() -> bytes:
    """XHTML with entity declarations that double and one that reads a file."""
    declarations = "".join(f'<!ENTITY e{number} "&e{number - 1};&e{number - 1};">' for number in range(1, 30))
    return (
        '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e0 "lol"><!ENTITY f SYSTEM "file:///etc/passwd">'
        f'{declarations}]><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Odd</title></head>'
        "<body><p>&e29;&f;</p></body></html>"
    ).encode()


def sitemap_bomb(kind: str) -> bytes:
    """Sitemaps with document type declarations.

    Args:
        kind: ``laughs``, ``quadratic``, ``file``, ``http`` or ``dtd``.
    """
    internal = {
        "laughs": '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)),
        "quadratic": f'<!ENTITY a9 "{"x" * 100_000}">',
        "file": '<!ENTITY a9 SYSTEM "file:///etc/passwd">',
        "http": '<!ENTITY a9 SYSTEM "http://127.0.0.1/secret">',
        "dtd": "",
    }[kind]
    external = ' SYSTEM "http://127.0.0.1/evil.dtd"' if kind == "dtd" else ""
    use = "&a9;" * (1000 if kind == "quadratic" else 1)
    return (
        f'<?xml version="1.0"?><!DOCTYPE urlset{external} [{internal}]>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{use}</loc></url></urlset>'
    ).encode()


def robots_rules(count: int) -> bytes:
    """A robots.txt of many rules in one group."""
    return ("User-agent: *\n" + "".join(f"Disallow: /a{number}*b$\n" for number in range(count))).encode()


def robots_groups(count: int) -> bytes:
    """A robots.txt of many groups."""
    return "".join(f"User-agent: bot{number}\nDisallow: /\n" for number in range(count)).encode()
