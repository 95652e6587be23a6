"""The facts of a page, trap by trap: what any other parser would have to get right too."""

from __future__ import annotations

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.html import find_references, parse_document
from tests.builders import make_document

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


def names(html: str) -> list[str]:
    """Accessible names of the links of a page."""
    return [anchor.name for anchor in make_document(HEAD + html).anchors]


def test_title_of_an_svg_is_no_title_of_the_page() -> None:
    """Only HTML titles count, and only once each."""
    document = make_document("<title> A \n page </title><body><svg><title>Icon</title></svg>")

    assert [title.text for title in document.titles] == ["A page"]
    assert document.titles[0].in_head


def test_template_and_noscript_hold_no_elements() -> None:
    """What scripts-on browsers do not render is not there."""
    document = make_document(
        HEAD + "<template><h1>no</h1><img src=a></template><noscript><img src=b><a href=c>d</a></noscript><p>yes"
    )

    assert document.headings == []
    assert document.images == []
    assert document.anchors == []
    assert document.text == "yes"
    assert document.references == []


def test_noscript_image_in_the_head_does_not_close_it() -> None:
    """With scripting on, a tracking pixel in the head pushes nothing into the body."""
    document = make_document("<head><noscript><img src=x></noscript><meta name=description content=d></head>")

    assert document.metas[0].in_head
    assert document.head_closed_by is None


def test_element_that_closes_the_head_is_named() -> None:
    """A stray element in the head moves what follows into the body, and the report can say which."""
    document = make_document("<head><title>x</title><div>oops</div><meta name=robots content=noindex></head><body>")

    assert not document.metas[0].in_head
    assert document.head_closed_by == "div"


def test_meta_that_was_written_into_the_body_blames_nobody() -> None:
    """A body with its own tag means the author put the meta there."""
    document = make_document("<head><title>x</title></head><body><meta name=robots content=noindex>")

    assert document.head_closed_by is None


def test_declarative_shadow_root_is_part_of_the_page() -> None:
    """Its content is rendered, so its links and text count."""
    document = make_document(HEAD + "<div><template shadowrootmode=open><a href=/s>in the shadow</a></template></div>")

    assert [anchor.text for anchor in document.anchors] == ["in the shadow"]


def test_comments_scripts_and_attributes_hold_no_elements() -> None:
    """Markup inside raw text is text."""
    document = make_document(HEAD + "<!-- <h1>a</h1> --><script>var x = '<h1>b</h1>'</script><p title='<h1>c</h1>'>d")

    assert document.headings == []
    assert document.text == "d"


def test_first_base_with_href_rules_even_when_it_comes_late() -> None:
    """Relative addresses resolve against it, wherever it stands."""
    document = make_document(
        "<a href=x>1</a><base target=_top><base href=/deep/dir/><base href=https://other.example/>"
    )

    assert document.base_url == "https://example.com/deep/dir/"
    assert document.anchors[0].url == "https://example.com/deep/dir/x"


@pytest.mark.parametrize("href", ["javascript:alert(1)", "data:text/html,x", "http://["])
def test_unusable_base_is_as_if_absent(href: str) -> None:
    """A base that is no address of a page changes nothing."""
    assert make_document(f"<base href='{href}'><a href=x>1</a>").anchors[0].url == "https://example.com/x"


def test_attribute_and_tag_case_and_entities_do_not_matter() -> None:
    """The parser reads them as browsers do."""
    document = make_document("<HEAD><META NAME='Description' CONTENT='a &amp; b'></HEAD><IMG SRC=/a.png ALT=''>")

    assert document.meta("description") is not None
    assert document.metas[0].content == "a & b"
    assert document.images[0].alt == ""


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


@pytest.mark.parametrize(
    ("html", "decorative", "name"),
    [
        ("<img src=a alt=''>", True, ""),
        ("<img src=a>", False, ""),
        ("<img src=a alt=' '>", False, ""),
        ("<img src=a alt='A cat'>", False, "A cat"),
        ("<img src=a role=none>", True, ""),
        ("<img src=a aria-hidden=true>", True, ""),
        ("<div hidden><img src=a></div>", True, ""),
        ("<img src=a aria-label=Cat>", False, "Cat"),
        ("<img src=a title=Cat>", False, "Cat"),
        ("<img src=a aria-labelledby=c><p id=c>Cat</p>", False, "Cat"),
    ],
)
def test_image_is_decorative_named_or_neither(html: str, decorative: bool, name: str) -> None:  # noqa: FBT001
    """An empty alternative is an answer; a missing one is not."""
    image = make_document(HEAD + html).images[0]

    assert (image.decorative, image.name) == (decorative, name)


