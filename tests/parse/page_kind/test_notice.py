"""Structure alone makes a notice, and no single signal does."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from pagegrade.model.artifacts import WellKnown
from tests.builders import make_response
from tests.parse.page_kind.pages import kind_of, site, words

URL = "https://www.kestrelford.example/shows/river"
STYLE = "<style>p{color:#222}</style>"


def page(body: str, *, head: str = STYLE) -> str:
    """A page in a language that no list of phrases knows."""
    return f"<!doctype html><html lang=ka><head><title>სახელი</title>{head}</head><body>{body}</body></html>"


SIGNALS = {
    "address of a visitor": "<p>203.0.113.9</p>",
    "address of a device": "<p>AA:BB:CC:00:11:22</p>",
    "address in digits of another script": "<p>٢٠٣.٠.١١٣.٩</p>",
    "the address that was asked for": "<p>https://www.kestrelford.example/shows/river</p>",
    "its way back in a field": "<form><input type=hidden name=z value=/shows/river></form>",
    "its way back in a link": "<a href='/x?y=%2Fshows%2Friver'>&rarr;</a>",
    "its way back in base64": "<form><input type=hidden name=z value=L3Nob3dzL3JpdmVy></form>",
}


@pytest.mark.parametrize("name", SIGNALS)
def test_short_page_with_a_signal_is_a_notice(name: str) -> None:
    """It says two words, leads nowhere, and shows what no page says about itself."""
    assert kind_of(page(f"<h1>დახურულია</h1>{SIGNALS[name]}"), url=URL) == "notice"


@pytest.mark.parametrize("name", SIGNALS)
def test_page_of_a_site_with_the_same_signal_is_graded(name: str) -> None:
    """It has text and leads on."""
    assert kind_of(site("სახელი", f"<h1>სახელი</h1>{words(40)}{SIGNALS[name]}", lang="ka"), url=URL) is None


@pytest.mark.parametrize("name", SIGNALS)
def test_signal_that_the_address_promises_is_graded(name: str) -> None:
    """A visitor who asks for a page on queues gets one."""
    asked = URL.replace("shows/river", "captcha/waiting-room")

    assert kind_of(page(f"<h1>დახურულია</h1>{SIGNALS[name]}"), url=asked) is None


def test_few_words_that_lead_nowhere_are_graded() -> None:
    """A poem that names its author, a business card and an empty page are pages."""
    poem = "<h1>შემოდგომა</h1><p>ფოთოლი წყალზე</p>"

    assert kind_of(page(poem, head=f"{STYLE}<meta name=description content='ლექსი'>"), url=URL) is None
    assert kind_of(page("<p>მარა ლინდი</p><a href='mailto:m@kestrelford.example'>@</a>"), url=URL) is None
    assert kind_of(page(""), url=URL) is None


@pytest.mark.parametrize(
    "more",
    [
        f"<link rel=canonical href={URL}>",
        '<script type="application/ld+json">{"@context":"https://schema.org","@type":"VideoObject"}</script>',
    ],
)
def test_page_that_describes_itself_is_graded(more: str) -> None:
    """A page that names its own address or its content is no notice in the place of another page."""
    html = "<h1>დახურულია</h1><p>203.0.113.9</p>"

    assert kind_of(page(html), url=URL) == "notice"
    assert kind_of(page(html, head=STYLE + more), url=URL) is None


def test_links_to_sections_are_those_of_a_page() -> None:
    """A menu inside the page is not a way back to itself."""
    html = "<h1>სახელი</h1><p>{}</p><p>203.0.113.9</p>"
    menu = "<a href='#ერთი'>1</a><a href='#ორი'>2</a><a href='#სამი'>3</a>"

    assert kind_of(page(html.format("<a href='#'>&larr;</a>")), url=URL) == "notice"
    assert kind_of(page(html.format(menu)), url=URL.replace("shows/river", "")) is None


SENTENCES = {
    "Swahili": "<h1>Tunarudi hivi karibuni</h1><p>Tovuti yetu inafanyiwa matengenezo kwa muda mfupi.</p>",
    "Bengali": "<h1>আপনার দেশে এই সেবা পাওয়া যায় না</h1><p>অসুবিধার জন্য দুঃখিত।</p>",
    "Icelandic": "<h1>Lokað í dag</h1><p>Við opnum aftur á mánudag.</p>",
    "Khmer": "<h1>ម៉ាស៊ីនមេដំណើរការហើយ</h1><p>នេះជាទំព័រលំនាំដើម។</p>",
    "Hebrew": "<h1>האתר סגור</h1><p>נחזור בשבוע הבא.</p>",
    "Tamil": "<h1>தளம் மூடப்பட்டுள்ளது</h1><p>நாளை மீண்டும் வாருங்கள்.</p>",
}
"""A heading and a sentence, as notices of any kind are."""


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize(("url", "kind"), [(URL, "soft_404"), ("https://www.kestrelford.example/", "notice")])
def test_one_statement_is_no_page_where_the_site_answers_the_same_everywhere(
    language: str, url: str, kind: str
) -> None:
    """Whatever it says, it is not what was asked for; alone it may be a short page."""
    html = page(SENTENCES[language])
    other = page(words(40))

    assert kind_of(html, url=url, probe=_probe(html)) == kind
    assert kind_of(html, url=url, probe=_probe(other)) is None
    assert kind_of(html, url=url) is None


def _probe(html: str) -> WellKnown:
    """The answer where nothing can be."""
    url = "https://www.kestrelford.example/.well-known/5d1c"
    response = make_response(html, url=url, headers=(("Content-Type", "text/html; charset=utf-8"),))
    return WellKnown(requested_url=url, response=response)


SHORT_PAGES = {
    "de": (
        "Der alte Steinbruch",
        "Bis 1974 wurde am Rand des Dorfes Kalkstein gebrochen, aus dem viele Häuser der Gegend gebaut sind.",
        "Heute steht Wasser in der Grube, und im Frühling brüten dort Uhus. Ein Weg führt in einer Stunde ringsum.",
    ),
    "en": ("Hello", "I am Mara, and I mend clocks in the old mill by the river.", "The shop is open on Saturdays."),
    "ka": ("ძველი წისქვილი", "წისქვილი მდინარის პირას დგას და დღემდე მუშაობს.", "შაბათს პურიც ცხვება."),
    "ja": ("古い水車小屋", "川のそばに建つ水車小屋は、今も毎日動いています。", "土曜日にはここでパンを焼きます。"),
    "ar": ("الطاحونة القديمة", "تقع الطاحونة على ضفة النهر وما زالت تعمل كل يوم.", "نخبز فيها الخبز يوم السبت."),
    "ru": ("Старая мельница", "Мельница стоит на берегу реки и до сих пор работает.", "По субботам здесь пекут хлеб."),
}
"""A heading and paragraphs, as people write their first pages."""


@pytest.mark.parametrize("language", SHORT_PAGES)
@pytest.mark.parametrize("path", ["shows/river", "article.html", "contact.html", ""])
@pytest.mark.parametrize(
    "head",
    [
        "",
        STYLE,
        "<meta name=robots content=noindex>",
        "<link rel=stylesheet href=https://fonts.example/css?family=Lato>",
        "<meta name=robots content=noindex><link rel=stylesheet href=https://fonts.example/css?family=Lato>",
    ],
)
def test_short_page_without_links_is_graded(language: str, path: str, head: str) -> None:
    """It lacks what a notice lacks, and shows nothing that only a notice shows."""
    name, *said = SHORT_PAGES[language]
    paragraphs = "".join(f"<p>{one}</p>" for one in said)
    url = f"https://www.kestrelford.example/{path}"
    html = page(f"<h1>{name}</h1>{paragraphs}", head=head).replace("სახელი", name)

    assert kind_of(html, url=url) is None
    assert kind_of(html.replace("</body>", "<p>203.0.113.9</p></body>"), url=URL) == "notice"


ORDINARY = {
    "class": "<div class=queue>",
    "two classes": "<div class='content restricted'>",
    "class of a count": "<div class=countdown>",
    "file": "<link rel=stylesheet href=/guard.css>",
    "number": "<p>Built from 4f2a9c81d03e.</p>",
    "link to itself": "<a href=/shows/river>&uarr;</a>",
    "version": "<p>Version 1.2.3.4</p>",
    "host": "<p>x</p>",
}
"""Marks that ordinary pages have as well as notices."""


@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.parametrize("language", SHORT_PAGES)
def test_short_page_with_one_ordinary_mark_is_graded(language: str, name: str) -> None:
    """One of them is no sign; several are."""
    title, *said = SHORT_PAGES[language]
    paragraphs = "".join(f"<p>{one}</p>" for one in said)
    html = page(f"<h1>{title}</h1>{paragraphs}{ORDINARY[name]}").replace("სახელი", title)
    named = html.replace("</title>", " - kestrelford.example</title>")
    url = URL.replace("shows/river", "") if name == "host" else URL

    assert kind_of(named if name == "host" else html, url=url) is None
    assert kind_of(named.replace("</body>", ORDINARY["link to itself"] + ORDINARY["class"]), url=URL) is not None


SHUT = {
    "en": ("This content is not available in your region", "Not available in your region"),
    "de": ("Dieser Inhalt ist in deinem Land nicht verfügbar", "Inhalt nicht verfügbar"),
    "fr": ("Ce contenu n’est pas disponible dans votre pays", "Contenu indisponible"),
    "es": ("Este contenido no está disponible en tu país", "Contenido no disponible"),
    "pt": ("Este conteúdo não está disponível no seu país", "Conteúdo indisponível"),
    "it": ("Questo contenuto non è disponibile nella tua regione", "Contenuto non disponibile"),
    "nl": ("Deze content is niet beschikbaar in jouw land", "Niet beschikbaar"),
    "ru": ("Этот сайт недоступен в вашей стране", "Недоступно"),
}


@pytest.mark.parametrize("language", SHUT)
def test_page_that_is_not_for_a_region(language: str) -> None:
    """Its heading says so; the same in a text is what a page of help says."""
    said, title = SHUT[language]
    html = page(f"<h1>{said}</h1><p>{said}. {said}.</p>").replace("სახელი", title)

    assert kind_of(html, url=URL) == "notice"
    assert kind_of(html.replace(f"<h1>{said}", "<h1>X"), url=URL) is None


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize(
    "more",
    [
        "<nav><a href=/a>1</a><a href=/b>2</a><a href=/c>3</a></nav>",
        "<table><tr><td>7:00</td></tr></table>",
        "<form><input name=a><input name=b><textarea name=c></textarea></form><a href=/d>4</a>",
        "<a href='tel:+99532'>32</a>",
    ],
)
def test_one_statement_beside_something_to_use_is_graded(language: str, more: str) -> None:
    """A front page with a menu, opening hours, a form or a telephone number is a small page."""
    assert kind_of(page(SENTENCES[language] + more, head=""), url="https://www.kestrelford.example/") is None


@pytest.mark.parametrize(
    "links",
    [
        "<a href=https://www.google.com/chrome/>Chrome</a> <a href=https://www.mozilla.org/>Firefox</a> "
        "<a href=https://www.opera.com/>Opera</a>",
        "Chrome, Edge, Firefox, Safari",
        "Chromium 118, Firefox 119, Safari 16.4",
    ],
)
def test_short_text_that_counts_up_browsers_is_a_notice(links: str) -> None:
    """Their names are written alike in every language, and the page has nothing else."""
    described = f"{STYLE}<meta name=description content='ბანკი'>"
    text = f"<h1>ბრაუზერი მოძველებულია</h1><p>{links}</p>"

    assert kind_of(page(text, head=described), url="https://www.kestrelford.example/") == "notice"
    assert kind_of(site("ბრაუზერები", f"<h1>ბრაუზერები</h1>{words(90)}<p>{links}</p>", lang="ka"), url=URL) is None


def test_question_with_a_way_in_and_a_way_out_is_a_notice() -> None:
    """One answer leads to the page itself, the other to another site."""
    gate = "<h1>18?</h1><a href='/?k=1'>დიახ</a> <a href='https://www.example.org/'>არა</a>"

    assert kind_of(page(gate), url="https://www.kestrelford.example/") == "notice"
    assert kind_of(page(gate + "<a href=/menu>მენიუ</a>"), url="https://www.kestrelford.example/") is None


LOCK = "<form method=post><label>კოდი <input name=k autocomplete={}></label><button>ნახვა</button></form>"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (LOCK.format("one-time-code"), "notice"),
        (LOCK.format("postal-code"), None),
        (LOCK.format("one-time-code") + "<a href=/shows/>უკან</a>", None),
        (LOCK.format("one-time-code") + "<input aria-label=სახელი>", None),
    ],
)
def test_page_that_asks_for_a_code_and_nothing_else_is_a_lock(body: str, kind: str | None) -> None:
    """Although it names itself to search engines."""
    head = f"{STYLE}<link rel=canonical href={URL}>"

    assert kind_of(page(f"<h1>გალერეა</h1>{body}", head=head), url=URL) == kind


@pytest.mark.parametrize(("path", "kind"), [("shows/river", "notice"), ("gone/7", "notice"), ("p/7", None)])
def test_picture_of_a_notice_is_none_of_what_was_asked_for(path: str, kind: str | None) -> None:
    """A picture that has the name of its page is one, where the address does not name something else."""
    body = "<h1>Closed by order</h1><img src=/a.png alt='Closed by order'><p>Ask the court about 203.0.113.9.</p>"
    html = page(body, head="").replace("სახელი", "Closed by order")

    assert kind_of(html, url=URL.replace("shows/river", path)) == kind


BLOCKED = {
    "de": ("Zugang gesperrt", "Ihr Anbieter hat diese Adresse auf Anordnung eines Gerichts gesperrt. "),
    "it": ("Accesso al sito inibito", "Il vostro operatore ha disabilitato questo sito per ordine di un giudice. "),
    "ru": ("Доступ ограничен", "Оператор ограничил доступ по решению суда, о котором сообщил реестр. "),
    "tr": ("Siteye erişim engellendi", "Bu adres bir mahkeme kararıyla sağlayıcınız tarafından kapatıldı. "),
    "ar": ("تم حجب الوصول إلى الموقع", "قام مزود الخدمة بإغلاق هذا العنوان بأمر من المحكمة. "),
    "ja": ("アクセスは遮断されています", "裁判所の命令により、プロバイダーがこのアドレスを遮断しました。 "),
    "ko": ("접속이 차단되었습니다", "법원의 명령에 따라 통신사가 이 주소를 차단했습니다. "),
}


@pytest.mark.parametrize("language", BLOCKED)
def test_page_that_is_named_after_a_block_is_no_page_where_little_else_is(language: str) -> None:
    """A provider answers in the place of the site; an article of a site with such a name leads on and describes itself."""
    name, text = BLOCKED[language]
    bare = page(f"<h1>{name}</h1><p>{text * 3}</p><a href=/privacy>§</a>").replace("სახელი", name)
    links = "".join(f"<a href=/{one}>{text.split()[0]} {one}</a>" for one in range(9))
    article = page(f"<nav>{links}</nav><h1>{name}</h1><p>{text * 30}</p>").replace("სახელი", name)

    assert kind_of(bare, url=URL) == "notice"
    assert kind_of(bare.replace(name, text.split()[0]).replace(text * 3, text), url=URL) is None
    assert kind_of(article, url=URL) is None


ROOM_HEAD = (
    "<meta name=robots content=noindex><meta http-equiv=refresh content=30>"
    "<link rel=stylesheet href=https://static.linewait.example/theme.css>"
)
ROOM = """<main><h1>{0}</h1><p>{1}</p><dl><dt>{2}</dt><dd>48 211</dd><dt>{0}</dt><dd>14:52</dd></dl><progress max=100 value=34>
</progress><form method=post action=/line/mail><label for=e>{2}</label><input id=e type=email><button>OK</button></form>
<p><a href=/line/leave>{2}</a></p><a href=/line/about>{2}</a></main><footer>ID: 6f1c0d2e-77ab-4e0b</footer>"""


@pytest.mark.parametrize(
    "said",
    [
        ("თქვენ რიგში ხართ", "ბევრ ადამიანს უნდა ბილეთი ამ კონცერტზე. " * 16, "გასვლა"),
        ("Du är i kön", "Många vill ha biljetter till konserten just nu. " * 12, "Lämna"),
        ("順番をお待ちください", "ただいま大変混み合っております。 " * 30, "退出"),
    ],
)
def test_waiting_room_that_can_be_left_is_a_notice(said: tuple[str, str, str]) -> None:
    """It asks for itself again while a bar fills; whatever it says, and though it leads on and has a field."""
    room = ROOM.format(*said)

    assert kind_of(page(room, head=ROOM_HEAD), url=URL) == "notice"
    assert kind_of(page(room, head=ROOM_HEAD), url=URL.replace("river", "queue")) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<meta http-equiv=refresh content=30>", ""),
        ("<meta http-equiv=refresh content=30>", "<meta http-equiv=refresh content='30; url=/shows/next'>"),
        ("<meta name=robots content=noindex>", ""),
        ("https://static.linewait.example", ""),
        ("progress", "p"),
        ("6f1c0d2e-77ab-4e0b", "7"),
        ("</main>", "<a href=/shows>a</a></main>"),
        ("<main>", "<link rel=canonical href=/shows/river><main>"),
    ],
)
def test_page_that_shows_how_far_something_is_has_less_of_a_waiting_room(old: str, new: str) -> None:
    """Each sign is needed: a task of the site, a live report and a bar of donations are pages."""
    room = page(ROOM.format("Bygget", "Så långt har vi kommit med det nya huset vid sjön. " * 9, "Mer"), head=ROOM_HEAD)

    assert kind_of(room, url=URL) == "notice"
    assert kind_of(room.replace(old, new), url=URL) is None


NAMED_HEAD = (
    "<script src=https://static.linewait.example/wait.js></script>"
    "<link rel=stylesheet href=https://static.linewait.example/queue-3.css>"
)
NAMED_ROOM = """<main class=wait><h1>{0}</h1><p>{1}</p><div role=progressbar aria-label={0} aria-valuenow=12></div><dl><dt>{2}
</dt><dd>48 211</dd></dl><form method=post action=/line/mail><label for=e>{2}</label><input id=e type=email></form></main>
<footer>ID: 6f1c0d2e-77ab-4e0b <a href=https://linewait.example/about>{2}</a></footer>"""
LINES = [
    ("თქვენ რიგში ხართ", "ბევრ ადამიანს უნდა ბილეთი ამ კონცერტზე. " * 12, "ნომერი"),
    ("Hai mặt hàng", "Rất nhiều người muốn mua vé vào lúc này. " * 9, "Số"),
    ("أنت الآن في الطابور", "كثير من الناس يريدون شراء التذاكر الآن. " * 12, "الرقم"),
    ("演奏会", "夜の部は六時に始まります。 " * 20, "番号"),
]


