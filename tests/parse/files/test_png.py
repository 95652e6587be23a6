from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import pytest

from pagegrade.parse.files.png import MAX_SIDE_PX, clean_png
from tests.linear import MAX_RATIO, growth

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, content: bytes) -> bytes:
    """A chunk with its length and its sum."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(
    width: int = 3,
    height: int = 2,
    *,
    depth: int = 8,
    color: int = 6,
    interlaced: int = 0,
    pixels: bytes | None = None,
    before: bytes = b"",
    behind: bytes = b"",
) -> bytes:
    """An image of blank pixels."""
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    rows = b"".join(b"\0" * (1 + -(-width * depth * samples // 8)) for _ in range(height)) if pixels is None else pixels
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced))
    return SIGNATURE + header + before + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"") + behind


def test_nothing_but_the_picture_is_kept() -> None:
    """Text, profiles, further frames and what stands behind are gone, and cleaning again changes nothing."""
    extra = chunk(b"tEXt", b"Comment\0<script>") + chunk(b"iCCP", b"x" * 40) + chunk(b"acTL", bytes(8))
    cleaned = clean_png(png(before=extra, behind=b"<html><script>alert(1)</script>"))

    assert cleaned == clean_png(png())
    assert cleaned is not None
    assert clean_png(cleaned) == cleaned
    assert b"script" not in cleaned


@pytest.mark.parametrize(("color", "depth"), [(0, 1), (0, 16), (2, 8), (4, 8), (6, 16)])
def test_every_kind_of_pixel_is_known(color: int, depth: int) -> None:
    """From one bit of gray to 16 bits of color with transparency."""
    assert clean_png(png(9, 4, color=color, depth=depth)) is not None


def test_an_indexed_image_keeps_its_palette() -> None:
    """And its transparency, without which it would look different; without a palette it is none."""
    more = chunk(b"PLTE", b"\x01\x02\x03" * 2) + chunk(b"tRNS", b"\x80")
    cleaned = clean_png(png(color=3, depth=1, before=more))

    assert cleaned is not None
    assert more in cleaned
    assert clean_png(png(color=3, depth=1)) is None


def test_an_interlaced_image_is_measured_by_its_passes() -> None:
    """5 by 5 pixels of one byte are rows of 1, 1, 2, 1+1, 3, 2+2+2 and 5+5 pixels, each with its filter."""
    pixels = b"".join(b"\0" * (1 + row) for row in (1, 1, 2, 1, 1, 3, 2, 2, 2, 5, 5))

    assert clean_png(png(5, 5, color=0, interlaced=1, pixels=pixels)) is not None
    assert clean_png(png(5, 5, color=0, interlaced=1)) is None


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: data[:-5], id="cut short"),
        pytest.param(lambda data: b"GIF89a" + data, id="another format"),
        pytest.param(lambda data: data.replace(b"IHDR", b"IHDX"), id="no header"),
        pytest.param(lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:], id="a wrong sum"),
        pytest.param(lambda _: png(pixels=b"\0" * 27), id="a byte too much"),
        pytest.param(lambda _: png(pixels=b"\0" * 25), id="a byte too few"),
        pytest.param(lambda _: png(pixels=b"\5" + b"\0" * 25), id="an unknown filter"),
        pytest.param(lambda _: png(before=chunk(b"IDAT", b"x")), id="pixels that are not packed"),
        pytest.param(lambda _: png(before=chunk(b"PLTE", b"xx")), id="a broken palette"),
        pytest.param(lambda _: png(color=2, depth=4), id="a depth there is not"),
        pytest.param(lambda data: data[:33] + data[8:], id="two headers"),
        pytest.param(lambda _: SIGNATURE + chunk(b"IEND", b""), id="no pixels"),
        pytest.param(lambda _: b"", id="nothing"),
    ],
)
def test_what_is_broken_is_no_image(spoil: Callable[[bytes], bytes]) -> None:
    """It is never passed on to programs that read it less strictly."""
    assert clean_png(spoil(png())) is None


def test_an_image_is_as_large_as_the_limit_at_most() -> None:
    """In either direction; none is unpacked that claims more."""
    assert clean_png(png(MAX_SIDE_PX, 1, color=0)) is not None
    assert clean_png(png(1, MAX_SIDE_PX, color=0)) is not None
    assert clean_png(png(MAX_SIDE_PX + 1, 1, color=0)) is None
    assert clean_png(png(1, MAX_SIDE_PX + 1, color=0)) is None
    assert clean_png(png(0, 1)) is None


def test_a_bomb_is_unpacked_no_further_than_its_image() -> None:
    """A stream of 50 MB for 26 bytes of pixels takes no longer than one that is right."""
    assert clean_png(png(pixels=bytes(50_000_000))) is None


def test_time_is_linear_in_the_number_of_chunks() -> None:
    """Empty chunks of pixels and of text."""
    pair = chunk(b"IDAT", b"") + chunk(b"tEXt", b"")

    assert growth(lambda size: clean_png(png(before=pair * size)), 20_000) <= MAX_RATIO
