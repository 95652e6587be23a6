"""Pages that have nothing of their own to say, in several scripts, and small pages that have."""

from __future__ import annotations

import pytest

from pagegrade.model.artifacts import NotGathered, Resource, ScriptFacts
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from pagegrade.parse.css.ink import ink_rules
from tests.builders import evaluated, make_resource, make_resources, make_well_known, outcome, run

URL = "https://example.com/a/b"
HEAD = '<!doctype html><html><head><meta charset="utf-8"><title>მენიუ</title></head><body>'
NAV = "<header><nav><a href=/1>ერთი</a><a href=/2>ორი</a><a href=/3>სამი</a></nav></header>"
FOOT = "<footer><a href=/4>ოთხი</a></footer>"


def text(words: int) -> str:
    """A text of so many different words."""
    return " ".join(f"სიტყვა{number}" for number in range(words))


EMPTY = {
    "Tamil category": "<h1>பட்டு</h1><p>பொருட்கள் எதுவும் இல்லை.</p>",
    "Bengali cart": "<h1>ঝুড়ি</h1><p>আপনার ঝুড়ি খালি।</p><a href=/>বাজার</a>",
    "Finnish search": "<h1>Haku</h1><form><input name=q><button>Hae</button></form><p>0 tulosta</p>",
    "Amharic list": "<h2>ቡና</h2><p>ምንም የለም።</p>",
    "Vietnamese archive": "<h1>Lưu trữ</h1><p>Chưa có bài viết nào.</p>",
    "Hebrew results": "<h1>חיפוש</h1><p>אין תוצאות.</p>",
}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_between_header_and_footer_is_missing_content(name: str) -> None:
    """Whatever the words for it are."""
    page = f"{HEAD}{NAV}<main>{EMPTY[name]}</main>{FOOT}"

    assert evaluated("main-content", page, url=URL).loss == 1.0
    assert outcome("main-content", page, url=URL).state == "missing"


@pytest.mark.parametrize("name", EMPTY)
def test_page_without_landmarks_is_compared_with_the_answer_for_missing_pages(name: str) -> None:
    """Both have the frame of the site; the rest says nothing."""
    menu = NAV.replace("header", "div").replace("nav", "div")
    frame = f"{HEAD}<div>{menu}{{}}<div>{'კონტაქტი და მისამართი ' * 20}</div></div>"
    missing = make_well_known(frame.format("<h1>გვერდი არ არის</h1>"), url="https://example.com/no", status=404)
    page = frame.format(EMPTY[name])

    assert outcome("main-content", page, url=URL, not_found_probe=missing).state == "missing"
    assert outcome("main-content", page, url=URL).state == "present"


@pytest.mark.parametrize(
    "main",
    [
        "<h1>კონტაქტი</h1><form><input name=a><input name=b><textarea></textarea></form>",
        "<h1>გადახდა</h1><form method=POST action=/pay><input name=a><button>გადახდა</button></form>",
        "<h1>საათები</h1><table><tr><td>7:00</td></tr></table>",
        "<h1>ფოტოები</h1>" + "<img src=/a.jpg alt=ა>" * 6,
        "<h1>ფილმი</h1><video src=/a.mp4></video>",
        "<h1>სია</h1>" + "".join(f"<a href=/x/{n}>{n}</a>" for n in range(6)),
        f"<h1>მოთხრობა</h1><p>{text(30)}",
        "<h1>საათები</h1>" + "<h2>ორშაბათი</h2><p>9 – 12</p>" * 4,
        "<h1>წევრები</h1>" + "<p>ანა</p><p>ნინო</p>" * 2,
        "<h1>ქსოვილი</h1>" + "<div style='background-image:url(/a.jpg)'></div>" * 4,
        f"<h1>ჩვენ</h1><style>.part{{visibility:hidden}}</style><section class=part>{text(60)}</section>",
    ],
)
def test_small_page_with_something_of_its_own_has_content(main: str) -> None:
    """A form, a table, pictures, a film, a list, a short text and one that a script will show are content."""
    assert outcome("main-content", f"{HEAD}{NAV}<main>{main}</main>{FOOT}", url=URL).state == "present"


def test_front_page_and_page_without_a_site_are_not_taken_for_empty() -> None:
    """A front page may consist of its menu, and a page that leads nowhere is no list of a site."""
    main = f"<main>{EMPTY['Tamil category']}</main>"

    assert outcome("main-content", f"{HEAD}{NAV}{main}{FOOT}", url="https://example.com/").state == "present"
    assert outcome("main-content", f"{HEAD}{main}", url=URL).state == "present"


