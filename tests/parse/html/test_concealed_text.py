from __future__ import annotations

import pytest

from pagegrade.parse.css.ink import ink_rules
from pagegrade.parse.html.concealed_text import MAX_OTHERS, find_concealed_text
from pagegrade.parse.html.parser import parse_document
from tests.builders import make_document


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("<p style='color:#fff'>One two</p>", "ground"),
        ("<p style='color:transparent'>One two</p>", "transparent"),
        ("<p style='font-size:0'>One two</p>", "tiny"),
        ("<style>body{display:none}</style><p>One two</p>", "page"),
    ],
)
def test_text_is_found_with_its_reason(page: str, why: str) -> None:
    """And its words are counted."""
    found = find_concealed_text(make_document("<!doctype html><title>x</title>" + page))

    assert (found.words, found.share, [one[1] for one in found.places]) == (2, 1.0, [why])


def test_share_is_that_of_all_text() -> None:
    """By characters, blanks between paragraphs included."""
    found = find_concealed_text(make_document("<p>abcd</p><p style='color:#fff'>efgh</p>"))

    assert found.share == pytest.approx(4 / 9)


SHEET = "https://example.com/a.css"


def _linked(css: str, html: str = "") -> float:
    """Share of a page's text that no one can see, with one sheet of its own in a file."""
    page = f"<link rel=stylesheet href=/a.css>{html}<main><h1>წვიმა</h1><p>{'ფოთოლი წყალზე ' * 20}</p></main>"
    return find_concealed_text(make_document(page), {SHEET: ink_rules(css)}).share


@pytest.mark.parametrize(
    ("css", "share"),
    [
        ("body{background:#fff;color:#fff}", 0.9),
        ("body{color:#fefefe}", 0.9),
        ("body{background:#222;color:#ddd}p{color:#242424}", 0.9),
        ("body{background:#fff;color:#222}", 0.0),
        ("body{background:#111}p{color:#fff}h1{color:#fff}", 0.0),
        ("body{color:#fff;background:url(a.png)}", 0.0),
        ("p{color:#fff}main p{background:#000}", 0.0),
        ("p{color:#fff}[lang]{color:#000}", 0.0),
        ("@media print{p{color:#fff}}", 0.0),
    ],
)
def test_sheets_in_files_color_text_and_ground(css: str, share: float) -> None:
    """Text that another rule, a picture or a condition may change counts as seen."""
    assert _linked(css) >= share if share else _linked(css) == 0.0


@pytest.mark.parametrize(
    ("css", "share"),
    [
        ("body,p,h1{-webkit-text-fill-color:transparent;color:#222}", 0.9),
        ("body{color:#222}p{-webkit-text-fill-color:#fff}", 0.9),
        ("p{color:#fff;-webkit-text-fill-color:#222}", 0.0),
        ("p{background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent}", 0.0),
        ("main{color:transparent}p,h1{background-image:url(a.png);background-clip:text}", 0.0),
        ("body{font-size:0}p{font-size:1em}h1{font-size:200%}", 0.9),
        ("body{font-size:0}p{font-size:1rem}h1{font-size:2rem}", 0.0),
        ("html{font-size:1px}p{font-size:16em}h1{font-size:30rem}", 0.0),
    ],
)
def test_fill_of_letters_and_proportions_of_nothing(css: str, share: float) -> None:
    """A fill is drawn over the color, a clipped ground in place of both, and any part of 0 is 0."""
    assert _linked(css) >= share if share else _linked(css) == 0.0


def test_sheet_that_was_not_read_may_color_everything() -> None:
    """Nothing is said about a page of which a sheet is unknown, and of two sheets which do not agree."""
    other = "<link rel=stylesheet href=/b.css>"

    assert _linked("p{color:#fff}", other) == 0.0
    assert _linked("p{color:#fff}", "<style>p{color:#000}</style>") == 0.0


TEXT = "<p>Our chairs are made of teak and stay outside in every season of the year.</p>"


