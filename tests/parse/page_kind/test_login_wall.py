"""Sign-in forms in the place of other pages are recognized; sign-in pages that were asked for are graded."""

from __future__ import annotations

import pytest

from pagegrade.parse.page_kind.login_wall import MAX_PRECEDING
from tests.parse.page_kind.pages import kind_of, site, words

FORM = """<form method="post"><label for=u>Username</label><input id=u name="username" autocomplete="username">
<label for=p>Password</label><input id=p type="password" name="password"><button>Sign in</button></form>"""
KEYCLOAK = f"""<!DOCTYPE html><html class="login-pf" lang="en"><head><title>Sign in to otterline</title><link rel="stylesheet"
href="/resources/login.css"></head><body><div id="kc-header">Otterline</div><h1 id="kc-page-title">Sign in to your account</h1>
<div id="kc-form">{FORM}<a href="/reset">Forgot Password?</a><span>New user? <a href="/register">Register</a></span></div>
</body></html>"""
AUTH0 = """<html lang="en"><head><title>Log in | Otterline</title></head><body><main class="login"><h1>Welcome</h1><p>Log in to
Otterline to continue to the dashboard.</p><form method="POST"><input type="hidden" name="state" value="hKFo"><label>Email
address<input name="username" inputmode="email"></label><label>Password<input name="password" type="password"></label>
<button>Continue</button></form><p>Don't have an account? <a href="/u/signup">Sign up</a></p></main></body></html>"""
OKTA = """<html lang="en"><head><title>Otterline - Sign In</title><script src="https://global.oktacdn.com/okta-signin-widget/7/
okta-sign-in.min.js"></script></head><body><div id="okta-login-container"></div><noscript>Javascript is required</noscript>
<script>var config = {};</script></body></html>"""
MICROSOFT = """<html dir="ltr" lang="en"><head><title>Sign in to your account</title><script
src="https://aadcdn.msauth.net/shared/1.0/content/js/ConvergedLogin.js"></script></head><body><div id="lightbox"></div><script>
//<![CDATA[\n$Config={"fShowPersistentCookiesWarning":false};\n//]]></script></body></html>"""
WORDPRESS = """<html lang="en-US"><head><title>Log In &lsaquo; Otterline &#8212; WordPress</title><meta name="robots"
content="max-image-preview:large, noindex, noarchive"></head><body class="login"><div id="login"><h1><a href="https://wordpress.org/">
Powered by WordPress</a></h1><form name="loginform" id="loginform" action="/wp-login.php" method="post"><p><label for="user_login">
Username or Email Address</label><input type="text" name="log" id="user_login"></p><label for="user_pass">Password</label><input
type="password" name="pwd" id="user_pass"><label><input name="rememberme" type="checkbox"> Remember Me</label><input type="submit"
value="Log In"><input type="hidden" name="redirect_to" value="/wp-admin/"></form><p id="nav"><a href="/lost">Lost your password?</a>
</p></div></body></html>"""
IN_PLACE = f"""<html lang="en"><head><title>Log in - Otterline members</title></head><body><h1>Log in</h1><p>Please log in to
continue.</p>{FORM}<a href="/forgot">Forgot password?</a></body></html>"""
GERMAN = """<html lang="de"><head><title>Anmelden - Kundenportal</title></head><body><h1>Anmelden</h1><p>Bitte melden Sie sich an.
</p><form method="post" action="/anmelden?returnUrl=%2Frechnungen"><label>E-Mail<input name="email"></label><label>Passwort
<input type="password" name="pw"></label><button>Anmelden</button></form><a href="/pw">Passwort vergessen?</a></body></html>"""
ROOT = "https://app.otterline.example"
WALLS = {
    "keycloak": (
        KEYCLOAK,
        "https://id.otterline.example/realms/o/protocol/openid-connect/auth?client_id=o&redirect_uri=x",
    ),
    "auth0": (AUTH0, "https://otterline.eu.auth0.com/u/login?state=hKFo2"),
    "okta": (OKTA, "https://otterline.okta.com/login/login.htm?fromURI=%2Foauth2"),
    "microsoft": (MICROSOFT, "https://login.microsoftonline.com/common/oauth2/authorize?client_id=1&redirect_uri=x"),
    "wordpress": (WORDPRESS, f"{ROOT}/wp-login.php?redirect_to=%2Fwp-admin%2F&reauth=1"),
    "own form": (IN_PLACE, f"{ROOT}/login?next=/reports/2026"),
    "German": (GERMAN, f"{ROOT}/anmelden?returnUrl=%2Frechnungen"),
    "no redirect": (IN_PLACE, None),
    "no redirect, German": (GERMAN, None),
}
SHOP = site("Tents - Otterline", f"<h1>Tents</h1>{words(200)}<aside><h2>Sign in</h2>{FORM}</aside>")


