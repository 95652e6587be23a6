"""Layers over a page in several scripts, and what only looks like them."""

from __future__ import annotations

import pytest
from turbohtml import Element

from pagegrade.parse.css.ink import ink_rules
from pagegrade.parse.html.layers import MAX_PLACING, MIN_BARS, MIN_PILED, find_cover, find_piled
from tests.builders import make_document

TEXTS = {
    "Bengali": "বাগানের পুরোনো আমগাছের নিচে প্রতি শুক্রবার গল্পের আসর বসে, চা আর মুড়ি থাকে সবার জন্য। ",
    "Greek": "Στον κήπο πίσω από την εκκλησία μαζεύονται κάθε Σάββατο γείτονες και φτιάχνουν μαρμελάδες. ",
    "Hebrew": "בגן שמאחורי השוק נפגשים השכנים בכל שבוע, שותלים ירקות ומבשלים יחד מרק גדול לכולם. ",
    "Korean": "뒷마당 텃밭에서 이웃들이 토요일마다 모여 채소를 심고 함께 점심을 지어 나누어 먹는 모임입니다. ",
}
ABOVE = "position:fixed;z-index:999;"
FULL = f"{ABOVE}inset:0"


def page_of(css: str, text: str, *, parts: int = MIN_PILED, more: str = "") -> str:
    """A page with so many sections, and the rules of its own."""
    sections = "".join(f"<section class=part><h2>{n}</h2><p>{text * 2}</p></section>" for n in range(parts))
    return f"<title>1</title><style>{css}</style><header>1</header><main>{sections}</main><footer>2</footer>{more}"


def layer_of(page: str) -> tuple[str, bool] | None:
    """Tag of the layer over a page, and whether a script may take it away."""
    document = make_document(page)
    assert document.body is not None
    assert isinstance(document.body.node, Element)
    found = find_cover(document, document.body.node, ())
    return None if found is None else (found[0].tag, found[1])


def piled(page: str, sheet: str = "") -> bool | None:
    """Return whether a script may part what lies in one place; ``None`` where nothing does."""
    document = make_document(page)
    assert document.body is not None
    assert isinstance(document.body.node, Element)
    found = find_piled(document, document.body.node, [ink_rules(sheet) or ()])
    return None if found is None else found[1]


@pytest.mark.parametrize("language", TEXTS)
def test_frame_over_the_window_covers_the_page(language: str) -> None:
    """Unless it is hidden, lies in a corner, or the page has no text of its own."""
    frame = f"<iframe src=https://chat.test/ style='{FULL}'></iframe>"
    page = page_of("p{margin:0}", TEXTS[language], more=frame)

    assert layer_of(page) == ("iframe", False)
    assert layer_of(f"{page}<script>close()</script>") == ("iframe", True)
    assert layer_of(page.replace("inset:0", "right:0;bottom:0;height:90px")) is None
    assert layer_of(page.replace("inset:0", "inset:0;display:none")) is None
    assert layer_of(f"<title>1</title><p>{language}</p>{frame}") is None


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(("height", "is_found"), [(MIN_BARS - 40, True), (MIN_BARS - 41, False)])
def test_bars_at_both_edges_leave_no_line(language: str, height: int, *, is_found: bool) -> None:
    """From nine tenths of the window on; one that lets the page shine through does not count."""
    bar = "position:fixed;left:0;right:0;background:#fff;"
    css = f"header{{{bar}top:0;height:40vh}}footer{{{bar}bottom:0;height:{height}vh}}"
    page = page_of(css, TEXTS[language])

    assert layer_of(page) == (("footer", False) if is_found else None)
    assert layer_of(page.replace("background:#fff", "background:transparent")) is None


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("place", ["grid-area:1/1", "grid-row:1;grid-column:1", "grid-area: 1 / 1 / 2 / 2"])
def test_parts_in_one_cell_lie_on_one_another(language: str, place: str) -> None:
    """From three parts on, whether a file or the page says so."""
    css = f"main>section{{{place}}}"

    assert piled(page_of(css, TEXTS[language])) is False
    assert piled(page_of("", TEXTS[language]), css) is False
    assert piled(page_of(css, TEXTS[language], parts=MIN_PILED - 1)) is None


