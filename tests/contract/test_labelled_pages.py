"""Pages with the grade that a consultant would give, as their servers answer; ``make calibrate`` has fifty larger ones.

A careful page is made worse in one respect or in several, so each grade shows what it is for.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
from msgspec.structs import replace

from pagegrade.library import evaluate
from pagegrade.model.artifacts import TLS, Artifacts, Certificate, DNSFacts, ImageFacts, Resource, Response, Timings
from tests.builders import NOW, SKIPPED, make_artifacts, make_resources, make_response, make_well_known

HOST: Final = "www.otterline.example"
PROSE: Final = {
    "en": "The boats lie on the lower jetty, and the lockers with oars and vests stand beside the slipway. Lessons begin "
    "at nine, last three hours and end with tea in the boathouse. Bring shoes that may get wet, a jacket and a towel. ",
    "de": "Die Boote liegen am unteren Steg, und die Schränke mit Rudern und Westen stehen neben der Rampe. Der Unterricht "
    "beginnt um neun Uhr, dauert drei Stunden und endet mit Tee im Bootshaus. Bringen Sie feste Schuhe mit. ",
    "es": "Las barcas están en el muelle de abajo, y los armarios con remos y chalecos, junto a la rampa. Las clases "
    "empiezan a las nueve, duran tres horas y terminan con un té en la caseta. Traiga calzado que se pueda mojar. ",
    "ja": "ボートは下の桟橋にあり、オールとライフジャケットの棚は斜路の横にあります。講習は九時に始まり、三時間続いて、艇庫でのお茶で終わります。"
    "濡れてもよい靴と上着、タオルをお持ちください。小学生以上の方ならどなたでも参加できます。",
    "zh": "小船停在下面的码头,放桨和救生衣的柜子在坡道旁边。课程九点开始,持续三个小时,最后在船屋里喝茶。请带上可以弄湿的鞋、外套和毛巾。",
    "ar": "ترسو القوارب عند الرصيف السفلي، وتوجد خزائن المجاديف وسترات النجاة بجوار المنحدر. تبدأ الدروس في التاسعة وتستمر "
    "ثلاث ساعات وتنتهي بالشاي في بيت القوارب. أحضروا أحذية يمكن أن تبتل ومعطفا ومنشفة. ",
}
TITLES: Final = {
    "en": ("Rowing lessons for beginners on the river", "Rowing lessons in small groups: dates, fees and what to bring, and how to reach the boathouse by bus or bicycle."),
    "de": ("Rudern lernen für Anfänger am unteren Steg", "Rudern lernen in kleinen Gruppen: Termine, Preise und was Sie mitbringen, und wie Sie das Bootshaus erreichen."),
    "es": ("Clases de remo para principiantes en el río", "Clases de remo en grupos pequeños: fechas, precios, qué traer y cómo llegar a la caseta en autobús o en bicicleta."),
    "ja": ("初心者のためのボート漕ぎ講習のご案内", "少人数で学ぶボート漕ぎ講習のご案内です。日程、料金、持ち物、艇庫までの交通をご覧ください。初めての方も歓迎します。"),
    "zh": ("河边小船初学者划船课程与报名方式", "小班划船课程:日期、价格、需要携带的物品,以及乘公共汽车或骑自行车到达船屋的路线。欢迎初学者报名参加。"),
    "ar": ("دروس التجديف للمبتدئين على ضفة النهر", "دروس التجديف في مجموعات صغيرة: المواعيد والأسعار وما يجب إحضاره وكيفية الوصول إلى بيت القوارب بالحافلة أو الدراجة."),
}  # fmt: skip
CAREFUL: Final = (
    ("Strict-Transport-Security", "max-age=63072000; includeSubDomains"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
)
DAY: Final = "max-age=86400"
MONTH: Final = "max-age=2592000"


@dataclass(frozen=True, kw_only=True)
class Served:
    """A page and how its server is set up; by default a careful one."""

    lang: str = "en"
    html: str | None = None
    """The whole page; ``None``: a careful one in ``lang``."""
    drop: tuple[str, ...] = ()
    """Parts that are taken out of the careful page."""
    head: str = ""
    main: str = ""
    headers: tuple[tuple[str, str], ...] = CAREFUL
    https: str = "yes"
    """``yes``, ``no`` or ``self-signed``."""
    compressed: bool = True
    lifetime: str | None = MONTH
    missing_status: int = 404
    robots: str = "User-agent: *\nDisallow: /admin/\n"
    files: tuple[tuple[str, str, int], ...] = ()
    """(name, kind, bytes) of further files; images are 1600 x 1000."""


def careful_page(served: Served, url: str) -> str:
    """A page in which nothing is wrong, in one of six languages."""
    title, description = TITLES[served.lang]
    prose = PROSE[served.lang]
    direction = ' dir="rtl"' if served.lang == "ar" else ""
    data = f'{{"@context":"https://schema.org","@type":"WebPage","name":"{title}","url":"{url}"}}'
    page = f"""<!doctype html>