@pytest.mark.parametrize("said", LINES)
def test_waiting_room_whose_script_asks_again_is_a_notice(said: tuple[str, str, str]) -> None:
    """Its files name it, and nothing leads into the site; each of the signs is needed."""
    room = page(NAMED_ROOM.format(*said), head=NAMED_HEAD)

    assert kind_of(room, url=URL) == "notice"
    assert kind_of(room, url=URL.replace("river", "queue")) is None
    for old, new in (
        ("https://static.linewait.example", ""),
        ("queue-3", "theme"),
        ("progressbar", "img"),
        ("6f1c0d2e-77ab-4e0b", "7"),
        ("</main>", "<a href=/shows>a</a></main>"),
        ("<main ", "<link rel=canonical href=/shows/river><main "),
    ):
        assert kind_of(room.replace(old, new), url=URL) is None, old


PROGRAMS = """<h1>{0}</h1><p>{1}</p><table><tr><th>{2}<tr><td><a href=/dn/guard.exe>{2}</a><tr><td><a href=/dn/sign.msi>{2}
</a></table><p><a href=/main>{2}</a></p>"""
RETURNS = "<script>var back='/shows/river';setInterval(function(){if(window.Guard){location.href=back}},3000)</script>"


@pytest.mark.parametrize(
    "said",
    [
        ("보안 프로그램 설치", "요청하신 페이지를 이용하려면 프로그램을 모두 설치하십시오. " * 4, "설치"),
        ("Güvenlik programı gerekli", "İstediğiniz sayfayı açmak için programları kurun. " * 4, "Kur"),
        ("请先安装安全控件", "要打开您请求的页面，请先安装以下控件。" * 4, "下载"),
        ("ပရိုဂရမ် ထည့်ပါ", "စာမျက်နှာကို ဖွင့်ရန် ပရိုဂရမ်များ ထည့်ပါ။ " * 3, "ထည့်ပါ"),
    ],
)
def test_demand_to_install_programs_first_is_a_notice(said: tuple[str, str, str]) -> None:
    """A script leads back to what was asked for; a page of downloads is what was asked for, and has a site around it."""
    body = PROGRAMS.format(*said)
    demand = page(body, head=STYLE + RETURNS)

    assert kind_of(demand, url=URL) == "notice"
    assert kind_of(page(body), url=URL) is None
    assert kind_of(demand.replace("/shows/river", "/shows/other"), url=URL) is None
    assert kind_of(demand.replace("sign.msi", "sign.html"), url=URL) is None
    assert kind_of(demand.replace("</table>", "</table><a href=/help>?</a><a href=/faq>?</a>"), url=URL) is None
    assert kind_of(demand, url="https://www.kestrelford.example/") is None