def test_references_are_what_a_browser_would_fetch() -> None:
    """Kinds, laziness and alternatives of every sub-resource position."""
    html = (
        "<head><link rel=stylesheet href=/a.css><link rel='alternate stylesheet' href=/no.css>"
        "<link rel='shortcut icon' href=/f.ico><link rel=manifest href=/m.json><link rel=canonical href=/no>"
        "<link rel=preload as=font href=/f.woff2><script src=/s.js></script><script nomodule src=/old.js></script>"
        "<script type=module src=/m.js></script><script type=text/template src=/no.html></script>"
        "<style>@import '/i.css'; @font-face{src:url(/g.woff2)} .a{background:url(/bg.png)}</style></head>"
        "<body style='background:url(/body.png)'><img src=/1.png srcset='/2.png 2x'><img loading=lazy src=/3.png>"
        "<picture><source srcset='/4.webp'><img src=/5.png></picture><iframe src=/frame></iframe>"
        "<video poster=/p.jpg><source src=/v.webm><source src=/v.mp4></video><img src='data:image/gif;base64,R0lGOD'>"
        "<object data=/o.pdf></object><input type=image src=/b.png><a href=/no.html>x</a>"
        "<svg><image href=/v.svg /></svg>"
    )
    found = {
        (r.url.removeprefix("https://example.com"), r.kind, r.lazy, r.alternative)
        for r in make_document(html).references
    }

    assert found == {
        ("/a.css", "stylesheet", False, False),
        ("/f.ico", "icon", True, True),
        ("/m.json", "manifest", True, False),
        ("/f.woff2", "preload", False, False),
        ("/s.js", "script", False, False),
        ("/m.js", "script", False, False),
        ("/i.css", "stylesheet", False, False),
        ("/g.woff2", "font", True, False),
        ("/bg.png", "image", True, False),
        ("/body.png", "image", False, False),
        ("/1.png", "image", False, False),
        ("/2.png", "image", False, True),
        ("/3.png", "image", True, False),
        ("/4.webp", "image", False, True),
        ("/5.png", "image", False, False),
        ("/frame", "frame", False, False),
        ("/p.jpg", "image", False, False),
        ("/v.webm", "media", False, False),
        ("/v.mp4", "media", False, True),
        ("/o.pdf", "object", False, False),
        ("/b.png", "image", False, False),
        ("/v.svg", "image", False, False),
    }


def test_find_references_agrees_with_the_document() -> None:
    """The gatherer and the checks see the same sub-resources."""
    html = HEAD + "<img src=a.png><script src=b.js></script>"
    plain = find_references(html.encode(), url="https://example.com/", content_type=None)

    assert [(r.url, r.kind) for r in plain] == [(r.url, r.kind) for r in make_document(html).references]


def test_scripts_know_whether_the_page_waits_for_them() -> None:
    """async, defer, module, nomodule and data scripts block nothing; the end of the body is no harm."""
    document = make_document(
        "<head><script src=1></script><script async src=2></script><script defer src=3></script>"
        "<script type=module src=4></script><script nomodule src=5></script>"
        "<script type=application/json src=6></script>"
        "</head><body><script src=7></script><p>text</p><script src=8></script> </body>"
    )

    assert [script.blocking for script in document.scripts] == [True, *[False] * 5, True, True]
    assert [script.trailing for script in document.scripts] == [*[False] * 7, True]


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "sources"),
    [
        (b"<meta charset=utf8>\xc3\xa9", None, "UTF-8", ["meta"]),
        (b"\xef\xbb\xbf<p>\xc3\xa9", "text/html; charset=windows-1252", "UTF-8", ["bom", "header"]),
        (b"<meta charset=windows-1251>\xc3\xa9", "text/html; charset=UTF-8", "UTF-8", ["header", "meta"]),
        (b"<meta charset=zlib>\xc3\xa9", None, "UTF-8", ["meta"]),
        (b"<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", None, "Shift_JIS", ["meta"]),
        (b"<p>x", "text/html; charset=rot13", "windows-1252", ["header"]),
    ],
)
def test_encoding_follows_the_standard(
    body: bytes, content_type: str | None, encoding: str, sources: list[str]
) -> None:
    """Mark before header before meta, labels of the Encoding standard only."""
    document = parse_document(body, url="https://example.com/", content_type=content_type)

    assert document.encoding == encoding
    assert [declaration.source for declaration in document.charset_declarations] == sources


