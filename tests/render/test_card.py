from __future__ import annotations

import json
import struct

import pytest

from pagegrade.model.report import Report
from pagegrade.render.card import HEIGHT_PX, TEMPLATE, WIDTH_PX, _values, render_card
from pagegrade.report.serialize import report_to_dict
from tests.report_builders import make_failed_report, make_report, poisoned_report


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
