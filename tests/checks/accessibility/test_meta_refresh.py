from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks import Facts, all_checks, run_checks
from pagegrade.checks.accessibility.meta_refresh import meta_refresh
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import Departure
from tests.builders import evaluated, make_artifacts, outcome
from tests.rendering_builders import make_rendering


@pytest.mark.parametrize(
    ("content", "state"),
    [
        ("0; url=/a", "redirect"),
        ("0", "redirect"),
        (".5", "redirect"),
        ("1", "timed"),
        (" 5 , x", "timed"),
        ("5;", "timed"),
        ("5.9", "timed"),
        ("72000", "timed"),
        ("72001", "none"),
        ("99999999999999", "none"),
        ("foo", "none"),
        ("5x", "none"),
        ("-5", "none"),
        ("+5", "none"),
        ("", "none"),
        ("; 5", "none"),
    ],
)
def test_content_is_read_as_browsers_read_it(content: str, state: str) -> None:
    """Unknown content does nothing; more than twenty hours disturbs no reader."""
    assert outcome(meta_refresh, f'<meta http-equiv="Refresh" content="{content}">').state == state


@pytest.mark.parametrize(
    ("value", "state"),
    [("1; url=https://elsewhere.example/", "leaves"), ("0;/b", "redirect"), ("300", "timed"), ("soon", "redirect")],
)
def test_the_header_is_read_before_the_elements(value: str, state: str) -> None:
    """Browsers follow it alike; one that they do not understand leaves the elements."""
    page = make_artifacts(
        '<meta http-equiv=refresh content="0; url=/a">', headers=(("Content-Type", "text/html"), ("Refresh", value))
    )

    assert outcome(meta_refresh, page).state == state


def test_first_one_that_is_understood_counts() -> None:
    """A browser starts one clock."""
    html = '<meta http-equiv=refresh content="soon"><meta http-equiv=refresh content="0; url=/a">'
    found = outcome(meta_refresh, html + '<meta http-equiv=refresh content="60">')

    assert (found.state, found.value) == ("redirect", 0)


@pytest.mark.parametrize(
    "html", ["<noscript><meta http-equiv=refresh content=5></noscript>", "<meta name=refresh content=5>"]
)
def test_what_browsers_with_scripts_do_not_see_is_left_out(html: str) -> None:
    """A fallback for browsers without scripts is no refresh for the others."""
    assert outcome(meta_refresh, html).state == "none"


@pytest.mark.parametrize("delay", ["0", "15", "0.5"])
@pytest.mark.parametrize(
    "target", ["url=https://calls.lead.example/x", "URL='https://calls.lead.example/x'", "//lead.example"]
)
def test_another_site_gets_the_visitors(delay: str, target: str) -> None:
    """At once or after a while."""
    found = outcome("meta-refresh", f'<meta http-equiv="refresh" content="{delay}; {target}">')

    assert found.state == "leaves"


@pytest.mark.parametrize(
    "target", ["url=/next", "url=https://www.example.com/", "url=#top", "url=mailto:a@b.example", ""]
)
def test_the_own_site_is_not_left(target: str) -> None:
    """Whatever the form of its address."""
    assert outcome("meta-refresh", f'<meta http-equiv="refresh" content="15; {target}">').state == "timed"


@pytest.mark.parametrize("kind", ["script", "meta"])
def test_a_redirect_in_a_browser_does_not_pass(kind: str) -> None:
    """Although the document that is drawn then has no such element."""
    departure = Departure(kind=kind, url="https://example.com/next", after_ms=500.0)  # type: ignore[arg-type]
    found = evaluated(meta_refresh, "<p>Next", rendering=make_rendering(departures=(departure,)))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == "redirect"
    assert found.outcome == "warning"


