from __future__ import annotations

from pagegrade.checks.seo.hreflang_return_links import hreflang_return_links
from pagegrade.model.artifacts import AlternatePage, Alternates, NotGathered
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, outcome, run

GERMAN = "https://example.com/de/"
FRENCH = "https://example.com/fr/"


def test_versions_that_name_the_page() -> None:
    """All that could be read do."""
    found = Alternates(
        items=(AlternatePage(url=GERMAN, status=200, links_back=True), AlternatePage(url=FRENCH, status=404)), found=7
    )

    assert outcome(hreflang_return_links, "<p>", alternates=found).state == "returned"
    assert outcome(hreflang_return_links, "<p>", alternates=found).value == "1 of 7"


def test_a_version_that_does_not() -> None:
    """It is named, and costs nothing: the sitemap may say what the page does not."""
    found = Alternates(
        items=(
            AlternatePage(url=GERMAN, status=200, links_back=False),
            AlternatePage(url=FRENCH, status=200, links_back=True),
        ),
        found=2,
    )
    verdict = outcome(hreflang_return_links, "<p>", alternates=found)

    assert (verdict.state, verdict.value) == ("one_way", "1 of 2")
    assert verdict.message == "One language version does not link back to this page."
    assert [evidence.url for evidence in verdict.evidence] == [GERMAN]
    assert evaluated(hreflang_return_links, "<p>", alternates=found).outcome == "informative"


def test_what_was_not_read_is_not_evaluated() -> None:
    """No versions, none that answered, none asked for."""
    silent = Alternates(items=(AlternatePage(url=GERMAN, failure=NotGathered(code="timeout")),), found=1)

    assert isinstance(run(hreflang_return_links, "<p>", alternates=Alternates()), NotApplicable)
    assert isinstance(run(hreflang_return_links, "<p>", alternates=silent), NotRun)
    assert isinstance(run(hreflang_return_links, "<p>"), NotRun)
