"""Makes the fonts of the PDF report anew: ``python -m devtools.pdf_fonts FOLDER``, with fontTools installed.

``FOLDER`` holds the whole fonts that ``src/pagegrade/render/fonts/README.md`` names. What is kept of each is said here;
the result depends on the fonts and the version of fontTools only.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

FONTS: Final = Path(__file__).resolve().parents[1] / "src" / "pagegrade" / "render" / "fonts"
LATIN_GREEK_CYRILLIC: Final = (
    "U+0020-036F,U+0370-052F,U+1E00-1FFF,U+2000-209F,U+20A0-20CF,U+2100-218F,U+A640-A69F,U+FB00-FB06,U+FFFD"
)
OTHERS: Final = (
    "U+0530-06FF,U+0750-077F,U+0E80-0EFF,U+10A0-10FF,U+200B-200F,U+2070-2BFF,U+2C60-2C7F,U+2D00-2D2F,U+FB00-FBFF,"
    "U+FE70-FEFF,U+FFFD,U+1F030-1F0FF,U+1F300-1F6FF"
)
"""Armenian, Hebrew, Arabic, Lao, Georgian, signs, faces: what DejaVu Sans has of them."""
SUBSETS: Final = (
    ("NotoSansDevanagari-Regular.ttf", "U+0900-097F,U+200C,U+200D,U+25CC"),
    ("NotoSansThai-Regular.ttf", "U+0E00-0E7F,U+25CC"),
    ("DejaVuSans.ttf", OTHERS),
)
WEIGHTS: Final = {"Regular": 400, "SemiBold": 600}
NOTO_SANS: Final = "NotoSans[wdth,wght].ttf"
DROID: Final = "DroidSansFallback.ttf"
FAMILY: Final = "Droid Sans Fallback"
HAN_PARTS: Final = 3
"""Files that the common Han characters are divided into, none of them large."""
_HIGH: Final = range(0xA1, 0xFF)


def main(folder: Path) -> None:
    """Make every font."""
    for name, points in SUBSETS:
        _subset(folder / name, FONTS / name, f"--unicodes={points}", "--layout-features=*")
    for name, weight in WEIGHTS.items():
        whole = FONTS / f"whole-{name}.ttf"
        axes = ("wdth=100", f"wght={weight}", "--update-name-table", "--no-recalc-timestamp", "-o", str(whole))
        _run("fontTools.varLib.instancer", "-q", str(folder / NOTO_SANS), *axes)
        features = "--layout-features=kern,mark,mkmk,ccmp,locl,liga,tnum,lnum,calt"
        _subset(whole, FONTS / f"NotoSans-{name}.ttf", f"--unicodes={LATIN_GREEK_CYRILLIC}", features)
        whole.unlink()
    han, other = common_han()
    size = len(han) // HAN_PARTS
    bounds = [*(index * size for index in range(HAN_PARTS)), len(han)]
    for part in range(HAN_PARTS):
        text = "".join(han[bounds[part] : bounds[part + 1]]) + ("" if part else "".join(other))
        _droid(folder, f"Han{part + 1}", f"{FAMILY} Han {part + 1}", text)
    _droid(folder, "Hangul", f"{FAMILY} Hangul", "".join(map(chr, range(0xAC00, 0xD7A4))))


def common_han() -> tuple[list[str], list[str]]:
    """Han characters of the first level of GB 2312, JIS X 0208 and Big5, and the kana and signs beside them."""
    found = {
        *_decoded("gb2312", range(0xA1, 0xD8), _HIGH),
        *_decoded("euc_jp", range(0xA1, 0xD0), _HIGH),
        *_decoded("big5", range(0xA4, 0xC7), [*range(0x40, 0x7F), *_HIGH]),
        *map(chr, range(0x3000, 0x3100)),
        *map(chr, range(0xFF00, 0xFFF0)),
    }
    han = sorted(character for character in found if "\u4e00" <= character <= "\u9fff")
    return han, sorted(found - set(han))


def _decoded(encoding: str, rows: range, cells: list[int] | range) -> set[str]:
    return {character for row in rows for cell in cells for character in bytes([row, cell]).decode(encoding, "ignore")}


def _droid(folder: Path, suffix: str, family: str, text: str) -> None:
    """A part of Droid Sans Fallback under a name of its own: Typst takes one file of a family."""
    path = FONTS / f"DroidSansFallback-{suffix}.ttf"
    _subset(folder / DROID, path, f"--text={text}", "--layout-features=*", "--drop-tables+=vhea,vmtx,FFTM")
    font = import_module("fontTools.ttLib").TTFont(path, recalcTimestamp=False)
    names = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    for record in font["name"].names:
        if record.nameID in names:
            record.string = names[record.nameID]
    font.save(path)


def _subset(source: Path, target: Path, *options: str) -> None:
    _run("fontTools.subset", str(source), f"--output-file={target}", "--no-hinting", "--notdef-outline", *options)


def _run(module: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
