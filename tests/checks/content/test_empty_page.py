from __future__ import annotations

from pagegrade.checks.content.empty_page import empty_page
from pagegrade.model.outcome import NotRun
from tests.builders import outcome, run


def test_empty_answer_is_empty() -> None:
    """Without a byte, and with a body that shows nothing."""
    assert outcome(empty_page, "").state == "empty"
    assert outcome(empty_page, "<!doctype html><title>x</title><body><!-- cache --></body>").state == "empty"


def test_shell_that_scripts_fill_is_not_evaluated() -> None:
    """It is not empty for those who run them."""
    html = "<!doctype html><title>x</title><div id=root></div><script src=/static/js/main.1a2b3c.js></script>"

    assert isinstance(run(empty_page, html), NotRun)


def test_page_with_a_word_is_filled() -> None:
    """The number of words that is enough is another check's question."""
    assert outcome(empty_page, "<!doctype html><title>x</title><p>Soon").state == "filled"