<html lang="{served.lang}"{direction}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><meta name="description" content="{description}"><link rel="canonical" href="{url}">
<link rel="stylesheet" href="/site.css"><script src="/site.js" defer></script><link rel="icon" href="/favicon.ico" sizes="48x48">
<meta property="og:title" content="{title}"><meta property="og:description" content="{description}"><meta property="og:type" content="website">
<meta property="og:url" content="{url}"><meta property="og:image" content="https://{HOST}/share.jpg"><meta name="twitter:card" content="summary">
<script type="application/ld+json">{data}</script>{served.head}</head>
<body><a href="#content">{title}</a><header><nav aria-label="{title}"><ul><li><a href="/a">{description[:20]}</a></li><li><a href="/b">{description[-20:]}</a></li></ul>
</nav></header><main id="content"><h1>{title}</h1><p>{prose * 2}</p><h2>{description[:24]}</h2><p>{prose * 3}</p>
<h2>{description[-24:]}</h2><p>{prose * 3}</p>{served.main}</main><footer><p>{title}</p></footer></body></html>"""
    for part in served.drop:
        if part not in page:
            raise ValueError(part)
        page = page.replace(part, "", 1)
    return page


def artifacts_of(served: Served) -> Artifacts:
    """Artifacts that an analysis gathers of it."""
    scheme = "http" if served.https == "no" else "https"
    origin = f"{scheme}://{HOST}"
    url = f"{origin}/"
    html = careful_page(served, url) if served.html is None else served.html
    body = html.encode()
    page = _answer(url, body, served, "text/html; charset=utf-8", served.headers)
    missing = make_response(
        body if served.missing_status == 200 else "<title>Not found</title>",
        url=f"{origin}/zebra",
        status=served.missing_status,
    )
    moved = make_response(url=f"http://{HOST}/", status=301, headers=(("Location", url),))
    names = (("site.css", "stylesheet", 9_000), ("site.js", "script", 14_000), *served.files)
    return make_artifacts(
        url=url,
        response=page,
        vantage="a test",
        load_samples_ms=(300.0, 310.0, 320.0),
        robots_txt=make_well_known(served.robots, url=f"{origin}/robots.txt", headers=(("Content-Type", "text/plain"),)),
        not_found_probe=make_well_known(url=missing.url, status=missing.status, body=missing.body),
        insecure_probe=make_well_known(url=url, hops=(moved,)) if scheme == "https" else make_well_known(body, url=url),
        sibling_probe=make_well_known("", url=url, hops=(make_response(url=f"{scheme}://otterline.example/", status=301, headers=(("Location", url),)),)),
        favicon=make_well_known(b"\0\0\1\0\1\0\x30\x30\0\0\1\0\x20\0" + b"\0" * 60, url=f"{origin}/favicon.ico", headers=(("Content-Type", "image/x-icon"), ("Cache-Control", MONTH))),
        tls=_tls(verified=served.https == "yes") if scheme == "https" else SKIPPED,
        dns=DNSFacts(host=HOST, addresses=("203.0.113.7",)),
        resources=make_resources(*(_file(f"{origin}/{name}", kind, size, served) for name, kind, size in names)),
    )  # fmt: skip


def _answer(url: str, body: bytes, served: Served, media_type: str, headers: tuple[tuple[str, str], ...]) -> Response:
    coding = (("Content-Encoding", "br"),) if served.compressed else ()
    return make_response(
        body,
        url=url,
        headers=(("Content-Type", media_type), *headers, *coding),
        wire_bytes=len(body) // (4 if served.compressed else 1),
        content_encodings=("br",) if served.compressed else (),
        timings=Timings(dns_ms=5, connect_ms=20, tls_ms=25, first_byte_ms=120, download_ms=20, total_ms=190),
    )


def _file(url: str, kind: str, size: int, served: Served) -> Resource:
    media_type = {"stylesheet": "text/css", "script": "text/javascript", "image": "image/jpeg"}[kind]
    is_text = kind != "image"
    kept = (("Cache-Control", served.lifetime),) if served.lifetime else ()
    response = replace(
        _answer(
            url,
            b"",
            served if is_text else dataclasses.replace(served, compressed=False),
            media_type,
            (("ETag", '"1"'), *kept),
        ),
        wire_bytes=size // 4 if is_text and served.compressed else size,
    )
    image = None if is_text else ImageFacts(format="jpeg", width_px=1600, height_px=1000)
    return Resource(
        url=url,
        kinds=(kind,),
        initiator_url=url,
        response=response,
        gzip_bytes=size // 4 if is_text and not served.compressed else None,
        decoded_bytes=size,
        image=image,
        digest=url,
    )


def _tls(*, verified: bool) -> TLS:
    certificate = Certificate(
        subject=f"CN={HOST}",
        issuer="CN=Example CA" if verified else f"CN={HOST}",
        names=(HOST, "otterline.example"),
        not_before_at=NOW - timedelta(days=30),
        not_after_at=NOW + timedelta(days=60),
        key_type="EC",
        key_bits=256,
        signature_algorithm="ecdsa-with-SHA256",
        serial="1",
    )
    return TLS(
        host=HOST,
        verified=verified,
        verify_error=None if verified else "self_signed",
        chain=(certificate,),
        alpn="h2",
        versions=(("TLSv1.0", False), ("TLSv1.1", False), ("TLSv1.2", True), ("TLSv1.3", True)),
        checked_at=NOW,
    )


SHARED: Final[dict[str, Any]] = {"headers": (), "lifetime": DAY}
POOR: Final[dict[str, Any]] = {
    "headers": (("Server", "Apache/2.4.29 (Ubuntu)"),),
    "lifetime": None,
    "compressed": False,
}
VIEWPORT: Final = '<meta name="viewport" content="width=device-width, initial-scale=1">'
DESCRIPTION: Final = f'<meta name="description" content="{TITLES["en"][1]}">'
PHOTOS: Final = tuple((f"p{n}.jpg", "image", 700_000) for n in range(12))
SHOWN: Final = "".join(f'<img src="/p{n}.jpg">' for n in range(12))
GOOD = {
    "careful, English": Served(),
    "careful, German": Served(lang="de"),
    "careful, Spanish": Served(lang="es"),
    "careful, Japanese": Served(lang="ja"),
    "careful, Chinese": Served(lang="zh"),
    "careful, Arabic": Served(lang="ar"),
    "careful page on shared hosting": Served(**SHARED),
    "page about parked domains": Served(main="<h2>Parked domains</h2><p>“This domain is for sale”, says such a page, and shows related searches. If you are the domain owner, renew your domain.</p>"),
    "page about the default page of nginx": Served(main="<h2>Welcome to nginx!</h2><p>If you see this page, the nginx web server is successfully installed. Further configuration is required.</p>"),
    "page about an error": Served(main="<h2>What it means</h2><pre><code>Fatal error: Uncaught Error in /srv/a.php on line 3</code></pre><p>If you see this line while signing up, your form is an old one. Reload it, empty the cache of your browser, or write to the secretary, who enters new members by hand every Tuesday. The number behind the word names a place in our own program, so please send it along: with it we find the mistake within minutes.</p>"),
    "page with a sign-in box": Served(main='<h2>Members</h2><form action="/login" method="post"><p><label>Email <input type="email" name="email" autocomplete="username"></label></p><p><label>Password <input type="password" name="p" autocomplete="current-password"></label></p><button>Log in</button></form>'),
    "page without a description": Served(drop=(DESCRIPTION,)),
}  # fmt: skip
DECENT = {
    "photographs without alternative text, heavy and without dimensions": Served(main=SHOWN, files=PHOTOS, **SHARED),
    "no language and no viewport": Served(drop=(' lang="en"', VIEWPORT)),
    "Spanish page without language, description and compression": Served(lang="es", drop=(' lang="es"', f'<meta name="description" content="{TITLES["es"][1]}">'), compressed=False, **SHARED),
    "uncompressed, uncached, without any header": Served(head='<link rel="stylesheet" href="/theme.css">', files=(("theme.css", "stylesheet", 150_000),), **POOR),
    "a megabyte of scripts in the head": Served(head="".join(f'<script src="/l{n}.js"></script>' for n in range(8)), files=tuple((f"l{n}.js", "script", 500_000) for n in range(8)), **SHARED),
    "found by no search engine, otherwise careful": Served(head='<meta name="robots" content="noindex">'),
    "form without labels and links without names": Served(main="".join(f'<a href="/x{n}"><img src="/p0.jpg" alt=""></a><input name="f{n}">' for n in range(8)), files=PHOTOS[:1], **SHARED),
    "a warning of PHP above the content": Served(main="<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/shop/header.php</b> on line <b>88</b><br />", **SHARED),
    "plain HTTP only": Served(https="no", **SHARED),
}  # fmt: skip
BAD = {
    "self-signed certificate": Served(https="self-signed"),
    "nearly everything at once": Served(html="<html><head><title>New page</title></head><body><font size=5>Boats</font>" + SHOWN + f"<p>{PROSE['en'] * 3}</p></body></html>", files=PHOTOS, https="no", missing_status=200, **POOR),
    "secrets over plain HTTP": Served(https="no", main='<form action="/pay" method="post"><input name="card"><input type="password" name="p"></form>', **POOR),
    "hidden foreign links in number": Served(main='<div style="position:absolute;left:-9999px">' + "".join(f'<a href="https://pills{n}.example/">buy cheap pills</a>' for n in range(40)) + "</div>"),
    "Japanese shop links hidden in an English page": Served(main='<div style="display:none">' + "".join(f'<a href="https://kopi{n}.example/rorekkusu">ロレックス スーパーコピー 激安</a>' for n in range(40)) + "</div>"),
    "WordPress without its database, Spanish": Served(html="<!doctype html><html lang=es><title>Error de la base de datos</title><h1>Error al establecer una conexión con la base de datos</h1>"),
    "WordPress with a critical error, Japanese": Served(html="<!doctype html><html lang=ja><title>WordPress › エラー</title><p>このサイトで重大なエラーが発生しました。</p>"),
    "debug page of Django": Served(html="<!doctype html><html lang=en><title>OperationalError at /</title><h1>OperationalError at /</h1><p>could not connect to server</p><p>You're seeing this error because you have <code>DEBUG = True</code> in your Django settings file.</p>"),
    "message of a database beside nothing": Served(html="<!doctype html><html lang=en><title>Catalogue</title><h1>Catalogue</h1><b>Warning</b>: mysqli_fetch_assoc() expects parameter 1 to be mysqli_result in <b>/srv/list.php</b> on line <b>52</b><br>You have an error in your SQL syntax"),
    "trace of Java": Served(html="<!doctype html><html lang=en><title>Error</title><h1>HTTP Status 500 – Internal Server Error</h1><pre>java.lang.NullPointerException\n\tat com.shop.Cart.total(Cart.java:88)\n\tat com.shop.Cart.show(Cart.java:41)</pre>"),
    "listing of Python's server": Served(html="<!doctype html><html lang=en><title>Directory listing for /</title><h1>Directory listing for /</h1><hr><ul><li><a href='backup.sql'>backup.sql</a></li><li><a href='site.zip'>site.zip</a></li></ul><hr>"),
    "empty body": Served(html="<!doctype html><html lang=en><title>Boats</title><body></body></html>"),
}  # fmt: skip
LABELLED = {
    f"{grade}: {name}": (grade, served)
    for grade, pages in (("good", GOOD), ("decent", DECENT), ("bad", BAD))
    for name, served in pages.items()
}


@pytest.mark.parametrize("name", LABELLED)
def test_page_has_the_grade_of_its_label(name: str) -> None:
    """The word is the label; nothing is withheld."""
    grade, served = LABELLED[name]
    report = evaluate(artifacts_of(served))

    assert report.withheld is None
    assert (report.result, report.score) == (grade, report.score)


def test_careful_page_is_the_same_in_every_language() -> None:
    """No rule about length, words or direction charges one language and not another."""
    scores = {lang: evaluate(artifacts_of(Served(lang=lang))).score or 0 for lang in PROSE}

    assert max(scores.values()) - min(scores.values()) <= 2, scores
