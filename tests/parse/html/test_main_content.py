"""Linear time; what is found is tested with the check that shows it."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.main_content import stead_of
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth


@pytest.mark.parametrize("piece", ["<div id=a></div>", "<a href=/b>b</a>", "<x-y></x-y>", "<iframe></iframe>"])
def test_long_pages_cost_linear_time(piece: str) -> None:
    """The first elements are looked at, however many there are."""
    url = "https://example.com/a"
    documents = {n: make_document(f"<main>{piece * n}</main>", url=url) for n in (1_000, 2_000, 4_000)}

    assert growth(lambda n: stead_of(documents[n], sizes={}), 1_000) <= MAX_RATIO


def test_empty_document_has_nothing() -> None:
    """The parser adds its body."""
    found = stead_of(make_document(""), sizes={})

    assert found is not None
    assert found.kind == "nothing"


LAYER = "position:fixed;top:0;left:0;right:0;height:100vh;background:#fff;z-index:99"


@pytest.mark.parametrize(
    ("css", "script", "kind"),
    [
        (f"header{{{LAYER}}}", "", "cover"),
        (f"body > header, .bar{{{LAYER}}}", "", "cover"),
        (f"header{{{LAYER}}}", "<script>a()</script>", None),
        (f"header{{{LAYER.replace('background:#fff;', '')}}}", "", None),
    ],
)
def test_header_over_the_whole_window_covers_the_page(css: str, script: str, kind: str | None) -> None:
    """Links that lead to other pages do not take it away; a script may."""
    page = (
        f"<style>{css}</style><header><a href=/a>ა</a></header><main><h1>ბაღი</h1><p>{'წვიმს ' * 40}</p></main>{script}"
    )
    found = stead_of(make_document(page), sizes={})

    assert (None if found is None else found.kind) == kind
    own = page.replace("href=/a", "href=?closed")

    assert stead_of(make_document(own), sizes={}) is None


@pytest.mark.parametrize(
    ("css", "words", "script", "is_locked"),
    [
        ("main{position:fixed;top:80px}", 300, "", True),
        (".p{position:fixed;inset:0}", 300, "", True),
        ("main{position:fixed;top:80px}", 290, "", False),
        ("main{position:fixed;top:80px}", 300, "<script>a()</script>", False),
        ("main{position:fixed;top:0;bottom:0;overflow:auto}", 300, "", False),
        ("header{position:fixed;top:0}", 300, "", False),
    ],
)
def test_main_part_that_is_fixed_does_not_scroll(css: str, words: int, script: str, is_locked: bool) -> None:  # noqa: FBT001
    """All below the first window is out of reach."""
    page = f"<style>{css}</style><header>ა</header><main class=p><p>{'წვიმს ' * words}</p></main>{script}"
    found = stead_of(make_document(page), sizes={})

    assert (found is not None and found.kind == "locked") is is_locked


@pytest.mark.parametrize(
    ("script", "may_add"), [("", False), ("<script>a()</script>", False), ("<script>q('.text')</script>", True)]
)
def test_content_for_visitors_without_scripts_alone(script: str, may_add: bool) -> None:  # noqa: FBT001
    """Others see nothing, unless a script that names the main part writes it."""
    page = f"<main class=text><noscript><p>{'წვიმს ბაღში ' * 40}</p></noscript></main>{script}"
    found = stead_of(make_document(page), sizes={})

    assert found is not None
    assert (found.kind, found.scripts_may_add) == ("hidden", may_add)


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("<main inert><h1>ბაღი</h1>{text}</main>", "locked"),
        ("<div inert><main><h1>ბაღი</h1>{text}</main></div>", "locked"),
        ("<main><h1>ბაღი</h1><div inert>{text}</div></main>", None),
        ("<main inert><h1>ბაღი</h1>{text}</main><dialog open><button>ok</button></dialog>", None),
        ("<main inert><h1>ბაღი</h1>{text}</main><div role=dialog><button>ok</button></div>", None),
    ],
)
def test_inert_main_part_locks_the_page(page: str, kind: str | None) -> None:
    """While a dialog is open, it is meant to be."""
    text = " ".join(f"სიტყვა{n}" for n in range(60))
    found = stead_of(make_document(page.format(text=f"<p>{text}</p>"), url="https://example.com/a"), sizes={})

    assert (None if found is None else found.kind) == kind


@pytest.mark.parametrize(
    ("css", "more", "is_hidden"),
    [
        ("@media (max-width: 600px) {main {display: none}}", "", True),
        ("@media (min-width: 900px) {.c {visibility: hidden}}", "", True),
        ("@media (max-width: 600px) {main {display: none}} @media (min-width: 601px) {.m {display: none}}", "", False),
        ("@media (max-width: 600px) {main {display: none}}", "<script>document.querySelector('main')</script>", None),
        ("@media (max-width: 200px) {main {display: none}}", "", False),
        ("@media (max-width: 600px) {nav {display: none}}", "", False),
    ],
)
def test_main_part_that_one_screen_does_not_show(css: str, more: str, is_hidden: bool | None) -> None:  # noqa: FBT001
    """Another part may stand in for it there, and a script may show it."""
    page = (
        f"<meta name=viewport content='width=device-width'><style>{css}</style><nav>メニュー</nav>"
        f"<div class=c><main><h1>川</h1><p>{'水の音を聞く。' * 40}</p></main></div><p class=m>川の話</p>{more}"
    )
    found = stead_of(make_document(page), sizes={})

    assert (found is not None and found.kind == "hidden") == (is_hidden is not False)
    assert found is None or found.scripts_may_add == (is_hidden is None)
    without = stead_of(make_document(page.replace("viewport", "author")), sizes={})

    assert without is None or "min-width" in css
