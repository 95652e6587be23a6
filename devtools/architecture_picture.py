"""Draw the packages and layers of the import contract: ``docs/images/packages.svg``.

Run ``python -m devtools.architecture_picture`` after a change of the contract in ``pyproject.toml``; a test compares.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURE: Final = ROOT / "docs" / "images" / "packages.svg"
WIDTH: Final = 720
HEIGHT: Final = 34
GAP: Final = 12
"""Pixels, as the two above."""


def layers() -> list[list[str]]:
    """Return the layers of the first import contract, top to bottom, with the packages of each."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]
    return [[name.strip(" ()") for name in layer.split("|")] for layer in contract["layers"]]


def draw(rows: list[list[str]]) -> str:
    """Return an SVG with a row of boxes for each layer."""
    height = len(rows) * (HEIGHT + GAP) + GAP
    boxes = [box for number, row in enumerate(rows) for box in _row(row, GAP + number * (HEIGHT + GAP))]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            'font-family="sans-serif" font-size="14" text-anchor="middle">',
            "<title>Packages by layer: each may import those in the rows below it</title>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            *boxes,
            "</svg>",
            "",
        )
    )


def _row(names: list[str], top: int) -> list[str]:
    width = (WIDTH - GAP * (len(names) + 1)) // len(names)
    boxes: list[str] = []
    for index, name in enumerate(names):
        left = GAP + index * (width + GAP)
        middle, base = left + width // 2, top + HEIGHT // 2 + 5
        boxes.append(
            f'<rect x="{left}" y="{top}" width="{width}" height="{HEIGHT}" rx="5" fill="#e8eef7" stroke="#33527a"/>'
        )
        boxes.append(f'<text x="{middle}" y="{base}" fill="#14263d">{escape(name)}</text>')
    return boxes


def main() -> int:
    """Write the picture."""
    PICTURE.write_text(draw(layers()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
