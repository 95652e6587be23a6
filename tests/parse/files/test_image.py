"""Facts from the first bytes of an image."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.files.image import (
    HEAD_BYTES,
    MAX_PX,
    SHOWN_TYPES,
    find_shown_image,
    read_image,
    shown_type,
)


def png(width: int = 3, height: int = 2, *, animated: bool = False) -> bytes:
    """A PNG up to the beginning of its pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    frames = chunk(b"acTL", struct.pack(">II", 2, 0)) if animated else b""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"gAMA", b"\0\0\xb1\x8f") + frames + chunk(b"IDAT", b"x")


def jpeg(width: int = 3, height: int = 2, *, marker: int = 0xC0) -> bytes:
    """A JPEG up to its frame header, behind an application segment that contains a decoy."""
    decoy = b"\xff\xc0\x00\x11\x08\x00\x63\x00\x63"
    segment = b"\xff\xe1" + struct.pack(">H", len(decoy) + 2) + decoy
    frame = b"\xff\xff" + bytes([marker]) + struct.pack(">HBHH", 17, 8, height, width) + b"\x03"
    return b"\xff\xd8" + segment + b"\xff\xc4\x00\x02" + frame


def gif(frames: int = 1, *, trailer: bool = True) -> bytes:
    """A GIF of 5 x 4 pixels."""
    frame = b"\x21\xf9\x04\0\0\0\0\0" + b"\x2c" + b"\0" * 9 + b"\x02\x02\x4c\x01\x00"
    return b"GIF89a" + struct.pack("<HHBBB", 5, 4, 0x80, 0, 0) + b"\0" * 6 + frame * frames + b"\x3b" * trailer


def icon(*images: bytes) -> bytes:
    """An icon file with these images, whose sizes grow from 16 pixels."""
    start = 6 + 16 * len(images)
    entries = b""
    for number, image in enumerate(images, 1):
        entries += struct.pack("<BBBBHHII", 16 * number, 16 * number, 0, 0, 1, 32, len(image), start)
        start += len(image)
    return struct.pack("<HHH", 0, 1, len(images)) + entries + b"".join(images)


def webp(kind: bytes, payload: bytes) -> bytes:
    """A WebP with one chunk."""
    return b"RIFF" + struct.pack("<I", 12 + len(payload)) + b"WEBP" + kind + struct.pack("<I", len(payload)) + payload


def box(kind: bytes, content: bytes) -> bytes:
    """One box of an ISO media file."""
    return struct.pack(">I", 8 + len(content)) + kind + content


def iso_image(brand: bytes, *sizes: tuple[int, int]) -> bytes:
    """An AVIF or HEIC with an extent property for each size."""
    extents = b"".join(box(b"ispe", struct.pack(">III", 0, *size)) for size in sizes)
    meta = box(b"meta", b"\0\0\0\0" + box(b"hdlr", b"\0" * 20) + box(b"iprp", box(b"ipco", extents)))
    return box(b"ftyp", brand + b"\0\0\0\0" + b"mif1" + brand) + meta


def bits(*fields: tuple[int, int]) -> bytes:
    """Pack (value, width) fields, least significant bit first."""
    value = position = 0
    for number, width in fields:
        value |= number << position
        position += width
    return value.to_bytes(position // 8 + 9, "little")


JXL_SMALL = b"\xff\x0a" + bits((1, 1), (4, 5), (0, 3), (9, 5), (1, 1))
"""80 x 40 pixels in units of eight, all metadata default."""
JXL_LARGE = b"\xff\x0a" + bits((0, 1), (1, 2), (1079, 13), (5, 3), (0, 1), (1, 1), (0, 3), (0, 1), (0, 1), (1, 1))
"""1080 rows at 16:9, animated."""

CASES = [
    (jpeg(640, 480), ("jpeg", 640, 480, False)),
    (jpeg(640, 480, marker=0xC2), ("jpeg", 640, 480, False)),
    (png(640, 480), ("png", 640, 480, False)),
    (png(1, 1, animated=True), ("png", 1, 1, True)),
    (gif(), ("gif", 5, 4, False)),
    (gif(2), ("gif", 5, 4, True)),
    (gif(1, trailer=False), ("gif", 5, 4, None)),
    (webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640 | 0x4000, 480)), ("webp", 640, 480, False)),
    (webp(b"VP8L", b"\x2f" + struct.pack("<I", 639 | 479 << 14)), ("webp", 640, 480, False)),
    (
        webp(b"VP8X", b"\x02\0\0\0" + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")),
        ("webp", 640, 480, True),
    ),
    (iso_image(b"avif", (640, 480)), ("avif", 640, 480, False)),
    (iso_image(b"avis", (640, 480)), ("avif", 640, 480, True)),
    (iso_image(b"heic", (512, 512), (4032, 3024), (240, 320)), ("heic", 4032, 3024, False)),
    (JXL_SMALL, ("jxl", 80, 40, False)),
    (JXL_LARGE, ("jxl", 1920, 1080, True)),
    (b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl ") + box(b"jxlc", JXL_SMALL), ("jxl", 80, 40, False)),
    (b"BM" + b"\1\0\0\0" + b"\0" * 4 + b"\x36\0\0\0" + struct.pack("<Iii", 40, 640, -480), ("bmp", 640, 480, False)),
    (b"BM" + b"\1\0\0\0" + b"\0" * 4 + b"\x1a\0\0\0" + struct.pack("<IHH", 12, 640, 480), ("bmp", 640, 480, False)),
    (b"\0\0\1\0\2\0" + b"\x10\x10" + b"\0" * 14 + b"\0\0" + b"\0" * 14, ("ico", 256, 256, False)),
    (b"II*\0" + struct.pack("<IHHHIHHHHIHH", 8, 2, 256, 3, 1, 640, 0, 257, 3, 1, 480, 0), ("tiff", 640, 480, False)),
    (b"MM\0*" + struct.pack(">IHHHIIHHII", 8, 2, 256, 4, 1, 640, 257, 4, 1, 480), ("tiff", 640, 480, False)),
    (b'<svg xmlns="http://www.w3.org/2000/svg" width="64px" height=\'48\'>', ("svg", 64, 48, None)),
    (
        b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- <svg width="1"> -->\n<svg viewBox="0 0 24 12.4">',
        ("svg", 24, 12, None),
    ),
    (b'<!DOCTYPE svg PUBLIC "a" "b" [ <!ENTITY x "y>"> ]>\n<s:svg width="100%" />', ("svg", None, None, None)),
]


@pytest.mark.parametrize(("data", "expected"), CASES)
def test_format_and_size_are_read_from_the_bytes(
    data: bytes, expected: tuple[str, int | None, int | None, bool | None]
) -> None:
    """Every format we name is recognized by its magic and measured from its header."""
    facts = read_image(data)

    assert facts is not None
    assert (facts.format, facts.width_px, facts.height_px, facts.animated) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<!doctype html><svg width=1>",
        b"<html><svg></svg>",
        b"RIFF\0\0\0\0WAVE",
        b"BMW drives",
        b"\x7fELF",
        b"GIF88a",
    ],
)
def test_what_is_no_image_is_not_taken_for_one(data: bytes) -> None:
    """An application's fallback page, even with a drawing inside, is no image."""
    assert read_image(data) is None


