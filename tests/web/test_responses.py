from __future__ import annotations

import json

from pagegrade.service.reports.validation import RequestWarning
from pagegrade.web.responses import enveloped, hashed_tag, validators


def test_data_comes_in_an_envelope() -> None:
    """With the status, and with warnings only where there are any."""
    warning = RequestWarning("url", "scheme_assumed", "No scheme was given.")

    assert json.loads(enveloped(b'{"id":1}')) == {"data": {"id": 1}, "status": 200}
    assert json.loads(enveloped(b"[]", status=201, warnings=[warning])) == {
        "data": [],
        "status": 201,
        "warnings": [{"field": "url", "code": "scheme_assumed", "message": "No scheme was given."}],
    }


def test_a_tag_stands_for_its_bytes() -> None:
    """Also for where one part ends and the next begins."""
    tags = {hashed_tag(b"ab", b"c"), hashed_tag(b"a", b"bc"), hashed_tag(b"abc"), hashed_tag()}

    assert len(tags) == 4
    assert hashed_tag(b"abc") == hashed_tag(b"abc")
    assert all(tag.startswith('"') and tag.endswith('"') for tag in tags)


def test_validators_are_what_is_known() -> None:
    """A list has no date."""
    assert validators('"1"') == (("ETag", '"1"'),)
    assert validators('"1"', 1_767_225_600_999) == (
        ("ETag", '"1"'),
        ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
    )
