from __future__ import annotations

import json

from pagegrade.web.routes import describe_api
from tests.web.documents_check import description


def test_the_file_is_the_description_line_by_line() -> None:
    """So that a review shows what changed."""
    text = describe_api()

    assert json.loads(text) == description()
    assert text.endswith("}\n")
    assert len(text.splitlines()) > 1_000


def test_the_file_names_no_installation() -> None:
    """It is the same on every machine."""
    assert json.loads(describe_api())["servers"] == [{"url": "/", "description": "This installation."}]
    assert describe_api() == describe_api()
