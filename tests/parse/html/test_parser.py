"""The facts of a page, trap by trap: what any other parser would have to get right too."""

from __future__ import annotations

from typing import Any

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.html.elements import HANDLERS
from pagegrade.parse.html.parser import (
    MAX_LINKS,
    MAX_MERGED_TAGS,
    NamedURLs,
    find_named_urls,
    names_alternate,
    parse_document,
)
from pagegrade.parse.page_links import links_to_ask
from tests.builders import make_document, make_response

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16le", "utf-16be"])
def test_attributes_of_so_many_repeated_tags_count(encoding: str) -> None:
    """At the limit they are added to the element as browsers do; one tag past it they are not, and nothing moves."""

    def lang(before: int) -> tuple[str | None, list[int | None]]:
        page = HEAD.replace(" lang=en", "") + "<html x>\n" * before + "<html\nlang=de>\n<a href=/b>b</a>"
        read = parse_document(
            page.encode(encoding), url="https://example.com/", content_type=f"text/html; charset={encoding}"
        )
        assert read.html is not None
        return read.html.attrs.get("lang"), [anchor.node.source_line for anchor in read.anchors]

    (at_limit, places), (past_it, places_past) = lang(MAX_MERGED_TAGS - 1), lang(MAX_MERGED_TAGS)

    assert (at_limit, past_it) == ("de", None)
    assert [line + 1 for line in places if line] == places_past != []


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


def test_a_meta_element_in_the_body_has_no_effect_of_its_own() -> None:
    """A body with its own tag means the author put the meta there."""
    document = make_document("<head><title>x</title></head><body><meta name=robots content=noindex>")

    assert document.head_closed_by is None


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


EVERY_REFERENCE = (
    "<link rel=stylesheet href=a><link rel=icon href=b><script src=c></script><style>@import 'd'; a{background:url(e)}"
    "</style><a href=/f>f</a><a href=/g rel=nofollow>g</a><map><area href=/h></map>"
    "<img src=i srcset='j 1x' loading=lazy>"
    "<picture><source srcset=k><img src=l></picture><video src=m poster=n></video><audio preload=none><source src=o>"
    "<source src=p></audio><object data=q></object><embed src=r><iframe src=s loading=lazy></iframe><input type=image "
    "src=t><p style='background:url(u)'>u</p><svg><image href=v /><defs><image href=w /></defs><a href=/x>x</a></svg>"
    "<template><img src=y></template><noscript><img src=z></noscript>"
)


def named(html: str, **more: Any) -> NamedURLs:
    """The files that a page names."""
    return find_named_urls(make_response(html, **more))


@pytest.mark.parametrize(
    "inside", ["<{0}>{1}</{0}>", "<svg><{0}>{1}</{0}></svg>", "<{0}/>{1}", "<body><{0} role=img>{1}"]
)
def test_named_urls_agree_with_the_document(inside: str) -> None:
    """The gatherers and the checks see the same sub-resources and links, whatever element they are in."""
    for tag in HANDLERS:
        html = inside.format(tag, EVERY_REFERENCE)
        document, found = make_document(html), named(html)

        assert found.links == links_to_ask(document.anchors, document.url), tag
        assert [(r.url, r.kind, r.lazy, r.alternative) for r in found.references] == [
            (r.url, r.kind, r.lazy, r.alternative) for r in document.references
        ], tag


@pytest.mark.parametrize("filler", ["<p>more</p>", "<i>"])
def test_named_urls_are_found_behind_any_number_of_other_elements(filler: str) -> None:
    """Elements that refer to nothing are passed over, so they do not count towards the limit of the walk."""
    found = named(filler * 200_001 + "<a href=/end>x</a><img src=i><p style='background:url(u)'>u")

    assert found.links == ("https://example.com/end",)
    assert [reference.url for reference in found.references] == ["https://example.com/i", "https://example.com/u"]


def test_links_are_counted_beyond_their_limit() -> None:
    """The first ones are named."""
    found = named("".join(f"<a href=/{n}>x</a>" for n in range(MAX_LINKS + 1)))

    assert (len(found.links), found.links[0], found.link_count) == (MAX_LINKS, "https://example.com/0", MAX_LINKS + 1)


def test_language_versions_are_named_once_and_without_the_page() -> None:
    """Those of headers too; a feed is none, and in the body they do not count."""
    found = named(
        "<link rel=alternate hreflang=en href=/><link rel=alternate hreflang=de href=/de#x>"
        "<link rel=alternate hreflang=de-AT href=/de><link rel=alternate type=application/rss+xml href=/feed>"
        "<p>x<link rel=alternate hreflang=it href=/it>",
        headers=[("Link", '</fr>; rel="alternate"; hreflang="fr"')],
    )

    assert found.alternates == ("https://example.com/de", "https://example.com/fr")


@pytest.mark.parametrize(
    ("html", "truncated", "found"),
    [
        ("<link rel=alternate hreflang=en href=/en/>", None, True),
        ("<link rel=alternate hreflang=en href=http://www.example.com/en>", None, True),
        ("<link rel=alternate hreflang=en href=/fr>", None, False),
        ("<p>x<link rel=alternate hreflang=en href=/en/>", None, False),
        ("<title>x</title>", "limit", None),
        ("<title>x</title><body><p>", "limit", False),
        ("<link rel=alternate hreflang=en href=/en/>", "limit", True),
    ],
)
def test_a_link_back_is_found(html: str, truncated: str | None, *, found: bool | None) -> None:
    """A page that was cut in its head says nothing; scheme, www and a closing slash make no difference."""
    assert names_alternate(make_response(html, truncated=truncated), "https://example.com/en/") is found


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
