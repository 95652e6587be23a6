from __future__ import annotations

import pytest

from pagegrade.checks.technical.doctype import doctype
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome

HTML401 = '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"'
XHTML = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0'


@pytest.mark.parametrize(
    ("first", "state", "loss"),
    [
        ("<!doctype html>", "standards", 0),
        ("<!DOCTYPE HTML>", "standards", 0),
        ("<!DOCTYPE html SYSTEM 'about:legacy-compat'>", "standards", 0),
        (f'{XHTML} Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">', "standards", 0),
        (
            f'{XHTML} Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
            "limited_quirks",
            0,
        ),
        (f'{HTML401} "http://www.w3.org/TR/html4/loose.dtd">', "limited_quirks", 0),
        (f"{HTML401}>", "quirks", 1),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">', "quirks", 1),
        ("<!doctype banana>", "quirks", 1),
        ("<!doctype html more>", "quirks", 1),
        ("<!doctype html SYSTEM 'about:legacy-compat\">", "quirks", 1),
        ("<!doctypehtml>", "standards", 0),
        ("<!doctype html><!doctype html>", "standards", 0),
        ("", "missing", 1),
        ("<!-- <!doctype html> -->", "missing", 1),
    ],
)
def test_the_mode_that_browsers_choose_decides(first: str, state: str, loss: float) -> None:
    """Strict XHTML is fine although it is not the short form, and one system id makes the difference."""
    found = evaluated(doctype, f"{first}<html><title>t</title>")

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, loss)


@pytest.mark.parametrize("before", ["<!-- a comment -->", "\ufeff", " \n\t", "<?xml version='1.0' encoding='utf-8'?>"])
def test_comments_blanks_and_a_byte_order_mark_may_come_before(before: str) -> None:
    """Browsers still read the document type there."""
    assert outcome(doctype, f"{before}<!doctype html><title>t</title>").state == "standards"


@pytest.mark.parametrize("before", ["text", "<p>", "<html>"])
def test_after_content_it_is_ignored(before: str) -> None:
    """A document type that comes late is none."""
    assert outcome(doctype, f"{before}<!doctype html><title>t</title>").state == "missing"


def test_names_and_identifiers_are_shown() -> None:
    """The owner sees what was written and which mode it gives."""
    found = outcome(doctype, f"{HTML401}><title>t</title>")

    assert found.value == "quirks"
    assert found.evidence[0].snippet == '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'
