"""Notices of closed sites are recognized; pages about maintenance and firms that do it are graded."""

from __future__ import annotations

import pytest

from tests.parse.page_kind.pages import kind_of, site, words

NOTICES = {
    "wordpress": """<!DOCTYPE html><html lang="en-US"><head><title>Maintenance</title></head><body><h1>Briefly unavailable for scheduled
maintenance. Check back in a minute.</h1></body></html>""",
    "wordpress plugin": """<html lang="en"><head><title>Otterline is under construction</title><meta name="robots" content="noindex">
<link rel="stylesheet" href="/wp-content/plugins/under-construction-page/style.css"></head><body><h1>Sorry, we're doing some work on
the site</h1><p>Thank you for being patient. We are doing some work on the site and will be back shortly.</p></body></html>""",
    "magento": """<html><head><title>503: Service Unavailable</title></head><body><div class="wrapper"><h1>Service Temporarily
Unavailable</h1><p>The server is temporarily unable to service your request due to maintenance downtime or capacity problems. Please
try again later.</p></div></body></html>""",
    "shopify": """<html lang="en"><head><title>Otterline &ndash; Opening Soon</title></head><body><h1>Opening soon</h1><p>Be the first to
know when we launch.</p><form><label>Email <input type="email" name="contact[email]"></label><button>Notify me</button></form>
<details><summary>Enter using password</summary><form action="/password"><label>Enter store using password <input type="password"
name="password"></label><button>Enter</button></form></details><small>This shop will be powered by <a href="https://shopify.com">Shopify</a>
</small></body></html>""",
    "coming soon": """<html lang="en"><head><title>Otterline | Coming soon</title></head><body><img src="/logo.svg" alt="Otterline"><h1>Our new
website is coming soon</h1><p>We're working on something great. Stay tuned!</p><a href="https://instagram.com/otterline">Instagram</a></body>
</html>""",
    "German": """<html lang="de"><head><title>Wartungsarbeiten</title></head><body><h1>Wir sind gleich wieder da</h1><p>Aufgrund von
Wartungsarbeiten ist unsere Seite vorübergehend nicht erreichbar. Wir bitten um Ihr Verständnis.</p></body></html>""",
    "French": """<html lang="fr"><head><title>Site en maintenance</title></head><body><h1>Site en maintenance</h1><p>Notre site est
momentanément indisponible. Veuillez nous excuser pour la gêne occasionnée. Nous revenons très vite !</p></body></html>""",
    "Spanish": """<html lang="es"><head><title>En mantenimiento</title></head><body><h1>Estamos en mantenimiento</h1><p>Volvemos en unos
minutos. Disculpen las molestias.</p></body></html>""",
    "Polish": """<html lang="pl"><head><title>Przerwa techniczna</title></head><body><h2>Trwają prace techniczne</h2><p>Przepraszamy za utrudnienia,
wrócimy wkrótce.</p></body></html>""",
    "Japanese": """<html lang="ja"><head><title>メンテナンスのお知らせ</title></head><body><h1>ただいまメンテナンス中です</h1><p>ご不便をおかけして申し訳ございません。
しばらくお待ちください。</p></body></html>""",
    "Russian": """<html lang="ru"><head><title>Технические работы</title></head><body><h1>На сайте ведутся технические работы</h1><p>Приносим
извинения за неудобства. Попробуйте позже.</p></body></html>""",
}
PAGES = {
    "blog post": site("How we plan maintenance windows", f"<h1>How we plan maintenance windows</h1><p>Our site is under maintenance "
                      f"every Tuesday night.</p>{words(240)}"),
    "boiler firm": site("Boiler maintenance in Wexcombe", f"<h1>Boiler maintenance</h1><p>We service boilers and heat pumps.</p>{words(70)}"),
    "coming events": site("Concerts coming soon", f"<h1>Concerts coming soon</h1><ul><li>Trio</li><li>Choir</li></ul>{words(60)}"),
    "short status page": site("System status", "<h1>All systems operational</h1><h2>Scheduled maintenance</h2><p>None planned.</p>"
                              "<h2>Past incidents</h2><p>No incidents.</p><h2>API</h2><p>Up</p>"),
    "short business card": "<html lang=en><title>Otterline, tent makers</title><h1>Otterline</h1><p>We make tents. We are back from the fair, "
                           "write to us.</p><a href='mailto:x@y.example'>Mail</a></html>",
}  # fmt: skip