def test_empty_page_that_asks_not_to_be_indexed_is_as_it_should_be() -> None:
    """A cart is not meant for search engines."""
    page = f"{HEAD}<meta name=robots content=noindex>{NAV}<main>{EMPTY['Bengali cart']}</main>{FOOT}"

    assert isinstance(run("main-content", page, url=URL), NotApplicable)


def test_place_that_scripts_may_fill_needs_a_browser() -> None:
    """Without scripts it stays empty."""
    page = f"{HEAD}{NAV}<main>{EMPTY['Tamil category']}<div id=list></div></main>{FOOT}"

    assert isinstance(run("main-content", f"{page}<script src=/list.js></script>", url=URL), NotRun)
    assert outcome("main-content", page, url=URL).state == "missing"


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ('<img src=/menu.jpg alt="მენიუ" width=1400 height=3600>', "picture"),
        ('<img src=/flyer.jpg alt="" width=1920 height=1080>', "picture"),
        ('<h1>ฉลอง</h1><img src=/menu.jpg alt="" width=900 height=1600><a href=/>1</a>', "picture"),
        ("<h1>Étlap</h1><iframe src=/etlap.pdf></iframe>", "document"),
        ("<object data=/t type=application/pdf></object>", "document"),
        ("<embed src=/taarifa.pdf>", "document"),
        ('<iframe src=https://b.example/ style="height:100vh"></iframe>', "framed"),
        ("<iframe src=https://b.example/ width=100% height=1200></iframe>", "framed"),
        ("<h1>Kwenye programu</h1><a href='https://play.google.com/store/apps/details?id=a'>Google Play</a>", "apps"),
        ("<h1>앱에서 보기</h1><a href='intent://a#Intent;end'>열기</a>", "apps"),
    ],
)
def test_one_thing_in_the_place_of_content(body: str, state: str) -> None:
    """Beside a name and a link to the front page."""
    assert outcome("main-content", f"{HEAD}{body}", url=URL).state == state


@pytest.mark.parametrize(
    "body",
    [
        '<h1>ხედი</h1><img src=/a.jpg alt="ხედი" width=1600 height=900><p>ძველი ქალაქი დილით</p><a href=/2>2</a>',
        '<img src=/logo.png alt="ლოგო" width=200 height=300><p>მარა</p>',
        "<h1>Elokuva</h1><iframe src=https://v.example/1 height=720></iframe><p>" + text(30),
        "<iframe src=https://t.example/pixel width=1 height=1></iframe><h1>მარა</h1>",
        "<h1>Esitteet</h1><p>" + text(45) + "</p><iframe src=/a.pdf></iframe>",
        "<h1>App</h1><p>" + text(90) + "</p><a href=https://apps.apple.com/app/id1>App</a>",
    ],
)
def test_picture_frame_document_and_app_beside_content(body: str) -> None:
    """They illustrate what the page says."""
    assert outcome("main-content", f"{HEAD}{body}", url=URL).state == "present"


def test_front_page_of_an_app_leads_to_stores() -> None:
    """That is what it is for."""
    body = "<h1>Vikapu</h1><a href=https://apps.apple.com/app/id1>App Store</a>"

    assert outcome("main-content", f"{HEAD}{body}", url="https://example.com/").state == "present"


TEXT = f"<p>{text(50)}</p>"
COVER = "position:fixed;inset:0;background:#fff"


def test_main_part_that_a_rule_hides_is_hidden() -> None:
    """Scripts may show it, and then a browser has to look."""
    page = f"{HEAD}<style>main{{display:none}}</style><h1>მენიუ</h1><main>{TEXT}</main>"

    assert outcome("main-content", page, url=URL).state == "hidden"
    assert isinstance(run("main-content", page + "<script src=/a.js></script>", url=URL), NotRun)
    assert outcome("main-content", page + "<main>" + TEXT, url=URL).state == "hidden"
    assert outcome("main-content", page.replace("main{", "main.b{"), url=URL).state == "present"


