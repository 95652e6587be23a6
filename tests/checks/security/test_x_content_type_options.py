from __future__ import annotations

import pytest

from pagegrade.checks.security.x_content_type_options import x_content_type_options
from tests.builders import make_artifacts, make_response, outcome

NAME = "X-Content-Type-Options"


@pytest.mark.parametrize("value", ["nosniff", " NoSniff ", "nosniff, nosniff", "nosniff,other"])
def test_first_item_nosniff_passes(value: str) -> None:
    """Case, spaces and later items do not matter to browsers."""
    assert outcome(x_content_type_options, make_artifacts(headers=((NAME, value),))).state == "nosniff"


@pytest.mark.parametrize("value", ["", "sniff", "other, nosniff", '"nosniff"', "nosniff; x"])
def test_any_other_value_fails(value: str) -> None:
    """Browsers take exactly one word."""
    assert outcome(x_content_type_options, make_artifacts(headers=((NAME, value),))).state == "unknown"


def test_two_lines_are_read_as_one_list() -> None:
    """The first line comes first."""
    headers = ((NAME.lower(), "nosniff"), (NAME, "wrong"))

    assert outcome(x_content_type_options, make_artifacts(headers=headers)).state == "nosniff"


def test_missing_header_fails() -> None:
    """Nothing is promised."""
    assert outcome(x_content_type_options, make_artifacts()).state == "missing"


def test_header_of_a_redirect_does_not_count() -> None:
    """The final answer is evaluated."""
    hop = make_response(url="http://example.com/", status=301, headers=((NAME, "nosniff"),))

    assert outcome(x_content_type_options, make_artifacts(hops=[hop])).state == "missing"
