from __future__ import annotations

import pytest

from pagegrade.checks.content.mojibake import mojibake
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, make_artifacts, outcome, run

BAD = "<p>MÃ¼nchen"


def test_more_places_cost_more() -> None:
    """From half for one to all for ten."""
    assert [evaluated(mojibake, BAD * count).loss for count in (1, 10, 20)] == [0.5, 1.0, 1.0]


def test_evidence_shows_what_was_meant() -> None:
    """With the words around it."""
    (one,) = outcome(mojibake, "<p>Aus MÃ¼nchen").evidence

    assert (one.value, one.reason, one.selector != "") == ("Aus MÃ¼nchen", "probably ü", True)


@pytest.mark.parametrize("heading", ["<title>UTF-8 explained</title>", "<h1>What is mojibake?</h1>"])
def test_pages_about_encodings_are_not_evaluated(heading: str) -> None:
    """They show it on purpose."""
    assert isinstance(run(mojibake, heading + BAD), NotApplicable)


def test_other_pages_pass() -> None:
    """Also those that only mention encodings."""
    assert outcome(mojibake, "<title>UTF-8</title><p>München").state == "none"
    assert outcome(mojibake, "<p>SÃO PAULO").state == "none"


def test_page_in_another_encoding_is_read_as_it_declares() -> None:
    """A correct declaration makes no mojibake."""
    page = "<meta charset=windows-1252><p>München don’t".encode("cp1252")
    headers = (("Content-Type", "text/html"),)

    assert outcome(mojibake, make_artifacts(page, headers=headers)).state == "none"