MENU = "".join(f"<a href=/{n}>ა</a>" for n in range(10))
FRAME = f"<header>{MENU}<a href='/in?to=/shows/river'>შ</a></header>"
BACK = "<a href='/in?to=%2Fshows%2Friver'>შესვლა</a>"


@pytest.mark.parametrize(
    ("main", "names", "kind"),
    [
        (f"<p>203.0.113.9 {BACK}</p>", "", "notice"),
        (f"<p>aa:bb:cc:00:11:22 {BACK}</p>{words(80)}", "", "notice"),
        (f"<p>203.0.113.9 {BACK}</p>{words(100)}", "", None),
        (f"<p>{BACK}</p>", "", None),
        (f"<p>203.0.113.9, 203.0.113.10 {BACK}</p>", "", None),
        (f"<p>192.168.1.1 {BACK}</p>", "", None),
        (f"<p>2.1.0.3 {BACK}</p>", "", None),
        (f"<p>8.8.8.8 {BACK}</p>", "", None),
        (f"<p>203.0.113.9</p><div class=comments><p>{BACK}</div>", "", None),
        (f"<p>203.0.113.9</p><div id=respond><p>{BACK}</div>", "", None),
        ("<p>203.0.113.9 <a href='https://share.example/?u=%2Fshows%2Friver'>ა</a></p>", "", None),
        ("<p>203.0.113.9</p>", "", None),
        ("<p>დახურულია</p>", "skin ns-special mw-special-Badtitle", "notice"),
        ("<p>დახურულია</p>", "dokuwiki mode_denied tpl", "notice"),
        ("<p>დახურულია</p>", "skin ns-special mw-special-Badtitles", None),
        (words(100), "mw-special-Badtitle", None),
        ("<h1>River</h1>", "mw-special-Badtitle", None),
    ],
)
def test_notice_in_the_frame_of_its_site(main: str, names: str, kind: str | None) -> None:
    """Its main part leads back and knows the visitor, or the software says so; a link to sign in is on every page."""
    html = page(f"{FRAME}<main>{main}</main><footer>{words(30)}</footer>").replace("<body>", f"<body class='{names}'>")

    assert kind_of(html, url=URL) == kind


