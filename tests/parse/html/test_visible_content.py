"""A page that shows anything at all is not empty."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.parser import parse_document
from pagegrade.parse.html.visible_content import (
    MAX_NODES,
    find_undrawn,
    find_waiting,
    hides_much,
    names_of_root,
    names_within,
    shows_nothing,
    stays_faded,
)
from tests.builders import URL, make_document
from tests.linear import MAX_RATIO, growth


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


_HIDDEN = "<style id=hide>body{opacity:0!important}</style>"
_GTAG = (
    "<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}"
    "gtag('js',new Date());gtag('config','G-1');</script>"
)


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
            _HIDDEN + "<script>window.tst=window.tst||[];tst.push(function(){hide.remove()})</script>",
            "",
            {"hide", "tst"},
        ),
        (_HIDDEN + "<script>window.tst=window.tst||[];tst.push(f);hide.remove()</script>", "", {"hide"}),
        (_HIDDEN + _GTAG, "", {"hide"}),
        (
            "<style>body{opacity:0!important}</style><script>tst=tst||[];tst.push(['opacity',1])</script>",
            "",
            {"opacity", "tst"},
        ),
        (
            _HIDDEN + "<script>a1=a1||[];b1=b1||[];a1.push(1);b1.push(2);b1.push(hide)</script>",
            "",
            {"hide", "b1"},
        ),
    ],
)
def test_names_by_which_a_script_shows_a_page(head: str, attributes: str, names: set[str]) -> None:
    """Those of the rules that leave all of it without opacity; a page that is shown has none."""
    document = make_document(f"<!doctype html><html {attributes}><head>{head}<body {attributes}><p>слово")

    assert set(names_of_root(document.body.node)) == names  # type: ignore[union-attr, arg-type]


_LOST = "https://test.example/a.js"
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


@pytest.mark.parametrize("text", ["слово", "言葉", "कुर्सी"])
def test_scripts_that_count_visits_show_no_page(text: str) -> None:
    """Every one of them knows the list of orders for itself, which says nothing about the page."""
    page = (
        f"<!doctype html>{_HIDDEN}<script src=https://test.example/a.js></script>"
        f"<script async src=https://tags.example/gtag.js></script>{_GTAG}<p>{text}"
    )
    document = parse_document(page.encode(), url=URL, content_type="text/html; charset=utf-8", lost=[_LOST])
    said = {"https://tags.example/gtag.js": ("dataLayer",)}

    assert stays_faded(document, said)
    assert not stays_faded(document, {"https://tags.example/gtag.js": ("hide",)})


@pytest.mark.parametrize(
    ("attributes", "is_faded"),
    [
        ("type=text/plain", False),
        ("type=application/json", False),
        ("nomodule", False),
        ("", True),
        ("type=module", True),
    ],
)
def test_only_scripts_that_browsers_run_can_be_missing(attributes: str, *, is_faded: bool) -> None:
    """Scripts that wait for consent are data, and those for old browsers are not asked for."""
    page = f"<!doctype html>{_HIDDEN}<script {attributes} src={_LOST}></script><script>{_ORDER}</script><p>слово"
    document = parse_document(page.encode(), url=URL, content_type="text/html; charset=utf-8", lost=[_LOST])

    assert stays_faded(document, {}) is is_faded


def test_many_scripts_cost_linear_time() -> None:
    """Each is looked at once, whatever the others are."""
    pages = {
        n: make_document(f"<!doctype html>{_HIDDEN}{'<script src=/a.js></script>' * n}<script>{_ORDER}</script><p>x")
        for n in (2_000, 4_000, 8_000)
    }

    assert growth(lambda n: stays_faded(pages[n], {f"{URL}a.js": ()}), 2_000) <= MAX_RATIO


_PIECE = "<section class='wow fadeIn' data-wow-delay=.3s><h2>{0}</h2><p>{1}</p></section>"
_TEXTS = ("Запись к врачу без очереди. ", "予約なしで診察します。", "נקבל אתכם בלי תור. ", "हम बिना प्रतीक्षा देखते हैं। ")
_CALL = "<script>document.addEventListener('load',function(){new Show({mobile:true}).init()})</script>"
_LACKS = "<script src=/wow.js></script>"
_UNBLOCK = "<script>c.classList.remove('busy')</script>"
_FILES = ("https://example.com/jq.js", "https://example.com/wow.js")


def waiting(
    rules: str = ".wow{visibility:hidden}",
    tail: str = _CALL,
    *,
    text: str = _TEXTS[0],
    lost: bool = True,
    said: dict[str, tuple[str, ...] | None] | None = None,
) -> bool:
    """Find what waits in a page whose library is missing, or not."""
    pieces = "".join(_PIECE.format(number, text * 20) for number in range(4))
    files = "".join(f"<script src={url} defer></script>" for url in _FILES)
    page = f"<!doctype html><style>{rules}</style>{files}<header>Q</header><main><div>{pieces}</div></main>{tail}"
    missing = [_FILES[1]] if lost else []
    document = parse_document(page.encode(), url=URL, content_type="text/html; charset=utf-8", lost=missing)
    part = next(iter(document.body.node.select("main")))  # type: ignore[union-attr]
    names: dict[str, tuple[str, ...] | None] = {_FILES[0]: (), _FILES[1]: ("wow",)}
    return find_waiting(document, part, names | (said or {})) is not None


@pytest.mark.parametrize("text", _TEXTS)
@pytest.mark.parametrize(
    ("rules", "tail"),
    [
        (".wow{visibility:hidden}", _CALL),
        (".wow{visibility:hidden}.animated{visibility:visible}", _CALL),
        (".wow.is-in{visibility:visible}.wow{visibility:hidden}", _CALL),
        ("[data-wow-delay]{display:none}", _CALL),
        (".fadeIn{visibility:hidden}", "<script>reveal('.fadeIn')</script>"),
        (".wow{visibility:hidden}", ""),
        (".wow{visibility:hidden}@keyframes fadeIn{to{opacity:1}}", _CALL),
        (".wow{visibility:hidden}", "<script>navigator.sendBeacon('/n')</script>"),
        (".wow{visibility:hidden}", "<script>menu.onclick=function(){menu.classList.toggle('open')}</script>"),
    ],
)
def test_pieces_that_wait_for_a_missing_script(rules: str, tail: str, text: str) -> None:
    """Whatever the library is called, and in any language."""
    assert waiting(rules, tail, text=text)


@pytest.mark.parametrize(
    ("rules", "tail"),
    [
        (".wow{visibility:hidden}section:target{visibility:visible}", _CALL),
        (".wow{visibility:hidden}section:hover{visibility:visible}", _CALL),
        (".wow{visibility:hidden}.js-off .wow{visibility:visible}", _CALL),
        ("@media print{.wow{visibility:hidden}}", _CALL),
        (".wow{visibility:hidden}section{visibility:visible!important}", _CALL),
        (".wow{visibility:hidden}.wow p{visibility:visible}", _CALL),
        (".wow{color:red}", _CALL),
        (".wow{visibility:hidden}", "<script>$('.wow').css('visibility','visible')</script>"),
        (".wow{visibility:hidden}", "<script>q('.wow').forEach(e=>e.classList.add('on'))</script>"),
        (".wow{visibility:hidden}", "<script>q('section').forEach(e=>e.style.visibility='visible')</script>"),
        (".wow{visibility:hidden}", "<script>s=document.createElement('script');s.src='/b.js'</script>"),
        (".wow{visibility:hidden}", "<script>import('/b.js')</script>"),
        (".wow{visibility:hidden}", "<script type=module src=/b.js></script>"),
        (".wow{visibility:hidden}", "<script type=rocketlazyloadscript src=/b.js></script>"),
        (".wow{visibility:hidden}", "<script src=/unread.js></script>"),
        (".wow{visibility:hidden;animation:in 1s forwards}@keyframes in{to{visibility:visible}}", _CALL),
        (".wow{visibility:hidden}", "<button onclick=\"answers.style.visibility='visible'\">Показать</button>"),
        (
            ".wow{visibility:hidden}",
            "<script src=/none.js onerror=\"document.getElementById('hide').remove()\"></script>",
        ),
    ],
)
def test_pieces_that_something_else_may_show(rules: str, tail: str) -> None:
    """A state, another script, a loader, a file that was not read; or nothing is hidden."""
    assert not waiting(rules, tail)


@pytest.mark.parametrize(
    ("root", "pieces", "scripts", "found"),
    [
        ("", "<section class=wow>{}</section>", _LACKS, 1),
        ("", "<section class=wow>{}</section>", "", 0),
        ("", "<section>{}</section>", f"{_LACKS}<script src=/jq.js></script>", 0),
        (" class=busy", "<section class=wow>{}</section>", f"{_LACKS}{_UNBLOCK}", 0),
        (" class=idle", "<section class=wow>{}</section>", f"{_LACKS}{_UNBLOCK}", 1),
    ],
)
def test_pieces_that_nothing_is_missing_for(root: str, pieces: str, scripts: str, found: int) -> None:
    """Without scripts nothing is missing; without names a script finds them as it likes; or it looks at the root."""
    main = "".join(pieces.format(f"<p>{_TEXTS[0] * 20}</p>") for _ in range(4))
    page = f"<!doctype html><html{root}><style>main>*{{visibility:hidden}}</style><main>{main}</main>{scripts}"
    lost = ["https://example.com/wow.js"]
    document = parse_document(page.encode(), url=URL, content_type="text/html; charset=utf-8", lost=lost)
    part = next(iter(document.body.node.select("main")))  # type: ignore[union-attr]

    assert (find_waiting(document, part, {"https://example.com/jq.js": ()}) is not None) == found


def test_the_names_of_a_part_are_those_of_the_root_too() -> None:
    """A script that shows the page may take away a class of the root, or a style by its id."""
    piece = f"<section class=wow>{_TEXTS[0] * 20}</section>"
    document = make_document(f"<html class=busy><style id=hide></style><body class=home><main>{piece * 4}</main>")
    part = next(iter(document.body.node.select("main")))  # type: ignore[union-attr]

    assert names_within(part)[:4] == ("busy", "hide", "home", "wow")


@pytest.mark.parametrize("call", ['createElement("script', "createElement('script", "import(", "webpackChunk"])
def test_file_of_the_site_may_load_what_shows_the_pieces(call: str) -> None:
    """A counter of visits loads its own parts."""
    page = f"<style>.wow{{visibility:hidden}}</style><main>{_PIECE.format(1, _TEXTS[0] * 20) * 4}</main>{_LACKS}"
    for name, found in (("https://example.com/run.js", False), ("https://count.test/run.js", True)):
        html = f"{page}<script src={name}></script>"
        lost = ["https://example.com/wow.js"]
        document = parse_document(html.encode(), url=URL, content_type="text/html; charset=utf-8", lost=lost)
        part = next(iter(document.body.node.select("main")))  # type: ignore[union-attr]

        assert call in names_within(part)
        assert (find_waiting(document, part, {name: (call,)}) is not None) == found


@pytest.mark.parametrize("text", _TEXTS)
@pytest.mark.parametrize(
    ("rule", "more", "is_much"),
    [
        ("section{visibility:hidden}", "", True),
        ("section{display:none}section:target{display:block}", "<p>2</p>", True),
        ("section{display:none}", "<script>x</script>", True),
        ("b{}", "", False),
    ],
)
def test_text_that_a_rule_hides(text: str, rule: str, more: str, is_much: bool) -> None:  # noqa: FBT001
    """Most of a main part; what scripts and templates hold is none of it."""
    text = (text * 200)[:400]
    page = f"<style>{rule}</style><main><h1>x</h1>TEXT{more}</main>"
    document = make_document(page.replace("TEXT", f"<section>{text}</section>"))
    unread = f"<script>{text}</script><template><section>{text}</section></template>"
    other = make_document(page.replace("TEXT", unread))
    few = make_document(page.replace("TEXT", f"<section>{text[:250]}</section>"))

    assert hides_much(document, next(iter(document.body.node.select("main")))) == is_much  # type: ignore[union-attr]
    assert not hides_much(other, next(iter(other.body.node.select("main"))))  # type: ignore[union-attr]
    assert not hides_much(few, next(iter(few.body.node.select("main"))))  # type: ignore[union-attr]


def test_pieces_wait_only_for_what_is_missing() -> None:
    """A file that came may show them, whatever names are in it; so may another one that names them."""
    assert not waiting(lost=False)
    assert not waiting(said={_FILES[0]: ("fadeIn",)})
    assert not waiting(said={_FILES[0]: None})
    assert not waiting(text="x")


@pytest.mark.parametrize("part", ["<dialog class=wow>", "<div class=wow popover>", "<div class=wow hidden>"])
def test_pieces_that_visitors_open_wait_for_them(part: str) -> None:
    """No script is needed for a dialog or a popover."""
    page = f"<style>.wow{{visibility:hidden}}</style><main>{part}<p>{_TEXTS[1] * 40}</p>"
    document = make_document(page)

    assert find_waiting(document, next(iter(document.body.node.select("main"))), {}) is None  # type: ignore[union-attr]


def test_names_that_most_pieces_share() -> None:
    """Classes and data attributes; those of one piece of many are none of them."""
    pieces = "".join(_PIECE.format(n, _TEXTS[0] * 9).replace("fadeIn", f"a{n}") for n in range(3))
    document = make_document(f"<main class=page><div class=in>{pieces}</div></main>")
    part = next(iter(document.body.node.select("main")))  # type: ignore[union-attr]

    assert names_within(part)[:3] == ("data-wow-delay", "in", "wow")


def test_many_pieces_cost_linear_time() -> None:
    """The text of each is counted once for every level."""
    pages = {
        n: make_document(f"<style>.wow{{visibility:hidden}}</style><main>{_PIECE.format(1, 'слово') * n}</main>")
        for n in (1_000, 2_000, 4_000)
    }
    parts = {n: next(iter(one.body.node.select("main"))) for n, one in pages.items()}  # type: ignore[union-attr]

    assert growth(lambda n: find_waiting(pages[n], parts[n], {}), 1_000) <= MAX_RATIO
