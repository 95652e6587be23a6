"""The elements that are rendered."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.model.document import Document
from pagegrade.parse.html.parser import parse_document
from tests.linear import MAX_RATIO, growth

URL = "https://example.com/"


def document_of(body: str, css: str = "", *, head: str = "", doctype: str = "<!doctype html>", **more: Any) -> Document:
    """A page with a style sheet."""
    html = f"{doctype}<html><head><title>t</title><style>{css}</style>{head}</head><body>{body}"
    return parse_document(html.encode(), url=URL, content_type="text/html; charset=utf-8", **more)


def shown(document: Document) -> list[str]:
    """Ids of the links that are not hidden; those of which that is unknown have a question mark."""
    return [
        anchor.attrs["id"] + ("?" if document.visibility.is_uncertain(anchor.node) else "")
        for anchor in document.anchors
        if not anchor.hidden
    ]


def a(name: str, classes: str = "") -> str:
    """A link with an id."""
    return f"<a href=/ id={name} class='{classes}'>x</a>"


@pytest.mark.parametrize(
    ("css", "body", "expected"),
    [
        # Origins, importance, specificity, order, layers.
        (".x{display:none}", a("a", "x") + a("b"), ["b"]),
        (".x{visibility:hidden}", a("a", "x"), []),
        (".x{display:none}.x{display:block}", a("a", "x"), ["a"]),
        (".x{display:block}.x{display:none}", a("a", "x"), []),
        ("a.x{display:block}.x{display:none}", a("a", "x"), ["a"]),
        (".x{display:none!important}#a{display:block}", a("a", "x"), []),
        (".x{display:none!important}#a{display:block!important}", a("a", "x"), ["a"]),
        ("@layer l{#a{display:none}}.x{display:block}", a("a", "x"), ["a"]),
        ("@layer l{.x{display:none!important}}#a{display:block!important}", a("a", "x"), []),
        ("@layer m,n;@layer n{.x{display:none}}@layer m{#a{display:block}}", a("a", "x"), []),
        ("@layer m,n;@layer n{.x{display:block!important}}@layer m{.x{display:none!important}}", a("a", "x"), []),
        ("@layer m{.x{display:block}@layer n{#a{display:none}}}", a("a", "x"), ["a"]),
        # Style attributes.
        ("", "<a href=/ id=a style='display:none'>x</a>", []),
        ("#a{display:block!important}", "<a href=/ id=a style='display:none'>x</a>", ["a"]),
        ("#a{display:none}", "<a href=/ id=a style='display:block'>x</a>", ["a"]),
        ("#a{display:block!important}", "<a href=/ id=a style='display:none!important'>x</a>", []),
        # What browsers hide themselves, and what is shown again.
        ("", "<div hidden>" + a("a") + "</div>", []),
        (".f{display:flex}", "<div hidden class=f>" + a("a") + "</div>", ["a"]),
        ("[hidden]{display:none!important}.f{display:flex}", "<div hidden class=f>" + a("a") + "</div>", []),
        (".f{display:flex}.f{display:revert}", "<div hidden class=f>" + a("a") + "</div>", []),
        ("", "<dialog>" + a("a") + "</dialog><dialog open>" + a("b") + "</dialog>", ["b"]),
        ("dialog{display:flex}", "<dialog>" + a("a") + "</dialog>", ["a"]),
        ("dialog{display:flex}dialog:not([open]){display:none}", "<dialog>" + a("a") + "</dialog>", []),
        ("", "<div popover>" + a("a") + "</div>", []),
        (".m{display:grid}", "<div popover class=m>" + a("a") + "</div>", ["a"]),
        (".m{display:grid}.m:not(:popover-open){display:none}", "<div popover class=m>" + a("a") + "</div>", []),
        ("", "<details><summary>" + a("a") + "</summary>" + a("b") + "</details>", ["a"]),
        ("", "<details open><summary>s</summary>" + a("b") + "</details>", ["b"]),
        ("details *{display:block}", "<details><p>" + a("b") + "</details>", []),
        ("", f"<details>{a('b')}<summary>{a('c')}</summary><summary>{a('d')}</summary></details>", ["c"]),
        ("", "<div hidden=until-found>" + a("a") + "</div>", []),
        (".s{content-visibility:hidden}", "<div class=s>" + a("a") + "</div>", []),
        # Inheritance.
        (".h{visibility:hidden}.v{visibility:visible}", "<p class=h>" + a("a", "v") + a("b") + "</p>", ["a"]),
        (".h{display:none}.v{display:block;visibility:visible}", "<p class=h>" + a("a", "v") + "</p>", []),
        (".h{visibility:hidden}.v{visibility:visible}", "<p class=h><b class=v>" + a("a") + "</b></p>", ["a"]),
        (".h{visibility:hidden}.v{visibility:inherit}", "<p class=h>" + a("a", "v") + "</p>", []),
        # Two screens: hidden is what neither shows.
        ("@media (min-width:800px){.x{display:none}}", a("a", "x"), ["a"]),
        (".x{display:none}@media (min-width:800px){.x{display:block}}", a("a", "x"), ["a"]),
        ("@media (min-width:800px){.x{display:none}}@media (max-width:799px){.x{display:none}}", a("a", "x"), []),
        ("@media (min-width:800px){.x{display:none}}@media (max-width:799px){.y{visibility:hidden}}",
         "<p class=x>" + a("a", "y") + "</p>", []),
        # Custom properties.
        (":root{--s:none}.x{display:var(--s)}", a("a", "x"), []),
        (":root{--s:none}.y{--s:block}.x{display:var(--s)}", "<p class=y>" + a("a", "x") + "</p>", ["a"]),
        (".x{display:var(--s,none)}", a("a", "x"), []),
        (".x{display:var(--s)}", a("a", "x"), ["a"]),
        (":root{--r:none;--s:var(--r)}.x{display:var(--s)}", a("a", "x"), []),
        (".x{--r:var(--s);--s:var(--r);display:var(--r)}", a("a", "x"), ["a"]),
        (".x{display:var(--s)}", "<p style='--s:none'>" + a("a", "x") + "</p>", []),
        ("@media (min-width:800px){.x{--s:none}}.x{display:var(--s)}", a("a", "x"), ["a?"]),
        # States at rest.
        (".m{display:none}.d:hover .m,.d:focus-within .m{display:block}", "<p class=d>" + a("a", "m") + "</p>", []),
        ("input:checked~.p{display:block}.p{display:none}", "<input type=radio checked><p class=p>" + a("a"), ["a"]),
        (".n{&:not(.o) .m{display:none}}", f"<p class=n>{a('a', 'm')}</p><p class='n o'>{a('b', 'm')}", ["b"]),
        # Unknown is shown, and said to be unknown.
        ("@container (min-width:1px){.x{display:none}}", a("a", "x") + a("b"), ["a?", "b"]),
        (".x:unheard-of{display:none}", "<p class=x>" + a("a") + "</p>", ["a?"]),
        ("x-y:not(:defined){display:none}", "<x-y>" + a("a") + "</x-y>", ["a?"]),
        ("[v-cloak]{display:none}", "<div v-cloak>" + a("a") + "</div>", ["a?"]),
        (".x:valid{display:none}.x{display:none!important}", a("a", "x"), []),
        # What the keyboard still reaches is not hidden.
        (".x{opacity:0}", a("a", "x"), ["a"]),
        (".x{position:absolute;left:-9999px}", a("a", "x"), ["a"]),
        (".x{clip:rect(0 0 0 0)}", a("a", "x"), ["a"]),
        (".x{transform:translateX(-100%)}", a("a", "x"), ["a"]),
        # A page that is blank at first is shown later.
        ("body{display:none}", a("a"), ["a?"]),
        ("html{visibility:hidden}.x{display:none}", a("a") + a("b", "x"), ["a?"]),
    ],
)  # fmt: skip
def test_links_that_are_shown(css: str, body: str, expected: list[str]) -> None:
    """In the state in which a page is served, on a phone or on a laptop."""
    assert shown(document_of(body, css)) == expected


def test_classes_fold_in_quirks_mode_only() -> None:
    """As selectors do there."""
    assert shown(document_of(a("a", "X"), ".x{display:none}")) == ["a"]
    assert shown(document_of(a("a", "X"), ".x{display:none}", doctype="")) == []


def test_ids_fold_in_quirks_mode_without_any_class() -> None:
    """Whatever else the sheets hold."""
    assert shown(document_of(a("A"), "#a{display:none}")) == ["A"]
    assert shown(document_of(a("A"), "#a{display:none}", doctype="")) == []


def test_hidden_words_are_no_name_unless_they_are_referenced() -> None:
    """Whatever hides them."""
    css = ".n{display:none}.h{visibility:hidden}.v{visibility:visible}"
    document = document_of(
        "<a href=/ id=a>See <b class=n>none</b><b class=h>hid <i class=v>again</i></b></a>"
        "<a href=/ id=b aria-labelledby=r></a><p id=r class=n>Referenced <b>words</b></p>"
        "<button><details><summary>S</summary>closed</details></button>",
        css,
    )

    assert [anchor.name for anchor in document.anchors] == ["See again", "Referenced words"]
    assert document.named[0].name == "S"
    assert "none" not in document.text
    assert "closed" in document.text


def test_imports_in_a_circle_end() -> None:
    """Each sheet counts once on its way."""
    rules = ("33\t\t@import\t\t\thttps://example.com/s.css", "33\t\td-\t.x\t0.1.0\t.x")
    head = "<link rel=stylesheet href=/s.css>"

    assert shown(document_of(a("a", "x") + a("b"), head=head, sheets={URL + "s.css": rules})) == ["b"]


@pytest.mark.parametrize("line", ["", "x", "99\t\td-\t.x\t0.1.0\t.x", "3\t\td-\t.x\t0\t.x", "33\t\td-\t.x\ta.b\t..x"])
def test_lines_of_unknown_origin_are_harmless(line: str) -> None:
    """Saved artifacts can hold anything."""
    head = "<link rel=stylesheet href=/s.css>"

    assert shown(document_of(a("a", "x"), head=head, sheets={URL + "s.css": (line,)})) == ["a"]


HOSTILE = [
    lambda n: (".a{display:none}" * n, "<p class=a>" * n),
    lambda n: (".b > .b .b > .b .z .c{display:none}", "<div class=b>" * 300 + "<i class=c></i>" * n),
    lambda n: (".x ~ .a{display:none}", "<p class=a></p>" * n),
    lambda n: ("p:nth-child(3n){display:none}", "<p></p>" * n),
    lambda n: ("p:has(~ .z){display:none}", "<p></p>" * n),
    lambda n: ("*{display:none}" * n, "<p></p>" * n),
    lambda n: ("p{--a:var(--b);--b:var(--a);display:var(--a)}", "<p></p>" * n),
    lambda n: ("".join(f":root{{--a{i}:var(--a{i + 1})}}" for i in range(n)) + "p{display:var(--a0)}", "<p></p>" * n),
    lambda n: (":is(" * n + "a{display:none}", ""),
    lambda n: ("@media " + "(" * n + "{a{display:none}}", ""),
    lambda n: ("a{--" + "-" * 10 * n + "}", ""),
    lambda n: (("/*" * n) + ("'" * n) + ("url(" * n), ""),
    lambda n: ("{" * n + "}" * n + "a{" * n + "display:none", ""),
    lambda n: ("".join(f"@layer l{i}{{a{{display:none}}}}" for i in range(n)), a("a") * 20),
    lambda n: ("@import 's.css';" * n, ""),
    lambda n: ("".join(f"x{i}{{display:none}}[x{i}]{{display:none}}" for i in range(n)), "<p></p>" * n),
    lambda n: ("".join(f".x{i}{{display:none}}" for i in range(n)), "".join(f"<p class=x{i}></p>" for i in range(n))),
]


@pytest.mark.parametrize("make", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_sheets_cost_linear_time(make: Any) -> None:
    """Four times the input costs about four times the time."""

    def read(n: int) -> Document:
        css, body = make(n)
        return document_of(body, css)

    assert growth(read, 500) <= MAX_RATIO
