from __future__ import annotations

import pytest

from pagegrade.checks.content.content_length import content_length
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import evaluated, outcome, run

START = "<!doctype html><title>t</title>"


def words(count: int) -> str:
    """A text of that many words."""
    return "<p>" + "word " * count + "</p>"


@pytest.mark.parametrize(
    ("count", "state"),
    [(0, "thin"), (99, "thin"), (100, "short"), (299, "short"), (300, "enough"), (5_000, "enough")],
)
def test_the_limits_are_100_and_300_words(count: int, state: str) -> None:
    """At a limit it is the better state, below it the worse; filling text can earn no points, because none is lost."""
    found = evaluated(content_length, START + words(count))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss, found.verdict.value) == (state, 0, count)


@pytest.mark.parametrize(
    "part",
    [
        "<nav>{}</nav>",
        "<header>{}</header>",
        "<footer>{}</footer>",
        "<aside>{}</aside>",
        "<script>{}</script>",
        "<style>{}</style>",
        "<noscript>{}</noscript>",
        "<template>{}</template>",
        "<div hidden>{}</div>",
        "<div style='display:none'>{}</div>",
        "<!-- {} -->",
    ],
)
def test_only_visible_text_of_the_content_counts(part: str) -> None:
    """Navigation, code and hidden parts say nothing about the subject."""
    found = outcome(content_length, START + "<p>one two</p>" + part.format("word " * 400))

    assert (found.state, found.value) == ("thin", 2)


def test_words_of_the_navigation_are_shown_apart() -> None:
    """The owner sees both numbers."""
    found = outcome(content_length, START + "<nav>Home Shop</nav>" + words(50))

    assert {detail.code: detail.actual for detail in found.details} == {"words": 50, "words_with_navigation": 52}


@pytest.mark.parametrize("banner", ["<dialog open>{}</dialog>", "<div role=dialog>{}</div>"])
def test_cookie_notices_do_not_inflate_the_text(banner: str) -> None:
    """They are the same on every page."""
    found = outcome(content_length, START + words(50) + banner.format("word " * 400))

    assert found.value == 50


def test_scripts_without_spaces_are_counted_by_characters() -> None:
    """1.7 characters count as a word, so 510 are 300."""
    assert outcome(content_length, START + "<p>" + "字" * 510).state == "enough"
    assert outcome(content_length, START + "<p>" + "字" * 508).state == "short"


@pytest.mark.parametrize(
    "form",
    [
        "<form><input type=email><input type=password></form>",
        "<form><input type=email><textarea></textarea></form>",
        "<img src=/a.jpg alt=Chair>" * 12,
    ],
)
def test_pages_that_are_short_by_nature_are_not_evaluated(form: str) -> None:
    """Logging in, writing a message and looking at pictures need few words."""
    assert isinstance(run(content_length, START + words(20) + form), NotApplicable)


@pytest.mark.parametrize(
    "part",
    [
        "<form><input type=search></form>",
        "<form><input type=email></form>",
        "<form hidden><input type=password></form>",
        "<img src=/a.jpg alt=''>" * 12,
        "<img src=/a.jpg alt=Chair>" * 11,
    ],
)
def test_a_search_field_or_some_pictures_excuse_nothing(part: str) -> None:
    """Nearly every page has those."""
    assert outcome(content_length, START + words(20) + part).state == "thin"


def test_a_long_page_with_a_form_is_fine() -> None:
    """Enough is enough."""
    assert outcome(content_length, START + words(300) + "<input type=password>").state == "enough"


def test_pages_that_scripts_fill_are_not_evaluated() -> None:
    """Their text is not in the HTML."""
    verdict = run(content_length, START + "<body><div id=app></div><script src=/a.js></script>")

    assert isinstance(verdict, NotRun)
    assert "Scripts render this page" in verdict.detail
