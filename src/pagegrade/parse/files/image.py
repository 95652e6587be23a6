"""Format, pixel size and animation of an image, from its first bytes.

Only headers are read, never pixels; a file cut short, lying or hostile gives fewer facts, not an error. The format
comes from the bytes: extensions and declared types lie (a ``.jpg`` that is served as WebP by negotiation is common).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from typing import Final, Literal

from pagegrade.model.artifacts import ImageFacts

HEAD_BYTES: Final = 65_536
"""As much of an image as is worth keeping: sizes stand well before this, but for a JPEG with a huge profile."""
MAX_PX: Final = 2**31 - 1
"""Larger sizes are lies; no format's decoders accept them."""
_MAX_STEPS: Final = 20_000
"""Boxes, chunks or segments walked before giving up; every step moves forward, so this only bounds the constant."""

SHOWN_TYPES: Final = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "gif": "image/gif",
    "avif": "image/avif",
}
"""Format -> media type of images that are stored and shown; drawings (SVG) can hold scripts and are not."""
_MAX_ICON_ENTRIES: Final = 64

_Format = Literal["jpeg", "png", "gif", "webp", "avif", "jxl", "svg", "bmp", "ico", "tiff", "heic"]
_Size = tuple[int | None, int | None, bool | None]
_UNKNOWN: Final[_Size] = (None, None, None)


def read_image(data: bytes) -> ImageFacts | None:
    """Identify the image format that ``data`` begins with.

    Args:
        data: The first bytes of the file (``HEAD_BYTES`` are plenty), decoded from any content coding.

    Returns:
        The facts; sizes are ``None`` when they stand beyond ``data`` or make no sense. ``None`` when this is no image
        we know. Never raises, and takes time linear in ``len(data)``.
    """
    for matches, format_name, reader in _FORMATS:
        if not matches(data):
            continue
        try:
            width, height, animated = reader(data)
        except (struct.error, IndexError, ValueError, OverflowError):
            width, height, animated = _UNKNOWN
        plausible = width is not None and height is not None and 0 < width <= MAX_PX and 0 < height <= MAX_PX
        return ImageFacts(
            format=format_name,
            width_px=width if plausible else None,
            height_px=height if plausible else None,
            animated=animated,
        )
    return None


def find_shown_image(data: bytes) -> tuple[ImageFacts, int, int] | None:
    """Return the image in a file that any browser shows, and where its bytes begin and end.

    That is a whole file of ``SHOWN_TYPES``, or the largest PNG in an icon file. ``None`` for any other file. Takes
    time linear in ``len(data)``.
    """
    start, end = _png_of_icon(data) if data.startswith(b"\0\0\1\0") else (0, len(data))
    facts = read_image(data[start:end])
    return None if facts is None or facts.format not in SHOWN_TYPES else (facts, start, end)


def shown_type(data: bytes) -> str | None:
    """Return the media type by the first bytes, one of ``SHOWN_TYPES``; ``None`` for any other file."""
    name = next((name for matches, name, _ in _FORMATS if name in SHOWN_TYPES and matches(data)), "")
    return SHOWN_TYPES.get(name)


def _png_of_icon(data: bytes) -> tuple[int, int]:
    """Return the place of the largest PNG in an icon file; all of the file if there is none."""
    found = [(0, 0, len(data))]
    for at in range(6, 6 + 16 * min(int.from_bytes(data[4:6], "little"), _MAX_ICON_ENTRIES), 16):
        size, start = (
            int.from_bytes(data[at + 8 : at + 12], "little"),
            int.from_bytes(data[at + 12 : at + 16], "little"),
        )
        if start + size <= len(data) and data.startswith(b"\x89PNG\r\n\x1a\n", start):
            found.append((data[at] or 256, start, start + size))
    return max(found)[1:]


