from __future__ import annotations

import pytest

from pagegrade.model.artifacts import ManifestFacts
from pagegrade.parse.files.manifest import MAX_SIZES, read_manifest

URL = "https://example.com/app/site.webmanifest"
PAGE = "https://example.com/"


def read(text: str) -> ManifestFacts:
    """The manifest of the page."""
    return read_manifest(text.encode(), URL, PAGE)


def test_names_start_and_icons_are_read() -> None:
    """Addresses resolve against the manifest."""
    found = read(
        '\ufeff{"name": " Lamps ", "short_name": "L", "start_url": "?a=1", "display": " StandAlone", '
        '"icons": [{"src": "a.png", "sizes": "192X192 any"}, {"src": "b.png", "sizes": "512x512"}]}'
    )

    assert found == ManifestFacts(
        name="Lamps",
        short_name="L",
        start_url="https://example.com/app/site.webmanifest?a=1",
        in_scope=True,
        display="standalone",
        icon_sizes=("192x192", "any", "512x512"),
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("<!doctype html><title>x</title>", "html"),
        ("{", "json"),
        ('{"a": 1,}', "json"),
        ("[" * 100_000, "json"),
        ('{"a": "\ud800"}', "json"),
        ("[]", "no_object"),
        ('"x"', "no_object"),
    ],
)
def test_what_is_no_manifest(text: str, error: str) -> None:
    """An application answers every address with its HTML."""
    body = text.encode("utf-8", "surrogatepass")

    assert read_manifest(body, URL, PAGE).error == error


@pytest.mark.parametrize(
    ("fields", "in_scope"),
    [
        ('"start_url": "/"', True),
        ('"start_url": "/", "scope": "/"', True),
        ('"start_url": "/app/x", "scope": "/app/"', True),
        ('"start_url": "/", "scope": "/app/"', False),
        ('"start_url": "https://other.test/"', False),
        ('"start_url": "https://other.test/", "scope": "https://other.test/"', False),
        ('"start_url": "/", "scope": "https://other.test/"', True),
        ('"scope": "/"', None),
        ('"start_url": ""', None),
        ('"start_url": 5', None),
    ],
)
def test_start_lies_in_the_scope(fields: str, in_scope: bool | None) -> None:  # noqa: FBT001
    """On the page's own origin; a scope elsewhere is ignored."""
    assert read("{" + fields + "}").in_scope is in_scope


@pytest.mark.parametrize(
    "icons",
    [
        "5",
        "{}",
        "[5, null]",
        '[{"sizes": "1x1"}]',
        '[{"src": 1, "sizes": "1x1"}]',
        '[{"src": "", "sizes": "1x1"}]',
        '[{"src": "a"}]',
        '[{"src": "a", "sizes": "1x1", "purpose": "maskable"}]',
        '[{"src": "a", "sizes": "1x1", "purpose": 5}]',
        '[{"src": "a", "sizes": "1x1", "type": "image/jpeg"}]',
        '[{"src": "a.JPG?v=1", "sizes": "1x1"}]',
    ],
)
def test_odd_icons_are_left_out(icons: str) -> None:
    """Whatever stands there."""
    assert read('{"icons": ' + icons + "}").icon_sizes == ()


@pytest.mark.parametrize(
    "icon", ['"purpose": "maskable Any"', '"purpose": ""', '"type": "image/svg+xml"', '"type": "IMAGE/PNG"', '"x": 1']
)
def test_icons_for_any_purpose_count(icon: str) -> None:
    """In the formats that browsers take."""
    assert read('{"icons": [{"src": "a", "sizes": "1x1", ' + icon + "}]}").icon_sizes == ("1x1",)


@pytest.mark.parametrize(
    ("fields", "display"),
    [
        ("", "browser"),
        ('"display": "minimal-ui"', "minimal-ui"),
        ('"display": "fullestscreen"', "browser"),
        ('"display": 5', "browser"),
        ('"display": "browser", "display_override": ["odd", 5, "window-controls-overlay"]', "window-controls-overlay"),
        ('"display": "standalone", "display_override": "browser"', "standalone"),
        ('"display": "standalone", "display_override": ["browser"]', "browser"),
    ],
)
def test_the_mode_that_counts_is_read(fields: str, display: str) -> None:
    """Overrides come first, unknown words do not count."""
    assert read("{" + fields + "}").display == display


def test_sizes_are_bounded() -> None:
    """A file can list thousands."""
    icons = ",".join(f'{{"src": "a", "sizes": "{n}x{n}"}}' for n in range(5_000))

    assert len(read('{"icons": [' + icons + "]}").icon_sizes) == MAX_SIZES