@pytest.mark.parametrize(
    "cover",
    [
        f'<div style="{COVER}"><p>הירשמו כדי להמשיך</p></div>',
        "<div class=v>தொடர மின்னஞ்சலை உள்ளிடுக</div>"
        "<style>.v{position:fixed;top:0;left:0;width:100%;height:100vh;background:#000}</style>",
        f"<div id=v>Zaregistrujte se a pokračujte</div><style>#v{{{COVER}}}</style>",
    ],
)
def test_layer_without_a_way_out_covers_the_page(cover: str) -> None:
    """It says something and offers nothing, in any script."""
    page = f"{HEAD}<main><h1>მენიუ</h1>{TEXT}</main>{{}}<script src=/a.js></script>"

    assert outcome("main-content", page.format(cover), url=URL).state == "covered"
    assert (
        outcome("main-content", page.format(cover.replace("</", "<button>×</button></", 1)), url=URL).state == "present"
    )


@pytest.mark.parametrize(
    "layer",
    [
        f'<div style="{COVER};z-index:-1">ფონი და კიდევ ფონი</div>',
        f'<div style="{COVER};display:none">ჩაკეტილი დიალოგი აქ არის</div>',
        f'<div style="{COVER};pointer-events:none">ჩანაწერი ფოტოს თავზე</div>',
        f'<div style="{COVER}"></div>',
        '<div style="position:fixed;bottom:0;left:0;width:100%">ჩვენ ვიყენებთ ქუქიებს</div>',
        f'<div style="{COVER}">იტვირთება</div><script src=/a.js></script>',
    ],
)
def test_other_layers_cover_nothing(layer: str) -> None:
    """Grounds, closed dialogs, bars, and what goes when the page has loaded."""
    page = f"{HEAD}<main><h1>მენიუ</h1>{TEXT}</main>{layer}"
    found = run("main-content", page, url=URL)

    assert isinstance(found, NotRun) or outcome("main-content", page, url=URL).state == "present"


def test_layer_that_holds_the_page_is_the_page() -> None:
    """Applications scroll inside of one."""
    assert outcome("main-content", f'{HEAD}<div style="{COVER}">{TEXT}</div>', url=URL).state == "present"


BLANK = f"{COVER};z-index:9999"


@pytest.mark.parametrize("place", ["attribute", "page", "file"])
def test_blank_layer_stays_where_no_script_takes_it_away(place: str) -> None:
    """A script that is missing takes nothing away, either."""
    layers = {
        "attribute": f'<div style="{BLANK}"><i></i></div>',
        "page": f"<style>.v{{{BLANK}}}</style><div class=v><i></i></div>",
        "file": "<link rel=stylesheet href=/a.css><div class=v><i></i></div>",
    }
    sheet = make_resource("https://example.com/a.css", kind="stylesheet", ink_rules=ink_rules(f".v{{{BLANK}}}"))
    gone = make_resource("https://example.com/gone.js", kind="script", status=404)
    resources = make_resources(sheet, gone, make_resource("https://example.com/a.js", kind="script"))
    page = f"{HEAD}{layers[place]}<main><h1>მენიუ</h1>{TEXT}</main>"

    assert outcome("main-content", page, url=URL, resources=resources).state == "covered"
    assert outcome("main-content", f"{page}<script src=/gone.js></script>", url=URL, resources=resources).state == (
        "covered"
    )
    assert outcome("main-content", f"{page}<script src=/a.js></script>", url=URL, resources=resources).state == (
        "present"
    )


@pytest.mark.parametrize(
    "layer",
    [
        COVER,
        f"{COVER};z-index:1",
        "position:fixed;inset:0;z-index:99",
        "position:fixed;inset:0;z-index:99;background:rgba(0,0,0,.1)",
        "position:fixed;inset:0;z-index:99;background:url(rain.png)",
        f"{BLANK};animation:away 1s forwards",
    ],
)
def test_blank_layer_that_lies_behind_or_shines_through_covers_nothing(layer: str) -> None:
    """It is a ground, a shade, or goes by itself."""
    page = f'{HEAD}<div style="{layer}"></div><main><h1>მენიუ</h1>{TEXT}</main>'

    assert outcome("main-content", page, url=URL).state == "present"


def test_frameset_that_only_forwards_is_framed() -> None:
    """Frames of the own site are an old site."""
    page = "<html><head><title>a</title></head><frameset rows='100%,*'><frame src=https://{0}/i.html></frameset></html>"

    assert outcome("main-content", page.format("b.example"), url=URL).state == "framed"
    assert isinstance(run("main-content", page.format("www.example.com"), url=URL), Outcome)
    assert outcome("main-content", page.format("www.example.com"), url=URL).state == "present"


