from __future__ import annotations

import pytest

from pagegrade.checks.content.text_html_ratio import text_html_ratio
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, outcome, run


def page(text_bytes: int, html_bytes: int) -> str:
    """A page with exactly these sizes."""
    start = "<!doctype html><title>t</title><p>"
    padding = html_bytes - text_bytes - len(start) - len("<!---->")
    return start + "x" * text_bytes + "<!--" + "-x" * (padding // 2) + "y" * (padding % 2) + "-->"


@pytest.mark.parametrize(("text_bytes", "state"), [(100, "common"), (99, "low"), (0, "low"), (900, "common")])
def test_a_tenth_is_the_limit(text_bytes: int, state: str) -> None:
    """At the limit it is still the better state, below it the other."""
    found = outcome(text_html_ratio, page(text_bytes, 1_000))

    assert found.state == state
    assert found.value == f"{text_bytes / 10:.1f}%"


def test_it_is_shown_and_never_scored() -> None:
    """Search engines do not use it and two of three pages are below."""
    found = evaluated(text_html_ratio, page(1, 1_000))

    assert (found.outcome, found.loss) == ("informative", 0)


def test_bytes_are_compared_with_bytes() -> None:
    """Neither words nor characters: a letter of two bytes counts two."""
    found = outcome(text_html_ratio, "<!doctype html><p>" + "ю" * 100)

    assert {detail.code: detail.actual for detail in found.details}["text_bytes"] == 200


def test_hidden_text_and_code_are_no_text() -> None:
    """Only what visitors read counts."""
    found = outcome(text_html_ratio, "<!doctype html><script>" + "x" * 500 + "</script><p hidden>" + "y" * 500)

    assert found.value == "0.0%"


@pytest.mark.parametrize(
    ("html", "verdict"),
    [("", NotApplicable), ("<!doctype html><div id=root></div><script src=/a.js></script>", NotRun)],
)
def test_empty_and_script_filled_pages_are_not_evaluated(html: str, verdict: type) -> None:
    """There is no text to measure yet."""
    assert isinstance(run(text_html_ratio, html), verdict)
