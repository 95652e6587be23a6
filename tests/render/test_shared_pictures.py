from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from itertools import product

import pytest

from pagegrade.model.report import Grade, Report
from pagegrade.render.shared_pictures import (
    COLORS,
    HEIGHT,
    HEIGHT_PX,
    LABEL_COLOR,
    TEMPLATE,
    UNKNOWN,
    WIDTH_PX,
    _values,
    badge_width,
    render_badge,
    render_card,
)
from pagegrade.report.serialize import report_to_dict
from tests.report_builders import make_failed_report, make_report, poisoned_report

SVG = "{http://www.w3.org/2000/svg}"
STATES = ("queued", "running", "completed", "failed")
GRADES: tuple[Grade | None, ...] = ("good", "decent", "bad", None)


def luminance(color: str) -> float:
    """Relative luminance (WCAG 2.2) of ``#rrggbb``."""
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("state", "result", "score", "said"),
    [
        ("completed", "good", 92, "good 92"),
        ("completed", "decent", 64, "decent 64"),
        ("completed", "bad", 31, "bad 31"),
        ("completed", None, 85, "no grade"),
        ("failed", None, None, "not analyzed"),
        (UNKNOWN, None, None, "unknown"),
        ("queued", None, None, "pending"),
        ("running", None, None, "pending"),
        ("running", "good", 92, "good 92"),
        ("failed", "bad", 0, "bad 0"),
    ],
)
def test_a_badge_says_the_verdict(state: str, result: Grade | None, score: int | None, said: str) -> None:
    """For eyes and for screen readers alike; an older verdict stands until there is a newer one."""
    root = ET.fromstring(render_badge(state, result=result, score=score))  # noqa: S314 - ours
    title = root.find(f"{SVG}title")

    assert root.get("role") == "img"
    assert title is not None
    assert title.text == root.get("aria-label") == f"pagegrade: {said}"
    assert [text.text for text in root.iter(f"{SVG}text")] == ["pagegrade", said]


@pytest.mark.parametrize("color", [*COLORS.values(), LABEL_COLOR])
def test_white_on_every_color_is_readable(color: str) -> None:
    """WCAG level AA: 4.5 to 1."""
    assert 1.05 / (luminance(color) + 0.05) >= 4.5


@pytest.mark.parametrize(("state", "result", "score"), list(product(STATES, GRADES, (None, 0, 7, 100))))
def test_text_fits_its_side(state: str, result: Grade | None, score: int | None) -> None:
    """Six pixels of air at every edge, the same height as other badges, nothing that runs, loads or collides."""
    text = render_badge(state, result=result, score=score)
    root = ET.fromstring(text)  # noqa: S314 - ours
    label, value = ((float(t.get("x", "")), float(t.get("textLength", ""))) for t in root.iter(f"{SVG}text"))
    left, width = value[0] - 6, float(root.get("width", "0"))

    assert root.get("height") == str(HEIGHT)
    assert sum(label) == pytest.approx(left - 6, abs=0.6)
    assert sum(value) == pytest.approx(width - 6, abs=0.6)
    assert f'd="M{left:g} 0v20' in text
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "title", "rect", "path", "g", "text"}
    assert " id=" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_score_out_of_range_stays_a_score() -> None:
    """Whatever was stored, three digits are the most."""
    assert "good 100<" in render_badge("completed", result="good", score=10**9)
    assert "bad 0<" in render_badge("completed", result="bad", score=-5)


@pytest.mark.parametrize(
    ("state", "result", "score"), [("completed", "good", 100), ("completed", None, 7), ("queued", None, None)]
)
def test_the_width_is_known_without_the_picture(state: str, result: Grade | None, score: int | None) -> None:
    """So that a page keeps room for it."""
    root = ET.fromstring(render_badge(state, result=result, score=score))  # noqa: S314 - ours

    assert root.get("width") == str(badge_width(state, result=result, score=score))


def encoded(report: Report) -> bytes:
    """The report as the HTTP interface sends it."""
    return json.dumps(report_to_dict(report)).encode()


@pytest.mark.parametrize("tag", ["en", "de"])
def test_the_card_is_a_picture_of_the_size_that_networks_show(tag: str) -> None:
    """PNG, whose header has the size."""
    picture = render_card(encoded(make_report()), tag)

    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", picture[16:24]) == (WIDTH_PX, HEIGHT_PX)
    assert len(picture) < 300_000


def test_of_the_page_the_card_shows_the_host_alone() -> None:
    """Its address may hold what is not public."""
    values = _values(make_report(), 60, "de")

    assert values["host"] == "example.com"
    assert values["word"] == "ordentlich"
    assert "https://" not in json.dumps(values)


@pytest.mark.parametrize("payload", ['#read("/etc/passwd")', "\u202etxt.exe", "*" * 500, "עמוד"])
def test_page_text_is_inert(payload: str) -> None:
    """It is a value and never markup."""
    assert render_card(encoded(poisoned_report(payload))).startswith(b"\x89PNG")


def test_a_report_without_a_score_has_no_card() -> None:
    """No figure, no picture of one."""
    with pytest.raises(ValueError, match="score"):
        render_card(encoded(make_failed_report()))


def test_the_template_reads_nothing() -> None:
    """Neither files nor packages."""
    text = TEMPLATE.read_text(encoding="utf-8")

    assert not [word for word in ("read(", "image(", "#import", "#include", "plugin(", "eval(") if word in text]
