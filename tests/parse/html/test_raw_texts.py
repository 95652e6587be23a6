"""Keys of translations and choices of words that were published, in several scripts, and what looks like them."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.raw_texts import MIN_CHOSEN, MIN_KEYS, find_choices, find_keys
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

NAV = "<nav><a href=/a>nav.rooms</a><a href=/b>nav.spa</a><a href=/c>nav.offers</a></nav>"
PLAIN = "<nav><a href=/a>部屋</a><a href=/b>温泉</a><a href=/c>料金</a></nav>"


def keys(main: str, nav: str = NAV, name: str = "home.hero.headline") -> int:
    """Keys found in a page with a name that is one."""
    return len(find_keys(make_document(f"<title>x</title>{nav}<main><h1>{name}</h1>{main}</main>")))


@pytest.mark.parametrize("amount", ["90 €", "1.200 kr", "٩٠ ريال", "१२० रु", "3500 円", "90"])
def test_key_with_a_price_behind_it(amount: str) -> None:
    """The number is filled in, and the text around it is not."""
    main = f"<h2>rooms.title</h2><p>rooms.text</p><p>rooms.from {amount}</p>" * 4

    assert keys(main) == keys(main, PLAIN) == 13


@pytest.mark.parametrize(
    ("title", "names", "links"),
    [
        (
            "chart.title – API",
            ("chart.title", "legend.title", "legend.title.text", "axis.title", "axis.title.text"),
            "",
        ),
        ("home.title", ("home.title", "home.text", "cart.title", "cart.text"), "/keys/{}"),
        ("Ключи каталога", ("menu.title", "menu.file", "menu.edit", "help.title"), "#{}"),
        ("翻訳キー一覧", ("form.title", "form.name", "form.mail", "mail.title"), "/{}.html"),
        ("خصائص النافذة", ("window.title", "window.name", "element.title", "element.id"), "/ar/api?name={}"),
    ],
)
def test_reference_of_names(title: str, names: tuple[str, ...], links: str) -> None:
    """Links have a place for each name, or one is a part of another; in place of texts they are found."""
    nav = "".join(f'<a href="{links.format(name)}">{name}</a>' for name in names)
    main = "".join(f"<h2>{name}</h2><p>{name}</p>" for name in names[1:])
    page = f"<title>{title}</title><nav>{nav}</nav><main><h1>{names[0]}</h1>{main}</main>"

    assert find_keys(make_document(page)) == ()
    if links:
        plain = "".join(f"<a href=/{n}>{name}</a>" for n, name in enumerate(names))
        assert len(find_keys(make_document(page.replace(nav, plain)))) == 2 * len(names) - 1
        assert find_keys(make_document(page.replace(nav, plain), url=f"https://example.com/{names[0]}")) == ()


@pytest.mark.parametrize(
    "more", ["<code>t('a')</code>", "<pre>a</pre>", "<dl><dt>a.b<dd>Первый</dl>", "<table><tr><td>a.b<td>名前</table>"]
)
def test_reference_explains(more: str) -> None:
    """By code, definitions or tables beside the names; a table of keys and prices explains none."""
    main = "<h2>rooms.title</h2><p>rooms.text</p>" * 4 + "<table><tr><th>rooms.bed<td>29 rooms.per_night<td>–</table>"

    assert keys(main, PLAIN) == 9
    assert keys(main + more, PLAIN) == 0


@pytest.mark.parametrize(
    "main",
    [
        "<h2>os.path</h2><p>os.path joins parts</p>" * 6,
        "<h2>axes.set_title</h2><p>axes.set</p><h2>axes.get_title</h2><p>axes.get</p><h2>axes.bar</h2><p>axes.b</p>",
        "<p>rooms.text</p>" * (MIN_KEYS - 1) + "<h2>rooms.title</h2>",
        "<h2>build.gradle 8.5</h2><p>settings.gradle 8.5</p>" * 4,
        "<p>welcome.berlin</p><p>tickets.berlin</p><p>hotel.berlin</p>" * 2,
    ],
)
def test_names_with_dots(main: str) -> None:
    """Sentences explain some, or none of the headings ends as that of a text does."""
    assert keys(main, name="matplotlib.axes") == 0
    assert keys(main, PLAIN, name="welcome.berlin") == 0


SPUN = {
    "en": ("{Fast|Quick} {help|service}", "{Call|Ring} us {today|now|at once}: we {fix|repair} it."),
    "ru": ("{Быстрый|Срочный} ремонт", "{Звоните|Пишите} нам {сегодня|сейчас}, мы {приедем|поможем}."),
    "ar": ("{تنظيف|غسيل} المنازل", "{اتصل|تواصل} بنا {اليوم|الآن} ونحن {نساعدك|نصلك}."),
    "zh": ("{管道|下水道}疏通", "{马上|立即}打电话，我们{很快|立刻}{上门|到家}。"),
    "hi": ("{सस्ती|तेज़} सफ़ाई", "{आज|अभी} फ़ोन करें, हम {जल्दी|तुरंत} {आएँगे|पहुँचेंगे}।"),
    "de": ("{Günstig|Preiswert} umziehen", "Wir {packen|verpacken} {alles|Ihr Hab und Gut} und {fahren|bringen} es."),
}


def choices(title: str, headings: str, paragraphs: str, more: str = "") -> int:
    """Choices found in a page with these parts."""
    return len(find_choices(make_document(f"<title>{title}</title><main>{headings}{paragraphs}{more}</main>")))


@pytest.mark.parametrize("language", SPUN)
def test_choices_of_words_that_nobody_made(language: str) -> None:
    """In the title, half of the headings and half of the paragraphs; in one of them alone, they are examples."""
    name, text = SPUN[language]
    first, *rest = (f"<h2>{name.replace('|', f'|{letter}')}</h2>" for letter in "abc")
    headings, paragraphs = "".join((first, *rest)), f"<p>{text}</p>" * MIN_CHOSEN
    others = "<h2>a</h2>" * MIN_CHOSEN + "<p>a</p>" * MIN_CHOSEN

    assert choices(name, headings, paragraphs, others) == 2 * MIN_CHOSEN
    assert choices(name, headings, paragraphs, others + "<h2>a</h2>") == 0
    assert choices(name, headings, paragraphs, others + "<p>a</p>") == 0
    assert choices(name, "".join(rest), paragraphs) == 0
    assert choices(name, first * MIN_CHOSEN, paragraphs) == 0
    assert choices(name, headings, paragraphs.removeprefix(f"<p>{text}</p>")) == 0
    assert choices("x", headings, paragraphs) == 0
    assert choices(name, headings, paragraphs.replace("{", "<code>{", 1)) == 0
    assert choices(name, headings, f"<p>{text[: text.rindex('{')]}</p>" * 6) == 0
    assert choices(name, headings, paragraphs, "<pre>{a|b}</pre>") == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("service {start|stop}", "service cron {start|stop|reload}"),
        ("Mengen {x | x ist gerade}", "A = {x | x > 0}, B = {x | x ist Primzahl}, C = {y | y < 7}"),
        ("Множества {x | x > 0}", "{x | x чётно}, {n | n делит 12}, {m | m — простое}"),
        ("集合 {x|x>0}", "{x|2x+1=7}、{x|x<10}、{n|nは偶数}。"),
        ("{ب | أ}", "اكتب {ب | أ} و{ج | د} ثم {ه | و}."),
        ("ip {link | addr | route}", "ip link {add | delete | set} {dev | group} {up | down}"),
        ("duplex {auto|full|half}", "speed {10|100|1000|auto} and {1|2} or {3|4}"),
        ("Choose {is|are}", "The dogs {is|are} hungry. She {is|are} late. We {is|are} ready."),
        ("Choose {is|are}", "The dogs {is|are} hungry, and she {has|have} a cat."),
        ("{{ title | upper }}", "{{ text | trim }} {{ a | b }} {{ c | d }}"),
        ("{% if a | b %}", "{% block | x %} {% a | b %} {% c | d %}"),
        ("${a|b}", "${a|b} ${c|d} ${e|f}"),
        ("{| class=wikitable", "|} {|"),
        ("{0|1}", "{0|1} {2|3} {4|5}"),
        ("A | B {C}", "{D} | {E}"),
        ("\\{a|b\\}", "\\{c|d\\} \\{e|f\\} \\{g|h\\}"),
    ],
)
def test_braces_of_other_kinds(name: str, text: str) -> None:
    """Commands, sets, exercises, templates, tables of wikis, and parts of a title, in the name and all texts."""
    headings = "".join(f"<h2>{name.replace('|', f'|{letter}')}</h2>" for letter in ("", *"abcd"))

    assert choices(name, headings, f"<p>{text}</p>" * 6) == 0


@pytest.mark.parametrize("part", ["{a|", "{a|b} ", "a.b ", "a.b.c.d.e ", "{|", "home.title "])
def test_long_texts_cost_linear_time(part: str) -> None:
    """Each search is bounded."""
    pages = {
        n: make_document("<title>{a|b}</title><h1>home.title</h1>" + f"<h2>{{a|b}}</h2><p>{part * 40}</p>" * n)
        for n in (200, 400, 800)
    }

    assert growth(lambda n: (find_keys(pages[n]), find_choices(pages[n])), 200) <= MAX_RATIO