def _jpeg(data: bytes) -> _Size:
    """Walk the segments to the frame header (ITU-T T.81 B.1.1 and B.2.2)."""
    position = 2
    for _ in range(_MAX_STEPS):
        position = data.index(b"\xff", position)
        while data[position] == 0xFF:  # Fill bytes may repeat before a marker.
            position += 1
        marker = data[position]
        position += 1
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, position + 3)
            return width, height, False
        if marker in (0xD9, 0xDA):
            break
        position += max(2, int(struct.unpack_from(">H", data, position)[0]))
    return None, None, False


def _png(data: bytes) -> _Size:
    """Read IHDR and look for acTL before the pixels (PNG 3rd edition, 11.2.1 and 11.3.6.1)."""
    if data[12:16] != b"IHDR":
        return _UNKNOWN
    width, height = struct.unpack_from(">II", data, 16)
    animated: bool | None = None
    position = 8
    for _ in range(_MAX_STEPS):
        if position + 8 > len(data):
            break
        length, kind = struct.unpack_from(">I4s", data, position)
        if kind in (b"acTL", b"IDAT", b"IEND"):
            animated = kind == b"acTL"
            break
        position += 12 + length
    return width, height, animated


def _gif(data: bytes) -> _Size:
    """Count frames until the second (GIF89a, sections 18-25)."""
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height, _gif_is_animated(data)


def _gif_is_animated(data: bytes) -> bool | None:
    """True at the second frame, false at the trailer before it, ``None`` when the data ends first."""
    if len(data) < 13:
        return None
    position = 13 + _color_table_bytes(data[10])
    frames = 0
    while position < len(data):
        introducer = data[position]
        if introducer == 0x2C:
            frames += 1
            if frames > 1:
                return True
            if position + 9 >= len(data):
                return None
            # Image descriptor (10 bytes), its color table, then one byte of LZW code size.
            position += 10 + _color_table_bytes(data[position + 9]) + 1
        elif introducer == 0x21:
            position += 2
        else:
            return False if introducer == 0x3B else None
        while position < len(data) and data[position]:
            position += data[position] + 1
        position += 1
    return None


