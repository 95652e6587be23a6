"""Sign-in forms and ends of sessions in the frame of a site are recognized; short pages in the same frame are graded."""

from __future__ import annotations

from typing import Final

import pytest

from pagegrade.model.artifacts import Navigation
from pagegrade.parse.page_kind.frame import holds_little
from pagegrade.parse.page_kind.structure import Structure
from tests.builders import make_document, make_response
from tests.parse.page_kind.pages import kind_of

ROOT: Final = "https://www.otterline.example"
NAVIGATION: Final = (
    ("/", "Otterline"),
    ("/katalog", "Katalog"),
    ("/arhiv", "Arhiv"),
    ("/news", "News"),
    ("/contact", "Contact"),
    ("/login/", "Log in"),
    ("/vhod/", "Вход"),
)
AREA: Final = """<form action="{action}" method="post">{hidden}<label for=u>{user}</label><input id=u name=user autocomplete=username>
<label for=p>{word}</label><input id=p name=secret type=password><button>{button}</button></form>"""


def framed(title: str, main: str, *, lang: str = "en", head: str = "", navigation: str = "") -> str:
    """A described page with a header, a navigation, a field to search and a footer around its main part."""
    links = "".join(f'<li><a href="{path}">{text}</a></li>' for path, text in NAVIGATION)
    return f"""<!doctype html><html lang="{lang}"><head><meta charset=utf-8><title>{title}</title><meta name=viewport
content="width=device-width"><meta name=description content="Otterline"><link rel=stylesheet href=/site.css>{head}</head><body><header>
<nav><ul>{links}{navigation}</ul></nav><form action=/search><input name=q type=search aria-label=Search></form></header>
<main>{main}</main><footer><p>Otterline, 3 Quay Street</p><a href=/terms>Terms</a> <a href=/privacy>Privacy</a></footer></body></html>"""


def sign_in(
    *,
    action: str = "/session",
    back: str = "",
    said: tuple[str, str, str] = ("Card", "Password", "Log in"),
) -> str:
    """A form with a name and a password, which may carry the address to lead back to."""
    hidden = f'<input type=hidden name=next value="{back}">' if back else ""
    return AREA.format(action=action, hidden=hidden, user=said[0], word=said[1], button=said[2])