@pytest.mark.parametrize(
    ("css", "share"),
    [
        ("main p{color:#fff}body{background:#fff}", 1.0),
        (".b>p{color:#fefefe}", 1.0),
        (".a .b p{color:transparent}", 1.0),
        ("main p{font-size:1px}", 1.0),
        (".b p{color:#fff} .a .b{background:#fff}", 1.0),
        ("main p{color:#fff} .a .b{background:#222}", 0.0),
        ("main p{color:#fff} .a .b{background:url(dark.png)}", 0.0),
        ("main p{color:#fff} @media print{p{color:#000}}", 0.0),
        ("main p{color:#fff} p:lang(en){color:#000}", 0.0),
        ("aside p{color:#fff}", 0.0),
        ("main p:hover{color:#fff}", 0.0),
        ("main p{color:#222}", 0.0),
    ],
)
def test_rules_for_elements_in_others(css: str, share: float) -> None:
    """Looked up where they could conceal most of the text; what a condition decides is unknown."""
    page = f"<!doctype html><style>{css}</style><main class=a><div class=b>{TEXT * 5}</div></main>"

    assert find_concealed_text(make_document(page)).share == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(("others", "share"), [(2, 0.33), (4, 0.0)])
def test_little_text_may_stand_on_a_picture(others: int, share: float) -> None:
    """As the words at the top of many pages do: at the limit, and below it."""
    page = f"<style>.top p{{color:#fff}}</style><div class=top>{TEXT}</div>{TEXT * others}"

    assert find_concealed_text(make_document(page)).share == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(("rules", "share"), [(MAX_OTHERS, 1.0), (MAX_OTHERS + 1, 0.0)])
def test_so_many_of_these_rules_are_looked_up(rules: int, share: float) -> None:
    """One more is unknown, and unknown text counts as seen."""
    page = f"<style>{'main p{color:#fff}' * rules}</style><main>{TEXT}</main>"

    assert find_concealed_text(make_document(page)).share == share


BODY = "<main class=m><h1>Stühle</h1><p class=t>Unsere Stühle sind aus Holz und bleiben draußen.</p></main>"


@pytest.mark.parametrize(
    ("css", "share"),
    [
        (":root{--a:#fff;--b:var(--a)}body{background:var(--a);color:var(--b)}", 1.0),
        ("html{--a:#222}body{background:#222;color:var(--a, #fff)}", 1.0),
        ("body{background:#222;color:var(--missing, #232323)}", 1.0),
        (":root{--a:#fff}body{background:var(--a);color:#222}", 0.0),
        (":root{--a:#fff}.m{--a:#222}body{color:var(--a)}", 0.0),
        (":root{--a:#fff}@media(prefers-color-scheme:dark){:root{--a:#000}}body{color:var(--a)}", 0.0),
        (":root{--a:#fff}body{color:var(--b)}", 0.0),
        (":root{--a:var(--b);--b:var(--a)}body{color:var(--a)}", 0.0),
    ],
)
@pytest.mark.parametrize("place", ["file", "page"])
def test_custom_properties_of_the_whole_page_are_followed(css: str, share: float, place: str) -> None:
    """One that another element or a condition may change is unknown."""
    if place == "page":
        assert find_concealed_text(make_document(f"<style>{css}</style>{BODY}")).share == pytest.approx(share, rel=0.05)
    else:
        page = make_document(f"<link rel=stylesheet href=/a.css>{BODY}")
        assert find_concealed_text(page, {SHEET: ink_rules(css)}).share == pytest.approx(share, rel=0.05)


def test_style_attributes_may_set_a_property_anew() -> None:
    """So it is unknown."""
    page = f"<style>:root{{--a:#fff}}body{{color:var(--a)}}</style><div style='--a:#000'>{BODY}</div>"

    assert find_concealed_text(make_document(page)).share == 0.0


