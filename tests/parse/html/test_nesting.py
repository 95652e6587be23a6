from __future__ import annotations

import pytest

from pagegrade.parse.html.nesting import MAX_NOTED, MAX_OPEN, MAX_STEPS, find_nesting_faults

HEAD = "<!doctype html><html><head><title>x</title></head><body>"


def codes(html: str) -> dict[str, int]:
    """Code -> number for what follows the head of a page."""
    return dict(find_nesting_faults(HEAD + html)[1])


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>a<li>b</ul><p>x<p>y<dl><dt>a<dd>b<dt>c<dd>d</dl></body></html>",
        "<table><tr><td>a<td>b<tr><td>c<td>d</table>",
        "<table><caption>x<colgroup><col><col><thead><tr><th>a</thead><tbody><tr><td><table><tr><td>x</table></table>",
        "<p>x<div>y</div><address><p>x</address><ol><li><p>a<li><p>b</ol>",
        "<svg><g><path/><title>x</title></g></svg><math><mi>x</mi></math><svg/>",
        "<select><option>a<option>b<optgroup><option>c</select><ruby>x<rt>y<rp>z</ruby>",
        "<a href=x><div>y</div></a><a>z</a><button><p>x</button><object><p></object>",
        "<ul><li><div><ul><li>x</li></ul></div></li></ul><ul><li>a<section><ul><li>b</ul></section></ul>",
        "<template><tr><td>x</td></tr></template><table><tr><td><form></form><b>x</b></table>",
        '<script>"</div>"</script><textarea></div></textarea><!--</div>--><iframe></div></iframe>',
        "<noscript><div></noscript><h1>a</h1><h2>b</h2><table><script></script><tr><td></table><br/>",
    ],
)
def test_what_the_standard_allows_is_no_fault(html: str) -> None:
    """End tags that may be left out, tables in tables, text that looks like tags."""
    assert codes(html) == {}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><b>x<i>y</b>z</i></p>", {"misnested-end-tag": 1}),
        ("<em><a href>x</em></a>", {"misnested-end-tag": 1}),
        ("<b><div>x</b></div>", {"misnested-end-tag": 1}),
        ("<h1>a</h2>", {"misnested-end-tag": 1}),
        ("</div>", {"stray-end-tag": 1}),
        ("<p>x<div>y</div></p>", {"stray-end-tag": 1}),
        ("</br>", {"stray-end-tag": 1}),
        ("<li></ul>", {"stray-end-tag": 1}),
        ("<table><tr><td></div></table>", {"stray-end-tag": 1}),
        ("<table><div>a</div><tr><td>b</table>", {"misplaced-in-table": 1}),
        ("<table>भाषा<tr><td>b</table>", {"misplaced-in-table": 1}),
        ("<table><td>x</table>", {"misplaced-in-table": 1}),
        ("<table><svg></svg><tr><td>x</table>", {"misplaced-in-table": 1}),
        ("<table><form><tr><td></form></table>", {"misplaced-in-table": 1}),
        ("<td>x", {"misplaced-in-table": 1}),
        ("<body class=x>", {"repeated-document-tag": 1}),
        ("<html lang=ja>", {"repeated-document-tag": 1}),
        ("</body><p>x", {"content-behind-body": 1}),
        ("<form><form></form>", {"element-in-its-own-kind": 1}),
        ("<a>x<a>y</a>", {"element-in-its-own-kind": 1}),
        ("<h1>a<h2>b</h2>", {"element-in-its-own-kind": 1}),
        ("<button>a<button>b</button>", {"element-in-its-own-kind": 1}),
        ("<div><section></div>", {"unclosed-element": 1}),
        ("<b>x", {"unclosed-element": 1}),
        ("<div><b>x</div>y</b>", {"unclosed-element": 1}),
        ("<p><b>x<p>y</b>", {"unclosed-element": 1}),
        ("<p><b>x<span>y</b>", {"misnested-end-tag": 1, "unclosed-element": 1}),
        ("<ul><li><div><li></ul>", {"unclosed-element": 1}),
        ("<table><tr><td><div></table>", {"unclosed-element": 1}),
    ],
)
def test_each_fault_is_counted_once(html: str, expected: dict[str, int]) -> None:
    """The names are ours; what is a fault is the standard's."""
    assert codes(html) == expected


def test_place_is_that_of_the_tag() -> None:
    """Lines from 1, columns from 0: of the element that stays open, or of the end tag."""
    faults, _ = find_nesting_faults("<p>x\n<div>\n <section></div></p>")

    assert [(one.code, one.line, one.column) for one in faults] == [
        ("unclosed-element", 3, 1),
        ("stray-end-tag", 3, 16),
    ]


def test_places_are_bounded() -> None:
    """The number is that of all."""
    for more in (0, 1):
        faults, counts = find_nesting_faults("</div>" * (MAX_NOTED + more))
        assert (len(faults), counts["stray-end-tag"]) == (MAX_NOTED, MAX_NOTED + more)


def test_nothing_is_said_beyond_the_depth() -> None:
    """Browsers stop nesting there."""
    whole = "<div>" * MAX_OPEN + "</div>" * MAX_OPEN

    assert codes(whole + "</p>") == {"stray-end-tag": 1}
    assert codes("<div>" * (MAX_OPEN + 1) + "</p>") == {}


def test_work_is_bounded() -> None:
    """Every one of these tags looks through all that is open."""
    depth, most = 400, MAX_STEPS // 400

    assert codes("<span>" * depth + "</b>" * most) == {"stray-end-tag": most, "unclosed-element": depth}
    assert codes("<span>" * depth + "</b>" * (most + 9)) == {"stray-end-tag": most + 1}
