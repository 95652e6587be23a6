"""The traps of ``image-alt-length``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


def test_limit() -> None:
    """150 characters are short, one more is long; blanks are collapsed first."""
    page = f'<img alt="{"a" * 150}"><img alt="{"b" * 151}"><img alt="{"c " + " " * 200}d">'
    found = outcome("image-alt-length", page)

    assert (found.state, found.value, found.evidence[0].value) == ("long", 1, "b" * 151)


def test_hidden_images_are_not_read_out() -> None:
    """Text that is not exposed cannot be too long, and decoration has no text."""
    assert isinstance(run("image-alt-length", f'<img hidden alt="{"a" * 300}"><img alt="">'), NotApplicable)