@pytest.mark.parametrize(
    ("css", "share"),
    [
        (".m{color:#fff}", 1.0),
        (".m{background:#222;color:#232323}", 1.0),
        (".m{color:#fff;background:#222}", 0.0),
        (".m{color:#fff}.t::before{background:#222}.m::before{background:#222}", 0.0),
        (".other{color:#fff}", 0.0),
        (".m{color:#fff;background-image:url(a.png)}", 0.0),
    ],
)
def test_classes_in_files_conceal_a_good_part_of_the_text(css: str, share: float) -> None:
    """A rule for what the page does not have does nothing."""
    page = make_document(f"<link rel=stylesheet href=/a.css>{BODY}")

    assert find_concealed_text(page, {SHEET: ink_rules(css)}).share == pytest.approx(share, rel=0.05)


def test_white_text_on_a_picture_is_read() -> None:
    """A picture may be placed behind it."""
    page = f"<link rel=stylesheet href=/a.css>{BODY.replace('<h1>', '<img src=/sea.jpg><h1>')}"

    assert find_concealed_text(make_document(page), {SHEET: ink_rules(".m{color:#fff}")}).share == 0.0


FADES = ".m{opacity:0;transition:opacity 1s}.m.on{opacity:1}"


@pytest.mark.parametrize(
    ("css", "script", "share"),
    [
        (FADES, "", 1.0),
        (FADES, "<script src=/gone.js></script>", 1.0),
        (FADES, "<script type=application/ld+json>{}</script>", 1.0),
        (FADES, "<script src=/here.js></script>", 0.0),
        (FADES, "<script>show()</script>", 0.0),
        ("[data-show]{opacity:0}", "<div data-show>", 1.0),
        (".m{opacity:0;animation:in 1s forwards}", "", 0.0),
        (".m{animation:in 1s forwards;opacity:0}", "", 0.0),
        (".m{opacity:0}.m:target{opacity:1}", "", 0.0),
        (".m{opacity:.5}", "", 0.0),
        ("body{opacity:0}", "", 1.0),
    ],
)
def test_what_only_a_script_fades_in_is_not_seen_without_one(css: str, script: str, share: float) -> None:
    """A script that runs may show it, and so does an animation."""
    body = f"<!doctype html><style>{css}</style>{script}{BODY}".encode()
    page = parse_document(
        body, url="https://example.com/", content_type="text/html", lost={"https://example.com/gone.js"}
    )

    assert find_concealed_text(page).share == pytest.approx(share, rel=0.05)


@pytest.mark.parametrize(
    ("css", "is_seen"),
    [
        ("main{color:rgba(34,34,34,.03)}", False),
        ("main{color:rgb(34 34 34 / 4%)}", True),
        ("p,h1{color:#22222208}", False),
        ("main{color:rgba(34,34,34,.6)}", True),
        ("main{filter:blur(14px)}", False),
        ("main{filter:blur(1px)}", True),
        ("main{transform:scale(0)}", False),
        ("main{transform:scale(1.02)}", True),
        ("main :is(p,h1){color:#fff}", False),
        ("main :where(p, h1){color:#222}", True),
    ],
)
def test_faint_blurred_and_shrunk_text_cannot_be_seen(css: str, *, is_seen: bool) -> None:
    """In a sheet of its own."""
    assert (_linked(css) < 0.5) == is_seen


@pytest.mark.parametrize(
    ("css", "share"),
    [
        ("body{color:#333}", 0.9),
        ("body{color:#222!important}", 0.0),
        ("body:not(.pale){color:#222}", 0.0),
    ],
)
def test_later_of_two_sheets_decides(css: str, share: float) -> None:
    """Except over what the earlier one calls important, and where a condition decides."""
    own = "<style>:root{--ground:#fbf7ef;--ink:var(--ground)}body{background:var(--ground);color:var(--ink)}</style>"

    assert _linked(css, own) >= share if share else _linked(css, own) == 0.0
    assert _linked(css, own.replace("<style>", "<style media=print>")) == 0.0


