"""Notices of suspended sites are recognized; pages that speak of suspension are graded."""

from __future__ import annotations

import pytest

from tests.parse.page_kind.pages import kind_of, site, words

NOTICES = {
    "cpanel": """<html><head><title>Account Suspended</title><link rel="stylesheet" href="/cgi-sys/css/suspended.css"></head><body><h1>Account
Suspended</h1><p>This Account has been suspended.<br>Contact your hosting provider for more information.</p></body></html>""",
    "plesk": """<html lang="en"><head><title>Website is suspended</title></head><body><h1>This website has been suspended</h1><p>If you are the
owner of this website, please contact your hosting provider.</p></body></html>""",
    "bandwidth": """<html><head><title>509 Bandwidth Limit Exceeded</title></head><body><h1>Bandwidth Limit Exceeded</h1><p>The server is
temporarily unable to service your request due to the site owner reaching his/her bandwidth limit. Please contact the webmaster.</p></body>
</html>""",
    "registrar": """<html><head><title>Domain suspended</title></head><body><h2>This domain has been suspended</h2><p>The domain name is suspended
because the registrant's email address has not been verified. To reactivate it, verify your contact data.</p></body></html>""",
    "German": """<html lang="de"><head><title>Webseite gesperrt</title></head><body><h1>Diese Webseite wurde vorübergehend gesperrt</h1><p>Bitte
wenden Sie sich an den Support Ihres Anbieters.</p></body></html>""",
    "Spanish": """<html lang="es"><head><title>Cuenta suspendida</title></head><body><h1>Cuenta suspendida</h1><p>Esta cuenta ha sido suspendida.
Póngase en contacto con su proveedor de hosting.</p></body></html>""",
    "Portuguese": """<html lang="pt"><head><title>Conta suspensa</title></head><body><h1>Site suspenso</h1><p>Esta conta está suspensa. Entre em
contato com o suporte.</p></body></html>""",
    "Russian": """<html lang="ru"><head><title>Сайт заблокирован</title></head><body><h1>Аккаунт заблокирован</h1><p>Сайт приостановлен. Обратитесь
в службу поддержки хостинга.</p></body></html>""",
    "Russian, by cases": """<html lang="ru"><head><title>Работа сайта приостановлена</title></head><body><h1>Обслуживание сайта
приостановлено</h1><p>Пополните баланс.</p></body></html>""",
    "Ukrainian": """<html lang="uk"><head><title>Обслуговування сайту призупинено</title></head><body><h1>Обслуговування сайту
призупинено</h1><p>Поповніть баланс.</p></body></html>""",
}


@pytest.mark.parametrize("name", NOTICES)
def test_notice_is_recognized(name: str) -> None:
    """Of panels, hosts and registrars, in several languages."""
    assert kind_of(NOTICES[name]) == "suspended_account"


@pytest.mark.parametrize(
    "html",
    [
        site("Account suspended? What to do", f"<h1>Account suspended? What to do</h1>{words(220)}"),
        site(
            "Bridge closed",
            f"<h1>Suspended railway</h1><p>The site of the old railway was suspended above the river.</p>{words(60)}",
        ),
        site(
            "Help",
            f"<h1>Why was my account disabled?</h1><p>Your account was suspended for unpaid invoices. Contact support.</p>{words(150)}",
        ),
    ],
)
def test_page_about_suspension_is_graded(html: str) -> None:
    """It has text and navigation of its own."""
    assert kind_of(html) is None


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            "<html><head><title>Strona zablokowana</title></head><body><h1>Konto zostało zablokowane</h1><p>Skontaktuj się z administratorem.</p></body></html>",
            {},
        ),
        (
            "<html><head><title>Website Expired</title></head><body><h1>Website Expired</h1><p>This account has expired. If you are the site owner, click below to login.</p><a href=/config>Login</a></body></html>",
            {},
        ),
        (
            "<html><head><title>Site suspendu</title></head><body><h1>Ce site est suspendu</h1><p>Veuillez contacter votre hébergeur.</p></body></html>",
            {},
        ),
        (
            '<html><head><title>Contact Support</title></head><body><h1>This Account has been suspended.</h1><a href="mailto:a@b">Contact your hosting provider for more information.</a></body></html>',
            {},
        ),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert (
        kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked"))
        == "suspended_account"
    )
