"""Names of links, fields and buttons, as assistive technology hears them."""

from __future__ import annotations

import pytest

from tests.builders import make_document

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


def names(html: str) -> list[str]:
    """Accessible names of the links of a page."""
    return [anchor.name for anchor in make_document(HEAD + html).anchors]


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<a href=/>Read <b>more</b></a>", "Read more"),
        ("<a href=/><img src=a alt='Our logo'></a>", "Our logo"),
        ("<a href=/><img src=a alt=''></a>", ""),
        ("<a href=/ aria-label='Close it'>x</a>", "Close it"),
        ("<a href=/ title='Tip'></a>", "Tip"),
        ("<a href=/><svg><title>Search</title><path d=''/></svg></a>", "Search"),
        ("<a href=/><span aria-hidden=true>x</span></a>", ""),
        ("<a href=/><span hidden>x</span>y</a>", "y"),
        ("<a href=/><span style='display: none'>x</span>y</a>", "y"),
        ("<a href=/><i aria-label='Star'></i> 5</a>", "Star 5"),
        ("<a href=/ aria-labelledby='one two'></a><p id=two>B</p><p id=one>A</p>", "A B"),
        ("<a href=/ aria-labelledby=nowhere>text</a>", "text"),
        ("<a href=/><div>two</div><div>blocks</div></a>", "two blocks"),
        ("<a href=/>H<b>ello</b></a>", "Hello"),
        ("<a href=/><img src=a role=presentation alt=x></a>", ""),
        ("<a href=/><picture><source srcset=b><img src=a alt=Photo></picture></a>", "Photo"),
    ],
)
def test_link_is_named_as_assistive_technology_hears_it(html: str, name: str) -> None:
    """The steps of the accessible name computation that need no stylesheet."""
    assert names(html)[0] == name


@pytest.mark.parametrize(
    ("html", "name", "source"),
    [
        ("<label for=a>Name</label><input id=a>", "Name", "label"),
        ("<input id=a><p><label for=a>Later</label>", "Later", "label"),
        ("<label><span><b>Deep</b> wrap <input></span></label>", "Deep wrap", "label"),
        ("<label>Pick <select><option>One<option>Two</select></label>", "Pick", "label"),
        ("<input aria-label=Mail>", "Mail", "aria-label"),
        ("<input title=Zip>", "Zip", "title"),
        ("<input placeholder=Search>", "Search", "placeholder"),
        ("<input aria-labelledby=x><b id=x>By id</b>", "By id", "aria-labelledby"),
        ("<label for=a></label><input id=a>", "", ""),
        ("<label for=a><img src=i alt=Phone></label><input id=a type=tel>", "Phone", "label"),
        ("<label for=a hidden>Hidden but heard</label><input id=a>", "Hidden but heard", "label"),
        ("<textarea></textarea>", "", ""),
    ],
)
def test_control_finds_its_label(html: str, name: str, source: str) -> None:
    """Wrapping, for, aria and the last resorts, in their order."""
    control = make_document(HEAD + html).controls[0]

    assert (control.name, control.name_from) == (name, source)


def test_inputs_that_need_no_label_are_no_controls() -> None:
    """Hidden fields and buttons are not asked for a label."""
    document = make_document(
        HEAD + "".join(f"<input type={t}>" for t in ("hidden", "submit", "reset", "button", "image"))
    )

    assert document.controls == []
    assert [(n.role, n.name) for n in document.named] == [
        ("button", "Submit"),
        ("button", "Reset"),
        ("button", ""),
        ("img", ""),
    ]


def test_placeholder_link_and_link_with_a_role_are_distinguished() -> None:
    """An anchor without href is no link unless its role makes it one."""
    document = make_document(HEAD + "<a name=x>target</a><a role=button>Press</a><a href='' role=button>Go</a>")

    assert [(n.role, n.name) for n in document.named] == [("button", "Press")]
    assert [anchor.href for anchor in document.anchors] == [None, None, ""]
    assert document.anchors[2].url == document.base_url


def test_form_is_sent_to_its_action_or_to_the_page() -> None:
    """Resolved, with the method in lower case."""
    document = make_document(HEAD + "<form action=/send method=POST></form><form></form>")

    assert [(form.url, form.method) for form in document.forms] == [
        ("https://example.com/send", "post"),
        ("https://example.com/", "get"),
    ]


def test_nameless_area_and_svg_link_are_links_too() -> None:
    """Image maps and drawings hold links as well."""
    document = make_document(HEAD + "<map><area href=/a alt=East></map><svg><a xlink:href=/b><text>B</text></a></svg>")

    assert [(anchor.url, anchor.name) for anchor in document.anchors] == [
        ("https://example.com/a", "East"),
        ("https://example.com/b", "B"),
    ]