@pytest.mark.parametrize("path", ["news/471/", "?p=471", "news/471190", "p/7"])
@pytest.mark.parametrize("said", ["Version 2.1.0.3 of our lamp is out", "We asked 203.0.113.9"])
def test_address_without_words_promises_nothing_else(path: str, said: str) -> None:
    """A short post with a link to sign in for a comment, whose address is a number."""
    url = URL.replace("shows/river", path)
    back = f"<a href='/wp-login.php?redirect_to={quote(url, safe='')}'>შესვლა</a>"
    html = page(
        f"<header>{MENU}</header><main><h1>ლამპა</h1><p>{said}</p><p>{back}</p></main><footer>{words(30)}</footer>"
    )

    assert kind_of(html, url=url) is None


@pytest.mark.parametrize(
    ("name", "file", "kind"),
    [
        ("kestrelford.example", "https://cloud.example/logo.png", "notice"),
        ("kestrelford.example", "/logo.png", None),
        ("სხვა", "https://cloud.example/logo.png", None),
    ],
)
def test_notice_of_a_host_about_the_site(name: str, file: str, kind: str | None) -> None:
    """All is of another site but the name, where a page further down was asked for."""
    said = "".join(f"<h2>თავი</h2>{words(30)}" for _ in range(2))
    host = f"<img src={file}><a href=https://my.cloud.example/>გადახდა</a>"
    html = page(f"{host}<h1>სათაური</h1><p>{name}</p>{said}", head=f"{STYLE}<meta name=description content=x>")

    assert kind_of(html, url=URL) == kind