@pytest.mark.parametrize(
    "css",
    [
        "main>section{grid-area:1/1;opacity:0}",
        "main>section{grid-area:1/1}.part{grid-row:2}",
        "main>section{grid-column:1}",
        "@media print{main>section{grid-area:1/1}}",
        "header{grid-area:1/1}main{grid-area:2/1}footer{grid-area:3/1}",
    ],
)
def test_parts_that_have_a_place_of_their_own_do_not(css: str) -> None:
    """Those that show one after the other, and those of an ordinary grid."""
    assert piled(page_of(css, TEXTS["Greek"])) is None


def test_script_may_part_what_it_can_name() -> None:
    """By a class or an id in the selector."""
    page = page_of(".part{grid-area:1/1}", TEXTS["Hebrew"], more="<script>turn('part')</script>")

    assert piled(page) is True
    assert piled(page.replace(".part{", "section{")) is False


@pytest.mark.parametrize(("count", "expected"), [(MAX_PLACING - 1, False), (MAX_PLACING, None)])
def test_sheet_that_places_too_much_is_unknown(count: int, expected: object) -> None:
    """Each of its selectors is looked up in the page."""
    css = "main>section{grid-area:1/1}" + "".join(f".a{n}{{grid-row:{n}}}" for n in range(count))

    assert piled(page_of(css, TEXTS["Korean"])) is expected


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("place", ["position:absolute;top:0", "position:absolute;inset:9rem 0 0"])
def test_parts_that_stand_apart_in_one_place_lie_on_one_another(language: str, place: str) -> None:
    """A file or the page says so; not where a rule or an attribute gives each a place of its own."""
    css = f"main section{{{place}}}"

    assert piled(page_of(css, TEXTS[language])) is False
    assert piled(page_of("", TEXTS[language]), css) is False
    assert piled(page_of(f"{css}section:nth-child(2){{top:40rem}}", TEXTS[language], parts=3)) is None
    assert piled(page_of("", TEXTS[language]), f"{css}section+section{{top:40rem}}") is None
    assert piled(page_of(f"{css}.part{{left:3rem}}", TEXTS[language])) is None
    assert piled(page_of(css, TEXTS[language]).replace("<section", "<section style='top:4rem'")) is None


@pytest.mark.parametrize(
    ("selector", "place", "found"),
    [
        ("body::before", f"content:'';{FULL};background:#fff", ("body", False)),
        ("html:after", f"content:'';{FULL};background:#123", ("html", False)),
        ("main::after", f"content:'';{FULL};background:white", ("main", False)),
        (".none::after", f"content:'';{FULL};background:white", None),
        ("body::before", f"{FULL};background:#fff", None),
        ("body::before", f"content:'';{FULL};background:none", None),
        ("body::before", f"content:'';{FULL};background:#fff;pointer-events:none", None),
        ("body::before", "content:'';position:fixed;inset:0;z-index:-1;background:#fff", None),
    ],
)
def test_generated_layer_covers_the_page(selector: str, place: str, found: object) -> None:
    """If it has a color and lies above; a script may take it away."""
    page = page_of(f"{selector}{{{place}}}", TEXTS["Korean"])

    assert layer_of(page) == found
    if found is not None:
        assert (layer_of(f"{page}<script>ready()</script>") or ("", False))[1] is True


@pytest.mark.parametrize(
    "before", ["", "/* part */", "@import 'a.css';", "h2{color:red}", "@media print{p{color:red}}"]
)
def test_piled_parts_are_found_whatever_stands_before_their_rule(before: str) -> None:
    """Comments, other rules and conditions."""
    assert piled(page_of(f"{before}section{{position:absolute;top:0}}", TEXTS["Greek"])) is False
    assert piled(page_of(f"{before}@media print{{section{{position:absolute;top:0}}}}", TEXTS["Greek"])) is None
