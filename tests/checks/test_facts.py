"""Facts that a check can ask for are made once."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks._facts import PROVIDERS, Facts
from pagegrade.model.artifacts import NotGathered
from pagegrade.parse.assets import Assets
from pagegrade.parse.cascade.rules import reduce_stylesheet
from tests.builders import SKIPPED, URL, make_artifacts, make_document, make_resource, make_resources, make_well_known

RULES = reduce_stylesheet(".x{display:none}", base_url=URL)


def test_everything_is_made_at_most_once() -> None:
    """Two checks that ask for the document get the same one."""
    facts = Facts(make_artifacts("<title>x</title>"))

    assert facts.get("document") is facts.get("document")
    assert facts.document.titles[0].text == "x"


def test_document_that_is_there_is_not_parsed_again() -> None:
    """A caller that has parsed already passes the document."""
    document = make_document("<title>mine</title>")

    assert Facts(make_artifacts("<title>other</title>"), document=document).document is document


@pytest.mark.parametrize(
    "name",
    [
        "robots",
        "robots_txt",
        "tls",
        "resources",
        "assets",
        "font_faces",
        "sitemaps",
        "favicon",
        "missing_page_likeness",
    ],
)
def test_missing_artifact_says_why(name: str) -> None:
    """The reason comes through, derived or not."""
    assert Facts(make_artifacts()).get(name) == SKIPPED


def test_unknown_name_is_a_mistake_in_a_check() -> None:
    """It must fail loudly in the tests, not quietly on a page."""
    with pytest.raises(KeyError):
        Facts(make_artifacts()).get("documents")


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_every_artifact_can_be_made_of_an_empty_page(name: str) -> None:
    """No provider raises on a page with nothing around it."""
    made = Facts(make_artifacts(b"")).get(name)

    assert made is not None
    assert isinstance(made, NotGathered) or name != "tls"


def test_files_are_sorted_once() -> None:
    """Every check about files reads the same list."""
    facts = Facts(make_artifacts("<img src=/a.png>", resources=make_resources(make_resource(URL + "a.png"))))
    assets = facts.get("assets")

    assert isinstance(assets, Assets)
    assert [item.purpose for item in assets.items] == ["image"]
    assert facts.get("assets") is assets
    assert facts.get("font_faces") == ()


@pytest.mark.parametrize(
    ("more", "hidden", "uncertain"),
    [
        ({"visibility_rules": RULES}, True, False),
        ({"visibility_rules": ()}, False, False),
        ({"visibility_rules": None}, False, True),
        ({"visibility_rules": RULES, "status": 404}, False, False),
        ({"visibility_rules": RULES, "headers": (("Content-Type", "text/html"),)}, False, False),
        ({"visibility_rules": RULES, "headers": (("Content-Type", "text/css; charset=utf-8"),)}, True, False),
    ],
)
def test_fetched_sheets_hide_what_they_hide_in_a_browser(
    more: dict[str, Any],
    hidden: bool,  # noqa: FBT001
    uncertain: bool,  # noqa: FBT001
) -> None:
    """One that came with an error or as something else is not used; one that was not read may hide anything."""
    sheet = make_resource(URL + "s.css", kind="stylesheet", **more)
    html = "<!doctype html><link rel=stylesheet href=/s.css><a href=/ class=x>x</a>"
    document = Facts(make_artifacts(html, resources=make_resources(sheet))).document

    assert document.anchors[0].hidden is hidden
    assert document.visibility.is_uncertain(document.anchors[0].node) is uncertain


def test_what_cannot_be_made_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that takes too much memory takes it once, however many checks ask for it."""
    tried: list[str] = []

    def fail(_facts: Facts) -> object:
        tried.append("document")
        raise MemoryError

    monkeypatch.setitem(PROVIDERS, "document", fail)
    facts = Facts(make_artifacts("<p>"))
    for _ in range(3):
        with pytest.raises(MemoryError):
            facts.get("document")

    assert tried == ["document"]


def test_the_page_is_compared_with_what_answers_where_nothing_can_be() -> None:
    """The same words in another order of bytes are the same page; another page, or a much larger answer, is not."""
    page = "<h1>Nothing is kept here</h1><p>Begin again on the front page of the site.</p>"

    def compared(missing: str) -> object:
        probe = make_well_known(missing, url=f"{URL}nothing", status=404)
        return Facts(make_artifacts(page, not_found_probe=probe)).get("missing_page_likeness")

    assert compared(page.replace("<p>", "<p id=4>")) == 1.0
    assert compared("<h1>Gone</h1><p>Whatever it was that once stood at this place.</p>") < 0.5  # type: ignore[operator]
    assert compared(page * 9) == 0.0
