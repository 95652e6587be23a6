"""Tiny, valid images and other files, made in code so that no binary lies in the repository."""

from __future__ import annotations

import struct
import zlib


def png(width_px: int, height_px: int, colour: tuple[int, int, int] = (32, 96, 160)) -> bytes:
    """A PNG of one colour.

    Source: https://www.w3.org/TR/png-3/#5DataRep
    """
    row = b"\0" + bytes(colour) * width_px
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _png_chunk(b"IHDR", struct.pack("!IIBBBBB", width_px, height_px, 8, 2, 0, 0, 0)),
            _png_chunk(b"IDAT", zlib.compress(row * height_px, 9)),
            _png_chunk(b"IEND", b""),
        )
    )


def webp(width_px: int, height_px: int, colour: tuple[int, int, int] = (32, 96, 160)) -> bytes:
    """A lossless WebP of one colour: five prefix codes of a single symbol, so the pixels take no bits at all.

    Source: https://datatracker.ietf.org/doc/html/rfc9649#section-3
    """
    red, green, blue = colour
    bits = _Bits()
    bits.add(width_px - 1, 14)
    bits.add(height_px - 1, 14)
    bits.add(0, 1 + 3)  # no alpha; version 0
    bits.add(0, 1 + 1 + 1)  # no transform, no colour cache, no meta prefix codes
    for symbol in (green, red, blue, 255):
        bits.add(1, 1)  # a simple code
        bits.add(0, 1)  # of one symbol
        bits.add(1, 1)  # written with eight bits
        bits.add(symbol, 8)
    bits.add(1, 4)  # the distance code: simple, one symbol, one bit, zero
    data = b"\x2f" + bits.bytes()
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def gif(width_px: int = 1, height_px: int = 1) -> bytes:
    """A GIF whose one pixel is drawn and whose canvas may be larger.

    Source: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
    """
    screen = struct.pack("<HHBBB", width_px, height_px, 0x80, 0, 0) + b"\xff\xff\xff\0\0\0"
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return b"GIF89a" + screen + image + b"\x3b"


def ico() -> bytes:
    """An icon file that holds one 32-pixel PNG."""
    image = png(32, 32)
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, 32, 32, 0, 0, 1, 32, len(image), 22) + image


def jpeg(width_px: int, height_px: int) -> bytes:
    """The head of a JPEG: enough for a reader of sizes.

    Source: https://www.w3.org/Graphics/JPEG/itu-t81.pdf (B.2.2)
    """
    frame = struct.pack("!HBHHB", 11, 8, height_px, width_px, 1) + b"\x01\x11\x00"
    jfif = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    return b"\xff\xd8" + jfif + b"\xff\xc0" + frame + b"\xff\xd9"


def woff2(size_bytes: int = 4096) -> bytes:
    """Something with the signature and length of a WOFF 2 font, and noise inside.

    Source: https://www.w3.org/TR/WOFF2/#woff20Header
    """
    head = struct.pack("!4sIIHHI", b"wOF2", 0x00010000, size_bytes, 1, 0, size_bytes)
    return (head + _noise(size_bytes))[:size_bytes]


def svg(label: str) -> bytes:
    """A circle with a title."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">'
        f'<title>{label}</title><circle cx="12" cy="12" r="10"/></svg>'
    ).encode()


def script(number: int) -> bytes:
    """A harmless script of about 600 bytes."""
    lines = [f"const part{number}_{line} = {line} + {number};" for line in range(16)]
    return ("'use strict';\n" + "\n".join(lines) + "\n").encode()


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))


def _noise(size_bytes: int) -> bytes:
    """Reproducible bytes that do not compress: a linear congruential generator."""
    value, out = 1, bytearray()
    while len(out) < size_bytes:
        value = (value * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        out.append(value >> 56)
    return bytes(out)


class _Bits:
    """Packs numbers least significant bit first."""

    def __init__(self) -> None:
        self._value = 0
        self._length = 0

    def add(self, value: int, width: int) -> None:
        self._value |= value << self._length
        self._length += width

    def bytes(self) -> bytes:
        return self._value.to_bytes((self._length + 7) // 8, "little")