ORDINARY: Final[dict[str, tuple[str, str, str, str]]] = {
    "contact": ("/company/reach-us", "en", "Contact", "<h1>Contact</h1><p>Call 01632 960 114 or write to us.</p><p><a href=mailto:a@otterline.example>Write</a></p>"),
    "thanks": ("/anfrage/ok", "de", "Vielen Dank", "<h1>Vielen Dank</h1><p>Wir haben Ihre Nachricht erhalten und melden uns bald.</p><p><a href=/>Zur Startseite</a></p>"),
    "opening hours": ("/practice/times", "en", "Opening hours", "<h1>Opening hours</h1><p>Monday to Friday 9 to 17. Closed on public holidays.</p>"),
    "one form": ("/service/rueckruf-1", "de", "Wir rufen zurück", "<h1>Wir rufen zurück</h1><form action=/rueckruf method=post><label>Telefon<input type=tel name=t></label><button>Absenden</button></form>"),
    "poll": ("/poll/77", "es", "Encuesta", "<h1>¿Qué día prefieres?</h1><form method=post><label><input type=radio name=a>Lunes</label><label><input type=radio name=a>Martes</label><button>Votar</button></form>"),
    "search without input": ("/find/all", "en", "Search", "<h1>Search</h1><form><label>Words<input name=w></label><button>Search</button></form>"),
    "sold out": ("/p/4711", "de", "Kanne, blau", "<h1>Kanne, blau</h1><p>Zurzeit ausverkauft. Wieder da im März.</p><p><a href=/katalog>Weitere Kannen</a></p>"),
    "empty list": ("/jobs/open", "fr", "Offres d'emploi", "<h1>Offres d'emploi</h1><p>Il n'y a aucun poste à pourvoir en ce moment.</p>"),
    "sign-in that was asked for": ("/konto/belepes", "hu", "Belépés", "<h1>Belépés</h1>" + sign_in(action="/konto/belepes", said=("Név", "Jelszó", "Belépés"))),
    "sign-in with accents in its name": ("/fiok/bejelentkezes", "hu", "Bejelentkezés", "<h1>Bejelentkezés</h1>" + sign_in(action="/fiok/send", back="/fiok/bejelentkezes", said=("Név", "Jelszó", "Bejelentkezés"))),
    "sign-in of a profile": ("/profil/vhod", "bg", "Вход", "<h1>Вход</h1>" + sign_in(action="/user/send", back="/profil/vhod", said=("Карта", "Парола", "Вход"))),
    "trial": ("/lp/gratis-testen", "de", "Jetzt testen", "<h1>Jetzt testen</h1><p>Dreißig Tage, ohne Karte.</p>" + sign_in(action="/users", said=("E-Mail", "Passwort", "Jetzt testen")).replace("<label", "<input type=hidden name=landing value=/lp/gratis-testen><label", 1)),
    "check of a password": ("/tools/pwned-1", "en", "Check your password", "<h1>Check your password</h1><p>It is never stored.</p><form action=/api/send method=post><label>Password <input type=password name=p></label><button>Check</button></form>"),
    "end of a talk": ("/s/thanks-7", "en", "Thank you", "<h1>Your coaching session has ended</h1><p>Your notes are in your mailbox. <a href=/book>Book the next one</a>.</p>"),
    "sign-in that carries itself": ("/konto/belepes", "hu", "Belépés", "<h1>Belépés</h1>" + sign_in(action="/konto/belepes", back="/konto/belepes", said=("Név", "Jelszó", "Belépés"))),
    "sign-in below the linked page": ("/vhod/karta", "bg", "Вход", "<h1>Вход</h1>" + sign_in(action="/vhod/send", said=("Карта", "Парола", "Вход"))),
    "sign-in of another list": ("/chitateli/karta", "bg", "Вход", "<h1>Вход</h1>" + sign_in(action="/sesija", said=("Карта", "Парола", "Вход"))),
    "closed today": ("/news/12", "en", "Hall closed today", "<h1>Hall closed today</h1><p>The heating failed. Training starts again on Friday.</p>"),
    "closed, Korean": ("/board/view?no=12", "ko", "오늘 휴관 안내", "<h1>오늘 휴관 안내</h1><p>시설 점검으로 오늘은 휴관합니다. 내일부터 정상 운영합니다.</p>"),
    "maintenance post, Korean": ("/board/view?no=13", "ko", "시스템 점검 안내", "<h1>시스템 점검 안내</h1><p>일요일 오전 1시부터 6시까지 점검이 있습니다.</p><p><a href=/board>목록</a></p>"),
    "maintenance post, German": ("/aktuell/detail?id=4", "de", "Wartungsarbeiten am Wehr", "<h1>Wartungsarbeiten am Wehr</h1><p>Am Montag ist das Wehr gesperrt.</p><p><a href=/aktuell>Zurück</a></p>"),
    "short post": ("/2026/11/otters-return", "en", "Otters are back", "<h1>Otters are back</h1><p>Two were seen below the bridge this morning.</p>"),
    "event": ("/termine/91", "de", "Herbstlauf", "<h1>Herbstlauf</h1><p>Sonntag, 11 Uhr, am Sportplatz. Anmeldung vor Ort.</p>"),
    "moved": ("/old/shop-page", "en", "The shop has moved", "<h1>The shop has moved</h1><p>You find it in the catalog now.</p><p><a href=/katalog>Go to the catalog</a></p>"),
    "password reset": ("/konto/neu-setzen", "de", "Passwort vergessen", "<h1>Passwort vergessen</h1><p>Wir schicken Ihnen einen Link.</p><form action=/konto/link method=post><label>E-Mail<input type=email name=e></label><button>Senden</button></form>"),
    "new password": ("/konto/setzen-2", "de", "Neues Passwort", "<h1>Neues Passwort</h1><form action=/konto/p method=post><label>Neu<input type=password name=a></label><label>Noch einmal<input type=password name=b></label><button>Neues Passwort</button></form>"),
    "tag with one entry": ("/tag/%D1%80%D0%B5%D0%BA%D0%B0", "ru", "Записи", "<h1>Записи</h1><p><a href=/news/5>Река поднялась</a></p>"),
    "spirits": ("/shop/9", "en", "Rye whisky", "<h1>Rye whisky</h1><p>Sold to adults only. 39.50 €, half a litre.</p><form action=/cart method=post><button>Add to cart</button></form>"),
    "teaser, English": ("/2026/bridge-opens", "en", "The bridge will open in June", "<h1>The bridge will open in June</h1><p>After four years the works come to an end, the mayor says.</p><p>Log in to read on.</p>" + sign_in(back="/2026/bridge-opens")),
    "teaser, Russian": ("/novosti/12345", "ru", "Мост откроют в июне", "<h1>Мост откроют в июне</h1><p>Работы заканчиваются после четырёх лет.</p>" + sign_in(back="/novosti/12345", said=("Почта", "Пароль", "Войти"))),
    "teaser, Japanese": ("/kiji/12345", "ja", "橋は六月に開通", "<h1>橋は六月に開通</h1><p>四年の工事が終わる。続きは会員の方へ。</p>" + sign_in(back="/kiji/12345", said=("会員番号", "パスワード", "ログイン"))),
    "price on request": ("/maschinen/m8", "de", "Fräse M8", "<h1>Fräse M8</h1><p>Preis auf Anfrage.</p><p><a href=/contact>Anfragen</a></p>"),
    "members' area of the menu": ("/katalog/r-7", "en", "Readers log in", "<h1>Readers log in</h1>" + sign_in(action="/login/check")),
    "article about sessions": ("/help/login-12", "en", "Your session has expired", "<h1>Your session has expired</h1><p>This message appears after 20 minutes.</p><p><a href=/contact>Ask us</a></p>"),
    "question about sessions": ("/f/77", "de", "Sitzung abgelaufen?", "<h1>Sitzung abgelaufen?</h1><p>Melden Sie sich einfach neu an.</p><p><a href=/login/>Anmelden</a></p>"),
    "session named in its address": ("/meldungen/sitzung-abgelaufen", "de", "Sitzung abgelaufen", "<h1>Ihre Sitzung ist abgelaufen</h1><p>Diese Meldung kommt nach 20 Minuten.</p><p><a href=/>Start</a></p>"),
    "session with an answer": ("/m/77", "en", "Session expired", "<h1>Session expired</h1><article><p>It appears after 20 minutes. <a href=/contact>Ask us</a></p></article>"),
    "council": ("/rat/2026-11", "de", "Sitzung beendet", "<h1>Die Sitzung ist beendet</h1><p>Der Rat hat den Haushalt beschlossen.</p><p><a href=/arhiv>Archiv</a></p>"),
    "school term": ("/school/12", "en", "The summer session has ended", "<h1>The summer session has ended</h1><p>We thank all teachers.</p><p><a href=/news>News</a></p>"),
    "parliament, Spanish": ("/pleno/88", "es", "La sesión ha terminado", "<h1>La sesión ha terminado</h1><p>El pleno aprobó la ley.</p><p><a href=/arhiv>Actas</a></p>"),
    "exams, Russian": ("/novosti/31", "ru", "Сессия завершена", "<h1>Зимняя сессия завершена</h1><p>Поздравляем студентов.</p><p><a href=/news>Новости</a></p>"),
    "parliament, Arabic": ("/akhbar/31", "ar", "انتهت الجلسة", "<h1>انتهت الجلسة</h1><p>أقر المجلس الميزانية.</p><p><a href=/news>الأخبار</a></p>"),
    "parliament, Turkish": ("/haber/31", "tr", "Oturum sona erdi", "<h1>Oturum sona erdi</h1><p>Meclis bütçeyi kabul etti.</p><p><a href=/news>Haberler</a></p>"),
    "parliament, Hindi": ("/samachar/31", "hi", "सत्र समाप्त", "<h1>सत्र समाप्त</h1><p>सदन ने बजट पारित किया।</p><p><a href=/news>समाचार</a></p>"),
    "conference, Japanese": ("/kiji/31", "ja", "セッション終了", "<h1>午後のセッション終了</h1><p>ご参加ありがとうございました。</p><p><a href=/news>ニュース</a></p>"),
    "appeal": ("/hilfe/spende-1", "de", "Danke für Ihre Hilfe", "<h1>Danke für Ihre Hilfe</h1><p>Jeder Euro zählt.</p><p><a href=/contact>Spenden</a></p>"),
    "poem, Persian": ("/sher/3", "fa", "رود", "<h1>رود</h1><p>آب می‌رود و سنگ می‌ماند.</p>"),
    "notice of a death": ("/nachruf/19", "de", "Wir trauern um Karl", "<h1>Wir trauern um Karl</h1><p>Er hat den Verein geleitet.</p>"),
    "address in Thai": ("/sakha/2", "th", "สาขาสอง", "<h1>สาขาสอง</h1><p>เปิดทุกวัน เก้าโมงถึงห้าโมง</p>"),
    "Hebrew notice": ("/modaot/8", "he", "סגור היום", "<h1>סגור היום</h1><p>נפתח שוב מחר בתשע.</p><p><a href=/>לדף הבית</a></p>"),
    "Hindi price": ("/dar/7", "hi", "सिलाई की दर", "<h1>सिलाई की दर</h1><p>कुर्ता तीन सौ रुपये, दो दिन में तैयार।</p>"),
    "Chinese notice": ("/gonggao/15", "zh", "今日停业", "<h1>今日停业</h1><p>因停电今日停业,明日照常。</p><p><a href=/>首页</a></p>"),
    "registration": ("/katalog/karta-nova", "bg", "Нова карта", "<h1>Нова карта</h1><form action=/k method=post><input type=hidden name=n value=/katalog/karta-nova><label>Име<input name=i></label><label>Поща<input name=email></label><label>Парола<input type=password name=p></label><button>Нова карта</button></form>"),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDINARY)
