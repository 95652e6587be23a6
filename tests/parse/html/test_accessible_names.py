"""Accessible names: every step of the computation that needs no stylesheet, and its limits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import Element, parse

from pagegrade.model.document import Document
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html.accessible_names import MAX_CHARACTERS, UNREAD, Names
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth


def names_in(document: Document) -> Names:
    """The object that computes the names of a document."""
    assert isinstance(document.visibility, Visibility)
    return Names(document.ids, document.visibility)


def name_of(html: str) -> tuple[str, str]:
    """(name, where from) of the element that the selector finds."""
    document = make_document(html)
    root = document.html.node if document.html else None
    if not isinstance(root, Element):
        raise TypeError(html)
    node = root.select("#t")[0]
    attrs = {name: value if isinstance(value, str) else " ".join(value or ()) for name, value in node.attrs.items()}
    return names_in(document).of(node, attrs)


@pytest.mark.parametrize(
    ("html", "name", "source"),
    [
        ("<a id=t href=/>Read <b>more</b></a>", "Read more", "content"),
        ("<button id=t aria-label=' Close  it '>x</button>", "Close it", "aria-label"),
        ("<button id=t aria-label='  '>x</button>", "x", "content"),
        ("<button id=t aria-label='&#8203;'>x</button>", "x", "content"),
        ("<button id=t title=Tip>&#xf015;&zwnj;</button>", "Tip", "title"),
        ("<button id=t title=Tip></button>", "Tip", "title"),
        ("<img id=t alt=Boat title=Tip>", "Boat", "alt"),
        ("<img id=t alt='' title=Tip>", "", ""),
        ("<img id=t alt=' ' title=Tip>", "", ""),
        ("<img id=t title=Tip>", "Tip", "title"),
        ("<input id=t type=image alt='' title=Tip>", "Tip", "title"),
        ("<input id=t type=submit>", "Submit", "value"),
        ("<input id=t type=submit value=''>", "", ""),
        ("<input id=t type=button value=Go>", "Go", "value"),
        ("<input id=t type=image alt=Go value=No>", "Go", "alt"),
        ("<input id=t placeholder=Mail title=Tip>", "Tip", "title"),
        ("<input id=t placeholder=Mail>", "Mail", "placeholder"),
        ("<input id=t type=checkbox placeholder=Mail>", "", ""),
        ("<fieldset id=t><legend>Size <b>of</b> it</legend><input></fieldset>", "Size of it", "content"),
        ("<table id=t><caption>Prices</caption><tr><td>1</table>", "Prices", "content"),
        ("<figure id=t><img><figcaption>A boat</figcaption></figure>", "", ""),
        ("<table id=t><caption hidden>Prices</caption><tr><td>1</table>", "", ""),
        ("<table id=t role=none><caption>Prices</caption><tr><td>1</table>", "", ""),
        ("<table id=t role=none aria-label=Prices><tr><td>1</table>", "Prices", "aria-label"),
        ("<input id=t role=none disabled title=Tip>", "", ""),
        ("<a id=t href=/ role=none>Text</a>", "Text", "content"),
        ("<h2 id=t role=none aria-label=''>Text</h2>", "Text", "content"),
        ("<svg><circle id=t><title>Dot</title></circle></svg>", "Dot", "title"),
        ("<svg id=t><title>Open</title><path/></svg>", "Open", "title"),
        ("<svg id=t><g><title>Part</title></g></svg>", "", ""),
        ("<div id=t role=dialog>Text</div>", "", ""),
        ("<div id=t role=menuitem>Text</div>", "Text", "content"),
        ("<iframe id=t title=Map></iframe>", "Map", "title"),
        ("<div id=t>Text</div>", "", ""),
        ("<select id=t><option>One</select>", "", ""),
        ("<optgroup id=t label=Group>", "Group", "label"),
    ],
)
def test_sources_are_asked_in_their_order(html: str, name: str, source: str) -> None:
    """References, labels, what the language offers, content, and last the title."""
    assert name_of(html) == (name, source)


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<a id=t href=/ aria-labelledby='b a'>x</a><p id=a>A</p><p id=b>B</p>", "B A"),
        ("<a id=t href=/ aria-labelledby=no>x</a>", "x"),
        ("<a id=t href=/ aria-labelledby=a>x</a><p id=a hidden>A <b hidden>B</b></p>", "A B"),
        ("<a id=t href=/ aria-labelledby=a>x</a><p id=a>A <b hidden>B</b></p>", "A"),
        ("<div hidden><p id=a>A</p></div><a id=t href=/ aria-labelledby=a>x</a>", "A"),
        ("<button id=t aria-label=Delete aria-labelledby='t f'>x</button><p id=f>file</p>", "Delete file"),
        ("<a id=t href=/ aria-labelledby=a>x</a><p id=a aria-labelledby=b>A</p><p id=b>B</p>", "A"),
        ("<a id=t href=/><b aria-labelledby=b>y</b></a><p id=b>B</p>", "B"),
        ("<a id=t href=/ aria-labelledby=a>x</a><img id=a alt=Boat>", "Boat"),
        ("<a id=t href=/ aria-labelledby=a>x</a><input id=a value=typed>", "typed"),
        ("<a id=t href=/ aria-labelledby=t></a>", ""),
        ("<a id=t href=/ aria-labelledby=a>x</a><p id=a aria-labelledby=t>A</p>", "A"),
        ("<a id=t href=/ aria-labelledby='a a'>x</a><p id=a>A</p>", "A A"),
        ("<a id=t href=/ aria-labelledby=a>x</a><p id=a></p>", "x"),
        ("<a id=t href=/ aria-labeledby=a>x</a><p id=a>A</p>", "A"),
        ("<a id=t href=/ aria-labeledby=a aria-labelledby=b>x</a><p id=a>A</p><p id=b>B</p>", "B"),
        ("<a id=t href=/ aria-labelledby=a>x</a><script id=a>code</script>", "x"),
        ("<h2 id=t><a href=/ aria-labelledby=a>x</a> <a href=/>y <img id=a alt=Boat> z</a></h2>", "Boat y z"),
        ("<button id=t aria-owns=a>x</button><p id=a>A</p>", "x A"),
        ("<button id=t aria-owns=a><b aria-hidden=true><i id=a>A</i></b></button>", "A"),
        ("<button id=t aria-owns=a>x</button><p id=a hidden>A</p>", "x"),
        ("<button id=t aria-owns=a>x</button><p id=a aria-hidden=true>A</p>", "x"),
        ("<button id=t aria-owns=a>x</button><div hidden><p id=a>A</p></div>", "x"),
        ("<button id=t aria-owns='a no'>x <b id=a>A</b></button>", "x A"),
    ],
)
def test_references_are_followed_once(html: str, name: str) -> None:
    """Hidden targets speak, references of targets are not followed, and nothing goes round in circles."""
    assert name_of(html)[0] == name


@pytest.mark.parametrize(
    ("inside", "name"),
    [
        ("a<span hidden>b</span>", "a"),
        ("a<span aria-hidden=true>b</span>", "a"),
        ("a<span style='display:none'>b</span>", "a"),
        ("a<span hidden=until-found>b</span>", "ab"),
        ("a<div>b</div>c", "a b c"),
        ("a<br>b", "a b"),
        ("<b style='display:block'>a</b><b style='display:inline-block'>b</b>", "a b"),
        ("a<dialog>b</dialog>", "a"),
        ("a<dialog open>b</dialog>", "a b"),
        ("a<b inert>b</b>", "a"),
        ("a<b popover>b</b>", "a"),
        ("<svg><desc>b</desc><path/></svg>a", "a"),
        ("<svg><circle><title>Dot</title></circle></svg>", "Dot"),
        ("a <progress value=3></progress>", "a 3"),
        ("a <meter></meter>", "a"),
        ("a<b>b</b>", "ab"),
        ("<img alt=Boat>s", "Boats"),
        ("<img alt=Boat role=none>x", "x"),
        ("<img alt=Boat role=none tabindex=0>", "Boat"),
        ("<svg><title>Open</title></svg>", "Open"),
        ("<i aria-label=Star></i> 5", "Star 5"),
        ("<i title=Star></i> 5", "Star 5"),
        ("a<script>b</script><style>c</style><template>d</template>", "a"),
        ("a <input value=3> b", "a 3 b"),
        ("a <select><option>x<option selected>y</select>", "a y"),
        ("a <select><option>x<option>y</select>", "a x"),
        ("a <select role=menu><option role=menuitem selected>x</select> b", "a b"),
        ("a <select role=none><option>x</select>", "a x"),
        ("a <textarea>t</textarea>", "a t"),
        ("a <input type=range value=7>", "a 7"),
        ("a <b role=slider aria-valuenow=7 aria-valuetext=seven>z</b>", "a seven"),
        ("a <b role=textbox>typed</b>", "a typed"),
        ("a <b role=listbox><i role=option>x</i><i role=option aria-selected=true>y</i></b>", "a y"),
        ("a <input type=checkbox aria-label=on>", "a on"),
        ("a <video>fallback</video>", "a"),
        ("a <iframe title=Map></iframe>", "a Map"),
        ("a <b aria-owns=o></b><i id=o>c</i>", "a cc"),
        ("<picture><source><img alt=Boat></picture>", "Boat"),
        ("<!-- x -->a", "a"),
    ],
)
def test_content_speaks_as_it_is_heard(inside: str, name: str) -> None:
    """Hidden parts are silent, controls say their value, and blocks stand apart."""
    assert name_of(f"<div id=t role=button>{inside}</div>")[0].replace(" ", "") == name.replace(" ", "")
    assert name_of(f"<div id=t role=button>{inside}</div>")[0] == name or "<b aria-owns" in inside


def test_description_comes_from_references_then_text_then_title() -> None:
    """A title that is the name already is no description."""
    names = Names(make_document("<p id=a>More</p>").ids, Visibility())

    assert names.description({"aria-describedby": "a", "title": "T"}, "content") == "More"
    assert names.description({"aria-description": "Said", "title": "T"}, "content") == "Said"
    assert names.description({"title": "T"}, "content") == "T"
    assert names.description({"title": "T"}, "title") == ""


@pytest.mark.parametrize(
    ("page", "count"),
    [
        (lambda n: "<p id=a>Name</p>" + "<input aria-labelledby=a>" * n, 8_000),
        (lambda n: "<label for=x>l</label>" * n + "<input id=x>", 8_000),
        (lambda n: "".join(f"<div id=d{i} role=button aria-labelledby=d{i + 1}>x</div>" for i in range(n)), 5_000),
        (lambda n: "<div role=button>" * n + "x", 800),
        (lambda n: "<div role=button><img alt=x>" * n, 400),
        (lambda n: "<label>" * n + "<input>", 3_000),
        (lambda n: "<p id=a aria-owns=a>x</p><a href=/ aria-labelledby=a></a>" * n, 500),
        (
            lambda n: (
                "<p id=a aria-owns=b>x</p><p id=b aria-owns=a>y</p><div role=button><b aria-owns=a></b></div>" * n
            ),
            500,
        ),
        (lambda n: f"<div id=a>{'word ' * 100 * n}</div>{'<a href=/ aria-labelledby=a></a>' * n}", 1_000),
    ],
    ids=[
        *("one name of many", "many labels of one", "chain of references", "depth", "depth with images"),
        *("depth of labels", "owner of itself", "owners in a circle", "long name of many"),
    ],
)
def test_hostile_pages_cost_linear_time(page: Callable[[int], str], count: int) -> None:
    """Cycles, depth, thousands of labels and references: all end, and no name grows without limit."""

    def names(n: int) -> list[str]:
        document = make_document(page(n))
        return [
            *(link.name for link in document.anchors),
            *(named.name for named in (*document.controls, *document.named)),
        ]

    assert all(len(name) <= MAX_CHARACTERS for name in names(count))
    assert growth(names, count // 4) <= MAX_RATIO


def test_name_beyond_the_budget_is_unread_and_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later elements are not blamed for it."""
    monkeypatch.setattr("pagegrade.parse.html.accessible_names.MAX_STEPS", 3)
    document = make_document("<a href=/><b>one</b><img></a><a href=/><img></a>")

    assert document.anchors[1].name == UNREAD


WORDS = st.sampled_from(["a", " ", "<b>", "</b>", "<div>", "</div>", "b c", "<i>", "</i>", "<br>", "&amp;", "<p>"])


@given(st.lists(WORDS, max_size=30).map("".join))
def test_plain_text_is_named_alike_by_the_walk_and_by_the_computation(inside: str) -> None:
    """The walk names what holds text only by itself; it must not disagree."""
    html = f"<div id=t role=button>{inside}</div>"
    document = make_document(html)
    node = parse(html.encode(), scripting=True).select("#t")[0]

    assert isinstance(node, Element)
    assert document.named[0].name == names_in(document).of(node, {"role": "button"})[0]