def test_earlier_of_two_sheets_does_not_decide() -> None:
    """The page's own rules stand before the file here."""
    page = "<style>body{color:#fff}</style><link rel=stylesheet href=/a.css><p>ფოთოლი წყალზე</p>"

    assert find_concealed_text(make_document(page), {SHEET: ink_rules("body{color:#222}")}).share == 0.0


@pytest.mark.parametrize(
    ("css", "share"),
    [
        ("main{font-size:.01em}main h1{font-size:2em}", 0.9),
        ("main{font-size:4%}", 0.9),
        ("main{font-size:.01em}main p,main h1{font-size:1rem}", 0.0),
        ("main{font-size:62.5%}", 0.0),
        ("main p,main h1{text-indent:-9999px}", 0.9),
        ("main{text-indent:-9999px}", 0.9),
        ("main{text-indent:-99px}", 0.0),
        ("main{opacity:.01}", 0.9),
        ("main{opacity:.5}", 0.0),
    ],
)
def test_text_without_size_or_place_cannot_be_seen(css: str, share: float) -> None:
    """An indent moves the first line of each part, and what is longer begins again in the window."""
    assert _linked(css) >= share if share else _linked(css) == 0.0


@pytest.mark.parametrize(
    ("css", "is_read"),
    [
        ("body{transform:scaleX(-1)}", False),
        ("main{transform:rotate(180deg)}", False),
        ("main{transform:scale(-1)}main h1,main p{transform:scale(-1)}", True),
        ("main{transform:rotate(10deg)}", True),
        ("main{transform:scaleX(.98)}", True),
        ("main{letter-spacing:-1em}", False),
        ("main p{letter-spacing:-8px}", False),
        ("main p{letter-spacing:-7px}", True),
        ("main{letter-spacing:-.02em}", True),
        ("main{letter-spacing:-1em}main h1,main p{letter-spacing:normal}", True),
        ("main,main *{-webkit-text-fill-color:transparent}", False),
        ("*{color:#fff}", False),
        ("*{color:#fff}p,h1{color:#222}", True),
        ("body{background:linear-gradient(#fff,#fefefe);color:#fff}", False),
        ("body{background:linear-gradient(to right, rgb(255,255,255) 0%, white 100%);color:#fff}", False),
        ("body{background:linear-gradient(#fff,#036);color:#fff}", True),
    ],
)
def test_text_that_is_drawn_so_that_no_one_can_read_it(css: str, *, is_read: bool) -> None:
    """Mirrored, upside down, piled up, without a fill, or on a gradient of one color."""
    assert (_linked(css) < 0.5) == is_read


@pytest.mark.parametrize(
    ("css", "share"),
    [
        ("p,h1{font-size:4px}", 0.9),
        ("p,h1{font-size:5px}", 0.0),
        ("main{font-size:25%}", 0.9),
        ("main{color:#ddd}", 0.9),
        ("main{color:#767676}", 0.0),
        ("body{background:navy}main{color:hsl(240 60% 20%)}", 0.9),
        ("main{width:39px}", 0.9),
        ("main{width:40px}", 0.0),
        ("main{columns:30px}", 0.9),
        ("main{column-width:30px;column-count:2}", 0.0),
        ("main{width:10px;white-space:nowrap}", 0.0),
        ("main{width:10px;position:absolute}", 0.0),
        ("main{width:10px}p,h1{width:99px}", 0.0),
        ("main{color:#e2e2e2}main *{color:inherit}", 0.9),
        ("main{max-height:0;overflow:hidden}", 0.0),
        ("a{width:10px}", 0.0),
        ("main{max-height:20px;overflow:hidden}", 0.7),
        ("main{max-height:20px;overflow:auto}", 0.0),
        ("main{max-height:600px;overflow:hidden}", 0.0),
        ("main{max-height:20px;overflow:hidden}main.open{max-height:none;overflow:visible}", 0.7),
    ],
)
def test_size_contrast_and_room_decide_by_their_measure(css: str, share: float) -> None:
    """Whatever the unit: what people read is a matter of pixels, of contrast and of letters in a line."""
    assert _linked(css) >= share if share else _linked(css) == 0.0