def test_a_redirect_by_the_element_does_not_pass() -> None:
    """A response of the server does the same for every program."""
    assert evaluated(meta_refresh, "<meta http-equiv=refresh content='0; url=/a'>").outcome == "warning"


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("window.location.replace('https://win.example/?a=1')", "leaves"),
        ("location = 'https://win.example/';", "leaves"),
        (' document.location.href="https://win.example/" ', "leaves"),
        ("var a=1;location.href='https://win.example/?ref=7'", "leaves"),
        ("(function(){setTimeout(()=>{location.href='https://win.example/'},90)})()", "leaves"),
        ("b.onclick=function(){location.href='https://win.example/'}", "none"),
        ("mobile&&(location.href='https://win.example/')", "none"),
        ("location.replace('https://example.com/neu')", "none"),
        ("location.replace('/neu')", "none"),
        ("if (old) location.replace('https://win.example/')", "none"),
        ("go(() => { location = 'https://win.example/' })", "none"),
    ],
)
def test_script_that_only_leads_to_another_site_leaves(script: str, state: str) -> None:
    """Scripts that decide about it, or stay on the site, do not."""
    page = f"<!doctype html><title>Ծաղիկ</title><script>{script}</script>"

    assert outcome("meta-refresh", page, url="https://example.com/").state == state


@pytest.mark.parametrize(
    ("content", "words", "state"),
    [
        ("3", 60, "restless"),
        ("1; url=/", 60, "restless"),
        ("0", 60, "restless"),
        ("0; url=/", 60, "restless"),
        ("0; url=https://example.com/", 60, "restless"),
        ("0; url=/", 59, "redirect"),
        ("0; url=/#news", 60, "redirect"),
        ("0; url=https://www.example.com/", 60, "redirect"),
        ("4", 79, "timed"),
        ("4", 80, "restless"),
        ("10; url=/", 200, "restless"),
        ("10", 199, "timed"),
        ("10; url=/next", 200, "timed"),
        ("11", 400, "timed"),
        ("3", 59, "timed"),
        ("3; url=/next", 60, "timed"),
    ],
)
def test_page_that_loads_itself_before_it_can_be_read_is_restless(content: str, words: int, state: str) -> None:
    """A display with a few words, and a page that leads on, are not."""
    page = f'<meta http-equiv=refresh content="{content}"><p>{"слово " * words}'

    assert outcome(meta_refresh, make_artifacts(page, url="https://example.com/")).state == state


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("location.reload()", "restless"),
        ("window.addEventListener('load',function(){window.location.reload(true)})", "restless"),
        ("window.location.href = window.location.href;", "restless"),
        ("document.getElementById('f').submit()", "restless"),
        ("document.forms[0].requestSubmit();", "restless"),
        ("if(a){document.forms[0].submit()}", "none"),
        ("document.getElementById('f').addEventListener('submit',b)", "none"),
        ("if(!sessionStorage.seen){sessionStorage.seen=1;location.reload()}", "none"),
        ("again.addEventListener('click',()=>{location.reload()})", "none"),
    ],
)
def test_script_that_always_reloads_leaves_no_time_to_read(script: str, state: str) -> None:
    """A page with hardly a word may be a display, and one condition ends the loop."""
    text = "<p>" + "ბაღში წვიმს " * 30

    form = "<form id=f action=''><input name=a></form>"

    assert outcome("meta-refresh", f"{text}{form}<script>{script}</script>").state == state
    assert outcome("meta-refresh", f"<p>წვიმს{form}<script>{script}</script>").state == "none"


@pytest.mark.parametrize(
    "line", ["Τα έγγραφα που χρειάζεστε. ", "必要な書類を窓口に持ってきてください。", "المستندات المطلوبة هنا. "]
)
def test_text_that_cannot_be_read_in_time_is_one_in_paragraphs(line: str) -> None:
    """A display of numbers in a table is read at a glance, whatever the script it is written in."""
    refresh = '<meta http-equiv="refresh" content="5">'

    assert outcome("meta-refresh", f"{refresh}<p>{line * 40}").state == "restless"
    assert outcome("meta-refresh", f"{refresh}<table><tr><td>{line * 40}</table>").state == "timed"
    assert outcome("meta-refresh", f"{refresh}<p>{line}").state == "timed"


