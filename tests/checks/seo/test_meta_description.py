"""Tests of the check meta-description."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.meta_description import meta_description
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import outcome, run

GOOD = "Light running shoes in five colours, with free returns."


def meta(content: str, name: str = "description") -> str:
    """A description tag."""
    return f'<meta name="{name}" content="{content}">'


def found(head: str, body: str = "<p>Some text of the page.", title: str = "Shoes") -> Outcome:
    """The finding of the check for a page with that head and body."""
    return outcome(meta_description, f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}")


@pytest.mark.parametrize("name", ["description", "Description", "DESCRIPTION", " description "])
def test_name_in_any_case_passes(name: str) -> None:
    """The name of a meta tag has no case."""
    assert found(meta(GOOD, name)).state == "ok"


def test_missing_fails() -> None:
    """No description at all."""
    assert found("").state == "missing"


def test_open_graph_description_is_no_substitute() -> None:
    """Social networks and search engines read different elements."""
    assert found(f'<meta property="og:description" content="{GOOD}">').state == "missing"
    assert found(meta(GOOD, "twitter:description")).state == "missing"


@pytest.mark.parametrize("head", [meta(""), meta("  \n "), '<meta name="description">'])
def test_empty_fails(head: str) -> None:
    """White space, and a tag without content, say nothing."""
    assert found(head).state == "empty"


def test_several_warn() -> None:
    """Two descriptions leave the choice to others."""
    result = found(meta(GOOD) + meta("Another description of this page, long enough to count."))

    assert (result.state, result.total) == ("several", 2)


def test_repeated_title_warns() -> None:
    """A description that is the title adds nothing; case does not make it another."""
    assert found(meta(GOOD.upper()), title=GOOD).state == "same_as_title"


def test_limit_of_a_short_description() -> None:
    """Fifty characters are enough, forty-nine are not; wide characters count twice."""
    assert found(meta("a" * 50)).state == "ok"
    assert found(meta("a" * 49)).state == "short"
    assert found(meta("京" * 25)).state == "ok"
    assert found(meta("京" * 24)).state == "short"


def test_description_in_the_body_warns() -> None:
    """It is there but may not be read; one in the head makes it irrelevant."""
    assert found("", "<p>x" + meta(GOOD)).state == "in_body"
    assert found(meta(GOOD), "<p>x" + meta(GOOD)).state == "ok"


def test_shell_is_not_evaluated() -> None:
    """A page drawn by scripts may set its description later."""
    shell = '<!doctype html><title>Shoes</title><div id="root"></div><script src="/app.js"></script>'

    assert isinstance(run(meta_description, shell), NotRun)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" * 49, "The meta description has only 49 characters."),
        ("京" * 24, "The meta description is only as wide as 48 characters."),
    ],
)
def test_the_number_in_the_message_is_the_number_counted(text: str, said: str) -> None:
    """A count of characters beside a limit on their width would look wrong."""
    short = found(meta(text))

    assert short.message == said
    assert (short.details[0].actual, short.details[0].limit) == (len(text) * (1 if text[0] == "a" else 2), 50)