SHARED = {
    "one network": ["www.facebook.com/sharer/sharer.php?u="],
    "a messenger": ["api.whatsapp.com/send?text="],
    "sites of no network": ["b.hatena.example/add?url=", "collect.example/save?u="],
    "all": ["x.com/intent/post?url=", "t.me/share/url?url=", "collect.example/save?u="],
}


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Lost cat", "Black, answers to Minka, last seen at the mill."),
        ("臨時休業のお知らせ", "11月30日は都合により休業いたします。"),
        ("حفلة في الطاحونة", "الجمعة في الثامنة، والدخول مجاني."),
        ("Κλειστά την Κυριακή", "Είμαστε στο πανηγύρι."),
        ("Потерялся кот", "Чёрный, белые лапы."),
        ("งดบริการ", "พบกันวันจันทร์"),
    ],
)
@pytest.mark.parametrize("to", SHARED)
def test_short_page_that_offers_itself_to_others_is_graded(title: str, said: str, to: str) -> None:
    """The address in a link to another site is no way back, where that is to tell others."""
    links = "".join(f'<a href="https://{one}{quote(URL, safe="")}">+</a>' for one in SHARED[to])

    assert kind_of(page(f"<h1>{title}</h1><p>{said}</p>{links}"), url=URL) is None


def test_link_to_the_one_site_that_leads_back_is_a_notice() -> None:
    """The same link to a site that is no network: one has to go there first."""
    html = page(f'<h1>ერთი წუთი</h1><p>შემოწმება</p><a href="https://gate.example/in?to={quote(URL, safe="")}">+</a>')

    assert kind_of(html, url=URL) == "notice"


