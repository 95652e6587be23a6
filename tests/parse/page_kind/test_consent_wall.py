"""Consent pages in the place of content are recognized; banners on pages and pages about privacy are graded."""

from __future__ import annotations

import pytest

from tests.parse.page_kind.pages import kind_of, site, words

GERMAN_PUR = """<html lang="de"><head><title>Abendblatt - mit Werbung lesen</title><script src="https://cdn.privacy-mgmt.com/w.js">
</script></head><body><h1>Weiterlesen mit Werbung</h1><p>Mit Ihrer Zustimmung verarbeiten wir und unsere 180 Partner
personenbezogene Daten, um Informationen auf Ihrem Gerät zu speichern.</p><button>Zustimmen und weiter</button><h2>Pur-Abo</h2><p>Ohne
Werbetracking für 4,99 Euro im Monat lesen.</p><a href="/abo">Jetzt abonnieren</a></body></html>"""
GOOGLE = """<html lang="en"><head><title>Before you continue to Tube</title></head><body><h1>Before you continue</h1><p>We use cookies
and data to deliver and maintain services, track outages and protect against spam.</p><p>If you choose to “Accept all,” we will also
use cookies and data to develop new services, deliver and measure the effectiveness of ads, and show personalized content depending
on your settings.</p><form><button>Reject all</button></form><form><button>Accept all</button></form><a href="/privacy">Privacy
Policy</a><a href="/terms">Terms of Service</a></body></html>"""
YAHOO = """<html lang="fr"><head><title>Votre vie privée est importante</title></head><body><div class="con-wizard"><h1>Votre vie privée
nous tient à cœur</h1><p>Lorsque vous utilisez nos sites, nous utilisons des cookies pour fournir nos services.</p><p>Si vous cliquez sur
« Accepter tout », nous et nos partenaires (dont 237 membres du cadre IAB) pourrons accéder à des informations sur votre appareil et
utiliser des données personnelles pour la publicité personnalisée.</p><button>Tout accepter</button><button>Tout refuser</button><a
href="/settings">Gérer les paramètres de confidentialité</a></div></body></html>"""
DUTCH = """<html lang="nl"><head><title>Jouw privacy-instellingen | Courant</title></head><body><h1>Jouw privacy, jouw keuze</h1><p>Wij en
onze 140 partners gebruiken cookies en vergelijkbare technieken om informatie op je apparaat op te slaan en persoonsgegevens te
verwerken, voor gepersonaliseerde advertenties.</p><button>Akkoord</button><button>Instellen</button></body></html>"""
SPANISH = """<html lang="es"><head><title>Tu privacidad es importante - El Diario</title></head><body><h1>Tu privacidad es importante para
nosotros</h1><p>Nosotros y nuestros 812 socios almacenamos o accedemos a información en un dispositivo, tales como cookies, y procesamos
datos personales para anuncios personalizados.</p><button>Aceptar y continuar</button><a href="/suscripcion">Rechazar y suscribirse
</a></body></html>"""
BANNER = """<div id="cookie-banner" role="dialog"><h2>We value your privacy</h2><p>We and our partners use cookies to store information on
your device and process personal data for personalised ads.</p><button>Accept all</button><button>Reject all</button></div>"""
POLICY = f"<h1>Cookie policy</h1><p>We use cookies. You can withdraw consent at any time.</p>{words(80)}<button>Accept all</button>"


@pytest.mark.parametrize(
    ("html", "url", "asked"),
    [
        (GERMAN_PUR, "https://www.abendblatt.example/politik/a-1", None),
        (GOOGLE, "https://consent.tube.example/m?continue=https://www.tube.example/", "https://www.tube.example/watch"),
        (YAHOO, "https://consent.portal.example/v2/collectConsent?sessionId=3", "https://fr.portal.example/actu"),
        (
            DUTCH,
            "https://myprivacy.courant.example/consent?siteKey=1&callbackUrl=x",
            "https://www.courant.example/nieuws/1",
        ),
        (SPANISH, "https://www.eldiario.example/politica/1", None),
    ],
)
def test_wall_is_recognized(html: str, url: str, asked: str | None) -> None:
    """At the page's own address or behind a redirect, in several languages."""
    assert kind_of(html, url=url, asked=asked) == "consent_wall"


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (
            site("Tents", f"<h1>Tents for two</h1>{words(60)}<h2>Poles</h2>{words(60)}{BANNER}"),
            "https://shop.example/tents",
        ),
        (site("Cookie policy", POLICY), "https://shop.example/cookies"),
        (GOOGLE, "https://shop.example/privacy-settings"),
        (site("How consent walls work", f"<h1>Consent walls</h1>{words(200)}"), "https://blog.example/consent"),
        (
            site("Cookies with oats", f"<h1>Cookies with oats</h1>{words(60)}{BANNER}"),
            "https://bakery.example/recipes/1",
        ),
    ],
)
def test_page_with_content_is_graded(html: str, url: str) -> None:
    """A banner over content, a policy, and writing about consent."""
    assert kind_of(html, url=url) is None


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            "<html lang=de><head><title>golem.example</title></head><body><h1>golem.example mit Werbung und Tracking oder werbefrei</h1><div>Mit Werbung lesen: Besuchen Sie uns wie gewohnt mit Werbung und Tracking. Wir und unsere 165 Partner verarbeiten personenbezogene Daten, speichern Cookies auf Ihrem Gerät.</div><button>Akzeptieren & weiter</button><div>Werbefrei mit contentpass für 3,99 Euro</div><a href=/cp>Jetzt abonnieren</a></body></html>",
            {"url": "https://www.golem.example/news/abc-1"},
        ),
        (
            "<html lang=en><head><title>Privacy Gate</title><script src=https://cdn.cookielaw.org/otSDKStub.js></script></head><body><h2>We value your privacy</h2><p>We and our 843 partners store and/or access information on a device, such as cookies, and process personal data, for personalised ads and content, ad measurement and audience insights.</p><button>Accept All</button><button>Reject All</button><button>Manage Settings</button></body></html>",
            {"url": "https://www.paper.example/story/1"},
        ),
        (
            "<html lang=it><head><title>Il Corriere</title></head><body><h2>La tua privacy per noi è importante</h2><p>Noi e i nostri 800 fornitori archiviamo informazioni su un dispositivo (e/o vi accediamo), quali i cookie, e trattiamo i dati personali per annunci personalizzati.</p><button>Accetta e continua</button><button>Rifiuta e abbonati</button></body></html>",
            {"url": "https://www.corriere.example/a/b"},
        ),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert (
        kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked")) == "consent_wall"
    )
