"""The traps of ``metadata-by-scripts``, and what other checks say of what scripts add or change."""

from __future__ import annotations

import pytest

from pagegrade.checks import Facts, all_checks, run_checks
from pagegrade.model.outcome import Outcome
from tests.builders import make_artifacts
from tests.rendering_builders import make_rendering

SHELL = '<!doctype html><div id="root"></div><script src="/app.js"></script>'
DRAWN = (
    "<!doctype html><title>Garden chairs</title><meta name=description content='Chairs and tables made of teak.'>"
    "<link rel=canonical href=https://example.com/>"
    '<script type=application/ld+json>{"@context":"https://schema.org","@type":"Product","name":"Chair"}</script>'
    f"<body><h1>Garden chairs</h1><p>{'Chairs and tables made of teak. ' * 40}</p><a href=/tables>Tables</a>"
)


def outcomes(served: str, drawn: str) -> dict[str, Outcome]:
    """The verdicts on a page that the server sends one way, and a browser draws in another."""
    found = run_checks(all_checks(), Facts(make_artifacts(served, rendering=make_rendering(html=drawn))))
    return {name: one.verdict for name, one in found.items() if isinstance(one.verdict, Outcome)}


@pytest.mark.parametrize("check", ["title", "meta-description", "canonical", "h1", "structured-data", "in-page-links"])
@pytest.mark.parametrize("served", [SHELL, f"<!doctype html><body><p>{'Words of the page. ' * 60}"])
def test_what_only_scripts_add_is_not_called_missing(check: str, served: str) -> None:
    """A visitor sees it, programs without scripts do not: neither missing nor fine."""
    found = outcomes(served, DRAWN)[check]

    assert found.state == "scripted"
    assert check == "structured-data" or found.evidence


@pytest.mark.parametrize("check", ["title", "meta-description", "canonical", "h1", "structured-data"])
def test_what_scripts_do_not_add_either_is_missing(check: str) -> None:
    """Also on a page that scripts draw."""
    assert outcomes(SHELL, "<!doctype html><body><p>Words.")[check].state == "missing"


def test_links_that_scripts_add_count_once_for_each_other_page() -> None:
    """As in the HTML: the same page twice is one, and a jump within the page is none."""
    twice = outcomes(SHELL, "<!doctype html><p><a href=/a>A</a> <a href=/a#b>A again</a> <a href=#c>Below</a>")
    jumps = outcomes(SHELL, "<!doctype html><p><a href=#c>Below</a>")

    assert (twice["in-page-links"].state, twice["in-page-links"].value) == ("scripted", 1)
    assert jumps["in-page-links"].state == "none"


def test_social_tags_that_scripts_add_do_not_count() -> None:
    """Networks run no scripts."""
    drawn = "<!doctype html><meta property=og:title content=Chairs><meta name=twitter:card content=summary>" + DRAWN

    assert outcomes("<!doctype html><title>Chairs</title><p>Words.", drawn)["open-graph"].state == "none"


def test_scripts_that_exclude_a_page_are_a_finding() -> None:
    """Google obeys them; for one crawler alone nothing is said."""
    page = "<!doctype html><title>Chairs</title><p>Words."

    assert outcomes(page, f"<!doctype html><meta name=robots content=noindex>{page}")["noindex"].state == "scripted"
    assert outcomes(page, f"<!doctype html><meta name=bingbot content=noindex>{page}")["noindex"].state == "indexable"
    assert outcomes(page, page)["noindex"].state == "indexable"


def test_changes_are_named_with_both_values() -> None:
    """The more serious one is the state of the whole."""
    served = (
        "<!doctype html><title>Chairs</title><link rel=canonical href=https://example.com/><meta name=description "
        "content=One>"
    )
    drawn = served.replace("Chairs", "Chairs (3)").replace("One", "Two")
    changed = outcomes(served, drawn)["metadata-by-scripts"]
    moved = outcomes(served, drawn.replace("example.com/", "example.com/shop"))["metadata-by-scripts"]

    assert (changed.state, [entry.value for entry in changed.evidence]) == ("changed", ["Chairs (3)", "Two"])
    assert changed.evidence[0].reason == "The HTML says: Chairs"
    assert (moved.state, moved.evidence[-1].url) == ("canonical", "https://example.com/shop")


def test_the_same_in_other_words_is_no_change() -> None:
    """White space and what scripts add beside it."""
    served = "<!doctype html><title>Chairs</title><meta name=description content='One  two'>"

    assert outcomes(served, f"{served.replace('  ', ' ')}<h1>Chairs</h1>")["metadata-by-scripts"].state == "same"
