"""Coded bodies in a real browser and in the static engine: both read the same."""

from __future__ import annotations

import asyncio
import gzip
import html as markup
import json
import re
import sys
import zlib
from pathlib import Path
from typing import Final

import brotli

from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.browser.render import render
from pagegrade.gather.decode import BodyDecoder, read_codings
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient
from tests.gather.browser.pages import ONE_ADDRESS
from tests.gather.sites import Reply, Site, html

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MARK: Final = "<p>the text of the page</p>"
TEXT: Final = (f"<!doctype html><title>Shop</title>{MARK}<!--{'padding ' * 200}-->").encode()
_RAW: Final = zlib.compressobj(wbits=-15)
RAW: Final = _RAW.compress(TEXT) + _RAW.flush()
GZIP, ZLIB, BROTLI, ZSTD = gzip.compress(TEXT), zlib.compress(TEXT), brotli.compress(TEXT), zstd.compress(TEXT)
JUNK: Final = b"something else " * 4

ROWS: Final[dict[str, tuple[str | None, bytes]]] = {
    "none": (None, TEXT),
    "gzip": ("gzip", GZIP),
    "x-gzip": ("x-gzip", GZIP),
    "in capitals": ("GZIP", GZIP),
    "deflate with its wrapper": ("deflate", ZLIB),
    "deflate without": ("deflate", RAW),
    "br": ("br", BROTLI),
    "zstd": ("zstd", ZSTD),
    "an empty name": ("", TEXT),
    "identity": ("identity", TEXT),
    "utf-8": ("utf-8", TEXT),
    "aws-chunked": ("aws-chunked", TEXT),
    "compress, which no browser removes": ("compress", TEXT),
    "dcb without a dictionary": ("dcb", TEXT),
    "x-deflate, which is none": ("x-deflate", ZLIB),
    "coded without a word": (None, GZIP),
    "gzip twice": ("gzip, gzip", gzip.compress(GZIP)),
    "gzip twice in the header alone": ("gzip, gzip", GZIP),
    "gzip, then br": ("gzip, br", brotli.compress(GZIP)),
    "br, then gzip, the wrong way round": ("gzip, br", gzip.compress(BROTLI)),
    "gzip and a word that is no coding": ("gzip, utf-8", GZIP),
    "a word that is no coding and gzip": ("aws-chunked, gzip", GZIP),
    "gzip and identity": ("gzip, identity", GZIP),
    "identity and gzip": ("identity, gzip", GZIP),
    "a parameter": ("gzip;q=1", GZIP),
    "gzip, and the body is plain": ("gzip", TEXT),
    "deflate, and the body is plain": ("deflate", TEXT),
    "br, and the body is plain": ("br", TEXT),
    "zstd, and the body is plain": ("zstd", TEXT),
    "br, and the body is gzip": ("br", GZIP),
    "gzip, and the body is br": ("gzip", BROTLI),
    "deflate, and the body is gzip": ("deflate", GZIP),
    "gzip, and the body is deflate": ("gzip", ZLIB),
    "gzip of two members": ("gzip", gzip.compress(b"<!doctype html>") + GZIP),
    "zstd of two frames": ("zstd", zstd.compress(b"<!doctype html>") + ZSTD),
    "gzip and junk": ("gzip", GZIP + JUNK),
    "deflate and junk": ("deflate", ZLIB + JUNK),
    "zstd and junk": ("zstd", ZSTD + JUNK),
    "gzip without its end": ("gzip", GZIP[:-12]),
    "deflate without its end": ("deflate", ZLIB[:-8]),
    "br without its end": ("br", BROTLI[:-3]),
}
"""Row -> Content-Encoding, and the body."""
BROWSERS_BEAR: Final = {
    "three codings": ("gzip, gzip, gzip", gzip.compress(gzip.compress(GZIP))),
    "gzip with a wrong sum": ("gzip", GZIP[:-8] + bytes(8)),
    "br and junk": ("br", BROTLI + JUNK),
}
"""Rows that browsers show and the static engine names as broken: other clients give up, and no honest server sends
them."""
SCRIPT: Final = """<!doctype html><title>Table</title><pre id=found></pre><script>
const shown = async (number) => {
  try { return (await (await fetch(`/row/${number}`)).text()).includes(MARK); } catch { return false; }
};
const rows = [...Array(COUNT).keys()].map(shown);
Promise.all(rows).then((found) => { document.getElementById("found").textContent = JSON.stringify(found); });
</script>"""


def seen_by_browser(program: Path, rows: dict[str, tuple[str | None, bytes]]) -> set[str]:
    """The rows of which a browser gives a script the text."""
    page = SCRIPT.replace("MARK", json.dumps(MARK).replace("</", "<\\/")).replace("COUNT", str(len(rows)))
    replies = {
        f"/row/{number}": Reply(
            headers=(("Content-Type", "text/html"), *([] if coding is None else [("Content-Encoding", coding)])),
            body=body,
        )
        for number, (coding, body) in enumerate(rows.values())
    }

    async def draw() -> str:
        async with Site({"/": html(page), **replies}) as site, HTTPClient(guard=Guard(ONE_ADDRESS)) as client:
            options = RenderOptions(program=program, network="none", loads=1)
            return (await render(f"{site.origin}/", options, client=client)).html

    found = re.search(r"<pre id=\"found\">(\[.*?\])</pre>", asyncio.run(draw()))
    assert found is not None
    return {name for name, is_shown in zip(rows, json.loads(markup.unescape(found[1])), strict=True) if is_shown}


def read_here(coding: str | None, body: bytes) -> bool:
    """Return whether the static engine takes the text for what the answer says; a body that only bears it is broken."""
    decoder = BodyDecoder(read_codings([] if coding is None else [coding]), max_bytes=100_000)
    decoder.feed(body)
    decoder.finish()
    return MARK.encode() in decoder.body and decoder.problem not in {"corrupt", "plain_body"}


def test_the_static_engine_reads_what_a_browser_shows(program: Path) -> None:
    """Every coding with every kind of body, honest and not."""
    rows = {**ROWS, **BROWSERS_BEAR}
    shown = seen_by_browser(program, rows)
    read = {name for name, row in rows.items() if read_here(*row)}

    assert {"none", "gzip", "br", "zstd"} <= read
    assert shown - read == set(BROWSERS_BEAR)
    assert read - shown == set()