@pytest.mark.parametrize("name", NOTICES)
def test_notice_is_recognized(name: str) -> None:
    """Of systems, plugins and hands, in many languages."""
    url = "https://otterline.example/password" if name == "shopify" else "https://otterline.example/tents"

    assert kind_of(NOTICES[name], url=url) == "maintenance"


def test_shop_that_only_its_owner_enters() -> None:
    """At its front page and in any language; a password that is sent elsewhere signs somebody in."""
    closed = """<html lang=sw><head><title>Kibanda</title><link rel=canonical href=https://otterline.example/></head><body><h1>
        Kibanda</h1><details><summary>Ingia</summary><form action=/password method=post><label>Neno <input type=password name=p>
        </label><button>Ingia</button></form><p><a href=/admin>Mwenyewe</a></p></details><h2>Hivi karibuni</h2><form action=/contact
        method=post><label>Barua <input type=email name=e></label><button>Nijulishe</button></form></body></html>"""

    assert kind_of(closed, url="https://otterline.example/") == "maintenance"
    assert kind_of(closed.replace("action=/password", "action=/session"), url="https://otterline.example/") is None
    for other in ("/password-strength", "/password/reset/4d1c", "/passwords/4d1c/edit"):
        html = closed.replace("action=/password", f"action={other}")

        assert kind_of(html, url=f"https://otterline.example{other}") is None

    changed = closed.replace("<input type=password name=p>", "<input type=password name=p><input type=password name=q>")

    assert kind_of(changed, url="https://otterline.example/") is None
    assert kind_of(closed.replace("</h2>", f"</h2>{words(200)}"), url="https://otterline.example/") is None


@pytest.mark.parametrize("name", PAGES)
def test_page_of_a_running_site_is_graded(name: str) -> None:
    """The word alone, or news that something comes, close no site."""
    assert kind_of(PAGES[name], url="https://otterline.example/x") is None


def test_notice_that_says_when_to_come_back_is_recognized_by_fewer_words() -> None:
    """The header is a signal of its own."""
    html = "<html lang=en><title>Otterline</title><h1>Otterline</h1><p>The shop is currently offline.</p>{}</html>"
    image = "<img src=/tent.jpg alt='A tent'>"
    later = (("Retry-After", "3600"),)

    assert kind_of(html.format("<a href=/tents>Tents</a><a href=/boots>Boots</a>")) is None
    assert kind_of(html.format("<a href=/tents>Tents</a><a href=/boots>Boots</a>"), headers=later) == "maintenance"
    assert kind_of(site("Tents", f"<h1>Tents</h1>{words(40)}{image}"), headers=later) is None


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            "<html><head><title>Wool &amp; Co</title></head><body><h1>Opening soon</h1><p>Enter your email to be the first to know.</p><form action=/password><input type=password name=password></form></body></html>",
            {"url": "https://wool.example/password", "asked": "https://wool.example/"},
        ),
        (
            "<html><head><title>Site under maintenance | X</title></head><body><h1>Site under maintenance</h1>X is currently under maintenance. We should be back shortly. Thank you for your patience.</body></html>",
            {},
        ),
        (
            "<html><head><title>X - Offline</title></head><body><h1>X</h1><p>This site is down for maintenance.<br>Please check back again soon.</p><form><label>Username</label><input name=username><label>Password</label><input type=password name=password><button>Log in</button></form></body></html>",
            {},
        ),
        (
            "<html><head><title>Service Unavailable</title></head><body><div>503</div><div>Service Unavailable</div></body></html>",
            {},
        ),
        (
            "<html><head><title>Coming Soon - Atelier Holm</title></head><body><h2>Coming Soon</h2><p>New website is on its way. Follow us.</p><a href=https://instagram.com/x>Instagram</a></body></html>",
            {},
        ),
        (
            "<html lang=it><head><title>Sito in manutenzione</title></head><body><h1>Torniamo presto</h1><p>Il sito è in manutenzione. Ci scusiamo per il disagio.</p></body></html>",
            {},
        ),
        (
            "<html><head><title>系统维护中</title></head><body><h1>系统正在维护</h1><p>给您带来不便，敬请谅解。</p></body></html>",
            {},
        ),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert (
        kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked")) == "maintenance"
    )