def test_charset_offset_counts_bytes_not_characters() -> None:
    """A two-byte character and a CRLF before the tag move it by what they weigh."""
    body = "<!-- é -->\r\n<meta charset=utf-8>".encode()
    declaration = parse_document(body, url="https://example.com/", content_type=None).charset_declarations[0]

    assert declaration.offset_bytes == len(body)


def test_visible_text_leaves_out_what_nobody_reads() -> None:
    """Scripts, styles, hidden parts, options and closed dialogs are no text; boilerplate is no main text."""
    document = make_document(
        HEAD + "<nav>menu</nav><main><p>One</p><p>two<script>x</script></p><p hidden>no</p><style>no</style>"
        "<select><option>no</select><dialog>no</dialog><textarea>no</textarea></main><footer>foot</footer>"
    )

    assert document.text == "menu One two foot"
    assert document.main_text == "One two"


def test_application_shell_is_recognised() -> None:
    """An empty root with scripts and no text is drawn by them."""
    shell = HEAD + "<div id=root></div><script src=/app.js></script>"

    assert make_document(shell).client_rendered
    assert not make_document(shell.replace("<div id=root></div>", "<div id=root><p>Rendered</p></div>")).client_rendered
    assert not make_document(HEAD + "<p>short").client_rendered


def test_evidence_points_at_exactly_the_element() -> None:
    """Selector, line and column lead back, ids and odd class names included."""
    html = HEAD + "\n<div id='a.b'><p>x</p>\n  <p class='md:w-1/2 3'><img src=z></p></div>"
    document = make_document(html)
    evidence = document.evidence(document.images[0], reason="why")
    tree = turbohtml.parse(html)

    assert [element.tag for element in tree.select(evidence.selector)] == ["img"]
    assert (evidence.line, evidence.column) == (3, 25)
    assert evidence.snippet == '<img src="z">'
    assert evidence.reason == "why"


@pytest.mark.parametrize(
    "html",
    [
        "<input type=password value=hunter2>",
        "<input type=hidden value=hunter2>",
        "<script nonce=hunter2 src=x></script>",
        "<meta name=csrf-token content=hunter2>",
    ],
)
def test_snippets_keep_secrets(html: str) -> None:
    """Passwords, tokens and nonces stay on the page."""
    document = make_document(HEAD + html)
    facts = [*document.controls, *document.scripts, *document.metas]
    tree = turbohtml.parse(HEAD + html)
    snippets = [document.evidence(fact).snippet for fact in facts]
    snippets += [document.evidence_at(element).snippet for element in tree.iter_elements("input")]

    assert snippets
    assert not any("hunter2" in snippet for snippet in snippets)


def test_limits_are_said() -> None:
    """A tree deeper or larger than we read says so."""
    deep = make_document("<div>" * 600)
    fine = make_document("<div>" * 300)

    assert deep.limits_hit == ("depth",)
    assert fine.limits_hit == ()


def test_walk_stops_at_the_node_limit() -> None:
    """200,000 elements are read, one more is a limit."""
    assert make_document("<b></b>" * 199_990).limits_hit == ()
    assert make_document("<b></b>" * 200_010).limits_hit == ("nodes",)


PIECES = st.sampled_from(
    (
        "<a href=x>|</a>|<p>|</p>|<table>|<tr>|<td>|<svg>|</svg>|<title>|</title>|<template>|<select>|<option>|<form>|"
        "<label for=a>|<input id=a>|<button>|<h1>|</h1>|<b>|<i>|<math>|<mi>|<script>|</script>|<style>a{b:url(c)}|"
        "<!--|-->|<![CDATA[|<noscript>|<base href=/b/>|<img srcset=',a 1x,,b'>|<picture>|<source srcset=c>|<frameset>|"
        "<textarea>|<plaintext>|<div aria-label=x role=button>|<span hidden>|&#0;|\x00|é|<body style='display:none'>|"
        "<meta charset=x>|<a aria-labelledby='a a'>|<summary>|<dialog open>|</body>|</html>|<iframe src=x>|<video>"
    ).split("|")
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_soup_gives_facts(html: str) -> None:
    """Whatever the markup, every element becomes facts or nothing, and every fact can be located."""
    document = make_document(html)

    for fact in [*document.anchors, *document.images, *document.controls, *document.named, *document.headings]:
        assert len(document.evidence(fact).snippet) <= 200
    assert document.element_count >= 1


@given(st.binary(max_size=300))
def test_any_bytes_give_facts(body: bytes) -> None:
    """Bytes that are no HTML at all are read as browsers read them."""
    assert parse_document(body, url="https://example.com/", content_type=None).element_count >= 1
