"""Draws the README's picture: the beginning of a real terminal report on a page of the test site."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import pagegrade
from pagegrade.render import RenderOptions, render
from tests.site.serve import serve_site

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "report.svg"
LINES = 44
"""As much of the report as is read in a README."""
SHOWN = "https://shop.example"
"""Stands in for the local address, which would only puzzle."""
THEME = TerminalTheme(
    (16, 20, 28),
    (214, 220, 230),
    [
        *((60, 66, 80), (240, 98, 98), (120, 200, 130), (232, 186, 90)),
        *((110, 160, 240), (200, 140, 230), (90, 200, 210), (214, 220, 230)),
    ],
    [
        *((120, 128, 144), (255, 120, 120), (140, 220, 150), (245, 205, 110)),
        *((140, 185, 255), (220, 165, 245), (120, 220, 230), (255, 255, 255)),
    ],
)
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
 aria-label="A Pagegrade report in a terminal: the verdict, the score of each category and what to fix first">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
 font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
<rect fill="#10141c" width="{width}" height="{height}" rx="10"/>
<g transform="translate({terminal_x}, 20)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Analyze, draw, and say where."""
    with serve_site() as site:
        report = pagegrade.analyze(site.http + "/poor", allow_typed_private=True)
        text = render(report, "text", RenderOptions(width=80, color=True)).replace(site.http, SHOWN)
    lines = text.split("\n")[:LINES]
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join(lines)), end="")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(console.export_svg(title="", theme=THEME, code_format=FORMAT, unique_id="report"))
    sys.stdout.write(f"{PICTURE.relative_to(Path.cwd())}\n")


if __name__ == "__main__":
    main()