AWAY = (
    "<p>Unser Shop wird gerade auf ein neues System umgestellt und ist deshalb nicht erreichbar. Diese Seite kann im Moment "
    "nicht angezeigt werden. Bitte versuchen Sie es später noch einmal, wir bitten um Verständnis.</p>"
)
IN_FRAME = site("Merino | Otterline", f"<h1>Gleich wieder da</h1>{AWAY}", lang="de")
ASKED = "https://www.otterline.example/garn/merino"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("</main>", "<ul><li>Otterline</li></ul></main>"),
        ("</main>", "<img src=/ball.png alt=''></main>"),
        ("<h1>", "<article><h1>"),
    ],
)
def test_words_of_a_notice_in_the_frame_of_its_site(old: str, new: str) -> None:
    """No list of phrases has them; a symbol or a few lines beside them make no page of it."""
    assert kind_of(IN_FRAME.replace(old, new, 1) if old else IN_FRAME, url=ASKED) == "notice"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</main>", "<table><tr><td>7:00</td></tr></table></main>"),
        ("</main>", "<time datetime=2026-11-29>heute</time></main>"),
        ("</main>", "<h2>Wolle</h2><h2>Nadeln</h2><h2>Garn</h2></main>"),
        ("</main>", "<form action=/suche><label>Wort<input name=w></label></form></main>"),
        ("Gleich wieder da", "Wann sind wir wieder da?"),
        ("Gleich wieder da", "Wann sind wir wieder da\N{FULLWIDTH QUESTION MARK}"),
        (AWAY, "<p>Der Shop wird gerade umgestellt und ist nicht erreichbar.</p>"),
        (AWAY, AWAY * 4),
        (
            f"<h1>Gleich wieder da</h1>{AWAY}",
            "<h1>Pullover vom Deich</h1><p>Der Pullover wird gerade aus frischer Wolle gestrickt und ist in vier Farben zu haben. Er wärmt im "
            "Winter und kratzt nicht. Die Wolle kommt von Schafen, die auf dem Deich vor unserer Tür grasen.</p>",
        ),
    ],
)
def test_short_page_in_a_frame_with_more_or_other_words_is_graded(old: str, new: str) -> None:
    """Something to look at or to use, a question, too few or too many words, and the words of a page."""
    assert kind_of(IN_FRAME.replace(old, new), url=ASKED) is None


