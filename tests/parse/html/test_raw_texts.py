"""Keys of translations and choices of words that were published, in several scripts, and what looks like them."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.raw_texts import MIN_CHOICES, MIN_KEYS, find_choices, find_keys
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
    ("written", "nav", "found"),
    [(8, NAV, 12), (9, NAV, 0), (1, PLAIN, 12), (2, PLAIN, 0)],
)
def test_texts_of_visitors_stand_beside_keys(written: int, nav: str, found: int) -> None:
    """At the limit and one past it: six of ten texts beside links that are keys, and nine of ten beside others."""
    main = "<h2>rooms.title</h2><p>rooms.text</p><h2>spa.title</h2><p>spa.text</p>" + "<p>rooms.more</p>" * 7
    said = "".join(f"<p>Очень тихо и красиво, {n}</p>" for n in range(written))

    assert keys(main + said, nav) == found


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
    "en": ("{Fast|Quick} {help|service} in Wexley", "{Call|Ring} us {today|now|at once}: we {fix|repair} it."),
    "ru": ("{Быстрый|Срочный} ремонт в Твери", "{Звоните|Пишите} нам {сегодня|сейчас}, мы {приедем|поможем}."),
    "ar": ("{تنظيف|غسيل} المنازل", "{اتصل|تواصل} بنا {اليوم|الآن} ونحن {نساعدك|نصلك}."),
    "zh": ("{管道|下水道}疏通", "{马上|立即}打电话，我们{很快|立刻}上门。"),
    "hi": ("{सस्ती|तेज़} सफ़ाई", "{आज|अभी} फ़ोन करें, हम {जल्दी|तुरंत} आएँगे।"),
    "de": (
        "{Günstig|Preiswert} umziehen in Ulm",
        "Wir {packen|verpacken} {alles|Ihr Hab und Gut} und {fahren|bringen} es.",
    ),
}


@pytest.mark.parametrize("language", SPUN)
def test_choices_of_words_that_nobody_made(language: str) -> None:
    """In the name of a page and half of its texts; below the name alone, or in the texts alone, they are examples."""
    name, text = SPUN[language]
    page = "<title>{}</title><h1>x</h1>{}"
    half = f"<p>{text}</p>" * MIN_CHOICES

    assert len(find_choices(make_document(page.format(name, half + "<p>a</p>" * (MIN_CHOICES - 1))))) == MIN_CHOICES
    assert find_choices(make_document(page.format(name, half + "<p>a</p>" * MIN_CHOICES))) == ()
    assert find_choices(make_document(page.format(name, f"<p>{text}</p>" * (MIN_CHOICES - 1)))) == ()
    assert find_choices(make_document(page.format("x", half))) == ()
    assert find_choices(make_document(page.format(name, half.replace("<p>", "<p><code>")))) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("service {start|stop}", "Stops it."),
        ("Mengen", "A = {x | x > 0}"),
        ("Sets {x | x > 0}", "We read the line as such that."),
        ("{{ title | upper }}", "{{ text | trim }}"),
        ("{% if a | b %}", "{% block | x %}"),
        ("${a|b}", "${a|b}"),
        ("{| class=wikitable", "|} {|"),
        ("{0|1}", "a {b} c | d"),
        ("A | B {C}", "{D} | {E}"),
        ("\\{a|b\\}", "\\{c|d\\}"),
    ],
)
def test_braces_of_other_kinds(name: str, text: str) -> None:
    """Commands, sets, templates, tables of wikis, and parts of a title."""
    assert find_choices(make_document(f"<title>{name}</title><h1>x</h1>{f'<p>{text}</p>' * 6}")) == ()


@pytest.mark.parametrize("part", ["{a|", "{a|b} ", "a.b ", "a.b.c.d.e ", "{|", "home.title "])
def test_long_texts_cost_linear_time(part: str) -> None:
    """Each search is bounded."""
    pages = {
        n: make_document("<title>{a|b}</title><h1>home.title</h1>" + f"<p>{part * 40}</p>" * n) for n in (200, 400, 800)
    }

    assert growth(lambda n: (find_keys(pages[n]), find_choices(pages[n])), 200) <= MAX_RATIO