SORRY = {
    "Polish": "<h1>Ups</h1><p>Strona, której szukasz, zniknęła albo jej nigdy nie było. <a href=/>Do sklepu</a>",
    "Hungarian": "<h1>Jaj</h1><p>Amit itt keresett, azt már elvitték. <a href=/bolt>Vissza a boltba</a>",
    "Vietnamese": "<h1>Rất tiếc</h1><p>Món hàng này đã bán hết từ lâu. <a href=/bolt/>Xem các món khác</a>",
}
DEEP = "https://example.com/bolt/kek-bogre-312"
LONG, LONGER = (f"<p>{' '.join(f'szomorú{one}' for one in range(words))}</p>" for words in (25, 70))


@pytest.mark.parametrize("name", SORRY)
def test_page_that_names_nothing_of_its_address_and_leads_back_is_missing(name: str) -> None:
    """A heading and some sentences, in any language."""
    page = f"{HEAD.replace('მენიუ', 'Bolt')}{NAV}<main>{SORRY[name]}{LONG}</main>{FOOT}"

    assert outcome("main-content", page, url=DEEP).state == "missing"


@pytest.mark.parametrize(
    ("page", "url"),
    [
        (f"<main>{SORRY['Polish']}{LONG}<p>Kék bögre</p></main>", DEEP),
        (f"<main>{SORRY['Polish']}{LONG}<a href=/bolt/2>2</a></main>", DEEP),
        (f"<main>{SORRY['Polish'].replace('<a href=/>Do sklepu</a>', '')}{LONG}</main>", DEEP),
        (f"<link rel=canonical href={DEEP}><main>{SORRY['Polish']}{LONG}</main>", DEEP),
        (f"<main>{SORRY['Polish']}{LONG}</main>", "https://example.com/danke"),
        (f"<main>{SORRY['Polish']}{LONG}</main>", "https://example.com/"),
        (f"<main>{SORRY['Polish']}{LONGER}</main>", DEEP),
        (f"<main><h1>საჩუქარი</h1><p>{text(30)}<a href=/>მთავარი</a></main>", DEEP),
    ],
)
def test_small_page_that_is_what_its_address_says_has_content(page: str, url: str) -> None:
    """Or that leads further, names itself, is no certain one, says more, or is written in another script."""
    head = HEAD.replace("მენიუ", "Bolt")

    assert outcome("main-content", f"{head}{NAV}{page}{FOOT}", url=url).state == "present"


def test_poem_and_address_are_content() -> None:
    """Their lines are their own."""
    poem = "<h1>Frost</h1><p>First frost on the gate<br>the cat considers the step<br>and goes back to bed"

    assert outcome("main-content", f"{HEAD}{NAV}<main>{poem}</main>{FOOT}", url=URL).state == "present"
    assert (
        outcome("main-content", f"{HEAD}{NAV}<main><address>Kai 7</address></main>{FOOT}", url=URL).state == "present"
    )


def test_missing_bundle_leaves_an_empty_page() -> None:
    """Nothing will fill the place of the application."""
    page = f'{HEAD}<div id="app"><p>გთხოვთ, მოიცადოთ ...</p></div><script type=module src=/assets/index-1.js></script>'
    bundle = make_resource("https://example.com/assets/index-1.js", kind="script", status=404)

    assert isinstance(run("main-content", page, url=URL), NotRun)
    assert outcome("main-content", page, url=URL, resources=make_resources(bundle)).state == "missing"


FOOTER = f"<footer><p>{text(40)}</p><a href=/4>ოთხი</a></footer>"
HELD = {
    "comment": f"<!-- <main><h1>Visite</h1>{TEXT}</main> -->",
    "template": f"<div></div><template><main><h1>Koleksiyon</h1>{TEXT}<img src=/a.jpg alt=a></main></template>",
    "noscript": f"<div class=app></div><noscript><h1>Hizmetler</h1>{TEXT}</noscript>",
}