@pytest.mark.parametrize("name", WALLS)
def test_wall_is_recognized(name: str) -> None:
    """The page that was asked for is another one, with or without a redirect."""
    html, url = WALLS[name]
    asked = f"{ROOT}/reports/2026"

    assert kind_of(html, url=url or asked, asked=asked if url else None) == "login_wall"


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (IN_PLACE, f"{ROOT}/login"),
        (WORDPRESS, f"{ROOT}/wp-login.php"),
        (KEYCLOAK, "https://login.otterline.example/"),
        (AUTH0, f"{ROOT}/users/sign_in?locale=en"),
        (GERMAN, f"{ROOT}/konto/anmelden"),
        (IN_PLACE, f"{ROOT}/"),
        (SHOP, f"{ROOT}/tents/two-person"),
    ],
)
def test_sign_in_page_that_was_asked_for_is_graded(html: str, url: str) -> None:
    """By its own address, as the front page of an application, and as a box beside content."""
    assert kind_of(html, url=url) is None


def test_login_page_over_a_redirect_of_scheme_or_slash_is_graded() -> None:
    """The path that answers is still the one that was asked for."""
    assert kind_of(IN_PLACE, url=f"{ROOT}/login/", asked="http://app.otterline.example/login") is None


def test_redirect_to_another_page_with_a_login_box_is_graded() -> None:
    """A redirect alone is no wall."""
    assert kind_of(SHOP, url=f"{ROOT}/tents", asked=f"{ROOT}/zelte") is None


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            '<html><head><title>Sign in to CodeHub</title></head><body><h1>Sign in to CodeHub</h1><form><input name=login autocomplete=username><input type=password name=password><input type=submit value="Sign in"></form><a href=/reset>Forgot password?</a><p>New here? <a href=/signup>Create an account</a></p></body></html>',
            {"url": "https://codehub.example/login?return_to=%2Forgs%2Fx", "asked": "https://codehub.example/orgs/x"},
        ),
        (
            '<html><head><title>Sign in - Google Accounts</title></head><body><h1>Sign in</h1><p>to continue to Gmail</p><form><input type=email name=identifier aria-label="Email or phone"></form><a href=x>Forgot email?</a></body></html>',
            {
                "url": "https://accounts.google.com/v3/signin/identifier?continue=https%3A%2F%2Fmail.google.com",
                "asked": "https://mail.google.com/mail",
            },
        ),
        (
            "<html><head><title>Login | Portal</title><script type=module src=/assets/index-1a2b3c.js></script></head><body><div id=root></div></body></html>",
            {"url": "https://portal.example/login?redirect=%2Forders", "asked": "https://portal.example/orders"},
        ),
        (
            "<html lang=fr><head><title>Connexion - Espace client</title></head><body><h1>Connectez-vous</h1><form method=post><input name=email><input type=password name=mdp><button>Se connecter</button></form><a href=/m>Mot de passe oublié ?</a></body></html>",
            {"url": "https://client.example/connexion", "asked": "https://client.example/factures/12"},
        ),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked")) == "login_wall"


PASSED_ON = """<html lang="cs"><head><title>Přihlášení</title><meta name="description" content="Přihlášení do portálu">
<link rel="canonical" href="https://app.otterline.example{path}"></head>
<body><main><h1>Přihlášení</h1><form method="post" action="/prihlaseni"><input type="hidden" name="zpet" value="{path}">
<label for=u>Uživatel</label><input id=u name=u><label for=p>Heslo</label><input id=p name=p type=password>
<button>Přihlásit</button></form></main></body></html>"""


@pytest.mark.parametrize(
    ("path", "kind"), [("/smlouvy/2026/voda", "login_wall"), ("/ucet/prehled", None), ("/muj-ucet/", None)]
)
def test_form_that_carries_the_address_of_a_page_further_down_was_not_asked_for(path: str, kind: str | None) -> None:
    """Though it describes itself; an account near the front page may be one that does."""
    found = kind_of(PASSED_ON.format(path=path), url=f"{ROOT}{path}")

    assert found == kind