def _color_table_bytes(flags: int) -> int:
    """Size of the color table that follows, from the packed field."""
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _webp(data: bytes) -> _Size:
    """Read the first chunk: lossy, lossless or extended (RFC 9649, 2.5-2.7)."""
    kind = data[12:16]
    if kind == b"VP8X":
        flags = data[20]
        width = 1 + int.from_bytes(data[24:27], "little")
        height = 1 + int.from_bytes(data[27:30], "little")
        return (width, height, bool(flags & 2)) if len(data) >= 30 else _UNKNOWN
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF), False
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF, False
    return _UNKNOWN


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Boxes between two offsets as (type, first byte of content, end); ISO/IEC 14496-12, 4.2."""
    position = start
    for _ in range(_MAX_STEPS):
        if position + 8 > end:
            return
        size, kind = struct.unpack_from(">I4s", data, position)
        content = position + 8
        if size == 1:
            if content + 8 > end:
                return
            size = struct.unpack_from(">Q", data, content)[0]
            content += 8
        stop = end if size == 0 else min(end, position + size)
        if stop < content:
            return
        yield kind, content, stop
        position = stop


def _brands(data: bytes) -> set[bytes]:
    """Brands of the file type box; empty when the file does not begin with one."""
    if data[4:8] != b"ftyp" or len(data) < 16:
        return set()
    end = min(len(data), int.from_bytes(data[0:4], "big"), 4_096)
    return {data[8:12], *(data[at : at + 4] for at in range(16, end - 3, 4))}


def _iso_image(data: bytes) -> _Size:
    """Take the largest image extent: that of the whole picture, where tiles and thumbnails have theirs (HEIF 6.5.3)."""
    animated = bool(_brands(data) & {b"avis", b"hevc", b"msf1"})
    best = (0, 0)
    ranges = [(0, len(data), 0)]
    for _ in range(_MAX_STEPS):
        if not ranges:
            break
        start, end, depth = ranges.pop()
        for kind, content, stop in _boxes(data, start, end):
            if kind == b"ispe" and stop - content >= 12:
                width, height = struct.unpack_from(">II", data, content + 4)
                best = max(best, (width, height), key=lambda size: size[0] * size[1])
            elif kind == b"meta" and depth == 0:
                ranges.append((content + 4, stop, 1))  # A full box: four bytes of version and flags come first.
            elif kind in (b"iprp", b"ipco") and depth in (1, 2):
                ranges.append((content, stop, depth + 1))
    return best[0] or None, best[1] or None, animated


class _Bits:
    """Bits of a JPEG XL codestream, least significant first (ISO/IEC 18181-1, 9.2.1)."""

    def __init__(self, data: bytes) -> None:
        self._value = int.from_bytes(data[:64], "little")
        self._left = 8 * min(len(data), 64)

    def take(self, count: int) -> int:
        """The next ``count`` bits; ``ValueError`` beyond the end."""
        if count > self._left:
            message = "out of bits"
            raise ValueError(message)
        taken = self._value & ((1 << count) - 1)
        self._value >>= count
        self._left -= count
        return taken


_JXL_RATIOS: Final = ((0, 0), (1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))


def _jxl_size(bits: _Bits) -> tuple[int, int]:
    """The SizeHeader bundle (ISO/IEC 18181-1, table A.2)."""
    small = bits.take(1)

    def side() -> int:
        return (1 + bits.take(5)) * 8 if small else 1 + bits.take((9, 13, 18, 30)[bits.take(2)])

    height = side()
    ratio = bits.take(3)
    if ratio == 0:
        return side(), height
    numerator, denominator = _JXL_RATIOS[ratio]
    return height * numerator // denominator, height


def _jxl(data: bytes) -> _Size:
    """Find the codestream, bare or in its container, and read its first bundles."""
    start = 0
    if not data.startswith(b"\xff\x0a"):
        found = -1
        for kind, content, _ in _boxes(data, 0, len(data)):
            if kind in (b"jxlc", b"jxlp"):
                found = content + (4 if kind == b"jxlp" else 0)  # A part begins with its index.
                break
        if found < 0 or data[found : found + 2] != b"\xff\x0a":
            return _UNKNOWN
        start = found
    bits = _Bits(data[start + 2 : start + 66])
    width, height = _jxl_size(bits)
    animated: bool | None
    try:
        if bits.take(1) or not bits.take(1):  # All metadata is default, or it has no extra fields.
            animated = False
        else:
            bits.take(3)
            if bits.take(1):
                _jxl_size(bits)
            animated = None if bits.take(1) else bool(bits.take(1))
    except ValueError:
        animated = None
    return width, height, animated


def _bmp(data: bytes) -> _Size:
    """Read the core or the info header (its height is negative for top-down rows)."""
    if struct.unpack_from("<I", data, 14)[0] == 12:
        width, height = struct.unpack_from("<HH", data, 18)
    else:
        width, height = struct.unpack_from("<ii", data, 18)
    return width, abs(height), False


def _ico(data: bytes) -> _Size:
    """Take the largest entry of the directory; 0 stands for 256."""
    count = min(struct.unpack_from("<H", data, 4)[0], (len(data) - 6) // 16)
    sizes = [(data[6 + 16 * i] or 256, data[7 + 16 * i] or 256) for i in range(count)]
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    return width, height, False


def _tiff(data: bytes) -> _Size:
    """Read tags 256 and 257 of the first directory (TIFF 6.0, section 2)."""
    order = "<" if data.startswith(b"II") else ">"
    at = struct.unpack_from(order + "I", data, 4)[0]
    found: dict[int, int] = {}
    for index in range(struct.unpack_from(order + "H", data, at)[0]):
        entry = at + 2 + 12 * index
        tag, kind = struct.unpack_from(order + "HH", data, entry)
        if tag in (256, 257):
            found[tag] = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, entry + 8)[0]
        if tag >= 257:  # Tags are sorted.
            break
    return found.get(256), found.get(257), False


_SVG_START: Final = re.compile(rb"<(?:[A-Za-z_][\w.-]{0,40}:)?svg(?=[\s/>])", re.IGNORECASE)
_SVG_PROLOGUE: Final = re.compile(rb"\s*+<(\?|!--|!DOCTYPE(?=\s{1,9}(?:\w{1,40}:)?svg\b))", re.IGNORECASE)
_SVG_ATTRIBUTE: Final = re.compile(
    rb"[\s\"']((?i:width|height|viewBox))\s{0,20}=\s{0,20}(\"[^\"<]{0,200}\"|'[^'<]{0,200}')"
)
_PROLOGUE_END: Final = {b"?": b"?>", b"!--": b"-->", b"!doctype": b">"}
_PX: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?)(?:px)?")


def _svg_root(data: bytes) -> int:
    """Offset of the root tag behind declarations and comments, or -1 when the document is not an SVG."""
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for _ in range(50):
        prologue = _SVG_PROLOGUE.match(data, position)
        if prologue is None:
            break
        end_mark = _PROLOGUE_END[prologue[1].lower()]
        subset = data.find(b"[", prologue.end(), prologue.end() + 300) if end_mark == b">" else -1
        if 0 <= subset < data.find(b">", prologue.end()):
            end_mark = b"]>"
        end = data.find(end_mark, prologue.end())
        if end < 0:
            return -1
        position = end + len(end_mark)
    while position < len(data) and data[position] in b" \t\r\n\f":
        position += 1
    return position if _SVG_START.match(data, position) else -1


def _is_svg(data: bytes) -> bool:
    return b"svg" in data[:HEAD_BYTES].lower() and _svg_root(data[:HEAD_BYTES]) >= 0


def _svg(data: bytes) -> _Size:
    """Read width and height in pixels, else those of the view box (SVG 2, 8.2 and 8.6)."""
    head = data[:HEAD_BYTES]
    root = _svg_root(head)
    end = head.find(b">", root)
    tag = head[root : end if end >= 0 else root + 8_192][:8_192]
    values = {name.lower(): value[1:-1].decode("latin-1").strip() for name, value in _SVG_ATTRIBUTE.findall(tag)}
    width, height = _pixels(values.get(b"width", "")), _pixels(values.get(b"height", ""))
    if width is None or height is None:
        box = values.get(b"viewbox", "").replace(",", " ").split()
        if len(box) == 4:
            width, height = _pixels(box[2]), _pixels(box[3])
    return width, height, None


def _pixels(text: str) -> int | None:
    """Whole pixels of a plain or ``px`` length; ``None`` for other units, zero and nonsense."""
    match = _PX.fullmatch(text)
    return (round(float(match[1])) or None) if match else None


def _starts(*magics: bytes) -> Callable[[bytes], bool]:
    return lambda data: data.startswith(magics)


def _is_brand(*brands: bytes) -> Callable[[bytes], bool]:
    return lambda data: not _brands(data).isdisjoint(brands)


_FORMATS: Final[tuple[tuple[Callable[[bytes], bool], _Format, Callable[[bytes], _Size]], ...]] = (
    (_starts(b"\xff\xd8\xff"), "jpeg", _jpeg),
    (_starts(b"\x89PNG\r\n\x1a\n"), "png", _png),
    (_starts(b"GIF87a", b"GIF89a"), "gif", _gif),
    (lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP", "webp", _webp),
    (_is_brand(b"avif", b"avis"), "avif", _iso_image),
    (_is_brand(b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"), "heic", _iso_image),
    (_starts(b"\xff\x0a", b"\x00\x00\x00\x0cJXL \r\n\x87\n"), "jxl", _jxl),
    (lambda data: data.startswith(b"BM") and data[6:10] == b"\0\0\0\0", "bmp", _bmp),
    (_starts(b"\x00\x00\x01\x00", b"\x00\x00\x02\x00"), "ico", _ico),
    (_starts(b"II*\x00", b"MM\x00*"), "tiff", _tiff),
    (_is_svg, "svg", _svg),
)
"""(recognize, name, read), most frequent first; SVG last because it is recognized in text."""
