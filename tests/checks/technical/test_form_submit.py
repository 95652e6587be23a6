from __future__ import annotations

import pytest

from pagegrade.checks.technical.form_submit import MAX_BESIDE, form_submit
from pagegrade.model.outcome import NotRun
from pagegrade.parse.page_content import MAX_ELEMENTS
from tests.builders import outcome, run

TWO = "<input name=a><textarea name=b></textarea>"


@pytest.mark.parametrize(
    ("form", "state"),
    [
        (f"<form>{TWO}<button type=button>Wyślij</button></form>", "dead"),
        (f"<form>{TWO}</form>", "dead"),
        (f"<form action=/a method=post>{TWO}<button type=submit disabled>보내기</button></form>", "dead"),
        (f"<form><fieldset disabled>{TWO}<button type=submit>送信</button></fieldset></form>", "dead"),
        (f"<form onsubmit='return false;'>{TWO}<button>ላክ</button></form>", "dead"),
        (f"<form onsubmit='return check()'>{TWO}<button>გაგზავნა</button></form>", "works"),
        (f"<form>{TWO.replace(' name', ' disabled name')}<button type=submit>إرسال</button></form>", "dead"),
        (f"<form>{TWO}<input type=image src=/a.png></form>", "works"),
        (f"<form>{TWO}<button type=submit>Отправить</button><button type=submit disabled>X</button></form>", "works"),
        (f"<form>{TWO}<button type=button onclick=send()>Gönder</button></form>", "works"),
        (f"<form id=f>{TWO}</form><button type=submit form=f>Lähetä</button>", "works"),
        ("<form><input name=q></form>", "works"),
        ("<form><input type=hidden name=a><button type=button>Menu</button></form>", "works"),
    ],
)
def test_form_that_nothing_sends_is_dead(form: str, state: str) -> None:
    """On a page without a script that could send it."""
    assert outcome(form_submit, form).state == state
    assert outcome(form_submit, f"{form}<script>let a = 1</script>").state == state


@pytest.mark.parametrize(
    "script",
    [
        "<script src=/a.js></script>",
        "<script>document.forms[0].onclick = go</script>",
        "<script>var f = new FormData(x)</script>",
        "<script>document.head.append(document.createElement('script'))</script>",
        "<script type=module>import './send.js'</script>",
        "<script>document.addEventListener('submit', go)</script>",
    ],
)
def test_script_may_send_a_form(script: str) -> None:
    """A file, or one that names what it takes; a form that works needs none."""
    assert isinstance(run("form-submit", f"<form>{TWO}</form>{script}"), NotRun)
    assert outcome(form_submit, f"<form>{TWO}<button>Enviar</button></form>{script}").state == "works"


@pytest.mark.parametrize(
    "script",
    [
        "<script>addEventListener('scroll', () => document.body.style.transform = 'none')</script>",
        "<script>dataLayer = window.dataLayer || []; dataLayer.push({platform: 'important information'})</script>",
        '<script type="application/ld+json">{"name": "submit form"}</script>',
    ],
)
def test_script_that_could_not_send_it_is_no_excuse(script: str) -> None:
    """It watches something else, or holds data."""
    assert outcome(form_submit, f"<form>{TWO}</form>{script}").state == "dead"


def test_the_largest_form_is_looked_at() -> None:
    """One with more elements counts as working."""
    form = f"<form>{'<br>' * (MAX_ELEMENTS - 3)}{TWO}</form>"

    assert outcome(form_submit, form).state == "dead"
    assert outcome(form_submit, form.replace("<br>", "<br><br>", 1)).state == "works"


LEFT = "<h1>{0}</h1><p>{1}</p><form><input name=a><input name=b><input name=c><button disabled>{0}</button></form>"


@pytest.mark.parametrize(("words", "state"), [(MAX_BESIDE - 1, "only"), (MAX_BESIDE, "dead")])
def test_page_that_is_there_for_its_form_is_of_no_use_without_it(words: int, state: str) -> None:
    """The heading is a word as well; a form that works, or a text, is something else to come for."""
    page = LEFT.format("დაჯავშნა", "სიტყვა " * words)

    assert outcome(form_submit, page).state == state
    assert outcome(form_submit, f"{page}<form><input name=q><button>?</button></form>").state == "dead"
    assert outcome(form_submit, page.replace("<input name=c>", "")).state == "dead"


KEY = "pk_test_51HxQ9aPnLkV2ZrT8wYb"
PAY = f"<form action=/pay method=post>{TWO}<input autocomplete=cc-number name=n><button>{{}}</button></form>"


@pytest.mark.parametrize(
    "part",
    [
        f"<script>var pay = Provider('{KEY}', {{card: 1}})</script>",
        "<script>start({clientKey: 'test_870be2aQ7ZrT8wYbPnLkV2', payment: 'card'})</script>",
        "<script>pay('FLWPUBK_TEST-870be2aQ7ZrT8wYbPnLkV2', 'card')</script>",
        "<script>window.checkout = {'environment': 'sandbox', id: 7}</script>",
        "<script>new Checkout({env: 'test', merchant: 'Oak'})</script>",
        f"<form action=/p method=post><div data-publishable-key={KEY}></div><button>Pay</button></form>",
        "<form action=/p method=post><script src=/c.js data-key=rzp_test_4kQ9aPnLkV2ZrT></script></form>",
    ],
)
@pytest.mark.parametrize("word", ["Оплатить", "支払う", "ادفع", "ชำระเงิน", "결제하기", "Zahlen"])
def test_payments_in_test_mode(part: str, word: str) -> None:
    """By a key or an environment beside a form for payments, wherever no one would look for a trial."""
    page = PAY.format(word) + part

    assert outcome(form_submit, page).state == "test_mode"
    for name in ("staging.shop.example", "shop-test.example", "docs.pay.example", "localhost"):
        assert outcome(form_submit, page, url=f"https://{name}/").state != "test_mode"


@pytest.mark.parametrize(
    "page",
    [
        PAY + f"<p>Use <code>{KEY}</code> first.</p><script>Provider('{KEY}', 'card')</script>",
        PAY + "<script>Provider('pk_live_51HxQ9aPnLkV2ZrT8wYb', 'card')</script>",
        PAY + "<script>pay({environment: 'production', test: false, card: 1})</script>",
        PAY + "<script>pay('pk_test_your-key-goes-here', 'card')</script>",
        PAY + "<div data-ab=test_of_the_green_button data-testid=test-pay-button-element-1></div>",
        f"<form action=/s><input name=q></form><script>Provider('{KEY}', 'card')</script>",
        "<form action=/s method=post><input name=q></form><script>log({environment: 'test', cards: 1})</script>",
    ],
)
def test_what_is_no_payment_in_test_mode(page: str) -> None:
    """Instructions, live keys, placeholders, tests of designs and pages that take no payment."""
    assert getattr(run(form_submit, page), "state", "") != "test_mode"
