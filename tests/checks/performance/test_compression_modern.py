from __future__ import annotations

import pytest

from pagegrade.checks.performance.compression_modern import compression_modern
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_response, outcome, run

PAGE = "<!doctype html>" + "x" * 2_000


def state(*codings: str, url: str = URL) -> str:
    """The state of a page packed so."""
    return outcome(compression_modern, response=make_response(PAGE, url=url, content_encodings=codings)).state


@pytest.mark.parametrize(("coding", "expected"), [("br", "modern"), ("zstd", "modern"), ("gzip", "gzip")])
def test_brotli_and_zstandard_are_the_modern_ones(coding: str, expected: str) -> None:
    """Everything else that packs is called by the customary name."""
    assert state(coding) == expected


def test_an_unpacked_page_is_said_to_be_one() -> None:
    """It costs nothing here; another check evaluates it."""
    found = evaluated(compression_modern, response=make_response(PAGE))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == ("none", "informative")


def test_over_http_browsers_offer_gzip_only() -> None:
    """So nothing can be said about the server."""
    plain = make_response(PAGE, url="http://example.com/", content_encodings=("gzip",))

    assert isinstance(run(compression_modern, response=plain), NotApplicable)


def test_small_and_unmeasured_pages_are_left_alone() -> None:
    """A packet is a packet, and a saved page shows no transfer."""
    assert isinstance(run(compression_modern, response=make_response("x")), NotApplicable)
    assert isinstance(run(compression_modern, response=make_response(PAGE, wire_bytes=None)), NotRun)