@pytest.mark.parametrize(
    "path",
    ["/gleich-wieder", "/aktuelles/gleich-wieder-4711", "/abmeldung/merino", "/"],
)
def test_notice_that_its_address_promises_is_graded(path: str) -> None:
    """An announcement is named by its address, numbers aside, and who signs out asked for it."""
    assert kind_of(IN_FRAME, url=f"https://www.otterline.example{path}") is None


def test_addresses_spell_letters_out() -> None:
    """A heading in German has its umlauts, and the address has two letters for each."""
    html = IN_FRAME.replace("Gleich wieder da", "Für später schließen").replace("Merino", "Für später schließen")

    assert kind_of(html, url="https://www.otterline.example/fuer-spaeter-schliessen") is None
    assert kind_of(html, url="https://www.otterline.example/fuer-morgen-schliessen") == "notice"


WAITS = (
    "<p>Die Werkstatt am Fluss räumt um. Deshalb lässt sich die Liste der Garne gerade nicht aufschlagen; am Abend ist "
    "alles an seinem Platz.</p>"
)
PROMISED = "https://www.otterline.example/muster/norwegische-socken"


def test_address_that_promised_another_page() -> None:
    """A text that hardly reads like a notice is one where the page has no word of its address, or asks for itself."""
    html = IN_FRAME.replace(AWAY, WAITS)
    again = html.replace("<head>", "<head><meta http-equiv=refresh content=60>")

    described = html.replace("<head>", "<head><meta name=description content='Garn vom Deich'>")

    assert kind_of(html, url=PROMISED) == "notice"
    assert kind_of(described, url=PROMISED) is None
    assert kind_of(again, url="https://www.otterline.example/12") == "notice"
    assert kind_of(IN_FRAME, url="https://www.otterline.example/wiki/merino") == "notice"
    for url in (
        "https://www.otterline.example/12",
        "https://www.otterline.example/muster/werkstatt",
        "https://www.otterline.example/muster/fluß-raeumt",
        "https://www.otterline.example/hilfe/norwegische-socken",
    ):
        assert kind_of(html, url=url) is None