@pytest.mark.parametrize("name", HELD)
def test_header_and_footer_alone_are_no_page(name: str) -> None:
    """The main part is there where no one sees it."""
    page = f"{HEAD}{NAV}{{}}{FOOTER}"

    assert outcome("main-content", page.format(HELD[name]), url=URL).state == "unwritten"
    assert outcome("main-content", page.format(f"{HELD[name]}<h1>Visite</h1>"), url=URL).state == "present"
    assert outcome("main-content", page.format(f"{HELD[name]}<img src=/b.jpg alt=b>"), url=URL).state == "present"
    assert outcome("main-content", page.format(HELD[name]), url="https://example.com/").state == "present"


def test_place_between_header_and_footer_needs_a_browser() -> None:
    """A script may fill it."""
    page = f"{HEAD}{NAV}<div class=app></div>{FOOTER}<script src=/app.js></script>"

    assert isinstance(run("main-content", page, url=URL), NotRun)


def test_list_of_empty_items_is_none() -> None:
    """Grey bars that wait for a list that does not come."""
    page = f"{HEAD}{NAV}<main><h1>앨범</h1><ul>{'<li><div class=bar></div></li>' * 12}</ul></main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "missing"
    assert outcome("main-content", page.replace("<div class=bar>", "음반"), url=URL).state == "present"


@pytest.mark.parametrize("tag", ["textarea", "plaintext", "xmp"])
def test_unclosed_element_swallows_the_page(tag: str) -> None:
    """The tags of the rest are its text; an example of a page in a closed one is not."""
    rest = f"<main><h1>Cursos</h1>{TEXT}</main>{FOOT}"
    page = f"{HEAD}{NAV}<{tag}>{{}}</body></html>"
    closed = f"{HEAD}{NAV}<h1>HTML</h1>{TEXT}<{tag}>{rest}</body></html></{tag}><p>{text(9)}</p>"

    assert outcome("main-content", page.format(rest), url=URL).state == "swallowed"
    assert tag == "plaintext" or outcome("main-content", closed, url=URL).state == "present"


@pytest.mark.parametrize(
    "start", ["<style>a{margin:0}", "<script>var a=1;", "<iframe src=/m>", "<!-- início", "<title>a"]
)
def test_unclosed_construct_that_shows_nothing_swallows_the_page(start: str) -> None:
    """Nor is its text seen; one that ends is no fault, and neither is a remark behind the page."""
    ends = {"<!-- início": "-->"}
    end = ends.get(start, f"</{start[1:].partition(' ')[0].partition('>')[0]}>")
    rest = f"<main><h1>Cursos</h1>{TEXT}</main>{FOOT}</body></html>"

    assert outcome("main-content", f"{HEAD}{NAV}{start}{rest}", url=URL).state == "swallowed"
    assert outcome("main-content", f"{HEAD}{NAV}{start}{end}{rest}", url=URL).state == "present"
    assert outcome("main-content", f"{HEAD}{NAV}{rest}<!-- gerado em 3 ms --", url=URL).state == "present"


def test_main_part_in_a_dialog_that_nothing_opens_is_hidden() -> None:
    """A button may open it, and a script could."""
    page = f"{HEAD}{NAV}<main><dialog id=d><h1>Cursos</h1>{TEXT}</dialog></main>{FOOT}"
    opened = page.replace("<main>", "<main><button commandfor=d command=show-modal>Abrir</button>")

    assert outcome("main-content", page, url=URL).state == "hidden"
    assert outcome("main-content", opened, url=URL).state != "hidden"
    assert outcome("main-content", page.replace("<dialog", "<dialog open"), url=URL).state != "hidden"


def test_slices_of_a_picture_without_alternatives_are_a_picture() -> None:
    """They are declared to say nothing, and the page says nothing else; photographs have names."""
    slices = "".join(f'<img src=/s{n}.jpg alt="" width=1200 height=700>' for n in range(6))
    page = f"{HEAD}{NAV}<main>{slices}</main>{FOOTER}"

    assert outcome("main-content", page, url=URL).state == "picture"
    assert outcome("main-content", page.replace('alt=""', "alt=稻田"), url=URL).state == "present"
    assert outcome("main-content", page.replace("<main>", f"<main><h1>稻田四季</h1>{TEXT}"), url=URL).state == "present"


def test_document_in_the_frame_of_a_service_is_a_document() -> None:
    """The service is told the address of the document."""
    viewer = "<iframe src='https://v.example/viewer?url=https%3A%2F%2Fexample.com%2Fj.pdf&e=1'></iframe>"

    assert outcome("main-content", f"{HEAD}{NAV}<h1>Jegyzőkönyv</h1>{viewer}{FOOTER}", url=URL).state == "document"


