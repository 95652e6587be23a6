from __future__ import annotations

import pytest

from pagegrade.checks.technical.html_parse_errors import html_parse_errors
from tests.builders import evaluated, outcome

HEAD = "<!doctype html><html lang=en><head><title>x</title>"


@pytest.mark.parametrize(
    ("html", "state", "code"),
    [
        ("<p id=a id=b>x", "serious", "duplicate-attribute"),
        ("<p>x<!-- no end", "serious", "eof-in-comment"),
        ('<p>x<img alt="no end>', "serious", "eof-in-tag"),
        ('<p>x<a href=/ class"x">y</a>', "serious", "unexpected-character-in-attribute-name"),
        ("<p>1 &nosuch; 2", "harmless", "unknown-named-character-reference"),
        ("<div/>x</div>", "harmless", "non-void-html-element-start-tag-with-trailing-solidus"),
    ],
)
def test_mistakes_by_their_name(html: str, state: str, code: str) -> None:
    """Those that change the page have a state of their own."""
    found = outcome(html_parse_errors, HEAD + "<body>" + html)

    assert found.state == state
    assert code in {detail.code for detail in found.details}
    assert bool(found.evidence) == (state == "serious")


@pytest.mark.parametrize("html", ["<p>x<p>y", "<ul><li>a<li>b</ul>", "<br><br/>", "<svg><path/></svg>", "&amp;"])
def test_what_html_allows_is_no_mistake(html: str) -> None:
    """End tags may be left out, void elements may have a slash."""
    assert outcome(html_parse_errors, HEAD + "<body>" + html).state == "clean"


def test_place_is_reported() -> None:
    """Line and column from 1, in the source."""
    place = outcome(html_parse_errors, HEAD + "\n<body>\n<p id=a id=b>x").evidence[0]

    assert place.line == 3
    assert place.column is not None


def test_stray_element_in_the_head_is_serious() -> None:
    """It moves what follows into the body."""
    found = outcome(html_parse_errors, "<!doctype html><head><div></div><meta name=description content=x>")

    assert (found.state, found.evidence[0].value) == ("serious", "div")


def test_number_is_whole_and_evidence_is_bounded() -> None:
    """Five thousand mistakes are counted; a hundred are shown; none costs anything."""
    html = HEAD + "<body>" + "<p id=a id=b>" * 5_000
    found = outcome(html_parse_errors, html)

    assert (found.total, len(found.evidence)) == (5_000, 100)
    assert evaluated(html_parse_errors, html).outcome == "informative"


@pytest.mark.parametrize(
    ("html", "state", "code"),
    [
        ("<p><b>rot<i>grün</b>blau</i></p>", "serious", "misnested-end-tag"),
        ("<table><div>表</div><tr><td>b</table>", "serious", "misplaced-in-table"),
        ("<div><p>текст</p>", "serious", "unclosed-element"),
        ("<a href=/a>α<a href=/b>β</a>", "serious", "element-in-its-own-kind"),
        ("<body class=b>x", "serious", "repeated-document-tag"),
        ("<p>x</p></div>", "harmless", "stray-end-tag"),
        ("<p>x</p></body><p>y", "harmless", "content-behind-body"),
    ],
)
def test_wrong_nesting_is_found(html: str, state: str, code: str) -> None:
    """Those that change the page are shown where they stand; the others are counted."""
    found = outcome(html_parse_errors, f"<!doctype html><title>x</title><body>{html}")

    assert found.state == state
    assert [one.code for one in found.details] == [code]
    assert [one.value for one in found.evidence] == ([code] if state == "serious" else [])