def test_box_that_a_script_may_unfold_is_not_cut() -> None:
    """A button for the rest needs a script."""
    assert _linked("main{max-height:20px;overflow:hidden}", "<script>unfold()</script>") == 0.0


@pytest.mark.parametrize(
    ("css", "is_read"),
    [
        ("main{transform:rotate(90deg)}", False),
        ("main{rotate:-.25turn}", False),
        ("main{transform:rotate(90deg)}main p,main h1{transform:rotate(-90deg)}", True),
        ("main{transform:rotate(59deg)}", True),
        ("main{writing-mode:vertical-rl}", False),
        ("main{writing-mode:vertical-rl;transform:rotate(-90deg)}", True),
        ("h1{writing-mode:vertical-rl;transform:rotate(180deg)}", True),
        ("main{filter:brightness(0)}", True),
        ("main{background:#fff;filter:brightness(0)}", False),
        ("main{background:#fff;filter:brightness(.9)}", True),
        ("main{filter:contrast(0) brightness(3)}", False),
        ("main{filter:invert(1)}", False),
        ("main{background:#fff;filter:invert(1)}", True),
        ("body{background:#000;color:#fff}main{mix-blend-mode:multiply}", False),
        ("main{mix-blend-mode:screen}", False),
        ("main{mix-blend-mode:multiply}", True),
        ("body{background:url(a.png)}main{mix-blend-mode:screen}", True),
        ("main{opacity:.3}main p,main h1{opacity:.3}", False),
        ("main{opacity:.6}main p,main h1{opacity:.8}", True),
        ("main{font-family:Wingdings}", False),
        ("main{font-family:'Zapf Dingbats',serif}", False),
        ("main{font-family:Wingdings}main p,main h1{font-family:symbola;opacity:.99}", True),
        ("p{text-decoration:line-through 1em}", False),
        ("p{text-decoration:line-through;text-decoration-thickness:60%}", False),
        ("p{text-decoration:line-through 1px}", True),
        ("p{text-decoration:underline 1em}", True),
        ("p{-webkit-text-stroke:8px #222}", False),
        ("p{-webkit-text-stroke:5px #222}", True),
        ("p{font-size:240px}", False),
        ("p{font-size:30vw}", False),
        ("p{font-size:239px}", True),
        ("h1{font-size:40vw}", True),
    ],
)
def test_one_measure_holds_whatever_keeps_letters_from_being_read(css: str, *, is_read: bool) -> None:
    """Shape, size, color and font as the eye gets them, after all that is around."""
    assert (_linked(css) < 0.5) == is_read


def test_lines_from_top_to_bottom_are_those_of_some_scripts() -> None:
    """Japanese and Mongolian are read so, Georgian is not."""
    css = {SHEET: ink_rules("main{writing-mode:vertical-rl}")}
    page = "<link rel=stylesheet href=/a.css><main><p>{}</main>"

    assert find_concealed_text(make_document(page.format("雨の日は本を読みます。" * 20)), css).share == 0
    assert find_concealed_text(make_document(page.format("ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ " * 20)), css).share == 0
    assert find_concealed_text(make_document(page.format("ფოთოლი წყალზე " * 20)), css).share > 0.9


def test_script_may_turn_what_is_seen_from_its_edge() -> None:
    """Cards that flip and texts that grow are shown by one, and nobody turns a page that stands on its side."""
    page = "<style>main{{transform:{}}}</style><script>flip()</script><main><p>{}</main>"

    for transform, share in (("rotateY(180deg)", 0.0), ("scale(.1)", 0.0), ("rotate(90deg)", 1.0)):
        found = find_concealed_text(make_document(page.format(transform, "ფოთოლი წყალზე " * 20)))
        assert found.share == pytest.approx(share)