@pytest.mark.parametrize(("data", "expected"), CASES)
def test_every_cut_leaves_the_format_or_nothing(
    data: bytes, expected: tuple[str, int | None, int | None, bool | None]
) -> None:
    """A file cut at any byte gives fewer facts, never an exception and never another format."""
    formats = {
        None if facts is None else facts.format for facts in (read_image(data[:end]) for end in range(len(data)))
    }

    assert formats <= {None, expected[0]}


def test_impossible_sizes_are_unknown() -> None:
    """No pixels at all, or more than a decoder could address, is no size."""
    assert read_image(png(0, 5)) is not None
    for width, known in ((0, None), (1, 1), (MAX_PX, MAX_PX), (MAX_PX + 1, None)):
        facts = read_image(png(width, 5))

        assert facts is not None
        assert facts.width_px == known


@given(
    magic=st.sampled_from([case[:24] for case, _ in CASES] + [case for case, _ in CASES]),
    tail=st.binary(max_size=400),
    cut=st.integers(min_value=0, max_value=60),
)
def test_never_raises_on_damaged_images(magic: bytes, tail: bytes, cut: int) -> None:
    """Bytes shaped like images, cut and continued with noise, give facts in range or nothing."""
    facts = read_image(magic[: len(magic) - cut] + tail)

    assert facts is None or facts.width_px is None or 0 < facts.width_px <= MAX_PX


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xd8" + b"\xff" * HEAD_BYTES,
        b"\xff\xd8" + b"\xff\xd0" * (HEAD_BYTES // 2),
        b"\xff\xd8\xff" + b"\xff\xe0\0\0" * (HEAD_BYTES // 4),
        gif(1, trailer=False) + b"\x21\x00\x00" * (HEAD_BYTES // 3),
        b"\x89PNG\r\n\x1a\n" + b"\0\0\0\0tEXt\0\0\0\0" * (HEAD_BYTES // 12),
        iso_image(b"avif", *[(1, 1)] * (HEAD_BYTES // 20)),
        box(b"ftyp", b"avif" * 4) + b"\0\0\0\x0cmeta\0\0\0\0" * (HEAD_BYTES // 12),
        b"<!--" * (HEAD_BYTES // 4) + b"<svg>",
        b"<svg " + b"width=" * (HEAD_BYTES // 6),
        b"<svg " + b' width="' * (HEAD_BYTES // 8),
        b"<!-- -->" * (HEAD_BYTES // 8) + b"<svg>",
    ],
)
def test_long_runs_of_structure_end(data: bytes) -> None:
    """Inputs made to be walked step by step are answered (with whatever they say)."""
    facts = read_image(data)

    assert facts is None or facts.format in {"jpeg", "gif", "png", "avif", "svg"}


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png(), "image/png"),
        (jpeg(), "image/jpeg"),
        (gif(), "image/gif"),
        (webp(b"VP8L", b""), "image/webp"),
        (iso_image(b"avif", (3, 2)), "image/avif"),
        (iso_image(b"heic", (3, 2)), None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_only_images_that_hold_no_scripts_have_a_type_to_be_shown_with(data: bytes, media_type: str | None) -> None:
    """By their first bytes."""
    found = find_shown_image(data)

    assert shown_type(data) == media_type
    assert (None if found is None else SHOWN_TYPES[found[0].format]) == media_type
    assert found is None or found[1:] == (0, len(data))


@pytest.mark.parametrize(
    "data",
    [icon(), icon(b"BM"), icon(png())[:20], icon(png())[:-1], b"\0\0\1\0\xff\xff" + b"\xff" * 64],
    ids=["empty", "bitmap", "no entry", "cut", "lies"],
)
def test_an_icon_file_without_a_whole_png_is_not_shown(data: bytes) -> None:
    """Its entries may point anywhere."""
    assert find_shown_image(data) is None


def test_the_largest_png_of_an_icon_file_is_shown() -> None:
    """As it lies in the file."""
    data = icon(png(16, 16), png(32, 32), b"BM")
    found = find_shown_image(data)

    assert found is not None
    assert data[found[1] : found[2]] == png(32, 32)
