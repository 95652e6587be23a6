"""Contents of scripts, stylesheets, fonts and moving images are read while they are there."""

from __future__ import annotations

import gzip

from pagegrade.gather.gatherers.resources import MAX_MANIFEST_BYTES, MAX_READ_BYTES
from pagegrade.parse.files.image import HEAD_BYTES
from tests.gather.gatherers.test_resources import fetch
from tests.gather.sites import Reply, html, typed


def test_scripts_stylesheets_and_fonts_are_read() -> None:
    """Sizes, hashes and contents; coded bodies are decoded first."""
    script = b"/*! jQuery v3.6.0 */\nvar  a  =  1 ;  // one\n" * 50
    found, _ = fetch(
        "<script src=/a.js></script><script src=/b.js></script><link rel=stylesheet href=/c.css>",
        {
            "/a.js": typed(script, "text/javascript"),
            "/b.js": Reply(
                body=gzip.compress(script), headers=(("Content-Type", "text/javascript"), ("Content-Encoding", "gzip"))
            ),
            "/c.css": typed("@font-face { font-family: x; src: url(d.woff) } .h { display: none }", "text/css"),
            "/d.woff": typed(b"wOF2" + bytes(900), "application/octet-stream"),
        },
    )
    plain, packed, sheet, font = found.items

    assert (plain.decoded_bytes, plain.digest) == (len(script), packed.digest)
    assert len(plain.digest) == 32
    assert plain.minified_bytes == packed.minified_bytes
    assert plain.minified_bytes is not None
    assert plain.minified_bytes < len(script)
    assert plain.script is not None
    assert plain.script.jquery_versions == ("3.6.0",)
    assert sheet.minified_bytes is not None
    assert sheet.visibility_rules is not None
    assert len(sheet.visibility_rules) == 1
    assert [face.family for face in found.font_faces] == ["x"]
    assert (font.font_format, font.minified_bytes) == ("woff2", None)


def test_error_pages_are_not_read_as_scripts() -> None:
    """Neither by status nor by type."""
    found, _ = fetch(
        "<script src=/a.js></script><script src=/b.js></script>",
        {"/a.js": html("<p>no script</p>" * 200), "/b.js": Reply(status=404, body=b"var  a")},
    )

    assert [item.minified_bytes for item in found.items] == [None, None]
    assert found.items[1].digest == ""


def test_texts_beyond_the_limits_are_weighed_but_not_read() -> None:
    """One that is too large, and those that come when enough was read."""
    large = b"a  = 1;\n" * (MAX_READ_BYTES // 8 + 1)
    found, _ = fetch("<script src=/a.js></script>", {"/a.js": typed(large, "text/javascript")})

    assert found.items[0].decoded_bytes == len(large)
    assert found.items[0].minified_bytes is None
    assert found.items[0].script is None


def test_a_gif_is_read_to_its_second_frame() -> None:
    """It stands far behind the headers of other formats."""
    frame = b"\x2c" + bytes(9) + b"\x08" + (b"\xff" + bytes(255)) * 400 + b"\0"
    gif = b"GIF89a\x05\x00\x04\x00\x00\x00\x00" + frame + frame + b"\x3b"
    found, _ = fetch("<img src=/a.gif>", {"/a.gif": typed(gif, "image/gif")})

    assert len(frame) > HEAD_BYTES
    assert found.items[0].image is not None
    assert found.items[0].image.animated is True


def test_manifests_and_byte_order_marks_are_noticed() -> None:
    """The manifest against the page that names it; the mark by the first three bytes."""
    found, _ = fetch(
        "<link rel=manifest href=/m.json><script src=/a.js></script>",
        {
            "/m.json": typed('{"name": "Lamps", "start_url": "/x"}', "application/manifest+json"),
            "/a.js": typed(b"\xef\xbb\xbfvar a", "text/javascript"),
        },
    )
    items = {item.url.rpartition("/")[2]: item for item in found.items}
    manifest = items["m.json"].manifest

    assert manifest is not None
    assert (manifest.name, manifest.in_scope) == ("Lamps", True)
    assert items["a.js"].byte_order_mark
    assert not items["m.json"].byte_order_mark


def test_huge_manifest_is_not_read() -> None:
    """The name of an app does not need that much."""
    found, _ = fetch(
        "<link rel=manifest href=/m.json>", {"/m.json": typed(b" " * (MAX_MANIFEST_BYTES + 1), "text/plain")}
    )

    assert found.items[0].manifest is None
