from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types of its own

from devtools.doc_site import ROOT, SEARCH_INDEX, SITE, problems
from devtools.gen_docs import COMMITTED, REFERENCE, pages

SETTINGS: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
DOCS = ROOT / "docs"


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


def listed(entry: Any) -> Iterator[str]:
    """The pages of one entry of the navigation, in order."""
    match entry:
        case str():
            yield entry
        case dict():
            for value in entry.values():
                yield from listed(value)
        case list():
            for value in entry:
                yield from listed(value)
        case _:
            raise AssertionError(f"unexpected entry {entry!r}")


def test_every_page_has_its_place_in_the_navigation() -> None:
    """A page that is in neither list ends the build; so does an entry without its page."""
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    generated = {f"{REFERENCE.relative_to('docs')}/{name}" for name in pages() if name.endswith(".md")}
    apart = SETTINGS["not_in_nav"].split()
    expected = {page for page in written | generated if not any(fnmatch(f"/{page}", pattern) for pattern in apart)}
    places = list(listed(SETTINGS["nav"]))

    assert len(places) == len(set(places))
    assert set(places) == expected | {f"reference/{kind}/README.md" for kind in ("checks", "site-checks")}


def test_the_order_is_that_of_the_four_kinds_of_documentation() -> None:
    """From learning to looking up."""
    names = [next(iter(entry)) for entry in SETTINGS["nav"]]

    assert names == ["Home", "Tutorial", "How-to", "Reference", "Explanation", "Decisions"]


def test_the_whole_reference_is_reached() -> None:
    """Checks, commands, settings, API and errors each have their page."""
    made = {name for name in pages() if name.endswith(".md") and not name.startswith(("checks/", "site-checks/"))}

    assert {f"reference/{name}" for name in made} | {
        "reference/checks/README.md",
        "reference/site-checks/README.md",
    } <= set(listed(SETTINGS["nav"]))
    assert {name for name in COMMITTED if name.endswith(".md")} <= made


def test_it_loads_nothing_from_others_and_is_not_committed() -> None:
    """No fonts of others, no counts of a repository host; the output folder is ignored."""
    assert SETTINGS["theme"]["font"] is False
    assert not {"repo_url", "extra_javascript"} & SETTINGS.keys()
    assert all((DOCS / path).is_file() for path in SETTINGS["extra_css"])
    assert ROOT / SETTINGS["site_dir"] == SITE
    assert f"{SITE.relative_to(ROOT).parts[0]}/" in (ROOT / ".gitignore").read_text().splitlines()
