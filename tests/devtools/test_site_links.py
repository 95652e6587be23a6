"""The check of the built site finds what a reader would run into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devtools.site_links import SEARCH_INDEX, problems


def write(root: Path, body: str, *, found: tuple[str, ...] = ("index.html", "", "b/c.html#part")) -> Path:
    """A site of two pages, a style sheet and a search index whose entries lead to ``found``."""
    (root / "b").mkdir()
    (root / "search").mkdir()
    (root / "index.html").write_text(f"<!doctype html><title>A</title><h1 id=top>A</h1>{body}", encoding="utf-8")
    (root / "b/c.html").write_text("<!doctype html><title>C</title><h2 id=part>C</h2>", encoding="utf-8")
    (root / "style.css").write_text("body { color: red; background: url(data:image/gif;base64,) }", encoding="utf-8")
    entries = [{"location": location} for location in found]
    (root / SEARCH_INDEX).write_text(json.dumps({"docs": entries}), encoding="utf-8")
    return root


@pytest.mark.parametrize(
    "body",
    [
        "<a href=b/c.html>x</a>",
        "<a href='b/c.html#part'>x</a>",
        "<a href='#top'>x</a>",
        "<a href='.'>x</a>",
        "<a href='/b/c.html?x=1'>x</a>",
        "<a href='https://example.org/gone'>x</a>",
        "<a href='mailto:a@example.org'>x</a>",
        "<link rel=stylesheet href=style.css>",
        "<link rel=canonical href='https://example.org/'>",
        "<img src='data:image/gif;base64,'>",
        "<pre><code>&lt;a href='gone.html'&gt; ```</code></pre>",
    ],
)
def test_good_links_pass(tmp_path: Path, body: str) -> None:
    """Pages, their parts, files, and links that only a reader follows to other hosts."""
    assert problems(write(tmp_path, body)) == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<a href=gone.html>x</a>", "gone.html: there is no such file"),
        ("<a href=b>x</a>", "b: there is no such file"),
        ("<a href=../outside.html>x</a>", "../outside.html: there is no such file"),
        ("<a href='#gone'>x</a>", "#gone: the page has no such element"),
        ("<a href='b/c.html#gone'>x</a>", "b/c.html#gone: the page has no such element"),
        ("<img src=gone.png>", "gone.png: there is no such file"),
        ("<img srcset='gone.png 2x'>", "gone.png: there is no such file"),
        (
            "<script src='https://example.org/x.js'></script>",
            "https://example.org/x.js: it is loaded from another host",
        ),
        ("<link rel=stylesheet href=//example.org/x.css>", "//example.org/x.css: it is loaded from another host"),
        ("<link rel=preconnect href=https://example.org>", "https://example.org: it is loaded from another host"),
        ("<p>```json rendering\n{}</p>", "a block of code was read as a paragraph"),
    ],
)
def test_faults_are_found(tmp_path: Path, body: str, problem: str) -> None:
    """One sentence for each, with the page."""
    assert problems(write(tmp_path, body)) == [f"index.html: {problem}"]


def test_style_sheets_load_nothing_from_other_hosts(tmp_path: Path) -> None:
    """Fonts, pictures and further style sheets."""
    site = write(tmp_path, "")
    (site / "style.css").write_text("@import 'https://a.example/x.css'; a { src: url(//b.example/f.woff2) }")

    assert problems(site) == [
        "style.css: https://a.example/x.css: it is loaded from another host",
        "style.css: //b.example/f.woff2: it is loaded from another host",
    ]


def test_the_search_leads_to_pages(tmp_path: Path) -> None:
    """Its results exist."""
    site = write(tmp_path, "", found=("gone.html", "b/c.html#gone"))

    assert problems(site) == [
        f"{SEARCH_INDEX}: gone.html: there is no such file",
        f"{SEARCH_INDEX}: b/c.html#gone: the page has no such element",
    ]


def test_a_site_without_search_is_a_fault(tmp_path: Path) -> None:
    """The index is made with the pages."""
    site = write(tmp_path, "")
    (site / SEARCH_INDEX).unlink()

    assert problems(site) == [f"{SEARCH_INDEX}: there is no search index"]