def test_short_page_in_a_frame_is_graded(name: str) -> None:
    """Few words in a large frame are no notice, whatever is asked or said in them."""
    path, lang, title, main = ORDINARY[name]
    link = '<li><a href="/katalog/r-7">Readers log in</a></li>'

    assert kind_of(framed(f"{title} | Otterline", main, lang=lang, navigation=link), url=ROOT + path) is None


SAID: Final = {
    "en": ("Card number", "Password", "Log in", "Log in for readers"),
    "vi": ("Tài khoản", "Mật khẩu", "Đăng nhập", "Đăng nhập để xem chủ đề"),
    "bg": ("Карта", "Парола", "Вход", "Вход за читатели"),
    "ar": ("الحساب", "كلمة المرور", "تسجيل الدخول", "تسجيل الدخول للقراء"),
    "zh": ("账号", "密码", "登录", "请先登录论坛"),
    "el": ("Κάρτα", "Κωδικός", "Σύνδεση", "Σύνδεση αναγνωστών"),
    "ka": ("ბარათი", "პაროლი", "შესვლა", "შესვლა მკითხველებისთვის"),
}


@pytest.mark.parametrize("lang", SAID)
@pytest.mark.parametrize("how", ["leads back", "own page"])
def test_sign_in_in_place_of_a_page(lang: str, how: str) -> None:
    """The form carries the address of what was asked for, or is sent to the page that the navigation leads to."""
    user, word, button, title = SAID[lang]
    path = "/arhiv/vestnik-1931"
    places = {"leads back": {"action": "/session", "back": path}, "own page": {"action": "/login/check"}}[how]
    main = f"<h1>{title}</h1><p>{title}.</p>{sign_in(said=(user, word, button), **places)}"
    own = f'<link rel=canonical href="{path}">'

    assert kind_of(framed(f"{title} | Otterline", main, lang=lang, head=own), url=ROOT + path) == "login_wall"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</main>", "<p>" + "and more of it " * 40 + "</p></main>"),
        ("</main>", "<article>The bridge</article></main>"),
        ("</main>", "<time>1931</time></main>"),
        ("</main>", "<img src=/a.jpg alt='First page' width=600 height=900></main>"),
        ("</head>", "<meta property=og:type content=article></head>"),
        ("</head>", '<script type=application/ld+json>{"@context":"https://schema.org","@type":"NewsArticle"}</script></head>'),
        ("/session", "/arhiv/vestnik-1931"),
        ("<button>Log in", "<button>Go on"),
        ("<main>", "<aside>"),
        ("<label for=u>", "<label>Again <input type=password></label><label for=u>"),
    ],
)  # fmt: skip
def test_each_thing_that_a_page_has_of_its_own_is_graded(old: str, new: str) -> None:
    """Text, an article, a date, a picture, a description of what it is about, or a form that leads to itself."""
    path = "/arhiv/vestnik-1931"
    page = framed(
        "Log in | Otterline", "<h1>Log in</h1>" + sign_in(back=path), head=f'<link rel=canonical href="{path}">'
    )

    assert kind_of(page, url=ROOT + path) == "login_wall"
    assert old in page
    assert kind_of(page.replace(old, new, 1), url=ROOT + path) is None