def test_buttons_of_a_layer_do_nothing_without_scripts() -> None:
    """Links, forms and boxes that style sheets read do."""
    page = f"{HEAD}<main><h1>მენიუ</h1>{TEXT}</main><div style='{COVER}'><p>Usiamo i cookie per il sito.</p>{{}}</div>"
    button = "<button>Accetta</button>"

    ways = (f"<form action=/ok>{button}</form>", "<a href='?ok'>Accetta</a>", "<input type=checkbox>")

    assert outcome("main-content", page.format(button), url=URL).state == "covered"
    assert [outcome("main-content", page.format(way), url=URL).state for way in ways] == ["present"] * 3
    assert outcome("main-content", page.format(button) + "<script src=/a.js></script>", url=URL).state == "present"


WRITTEN = f"<h1>სახლი</h1><p>{text(60)}</p>"


@pytest.mark.parametrize(
    "rule",
    [
        ".wrap{display:none}",
        "@media screen and (min-width:1px){.wrap{display:none}}",
        ".wrap{visibility:hidden}",
        ".wrap{position:absolute;left:-9999px;width:100%}",
        ".wrap{clip-path:inset(100%)}",
        ".wrap{max-height:0;overflow:hidden}",
        ".wrap{transform:scale(0)}",
    ],
)
@pytest.mark.parametrize("part", ["<main>{}</main>", "{}"])
def test_main_content_in_a_wrapper_that_no_one_sees_is_hidden(rule: str, part: str) -> None:
    """Whatever hides it, with and without an element for the main part."""
    page = f"{HEAD}<style>{rule}</style>{NAV}<div class=wrap>{part.format(WRITTEN)}</div>{FOOT}"

    assert outcome("main-content", page, url=URL).state in {"hidden", "unwritten"}
    assert outcome("main-content", page.replace("class=wrap", "class=wide"), url=URL).state == "present"


@pytest.mark.parametrize(
    "rule",
    [
        ".wrap{max-height:0;overflow:hidden}.wrap.open{max-height:90rem}",
        "@media (max-width:600px){.wrap{display:none}}",
        "@media print{.wrap{display:none}}",
        ".wrap{transform:scale(.98)}",
        ".wrap{position:absolute;left:-20px}",
    ],
)
def test_what_one_screen_or_one_state_hides_is_not_hidden(rule: str) -> None:
    """The other screen shows it."""
    page = f"{HEAD}<style>{rule}</style>{NAV}<div class='wrap open'><main>{WRITTEN}</main></div>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "present"


@pytest.mark.parametrize(
    ("names", "expected"), [((), "hidden"), (("wrap",), NotRun), (("'main'",), NotRun), (None, NotRun)]
)
def test_a_script_may_show_what_it_names(names: tuple[str, ...] | None, expected: object) -> None:
    """One that names neither the main part nor what is around it does not, and one that was not read may."""
    head = f"{HEAD}<style>.wrap{{display:none}}</style><script src=/a.js></script>{NAV}"
    page = f"{head}<div class=wrap><main>{WRITTEN}</main></div>"
    script = make_resource("https://example.com/a.js", kind="script", script=ScriptFacts(names_of_main=names))
    found = run("main-content", page, url=URL, resources=make_resources(script))

    assert found.state == expected if isinstance(found, Outcome) else isinstance(found, NotRun) and expected is NotRun


def test_a_rule_may_wait_for_a_class() -> None:
    """A class that a script sets on an element around it."""
    rules = ".wrap{display:none}.loaded .wrap{display:block}"
    page = f"{HEAD}<style>{rules}</style><script>boot()</script>{NAV}<div class=wrap><main>{WRITTEN}</main></div>"

    assert isinstance(run("main-content", page, url=URL), NotRun)
    assert outcome("main-content", page.replace(rules, ".wrap{display:none}"), url=URL).state == "hidden"


