from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.technical.web_manifest import web_manifest
from pagegrade.model.artifacts import ManifestFacts
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_resource, make_resources, outcome, run

PAGE = "<!doctype html><link rel=manifest href=/m.json>"
URL = "https://example.com/m.json"
WHOLE: dict[str, Any] = {"name": "x", "start_url": "https://example.com/", "in_scope": True, "icon_sizes": ("512x512",)}


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ({}, "complete"),
        ({"name": "", "short_name": "x"}, "complete"),
        ({"icon_sizes": ("any",)}, "complete"),
        ({"icon_sizes": ("48x48", "192x192", "512x512")}, "complete"),
        ({"name": ""}, "incomplete"),
        ({"start_url": None, "in_scope": None}, "incomplete"),
        ({"in_scope": False}, "incomplete"),
        ({"display": "fullscreen"}, "complete"),
        ({"display": "browser"}, "incomplete"),
        ({"icon_sizes": ("192x192",)}, "incomplete"),
        ({"icon_sizes": ("512x48", "x", "bigxbig", "²x²")}, "incomplete"),
        ({"icon_sizes": ()}, "incomplete"),
        ({"error": "json"}, "unreadable"),
        ({"error": "html"}, "unreadable"),
    ],
)
def test_what_an_app_needs(changed: dict[str, Any], state: str) -> None:
    """A name, a start inside its scope, and icons that are large enough."""
    files = make_resources(make_resource(URL, kind="manifest", manifest=ManifestFacts(**{**WHOLE, **changed})))

    assert outcome(web_manifest, PAGE, resources=files).state == state
    assert evaluated(web_manifest, PAGE, resources=files).outcome == "informative"


def test_missing_file_is_unreadable() -> None:
    """The page names it in vain."""
    files = make_resources(make_resource(URL, kind="manifest", status=404))

    assert outcome(web_manifest, PAGE, resources=files).state == "unreadable"


def test_page_without_a_manifest_does_not_apply() -> None:
    """A page does not have to be an app."""
    assert isinstance(run(web_manifest, "<link rel=icon href=/a.png>", resources=make_resources()), NotApplicable)


def test_manifest_that_was_not_fetched_is_not_evaluated() -> None:
    """Our own limits are no fault of the page."""
    seen = make_resources(make_resource(URL, kind="manifest"))

    assert isinstance(run(web_manifest, PAGE, resources=make_resources()), NotRun)
    assert isinstance(run(web_manifest, PAGE, resources=seen), NotRun)
    assert isinstance(run(web_manifest, PAGE), NotRun)
