from __future__ import annotations

import pytest
import turbohtml

from pagegrade.parse.html.flat_tree import MAX_NESTED, flatten_shadow_trees, without_scope
from tests.builders import make_document, outcome
from tests.linear import MAX_RATIO, growth

SHADOW = "<template shadowrootmode=open>"


def flat(body: str) -> str:
    """The flat tree of a body, serialized without the marks of ids."""
    tree = turbohtml.parse(f"<!doctype html><body>{body}", scripting=True, allow_declarative_shadow_roots=False)
    flatten_shadow_trees(tree)
    element = tree.find("body")
    assert element is not None
    return without_scope(element.inner_html)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (f"<x-a>{SHADOW}<b><slot></slot></b></template>text</x-a>", "<x-a><b><slot>text</slot></b></x-a>"),
        (f"<x-a>{SHADOW}<slot name=t>none</slot></template>text</x-a>", '<x-a><slot name="t">none</slot></x-a>'),
        (
            f"<x-a>{SHADOW}<slot name=t>none</slot></template><i slot=t>one</i><i slot=u>two</i></x-a>",
            '<x-a><slot name="t"><i slot="t">one</i></slot></x-a>',
        ),
        (f"<x-a>{SHADOW}<slot>1</slot><slot>2</slot></template>x</x-a>", "<x-a><slot>x</slot><slot>2</slot></x-a>"),
        (f"<x-a>{SHADOW}one</template>{SHADOW}two</template></x-a>", "<x-a>one</x-a>"),
        ("<div><template shadowrootmode=CLOSED>in</template>out</div>", "<div>in</div>"),
        (
            f"<x-a>{SHADOW}<x-b>{SHADOW}<h1><slot name=t></slot></h1></template><slot slot=t></slot></x-b></template>"
            "T</x-a>",
            '<x-a><x-b><h1><slot name="t"><slot slot="t">T</slot></slot></h1></x-b></x-a>',
        ),
        # What declares no shadow tree: another mode, an element that cannot have one, a template inside a template.
        (
            "<x-a><template shadowrootmode=on>in</template></x-a>",
            '<x-a><template shadowrootmode="on">in</template></x-a>',
        ),
        (
            f"<ul>{SHADOW}in</template></ul>",
            '<ul><template shadowrootmode="open">in</template></ul>',
        ),
        (
            f"<template><x-a>{SHADOW}in</template>out</x-a></template>",
            '<template><x-a><template shadowrootmode="open">in</template>out</x-a></template>',
        ),
    ],
)
def test_hosts_show_their_shadow_tree(body: str, shown: str) -> None:
    """Children of a host stand in its slots, in the first of each name, or nowhere."""
    assert flat(body) == shown


def test_text_reads_as_it_is_shown() -> None:
    """In the order of the flat tree, without children that have no slot."""
    document = make_document(
        f"<!doctype html><x-card>{SHADOW}<h2>Card: <slot name=t></slot></h2><slot></slot></template>"
        "<p>Body</p><span slot=t>Ponds</span><img slot=none src=/x.png></x-card>"
    )

    assert document.text == "Card: Ponds Body"
    assert [heading.text for heading in document.headings] == ["Card: Ponds"]
    assert document.images == []


@pytest.mark.parametrize(
    ("check", "body", "state"),
    [
        ("button-name", f"<x-a>{SHADOW}<button><slot></slot></button></template>Сохранить</x-a>", "named"),
        ("button-name", f"<x-a>{SHADOW}<button><slot></slot></button></template></x-a>", "nameless"),
        ("form-label", f"<x-a>{SHADOW}<label for=f>名前</label><input id=f></template></x-a>" * 2, "labelled"),
        ("form-label", f"<label for=f>Name</label><x-a>{SHADOW}<input id=f></template></x-a>", "unlabelled"),
        ("duplicate-id", f"<p id=f>x<x-a>{SHADOW}<b id=f>y</b></template></x-a><a href=#f>z</a>", "unique"),
    ],
)
def test_ids_and_names_belong_to_their_tree(check: str, body: str, state: str) -> None:
    """Names come through slots; an id of one tree is not seen from another."""
    found = outcome(check, f"<!doctype html><title>x</title><body>{body}")

    assert found.state == state


def test_evidence_shows_the_page_as_written() -> None:
    """The marks that keep ids of different trees apart are for the computation alone."""
    found = outcome(
        "button-name", f"<!doctype html><x-a>{SHADOW}<button id=go aria-labelledby=no></button></template></x-a>"
    )

    assert [(each.snippet, each.selector) for each in found.evidence] == [
        ('<button id="go" aria-labelledby="no">', "#go")
    ]


def test_deep_nesting_ends() -> None:
    """Content moves a bounded number of times."""
    depth = MAX_NESTED + 10
    text = flat(f"<x-a>{SHADOW}<slot></slot>" * depth + "</template>end</x-a>" * depth)

    assert text.count("<template") == 10


PAGE = (
    "<main><template id='B:0'></template></main><div hidden id='S:0'><p>این چراغ با مس ساخته شده است</p></div>"
    "<script>{}</script><script>function add(a){{document.head.appendChild(a)}}</script>"
)


@pytest.mark.parametrize(
    "script",
    [
        "$RC=function(b,c){b=document.getElementById(b);b.parentNode.replaceChild(document.getElementById(c),b)};"
        "$RC('B:0','S:0')",
        'document.querySelector("main").append(...document.getElementById("S:0").childNodes)',
        'document.getElementById("B:0").replaceWith(document.getElementById("S:0"))',
    ],
)
def test_moved_part_is_text_of_the_page(script: str) -> None:
    """Of any framework, as long as the script names the part and moves at once."""
    assert "چراغ" in make_document(PAGE.format(script)).text


@pytest.mark.parametrize(
    "script",
    [
        "",
        "var s=document.createElement('script');document.head.appendChild(s)",
        "b.addEventListener('click',()=>document.body.append(document.getElementById('S:0')))",
        "b.onclick=()=>document.body.append(document.getElementById('S:0'))",
        "track('S:0')",
    ],
)
def test_part_that_stays_hidden_is_none(script: str) -> None:
    """Dialogs and menus wait for a click; a script that adds another script moves nothing."""
    assert make_document(PAGE.format(script)).text == ""


def test_many_parts_take_linear_time() -> None:
    """Each script names its own part."""
    line = "<div hidden id=S:{0}>x</div><script>$RC('B:{0}','S:{0}')</script>"
    start = "<script>function $RC(a,b){a.replaceWith(b)}</script>"

    assert growth(lambda n: make_document(start + "".join(line.format(i) for i in range(n))), 100) <= MAX_RATIO