@pytest.mark.parametrize(
    ("style", "is_locked"),
    [
        ("body{overflow:hidden;height:100vh}", True),
        ("html,body{overflow:hidden}html{height:100%}", True),
        ("body{overflow-y:hidden}", True),
        ("body{overflow:hidden}@media (min-width:900px){body{overflow:auto}}", False),
        ("body{pointer-events:none}", True),
        ("body{overflow:hidden;height:100vh}main{overflow:auto}", False),
        ("body{overflow-x:hidden;height:100%}", False),
        ("body{pointer-events:none}main{pointer-events:auto}", False),
        ("@media print{body{overflow:hidden;height:100vh}}", False),
    ],
)
def test_a_page_that_no_one_can_scroll_or_press_is_locked(style: str, *, is_locked: bool) -> None:
    """Unless a part of it scrolls, or a script runs that may unlock it."""
    page = f"{HEAD}<style>{style}</style>{NAV}<main><h1>სახლი</h1><p>{text(400)}</p></main>{FOOT}"
    sheet = make_resource("https://example.com/a.css", kind="stylesheet", ink_rules=ink_rules(style))
    linked = page.replace(f"<style>{style}</style>", "<link rel=stylesheet href=/a.css>")
    expected = "locked" if is_locked else "present"

    assert outcome("main-content", page, url=URL).state == expected
    assert outcome("main-content", linked, url=URL, resources=make_resources(sheet)).state == expected
    assert outcome("main-content", page + "<script>unlock()</script>", url=URL).state == "present"


HIDING = [
    "main{content-visibility:hidden}",
    "main{transform:translateX(120vw)}",
    "main{margin-left:-9999px}",
    "main{position:relative;left:9999px}",
    "main{height:0;overflow:hidden}",
]


@pytest.mark.parametrize("css", HIDING)
def test_main_part_that_is_not_drawn_is_hidden(css: str) -> None:
    """By any technique that leaves it in the document, also beside a script that does not name it."""
    page = f"{HEAD}<style>{css}</style>{NAV}<main><h1>ბაღი</h1><p>{text(80)}</p></main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "hidden"
    assert outcome("main-content", f"{page}<script>count()</script>", url=URL).state == "hidden"
    assert isinstance(run("main-content", f"{page}<script>show('main')</script>", url=URL), NotRun)


@pytest.mark.parametrize(
    "css",
    [
        "main{content-visibility:auto}",
        "main{transform:translateX(120vw);animation:in 1s both}",
        "main{transform:translateY(-50%);margin-left:-12px}",
        "main{height:0}",
        "details{content-visibility:hidden}",
    ],
)
def test_main_part_that_is_drawn_is_not_hidden(css: str) -> None:
    """Sections that are drawn late, that move in, and that overflow."""
    page = f"{HEAD}<style>{css}</style>{NAV}<main><h1>ბაღი</h1><p>{text(80)}</p></main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "present"


def test_wrapper_without_height_hides_the_page() -> None:
    """All of it is in the document, and nothing of it is drawn."""
    page = f'{HEAD}<div style="height:0;overflow:hidden">{NAV}<main><h1>ბაღი</h1><p>{text(80)}</p></main></div>'

    assert outcome("main-content", f"{page}<script>count()</script>", url=URL).state == "hidden"
    assert outcome("main-content", page.replace("height:0", "height:100%"), url=URL).state == "present"


def test_text_of_another_page_is_other() -> None:
    """Title, heading and description are those of this one."""
    name = "ხილის ბაღი კახეთში და ვენახის სეზონური მოსავალი თბილისში"
    page = f"<title>{name}</title>{NAV}<main><h1>{name}</h1><p>{text(80)}</p></main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "other"
    assert outcome("main-content", page.replace("სიტყვა1 ", "ვენახის "), url=URL).state == "present"


def test_layer_whose_only_way_out_leads_to_another_site_covers_the_page() -> None:
    """Also beside scripts; a button, or a link to the own site, may take it away."""
    layer = "<div style='position:fixed;inset:0;background:#fff;z-index:99'><p>განაახლეთ ბრაუზერი ახლავე</p>{}</div>"
    page = f"{HEAD}{layer}{NAV}<main><h1>ბაღი</h1><p>{text(80)}</p></main><script>count()</script>"
    away = "<a href=https://dl.test/setup.zip>ახლა</a>"

    assert outcome("main-content", page.format(away), url=URL).state == "covered"
    assert outcome("main-content", page.format(f"{away}<button>x</button>"), url=URL).state == "present"
    assert (
        outcome("main-content", page.format("<a href=https://www.example.com/b>ახლა</a>"), url=URL).state == "present"
    )


