"""Writes a PNG anew from what draws it, so that nothing else of the file is kept or sent to anyone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final

MAX_SIDE_PX: Final = 1_024
"""With 8 bytes for a pixel, so many in both directions are 8 MB, which are unpacked in a few hundredths of a second."""
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER: Final = struct.Struct(">IIBBBBB")
_SAMPLES: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Color type -> samples of a pixel (PNG, third edition, 11.2.1)."""
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_INDEXED: Final = 3
_PASSES: Final = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""First column and row, and steps to the next ones, of each pass of an interlaced image."""
_MAX_FILTER: Final = 4


def clean_png(data: bytes) -> bytes | None:
    """The same image with nothing but its header, palette, transparency and pixels, packed anew.

    Text, profiles, further frames and whatever stands behind the image are left out; sums are checked.

    Args:
        data: A whole file. Takes time linear in its length and in the pixels that it claims, at most
            ``MAX_SIDE_PX`` in each direction.

    Returns:
        ``None``: it is no PNG, a broken one, or too large.
    """
    kept: dict[bytes, bytes] = {}
    packed: list[bytes] = []
    for kind, content in _chunks(data):
        if kind == b"IDAT":
            packed.append(content)
        elif kind in (b"IHDR", b"PLTE", b"tRNS", b"IEND"):
            if kind in kept or (not kept and kind != b"IHDR"):
                return None
            kept[kind] = content
    if b"IHDR" not in kept or b"IEND" not in kept or len(kept[b"IHDR"]) != _HEADER.size:
        return None
    width, height, depth, color, *methods, interlaced = _HEADER.unpack(kept[b"IHDR"])
    is_known = depth in _DEPTHS.get(color, ()) and not any(methods) and interlaced in (0, 1)
    if not is_known or not 0 < width <= MAX_SIDE_PX or not 0 < height <= MAX_SIDE_PX:
        return None
    palette, transparent = kept.get(b"PLTE", b""), kept.get(b"tRNS", b"")
    if len(palette) % 3 or len(palette) > 768 or len(transparent) > 256 or (color == _INDEXED and not palette):
        return None
    pixels = _unpacked(
        b"".join(packed), list(_rows(width, height, depth * _SAMPLES[color], is_interlaced=bool(interlaced)))
    )
    if pixels is None:
        return None
    chunks = [(b"IHDR", kept[b"IHDR"]), (b"PLTE", palette), (b"tRNS", transparent)]
    written = [_chunk(kind, content) for kind, content in chunks if content]
    return b"".join((_SIGNATURE, *written, _chunk(b"IDAT", zlib.compress(pixels, 9)), _chunk(b"IEND", b"")))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Chunks up to the last one, or up to the first one that is broken."""
    position = len(_SIGNATURE)
    if not data.startswith(_SIGNATURE):
        return
    while position + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, position)
        end = position + 8 + length
        if end + 4 > len(data) or zlib.crc32(data[position + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            return
        kind = data[position + 4 : position + 8]
        yield kind, data[position + 8 : end]
        if kind == b"IEND":
            return
        position = end + 4


def _rows(width: int, height: int, bits: int, *, is_interlaced: bool) -> Iterator[int]:
    """Length in bytes of each row of the pixels, without its filter."""
    for left, top, across, down in _PASSES if is_interlaced else ((0, 0, 1, 1),):
        columns = -(-(width - left) // across)
        if columns > 0:
            for _ in range(top, height, down):
                yield -(-columns * bits // 8)


def _unpacked(packed: bytes, rows: list[int]) -> bytes | None:
    """Pixels with a filter before each row; ``None`` unless they are exactly as many as there should be."""
    size = sum(rows) + len(rows)
    unpacker = zlib.decompressobj()
    try:
        pixels = unpacker.decompress(packed, size + 1)
    except zlib.error:
        return None
    if len(pixels) != size or not unpacker.eof:
        return None
    position = 0
    for row in rows:
        if pixels[position] > _MAX_FILTER:
            return None
        position += row + 1
    return pixels


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
