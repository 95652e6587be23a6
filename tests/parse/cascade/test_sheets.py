"""The sheets of a page that count, and their order."""

from __future__ import annotations

import pytest

from pagegrade.parse.cascade.rules import reduce_stylesheet
from tests.parse.cascade.test_visibility import URL, a, document_of, shown


def test_linked_sheets_and_their_imports_count_in_order() -> None:
    """They are what was kept of them."""
    base = reduce_stylesheet("@import 'more.css' layer(m); .x{display:block}", base_url=URL)
    more = reduce_stylesheet(".x{display:none}.y{display:none}", base_url=URL)
    head = "<link rel=stylesheet href=/base.css>"
    body = a("a", "x") + a("b", "y")

    assert shown(document_of(body, head=head, sheets={URL + "base.css": base, URL + "more.css": more})) == ["a"]
    assert shown(document_of(body, head=head, sheets={URL + "base.css": more})) == []


@pytest.mark.parametrize(
    ("head", "sheets", "expected"),
    [
        ("<link rel=stylesheet href=/s.css>", {}, ["a?"]),
        ("<link rel=stylesheet href=/s.css>", {URL + "s.css": None}, ["a?"]),
        ("<link rel=stylesheet href=/s.css>", {URL + "s.css": ()}, ["a"]),
        ("<link rel=stylesheet href=file:///usr/share/s.css>", {}, ["a"]),
        ("<link rel=stylesheet href=/s.css media=print>", {}, ["a"]),
        ("<link rel=stylesheet href=/s.css media=print onload=\"this.media='all'\">", {}, ["a?"]),
        ("<link rel='alternate stylesheet' href=/s.css>", {}, ["a"]),
        ("<link rel=stylesheet href=/s.css disabled>", {}, ["a"]),
        ("<link rel=preload as=style href=/s.css>", {}, ["a"]),
        ("<link rel=preload as=style href=/s.css onload=\"this.rel='stylesheet'\">", {}, ["a?"]),
        ("<link rel=stylesheet href=/s.css type=text/less>", {}, ["a"]),
        ("<link rel=stylesheet href=/s.css>", {URL + "s.css": (f"33\t\t@import\t\t\t{URL}t.css",)}, ["a?"]),
        ("<style>@import '/s.css'</style>", {}, ["a?"]),
        ("<style>@import '/s.css' print</style>", {}, ["a"]),
        ("<template><style>a{display:none}</style></template>", {}, ["a"]),
    ],
)  # fmt: skip
def test_sheets_that_were_not_read_make_everything_unknown(
    head: str, sheets: dict[str, tuple[str, ...] | None], expected: list[str]
) -> None:
    """But for what certainly applies to no screen."""
    assert shown(document_of(a("a"), head=head, sheets=sheets)) == expected


def test_sheet_that_a_script_takes_away_hides_nothing() -> None:
    """The usual guard against frames of other sites; it hides the page as long as nothing removes it."""
    sheet = "<style id=guard>a{display:none}</style>"
    script = "<script>if(self===top){var s=document.getElementById('guard');s.parentNode.removeChild(s)}</script>"

    assert shown(document_of(a("a", "x"), head=sheet + script)) == ["a"]
    assert shown(document_of(a("a", "x"), head=sheet)) == []
    assert shown(document_of(a("a", "x"), head=sheet + script.replace("removeChild", "contains"))) == []