def test_page_whose_links_and_buttons_take_no_press_is_locked() -> None:
    """If no script runs, and no rule gives the presses back."""
    page = f"{HEAD}<style>a,button{{pointer-events:none}}</style>{NAV}<main><h1>ბაღი</h1><p>{text(80)}</p></main>"

    assert outcome("main-content", page, url=URL).state == "locked"
    assert outcome("main-content", page.replace("a,button", "a.idle,button"), url=URL).state == "present"
    assert (
        outcome("main-content", page.replace("</style>", "nav a{pointer-events:auto}</style>"), url=URL).state
        == "present"
    )
    assert outcome("main-content", f"{page}<script>x()</script>", url=URL).state == "present"


@pytest.mark.parametrize(
    "css", [".reveal{clip-path:circle(0)}", ".reveal{transform:scale(0)}", ".reveal{position:absolute;left:-9999px}"]
)
def test_all_text_in_a_part_that_is_not_drawn_is_hidden(css: str) -> None:
    """The heading may be left; a script that may show it has to be asked."""
    text_of_page = f"<div class=reveal><h2>ვენახი</h2><p>{text(80)}</p></div>"
    page = f"{HEAD}<style>{css}</style>{NAV}<main><h1>ბაღი</h1>{text_of_page}</main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "hidden"
    assert outcome("main-content", page.replace("class=reveal", ""), url=URL).state == "present"
    assert outcome("main-content", page.replace("</main>", f"<p>{text(40)}</p></main>"), url=URL).state == "present"
    assert isinstance(run("main-content", f"{page}<script>x('reveal')</script>", url=URL), NotRun)


def test_parts_on_one_another_are_no_page() -> None:
    """In one cell of a grid."""
    parts = "".join(f"<section><h2>{n}</h2><p>{text(30).replace('ი', str(n))}</p></section>" for n in range(3))
    page = f"{HEAD}<style>main>*{{grid-area:1/1}}</style>{NAV}<main>{parts}</main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "piled"
    assert outcome("main-content", page.replace("1/1", "auto"), url=URL).state == "present"


@pytest.mark.parametrize(("count", "state"), [(5, "waiting"), (4, "present")])
def test_pictures_that_wait_for_a_script_never_load(count: int, state: str) -> None:
    """If none runs, whatever the name of the attribute is."""
    blank = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
    pictures = "".join(f"<img alt=სურათი src={blank} data-full=/{n}.jpg>" for n in range(count))
    page = f"{HEAD}{NAV}<main><h1>ბაღი</h1><p>{text(80)}</p>{pictures}</main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == state
    assert outcome("main-content", f"{page}<script>load()</script>", url=URL).state == "present"
    assert outcome("main-content", page.replace(blank, "/small.jpg"), url=URL).state == "present"


@pytest.mark.parametrize("end", ["\u2026", "...", "[\u2026]"])
def test_texts_that_are_all_cut_short_break_off(end: str) -> None:
    """Unless the rest is a press away."""
    paragraphs = "".join(f"<h2>{n}</h2><p>{text(9).replace('ი', str(n))}{end}</p>" for n in range(5))
    page = f"{HEAD}{NAV}<main><h1>ბაღი</h1>{paragraphs}</main>{FOOT}"

    assert outcome("main-content", page, url=URL).state == "broken-off"
    assert outcome("main-content", page.replace(f"{end}</p>", "</p>", 2), url=URL).state == "present"
    assert outcome("main-content", page.replace("</p>", " <a href=/x>მეტი</a></p>"), url=URL).state == "present"


@pytest.mark.parametrize(("reason", "state"), [("dns_nxdomain", "missing"), ("timeout", "present")])
def test_frame_that_does_not_exist_is_no_content(reason: str, state: str) -> None:
    """It leaves a heading alone; a frame that is slow may come."""
    url = "https://booking.example/widget"
    failure = NotGathered(code="dns" if reason.startswith("dns") else "timeout", detail="Nothing.", reason=reason)
    frame = Resource(url=url, kinds=("frame",), initiator_url="https://example.com/a", failure=failure)
    menu = "<nav><a href=/1>A</a><a href=/2>B</a><a href=/3>C</a></nav>"
    page = f"<title>Buchen</title>{menu}<main><h1>Zimmer buchen</h1><iframe src={url} height=900></iframe></main>"
    told = page.replace("</main>", f"<p>{text(100)}</p></main>")
    files = make_resources(frame)

    assert outcome("main-content", page, url="https://example.com/a", resources=files).state == state
    assert outcome("main-content", told, url="https://example.com/a", resources=files).state == "present"
