"""The traps of ``twitter-card``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from tests.builders import outcome


def meta(**properties: str) -> str:
    """Meta tags; ``twitter_card`` stands for ``twitter:card``."""
    return "<title>T</title>" + "".join(
        f'<meta name="{name.replace("_", ":", 1)}" content="{value}">' for name, value in properties.items()
    )


@pytest.mark.parametrize(
    ("page", "state"),
    [
        (meta(twitter_card="summary", twitter_title="A"), "complete"),
        (meta(twitter_card=" Summary_Large_Image ", og_title="A"), "complete"),
        (meta(twitter_card="app"), "complete"),
        (meta(og_type="website", og_title="A", og_description="B"), "complete"),
        (meta(twitter_card="summary"), "partial"),
        (meta(twitter_card="gallery", twitter_title="A"), "partial"),
        (meta(twitter_title="A"), "partial"),
        (meta(og_title="A", og_type="website"), "partial"),
        (meta(twitter_card=" "), "none"),
        (meta(twitter_site="@a"), "none"),
        ("<title>T</title>", "none"),
    ],
)
def test_what_makes_a_card(page: str, state: str) -> None:
    """Its own tags, or those of Open Graph in their place."""
    assert outcome("twitter-card", page).state == state


def test_property_and_case_are_accepted() -> None:
    """Both attributes occur."""
    page = '<meta property="Twitter:Card" content="summary"><meta property="og:title" content="A">'

    assert outcome("twitter-card", page).state == "complete"


def test_what_is_missing_is_named() -> None:
    """The message says what to add."""
    assert outcome("twitter-card", meta(twitter_card="summary")).message.startswith("The page lacks twitter:title")
