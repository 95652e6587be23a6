from __future__ import annotations

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
        "<p>" + "Casino poker roulette. " * 12 + "</p><div hidden>" + spam(5, "casino bonus") + "</div>",
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
