from __future__ import annotations

import pytest

from pagegrade.checks.technical.amp import amp
from tests.builders import evaluated, outcome


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<!doctype html><html amp><title>x</title>", "document"),
        ("<!doctype html><html \u26a1 lang=en><title>x</title>", "document"),
        ("<!doctype html><html \u26a1\ufe0f><title>x</title>", "document"),
        ("<!doctype html><html AMP4EMAIL><title>x</title>", "document"),
        ("<!doctype html><html \u26a14ads><title>x</title>", "document"),
        ("<!doctype html><html amp4shops data-amp><title>x</title>", "none"),
        ("<link rel=amphtml href=/amp/>", "linked"),
        ("<link rel='AMPHTML' href=/amp/>", "linked"),
        ("<link rel=amphtml>", "none"),
        ("<html class=amp><a rel=amphtml href=/amp/>x</a>", "none"),
        ("<!-- <html amp> -->", "none"),
    ],
)
def test_marks_of_amp(html: str, state: str) -> None:
    """The root element and a link with an address; nothing else."""
    assert outcome(amp, html).state == state
    assert evaluated(amp, html).outcome == "informative"