@pytest.mark.parametrize(
    ("form", "delay", "state"),
    [
        ("<form><textarea></textarea></form>", 10, "restless"),
        ("<form><input><input type=email><input type=tel></form>", 10, "restless"),
        ("<form><input><input type=email><input type=tel></form>", 11, "timed"),
        ("<form><input><input type=email></form>", 10, "timed"),
        ("<form><input></form><form><input></form><form><input></form>", 10, "timed"),
        ("<input><input><input><textarea></textarea>", 10, "timed"),
        ("<form hidden><textarea></textarea></form>", 10, "timed"),
        ("<form><input type=checkbox><input type=checkbox><select></select></form>", 10, "timed"),
    ],
)
def test_form_that_cannot_be_filled_in_in_time(form: str, delay: int, state: str) -> None:
    """A box for one word and a few switches can be; the limits are those of one form."""
    assert outcome("meta-refresh", f'<meta http-equiv="refresh" content="{delay}">{form}').state == state


@pytest.mark.parametrize(
    ("script", "state", "delay"),
    [
        ("setTimeout(function(){location.reload()}, 300000)", "timed", 300),
        ("setTimeout(() => location.reload(), 5000)", "restless", 5),
        ("setInterval('location.reload()',4000)", "restless", 4),
        ("var a = 1; setInterval(function () { window.location.reload(true); }, 12000);", "timed", 12),
        ("setTimeout(function(){location.reload()}, 72001000)", "none", None),
        ("if (stale) { setTimeout(() => { location.reload() }, 4000) }", "none", None),
        ("b.onclick = function () { setTimeout(() => { location.reload() }, 4000) }", "none", None),
        ("setTimeout(() => { location.reload() }, 0)", "restless", 0),
    ],
)
def test_script_that_waits_is_a_refresh_with_a_delay(script: str, state: str, delay: int | None) -> None:
    """A page that a script loads again after five minutes can be read meanwhile."""
    found = outcome("meta-refresh", f"<p>{'ዝናብ ይዘንባል ' * 60}<script>{script}</script>")

    assert (found.state, found.value) == (state, delay)


@pytest.mark.parametrize(("again", "state"), [("<meta http-equiv=refresh content=4>", "restless"), ("", "timed")])
def test_page_that_never_stops_loading_itself_again_in_a_browser(again: str, state: str) -> None:
    """The document that it drew last asks for that once more; one that does not has only led on."""
    text = f"<p>{'ข่าว ' * 90}"
    departure = Departure(kind="reload", url="https://example.com/", after_ms=4_100.0)
    if not again:
        departure = replace(departure, kind="meta")
    drawn = make_rendering(departures=(departure,), html=f"{again}{text}", final_url="https://example.com/")
    facts = Facts(make_artifacts(f"<meta http-equiv=refresh content=4>{text}", rendering=drawn))
    found = run_checks({"meta-refresh": all_checks()["meta-refresh"]}, facts)["meta-refresh"].verdict

    assert getattr(found, "state", None) == state


def test_form_that_a_script_sends_on_leads_on() -> None:
    """A sign-on that posts to another page ends."""
    page = (
        "<p>"
        + "ბაღში წვიმს " * 30
        + "<form action=/next><input name=a></form><script>document.forms[0].submit()</script>"
    )

    assert outcome("meta-refresh", page).state == "none"


@pytest.mark.parametrize(
    ("html", "kind", "state"),
    [
        ("<meta http-equiv=refresh content='1; url=/next'>", "meta", "timed"),
        ("<meta http-equiv=refresh content='0; url=/next'>", "meta", "redirect"),
        ("<meta http-equiv=refresh content='60; url=/next'>", "script", "redirect"),
    ],
)
def test_a_redirect_after_a_delay_is_the_same_in_a_browser(html: str, kind: str, state: str) -> None:
    """The browser has waited for it; the delay is that of the document that led on."""
    departure = Departure(kind=kind, url="https://example.com/next", after_ms=1_100.0)  # type: ignore[arg-type]
    drawn = make_rendering(departures=(departure,), html="<title>Next</title><p>Next")
    facts = Facts(make_artifacts(html, rendering=drawn))
    found = run_checks({"meta-refresh": all_checks()["meta-refresh"]}, facts)["meta-refresh"].verdict

    assert getattr(found, "state", None) == state
