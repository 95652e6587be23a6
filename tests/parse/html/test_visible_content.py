"""A page that shows anything at all is not empty."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.parser import parse_document
from pagegrade.parse.html.visible_content import MAX_NODES, find_undrawn, names_of_root, shows_nothing, stays_faded
from tests.builders import URL, make_document


@pytest.mark.parametrize(
    "html",
    [
        "word",
        "<img src=/a.png>",
        "<svg><circle r=1 /></svg>",
        "<canvas></canvas>",
        "<iframe src=/a></iframe>",
        "<form><input name=q></form>",
        "<button>x</button>",
        "<video src=/a.mp4></video>",
        "<div style='background:url(/a.png)'></div>",
        "<input type=image src=/a.png alt=go>",
        "<div>" * (MAX_NODES + 1),
    ],
)
def test_something_is_shown(html: str) -> None:
    """Text, pictures, frames, fields and drawings."""
    assert not shows_nothing(make_document(f"<!doctype html><title>x</title><body>{html}"))


@pytest.mark.parametrize(
    "html",
    [
        "",
        "   ",
        "<!-- x -->",
        "<div></div><p></p>",
        "<script>var a = 1;</script>",
        "<p hidden>x</p>",
        "<style>p{}</style>",
    ],
)
def test_nothing_is_shown(html: str) -> None:
    """Empty elements, comments, scripts and what is hidden."""
    assert shows_nothing(make_document(f"<!doctype html><title>x</title><body>{html}"))


STORIES = {
    "en": "Chairs of teak stay outside in every season. " * 9,
    "uk": "Стільці з тика стоять надворі цілий рік. " * 9,
    "zh": "柚木椅子一年四季都可以放在院子里。" * 20,
    "ar": "تبقى كراسي خشب الساج في الخارج طوال العام. " * 9,
}


@pytest.mark.parametrize("text", STORIES.values(), ids=STORIES)
@pytest.mark.parametrize(
    "undrawn",
    [
        "<noscript><h1>A</h1><p>{}</p></noscript>",
        "<canvas><h1>A</h1><p>{}</p></canvas>",
        "<template><h1>A</h1><p>{}</p></template>",
        "<audio controls><p>{}</p></audio>",
        "<details><summary hidden>A</summary><p>{}</p></details>",
        "<dialog><h1>A</h1><p>{}</dialog>",
    ],
)
def test_all_content_in_an_element_that_is_not_drawn(undrawn: str, text: str) -> None:
    """It is the page; beside a page of its own it is a note, as it is where something opens it."""

    def found(inside: str) -> bool:
        main = make_document(f"<!doctype html><title>x</title><main>{inside}</main>")
        part = main.body.node.select_one("main")  # type: ignore[union-attr]
        return find_undrawn(main, part) is not None

    hidden = undrawn.format(text)

    assert found(hidden)
    assert not found(f"<p>{text}</p>{undrawn.format(text[:100])}")
    assert not found(f"{hidden}<p>{text}</p>")
    assert not found(hidden.replace("<summary hidden>", "<summary>").replace("<dialog>", "<dialog open>")) or (
        "summary" not in hidden and "dialog" not in hidden
    )


def test_notes_for_browsers_that_cannot_draw_are_short() -> None:
    """At the limit and below it."""
    for length, is_found in ((299, False), (300, True)):
        page = make_document(f"<main><noscript>{'a' * length}</noscript></main>")

        assert (find_undrawn(page, page.body.node.select_one("main")) is not None) is is_found  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("head", "attributes", "names"),
    [
        ("<style id=hide-it>body{opacity:0!important}</style>", "", {"hide-it"}),
        ("<style>.waits,.waits body { opacity: 0.0 !important }</style>", "class=waits", {"waits"}),
        ("<style>body{opacity:0}body.ready{opacity:1}</style>", "", {"opacity", "ready"}),
        (
            "<style>html.af,html.af body{opacity:0}body{opacity:0}body.ready{opacity:1}</style>",
            "",
            {"opacity", "ready"},
        ),
        ("<style>html{opacity:0!important}html{opacity:1}</style>", "", {"opacity"}),
        ("", "style='opacity: 0'", {"opacity"}),
        ("<style>body{opacity:0;animation:show 1s forwards}</style>", "", set()),
        ("<style>body{opacity:0}</style>", "style=opacity:1", set()),
        ("<style>body{opacity:0}</style><style>body{opacity:1}</style>", "", set()),
        ("<style>/* {} */ body /* a */{color:red;opacity: .0}</style>", "", {"opacity"}),
        ("<style>@media print{body{opacity:0}}</style><style media=print>body{opacity:0}</style>", "", set()),
        ("<style>.waits body{opacity:0}</style>", "", set()),
        ("<style>body{opacity:0.5}main{opacity:0}</style>", "", set()),
        (
            "<style id=hide>body{opacity:0!important}</style><script>window.tst=window.tst||[];tst.push(f)</script>",
            "",
            {"hide", "tst"},
        ),
    ],
)
def test_names_by_which_a_script_shows_a_page(head: str, attributes: str, names: set[str]) -> None:
    """Those of the rules that leave all of it without opacity; a page that is shown has none."""
    document = make_document(f"<!doctype html><html {attributes}><head>{head}<body {attributes}><p>слово")

    assert set(names_of_root(document.body.node)) == names  # type: ignore[union-attr, arg-type]


_SHOW = "document.getElementById('hide').remove()"
_LIST = "window.tst=window.tst||[];"
_PUSH = f"tst.push(['ready',function(){{{_SHOW}}}]);"
_ORDER = _LIST + _PUSH
_LENGTH = len(_PUSH) - len("tst.push(") - len("ready") - len(";")
_OTHER_LISTS = "".join(f"list{n}=list{n}||[];" for n in range(19))


@pytest.mark.parametrize("text", ["слово", "מילה", "言葉", "คำ", "λέξη", "शब्द"])
@pytest.mark.parametrize(
    ("script", "lost", "names", "is_faded"),
    [
        (_ORDER, True, (), True),
        (f"{_ORDER}tst.push(function(){{setTimeout(function(){{{_SHOW}}},9)}})", True, (), True),
        (_ORDER, True, ("tst",), False),
        (_ORDER, False, (), False),
        (f"{_ORDER}{_SHOW}", True, (), False),
        (f"{_ORDER}setTimeout(function(){{{_SHOW}}},3000)", True, (), False),
        (f"{_ORDER}tst.forEach(function(one){{one[1]()}})", True, (), False),
        (f"{_ORDER[:-2]}", True, (), False),
        (_ORDER.replace("ready", "x" * 2_000), True, (), False),
        (f"{_LIST}{_PUSH * 20}", True, (), True),
        (f"{_LIST}{_PUSH * 21}", True, (), False),
        (f"{_OTHER_LISTS}{_ORDER}", True, (), True),
        (f"{_OTHER_LISTS}other=other||[];{_ORDER}", True, (), False),
        (_ORDER.replace("ready", "x" * (2_000 - _LENGTH)), True, (), True),
        (_ORDER.replace("ready", "x" * (2_001 - _LENGTH)), True, (), False),
        (_SHOW, True, (), False),
    ],
)
def test_page_that_waits_for_a_missing_script_is_never_shown(
    text: str, script: str, names: tuple[str, ...], *, lost: bool, is_faded: bool
) -> None:
    """An order in a list shows nothing, unless a script that came knows the list, or the page helps itself."""
    page = (
        "<!doctype html><style id=hide>body{opacity:0!important}</style>"
        "<script src=https://test.example/a.js></script><script src=/own.js></script>"
        f"<script>{script}</script><p>{text}"
    )
    missing = ["https://test.example/a.js"] if lost else []
    document = parse_document(page.encode(), url=URL, content_type="text/html; charset=utf-8", lost=missing)
    said: dict[str, tuple[str, ...]] = {f"{URL}own.js": names, "https://test.example/a.js": ()}

    assert stays_faded(document, said) is is_faded