FORUM = """<html lang="th"><head><title>เข้าสู่ระบบ - ชมรมเรือ</title></head><body>
<nav><a href="/index.php">หน้าแรก</a><a href="/faq.php">คำถาม</a><a href="/ucp.php?mode=register">สมัคร</a>
<a href="/ucp.php?mode=terms">ข้อตกลง</a><a href="/ucp.php?mode=privacy">ความเป็นส่วนตัว</a></nav><main>{beside}
<form action="/ucp.php?mode=login" method="post"><h1>เข้าสู่ระบบ</h1><h2>สมัครสมาชิก</h2><p>กระดานนี้อ่านได้เฉพาะสมาชิก กรุณาเข้าสู่ระบบก่อน</p>
<p>การสมัครใช้เวลาไม่นาน และเปิดให้อ่านทุกหัวข้อ ผู้ดูแลจะตรวจใบสมัครภายในสองวัน</p><h2>ช่วยเหลือ</h2>
<input name="username" aria-label="ชื่อ"><input type="password" name="password" aria-label="รหัสผ่าน">
<input type="hidden" name="redirect" value="{back}"><button>เข้าสู่ระบบ</button></form></main></body></html>"""


@pytest.mark.parametrize(
    ("beside", "kind"),
    [
        ("", "login_wall"),
        ("<h2>หัวข้อ</h2><p>" + "เรือใบลำนี้แล่นได้ดีในลมแรงและสงบ " * 8, None),
    ],
)
def test_form_that_is_most_of_the_page_and_leads_back_to_it(beside: str, kind: str | None) -> None:
    """Links around it are those of the site; below the topics of a board, a form is a short way in."""
    html = FORUM.format(back="./viewtopic.php?t=77", beside=beside)

    assert kind_of(html, url=f"{ROOT}/viewtopic.php?t=77") == kind