def test_letters_of_a_picture_and_a_search_beside_a_notice() -> None:
    """A field without a picture or a way back, or one of another kind, is something to use; a search is of the frame."""
    letters = (
        "<form action=/ok method=post><img src=/c.png alt=''><input type=hidden name=z value=/garn/merino>"
        "<label>Zeichen<input name=z></label></form></main>"
    )
    search = "<form action=/s><label>Wort<input type=search name=w></label></form></main>"
    html = IN_FRAME.replace("</main>", letters)

    assert kind_of(html, url=ASKED) == "notice"
    assert kind_of(IN_FRAME.replace("</main>", search), url=ASKED) == "notice"
    assert kind_of(html.replace("<img src=/c.png alt=''>", ""), url=ASKED) is None
    assert kind_of(html.replace("value=/garn/merino", "value=/garn"), url=ASKED) is None
    assert kind_of(html.replace("<input name=z>", "<input type=email name=z>"), url=ASKED) is None
    assert kind_of(html.replace("<label>", "<label>Name<input name=n></label><label>"), url=ASKED) is None


SIGN_IN = (
    "<p>Du musst angemeldet sein, um diese Unterhaltung zu lesen. Noch kein Konto? Registriere dich, es dauert eine "
    "Minute.</p><form action=/rein method=post><dl><dt>Name<dd><input name=u><dt>Passwort<dd><input type=password "
    "name=p></dl><button>Anmelden</button></form>"
)


def test_sign_in_in_place_of_a_thread() -> None:
    """The address of a thread is told of nowhere; help about signing in is."""
    html = site("Anmelden | Otterline", f"<h1>Anmelden</h1>{SIGN_IN}", lang="de")

    assert kind_of(html, url="https://www.otterline.example/threads/kratzige-wolle-waschen.30511/") == "notice"
    assert kind_of(html, url="https://www.otterline.example/threads/anmelden-im-forum.30512/") is None
    assert kind_of(html, url="https://www.otterline.example/anmelden") is None
