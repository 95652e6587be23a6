"""The traps of ``thin-boilerplate``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(("main", "nav", "state"), [(50, 50, "content"), (49, 51, "boilerplate"), (60, 0, "content")])
def test_half_of_the_words(main: int, nav: int, state: str) -> None:
    """Half is enough."""
    found = outcome("thin-boilerplate", f"<nav>{'menu ' * nav}</nav><p>{'word ' * main}</p>")

    assert (found.state, found.value) == (state, main * 100 // (main + nav))


def test_header_of_an_article_is_content() -> None:
    """Only those of the page are set aside."""
    found = outcome("thin-boilerplate", f"<article><header>{'word ' * 60}</header></article><footer>a b c</footer>")

    assert found.state == "content"


def test_few_words_say_nothing() -> None:
    """A share of ten words is chance."""
    assert isinstance(run("thin-boilerplate", f"<nav>{'menu ' * 40}</nav><p>Hello"), NotApplicable)
