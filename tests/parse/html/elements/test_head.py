"""Facts of the head, wherever the parser put them."""

from __future__ import annotations

import pytest

from tests.builders import make_document

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


def test_title_of_an_svg_is_no_title_of_the_page() -> None:
    """Only HTML titles count, and only once each."""
    document = make_document("<title> A \n page </title><body><svg><title>Icon</title></svg>")

    assert [title.text for title in document.titles] == ["A page"]
    assert document.titles[0].in_head


def test_attribute_and_tag_case_and_entities_do_not_matter() -> None:
    """The parser reads them as browsers do."""
    document = make_document("<HEAD><META NAME='Description' CONTENT='a &amp; b'></HEAD><IMG SRC=/a.png ALT=''>")

    assert document.meta("description") is not None
    assert document.metas[0].content == "a & b"
    assert document.images[0].alt == ""


def test_references_are_what_a_browser_would_fetch() -> None:
    """Kinds, laziness and alternatives of every sub-resource position."""
    html = (
        "<head><link rel=stylesheet href=/a.css><link rel='alternate stylesheet' href=/no.css>"
        "<link rel='shortcut icon' href=/f.ico><link rel=manifest href=/m.json><link rel=canonical href=/no>"
        "<link rel=preload as=font href=/f.woff2><link rel=preload as=image imagesrcset='/h,1.jpg 400w, /h2.jpg 800w'>"
        "<link rel=prefetch imagesrcset='/no.jpg 1x'><script src=/s.js></script><script nomodule src=/old.js></script>"
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
        ("/h,1.jpg", "preload", False, True),
        ("/h2.jpg", "preload", False, True),
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


def test_pixels_and_hidden_frames_after_a_script_are_nothing_to_see() -> None:
    """Elements that count visits often stand after the last script; a visible image ends the exception."""
    unseen = "<img src=/p.gif width=1 height=1><img src=/q.gif style='display:none'><iframe src=/f width=0></iframe>"
    late = make_document(f"<p>Text<script src=/a.js></script>{unseen}").scripts
    early = make_document(f"<p>Text<script src=/a.js></script>{unseen}<img src=/chair.jpg>").scripts

    assert [script.trailing for script in (*late, *early)] == [True, False]


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ("", "classic"),
        ("type=''", "classic"),
        ("type=' Text/JavaScript '", "classic"),
        ("type=text/javascript1.5", "classic"),
        ("language=JavaScript1.2", "classic"),
        ("language=''", "classic"),
        ("type='' language=vbscript", "classic"),
        ("type=Module", "module"),
        ("type=' '", "data"),
        ("type='text/javascript; charset=utf-8'", "data"),
        ("type=javascript", "data"),
        ("language=JavaScript1.7", "data"),
        ("language=vbscript", "data"),
        ("type=text/vbscript language=javascript", "data"),
    ],
)
def test_browsers_run_only_what_is_called_javascript(attributes: str, kind: str) -> None:
    """By the type without any parameter, or by the language of old where there is no type."""
    (script,) = make_document(f"<script {attributes}>x()</script>").scripts

    assert script.kind == kind


def test_styles_keep_their_text_and_place() -> None:
    """Those of drawings, templates and browsers without scripts are not sheets of the page."""
    document = make_document(
        "<style media=print>p{}</style><body><style>b{}</style><svg><style>c{}</style></svg>"
        "<template><style>d{}</style></template><noscript><style>e{}</style></noscript>"
    )

    assert [style.text for style in document.styles] == ["p{}", "b{}"]
    assert document.styles[0].attrs == {"media": "print"}
    assert document.evidence(document.styles[1]).selector


@pytest.mark.parametrize(
    ("css", "kind"),
    [
        ("@IMPORT '/a.css';", "stylesheet"),
        ("@Import URL(/a.css) layer(base);", "stylesheet"),
        ("@FONT-FACE{FONT-FAMILY:F;SRC:Url('/a.css')}", "font"),
        ("P{BACKGROUND:URL(/a.css)}", "image"),
        ("p{background:Image-Set('/a.css' 1x)}", "image"),
    ],
)
def test_names_of_css_have_no_case(css: str, kind: str) -> None:
    """Style elements name files in capitals, too; without such a name there are none."""
    references = make_document(f"<style>{css}</style><style>p{{color:RED}}</style>").references

    assert [(one.url, one.kind) for one in references] == [("https://example.com/a.css", kind)]