EXPIRED: Final = {
    "en": ("Your session has ended", "Start again"),
    "de": ("Ihre Sitzung ist abgelaufen", "Neue Suche"),
    "fr": ("Votre session a expiré", "Recommencer"),
    "es": ("Tu sesión ha caducado", "Volver"),
    "pl": ("Twoja sesja wygasła", "Zacznij od nowa"),
    "ru": ("Время сеанса истекло", "Начать снова"),
    "ja": ("セッションの有効期限が切れました", "最初から"),
    "ko": ("세션이 만료되었습니다", "다시 시작"),
    "zh": ("会话已过期", "重新开始"),
    "ar": ("انتهت صلاحية الجلسة", "ابدأ من جديد"),
}


@pytest.mark.parametrize("lang", EXPIRED)
def test_end_of_a_session_in_place_of_a_page(lang: str) -> None:
    """Its heading says so, and all there is to do is to begin again."""
    heading, again = EXPIRED[lang]
    main = f"<h1>{heading}</h1><p>20</p><p><a href=/search>{again}</a></p>"
    page = framed(f"{heading} | Otterline", main, lang=lang)

    assert kind_of(page, url=f"{ROOT}/application/WM-0417") == "notice"
    for path in ("/", "/help/WM-0417"):
        assert kind_of(page, url=ROOT + path) is None
    for more in ("<dl><dt>1</dt><dd>2</dd></dl>", "<label>Why<input name=y></label>", "<ul><li>1</li></ul>"):
        assert kind_of(page.replace("</main>", f"{more}</main>"), url=f"{ROOT}/application/WM-0417") is None

    assert kind_of(page.replace("<a href=/search>", "<a>"), url=f"{ROOT}/application/WM-0417") is None


@pytest.mark.parametrize(("words", "links", "little"), [(120, 4, True), (121, 4, False), (120, 5, False)])
def test_limits_of_what_is_little(words: int, links: int, *, little: bool) -> None:
    """120 words and four links are left beside the frame; one more of each is a page."""
    main = f"{'otter ' * (words - links)}{'<a href=/katalog>x</a> ' * links}"
    url = f"{ROOT}/arhiv/vestnik"
    html = framed("Otterline", main)
    navigation = Navigation(requested_url=url, hops=(), response=make_response(html, url=url))

    assert holds_little(Structure(document=make_document(html, url=url), navigation=navigation)) is little