ASKS = """<html lang="{lang}"><head><title>{title}</title><link rel=stylesheet href=/site.css></head><body><header><a href="/">Otterline</a>
</header><main><h1>{title}</h1><form method="post" action="/next"><input type="hidden" name="{name}" value="{back}">{fields}
<button>{button}</button></form></main><footer><a href="/terms">{terms}</a></footer></body></html>"""
EMAIL = '<label>E-mail<input type="email" name="email"></label>'
PASSWORD = '<label>***<input type="password" name="pw"></label>'
CARD = '<label>1<input name="n" autocomplete="cc-number"></label><label>2<input type="password" autocomplete="cc-csc"></label>'
OTHERS = {
    "till with a password for an account": ("en", "Your order: 42.00 EUR", EMAIL + PASSWORD, "Continue", "Terms"),
    "till, Japanese": ("ja", "ご注文 合計 4,200円", EMAIL + PASSWORD, "次へ", "規約"),
    "till, Arabic": ("ar", "طلبك: 120 درهم", EMAIL + PASSWORD, "متابعة", "الشروط"),
    "card": ("el", "Πληρωμή", CARD, "Πληρωμή", "Όροι"),
    "new member": (
        "ru",
        "Вступить в клуб",
        EMAIL + PASSWORD.replace("name=", "autocomplete=new-password name="),
        "Дальше",
        "Условия",
    ),
    "new member with a name": (
        "ko",
        "회원 가입",
        '<input name="username" aria-label="이름">' + EMAIL + PASSWORD,
        "가입",
        "약관",
    ),
    "letter": ("de", "Ein Brief im Monat", EMAIL, "Bestellen", "Bedingungen"),
    "gift": ("th", "ช่วยนก", EMAIL + '<input type="number" name="amount" aria-label="บาท">', "ให้", "ข้อตกลง"),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(("field", "back"), [("return_to", "/done"), ("_wp_http_referer", "/a/page")])
def test_form_for_something_else_is_graded(name: str, field: str, back: str) -> None:
    """A till, an application for membership and a field for an address ask for an address or a password, too."""
    lang, title, fields, button, terms = OTHERS[name]

    html = ASKS.format(lang=lang, title=title, fields=fields, button=button, terms=terms, name=field, back=back)

    assert kind_of(html, url=f"{ROOT}/a/page") is None


@pytest.mark.parametrize(("lang", "title"), [("ko", "로그인"), ("he", "כניסה"), ("hi", "साइन इन")])
def test_the_same_form_for_a_sign_in_is_a_wall(lang: str, title: str) -> None:
    """In any language: a name or an address, and a password."""
    html = ASKS.format(
        lang=lang, title=title, fields=EMAIL + PASSWORD, button=title, terms="*", name="to", back="/a/page"
    )

    assert kind_of(html, url=f"{ROOT}/a/page") == "login_wall"


ALONE = """<html lang="{lang}"><head><title>{title}</title></head><body>{head}<h1>{title}</h1>{above}<form method="post"
action="/login?next=/reports/2026"><input type="email" name="email" aria-label="1">
<input type="password" name="password" aria-label="2">{more}<button>{title}</button></form>{below}</body></html>"""
SEARCH = '<header><a href="/">Otterline</a><form action="/search"><input name="q" aria-label="3"></form></header>'
JOIN = """<form method="post"><input type="email" name="mail" aria-label="4"><input type="password" name="pass"
autocomplete="new-password" aria-label="5"><button>+</button></form>"""
PROMISE = "<p>{}</p>"


@pytest.mark.parametrize(
    ("lang", "title", "parts"),
    [
        ("en", "Sign in", {"head": SEARCH}),
        ("en", "Sign in", {"below": f"<h2>Register</h2>{JOIN}"}),
        ("en", "Sign in", {"more": "<input name=code aria-label=6>"}),
        ("en", "Sign in", {"more": "<input name=captcha aria-label=6>"}),
        ("en", "Sign in", {"below": PROMISE.format("Members get 10 € off their first order.")}),
        ("en", "Sign in", {"head": "<header><p>Free delivery from 50 €</p></header>"}),
        ("ja", "ログイン", {"head": SEARCH.replace("header", "div")}),
        ("el", "Σύνδεση", {"more": "<input name=verification_code aria-label=6>"}),
        ("th", "เข้าสู่ระบบ", {"below": f"<h2>สมัคร</h2>{JOIN}"}),
        ("ar", "تسجيل الدخول", {"below": PROMISE.format("خصم 10 درهم على أول طلب")}),
        ("ru", "Вход", {"more": "<input name=otp aria-label=6>", "head": SEARCH}),
        ("zh", "登录", {"more": "<input name=vcode aria-label=6>", "below": PROMISE.format("新会员立减 10 元")}),
    ],
)
def test_sign_in_with_something_beside_it_is_a_wall(lang: str, title: str, parts: dict[str, str]) -> None:
    """A field to search in, a form for new members, a code, letters of a picture, an offer."""
    html = ALONE.format(**{"head": "", "above": "", "more": "", "below": "", "lang": lang, "title": title, **parts})

    assert kind_of(html, url=f"{ROOT}/reports/2026") == "login_wall"


WRITE = """<form method="post" action="/send"><input name="name" aria-label="7"><input type="email" name="mail" aria-label="8">
<textarea name="text" aria-label="9"></textarea><button>OK</button></form>"""


@pytest.mark.parametrize(
    ("lang", "title", "parts"),
    [
        ("en", "Almost done", {"above": "<p>3 books, 45.90 €</p>"}),
        ("ko", "거의 다 됐어요", {"above": "<table><tr><td>책 3권<td>45,900원</table>"}),
        ("he", "כמעט סיימנו", {"more": '<p>סה"כ 120 ₪</p>'}),
        ("de", "Mitmachen", {"more": '<input name="vorname" aria-label="6">'}),
        ("pt", "Participar", {"more": '<input name="referral_code" aria-label="6">'}),
        ("hi", "लिखें", {"below": WRITE}),
        ("tr", "Yaz", {"above": WRITE}),
    ],
)
def test_form_that_asks_for_more_than_a_sign_in_is_graded(lang: str, title: str, parts: dict[str, str]) -> None:
    """The price stands above the button of a till, a new member has a name, and a letter has a text."""
    html = ALONE.format(**{"head": "", "above": "", "more": "", "below": "", "lang": lang, "title": title, **parts})
    html = html.replace("/login?next=/reports/2026", "/next")

    assert kind_of(html, url=f"{ROOT}/reports/2026") is None


@pytest.mark.parametrize(("between", "kind"), [(MAX_PRECEDING - 1, None), (MAX_PRECEDING, "login_wall")])
def test_price_is_looked_for_so_far_in_front_of_the_form(between: int, kind: str | None) -> None:
    """The text with the price is the last that is read, or one too far."""
    above = "<p>45.90 €</p>" + "<i></i>" * between
    html = ALONE.format(lang="en", title="Sign in", head="", above=above, more="", below="").replace("</h1>\n", "</h1>")

    assert kind_of(html.replace("/login?next=/reports/2026", "/next"), url=f"{ROOT}/reports/2026") == kind


def test_form_around_the_main_part_is_no_sign_in_instead_of_it() -> None:
    """The form in the header of a site leads back to each of its pages."""
    html = f"""<html lang="fi"><head><title>Kirjoita</title></head><body><header><form method="post" action="/in">
<input name="user"><input type="password" name="p"><input type="hidden" name="to" value="/reports/2026"></form></header>
<h1>Kirjoita</h1>{WRITE}</body></html>"""

    assert kind_of(html, url=f"{ROOT}/reports/2026") is None


WAYS = """<html lang="{lang}"><head><title>Otterline</title></head><body><h1>{title}</h1><p>{text}</p>
<a href="https://accounts.google.com/o/oauth2/auth?redirect_uri={root}/cb&state=/reports/2026">Google</a>
<a href="https://www.facebook.com/dialog/oauth?redirect_uri={root}/cb&state=/reports/2026">Facebook</a>{more}</body></html>"""


@pytest.mark.parametrize(
    ("lang", "title", "text"),
    [
        ("en", "Sign in to continue", "Please log in to see this page."),
        ("ja", "ログイン", "このページを見るにはログインしてください。"),
        ("ar", "تسجيل الدخول", "سجل الدخول لعرض هذه الصفحة."),
        ("uk", "Увійдіть", "Щоб побачити сторінку, увійдіть."),
    ],
)
@pytest.mark.parametrize(
    "more", ["", '<a href="https://appleid.apple.com/auth/authorize?redirect_uri={root}/cb">Apple</a>']
)
def test_ways_in_by_several_other_sites_are_no_buttons_to_share(lang: str, title: str, text: str, more: str) -> None:
    """As with one: the page has no grade."""
    html = WAYS.format(lang=lang, title=title, text=text, root=ROOT, more=more.format(root=ROOT))

    assert kind_of(html, url=f"{ROOT}/reports/2026") in {"login_wall", "notice"}


SHARED = """<html lang="{lang}"><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>
{more}</body></html>"""
SHARES = f"""<a href="https://www.facebook.com/dialog/share?app_id=1&href={ROOT}/reports/2026&redirect_uri={ROOT}/reports/2026">f</a>
<a href="https://twitter.com/intent/tweet?url={ROOT}/reports/2026">x</a>"""
TO_COMMENT = f"""<div id="comments"><a href="https://accounts.google.com/o/oauth2/auth?redirect_uri={ROOT}/reports/2026">G</a>
<a href="https://github.com/login/oauth/authorize?redirect_uri={ROOT}/reports/2026">H</a></div>"""


@pytest.mark.parametrize(
    ("lang", "title", "text"),
    [
        ("en", "The river rose", "On Friday the water stood at the third step of the mill."),
        ("zh", "河水上涨", "星期五，水位升到了磨坊的第三级台阶。"),
        ("ru", "Река поднялась", "В пятницу вода стояла у третьей ступени мельницы."),
        ("he", "הנהר עלה", "ביום שישי עמדו המים במדרגה השלישית של הטחנה."),
    ],
)
@pytest.mark.parametrize("more", [SHARES, TO_COMMENT])
def test_short_post_that_is_shared_or_commented_on_is_graded(lang: str, title: str, text: str, more: str) -> None:
    """Its links lead back to it, too."""
    html = SHARED.format(lang=lang, title=title, text=text, more=more)

    assert kind_of(html, url=f"{ROOT}/reports/2026") is None


GATE = """<html lang="de"><head><title>Fachkreise</title><meta name=description content=Fachkreise></head><body><h1>Dieser Bereich ist
Fachkreisen vorbehalten</h1><p>Bitte weisen Sie sich aus.</p><form action="{to}" method=post><label>Name<input name=user></label>
<label>Kennwort<input type=password name=p></label><button>Weiter</button></form><a href="{led}">Zugang bestellen</a>
<a href=/patienten>Ich bin Patientin</a> <a href=/impressum>Impressum</a> <a href=/datenschutz>Datenschutz</a></body></html>"""


@pytest.mark.parametrize(
    ("path", "to", "led", "kind"),
    [
        (
            "/fachinfo/otterin",
            "https://login.medicheck.example/auth",
            "https://login.medicheck.example/new",
            "login_wall",
        ),
        ("/fachinfo/otterin", "https://login.medicheck.example/auth", "https://www.medicheck.example/new", None),
        ("/fachinfo/otterin", "https://www.medicheck.example/auth", "https://www.medicheck.example/new", None),
        ("/fachinfo/otterin", "https://login.otterline.example/auth", "https://login.otterline.example/new", None),
        ("/otterin", "https://login.medicheck.example/auth", "https://login.medicheck.example/new", None),
    ],
)
def test_gate_of_another_site_that_signs_people_in(path: str, to: str, led: str, kind: str | None) -> None:
    """The gate leads to that site, too; a page that collects passwords for a third one does not, and is judged."""
    assert kind_of(GATE.format(to=to, led=led), url=f"https://www.otterline.example{path}") == kind
