"""Sentences about the limits of a rendering stand with the facts of the page."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.rendering import LoadMetrics
from pagegrade.model.report import Report
from pagegrade.render.drawing_limits import drawing_limits
from pagegrade.render.english import ENGLISH
from pagegrade.render.i18n import texts_for
from pagegrade.render.text import render_text
from pagegrade.report.rendered import rendered_page
from tests.rendering_builders import make_rendering
from tests.report_builders import make_report


def drawn(*notes: str) -> Report:
    """A report from a browser with these notes."""
    return make_report(rendered=rendered_page(replace(make_rendering(), notes=notes), (), LoadMetrics()))


@pytest.mark.parametrize(
    ("notes", "sentences"),
    [
        ((), ""),
        (("cpu_slowdown_4", "failed_Network.getCookies"), ""),
        (("loads_cut",), "There was no time for further loads."),
        (
            ("load_timeout", "loads_cut"),
            "There was no time for further loads. Scripts kept the page busy; its load was cut off.",
        ),
    ],
)
def test_limits_have_sentences(notes: tuple[str, ...], sentences: str) -> None:
    """In one order; a note that only adds a fact has none."""
    rendered = drawn(*notes).rendered

    assert rendered is not None
    assert drawing_limits(rendered, ENGLISH) == sentences


def test_limits_are_translated_and_shown_with_the_facts_of_the_page() -> None:
    """Only where there are any."""
    rendered = drawn("loads_cut").rendered

    assert rendered is not None
    assert drawing_limits(rendered, texts_for("de")) != drawing_limits(rendered, ENGLISH)
    assert "There was no time for further loads." in " ".join(render_text([drawn("loads_cut")]).split())
    assert "Limits" not in render_text([drawn()])
