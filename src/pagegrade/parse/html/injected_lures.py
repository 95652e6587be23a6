"""Finds what intruders put in front of visitors: layers that take clicks, commands to paste, shells, link farms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Anchor, Control, Document
from pagegrade.parse.cascade.states import attribute_of
from pagegrade.parse.files.javascript import cancels_all_keys, done_at_load, handlers_of
from pagegrade.parse.html.injected_content import (
    ADDRESS,
    MAX_ANCHORS,
    MAX_SCRIPT,
    MAX_SCRIPTS,
    MAX_STRINGS,
    SENDS,
    ForeignLink,
    Injection,
    Kind,
    is_foreign,
    is_topic,
    marks_in,
    names_goods,
)
from pagegrade.parse.html.layers import covers_window
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.party import Parties
from pagegrade.parse.refreshes import refresh_target
from pagegrade.parse.url import host, is_http, registrable_domain

_MAX_LOOKED_AT: Final = 400
_SHOWN: Final = "img, svg, picture, video, canvas, iframe"
_ABOVE: Final = re.compile(r"z-index:[1-9]\d")
_COPIES: Final = re.compile(r"\bclipboard\s{0,3}\.\s{0,3}writeText\b|\bexecCommand\(\s{0,3}[\"']copy|clipboardData")
_COPY_MARKS: Final = ("clipboard", "execCommand")
"""One of them is in everything that the pattern above matches."""
_LOADER: Final = re.compile(
    r"powershell(?:\.exe)?\b[^\n]{0,200}\s-(?:w(?:in|indowstyle)?\s{1,3}h|e(?:c|nc|ncodedcommand)?\s{1,3}[\w+/=]{16})|"
    r"\bmshta(?:\.exe)?\s{1,3}[\"'\\]{0,3}https?:|\bcertutil\b[^\n]{0,80}-urlcache|\bregsvr32\b[^\n]{0,80}\bhttps?:|"
    r"\bbase64\s{1,3}(?:-d|-D|--decode)\b[^\n]{0,40}\|\s{0,3}(?:bash|zsh|sh)\b",
    re.IGNORECASE,
)
"""Commands that hide their window or what they run: no instruction for visitors does."""
_WHOAMI: Final = re.compile(r"\buid=\d{1,7}\([\w.-]{1,40}\) gid=\d{1,7}\([\w.-]{1,40}\)")
"""Output of ``id``."""
_CONTAINERS: Final = frozenset({"article", "body", "html", "main"})
_MAX_CLIMB: Final = 3
_LEADS: Final = re.compile(
    r"location(?:\.href)?\s{0,3}(?:=|\.(?:replace|assign)\()\s{0,3}[\"'`]((?:https?:)?//[^\"'`\s]{3,300})"
)
_DIALOGS: Final = ("alert(", "confirm(", "prompt(")
_LOOP: Final = re.compile(
    r"(?:\bwhile\s{0,3}\(\s{0,3}(?:true|1|!0)\s{0,3}\)|\bfor\s{0,3}\(\s{0,3};\s{0,3};\s{0,3}\))\s{0,9}\{?"
    r"[^{}()]{0,80}\b(?:alert|confirm|prompt)\(([\s\S]{0,400})"
)
"""A loop without an end that shows a dialog, and what follows."""
_REPEATS: Final = re.compile(
    r"\bsetInterval\(\s{0,9}(?:function\s{0,3}\w{0,40}\(\w{0,40}\)|\(?\w{0,40}\)?\s{0,3}=>|[\"'`])\s{0,9}\{?"
    r"[^{}]{0,200}\b(?:alert|confirm|prompt)\("
)
"""The same again and again; one that ends is cleared."""
_STOPS: Final = re.compile(r"\b(?:break|return|throw)\b")
_NOTES_KEYS: Final = re.compile(r"\+=\s{0,3}\w{1,20}\.key\b")
_PROMPTS: Final = re.compile(
    r"\bNotification\.requestPermission\(|\bgeolocation\.(?:getCurrentPosition|watchPosition)\(|\bgetUserMedia\("
)
"""Calls that make a browser ask visitors for a permission."""
_PROMPT_MARKS: Final = ("requestPermission", "geolocation", "getUserMedia")
"""One of them is in everything that the pattern above matches."""
_WAITS: Final = re.compile(r"[\"'](?:click|submit|pointerup|mouseup|touchend)[\"']|\bon(?:click|submit)\b")
_SPENDS: Final = re.compile(r"eth_sendTransaction|setApprovalForAll|eth_signTypedData|\bapprove\(|\bpermit\(")
_PROGRAM: Final = re.compile(
    r"(?:https?:)?//[a-z0-9.-]{3,200}/[^\s\"'`?#]{1,300}\.(?:exe|msi|scr|bat|hta|vbs|apk|jar|dmg|iso)(?=[\"'`?#])",
    re.IGNORECASE,
)
_ACTION: Final = re.compile(
    r"(?:\.action\s{0,3}=|setAttribute\(\s{0,3}[\"'`]action[\"'`]\s{0,3},)\s{0,3}[\"'`]((?:https?:)?//[^\"'`\s]{3,300})"
)
"""A form gets the address of another page."""
_ON_COPY: Final = re.compile(r"[\"'](?:copy|cut)[\"']|\boncopy\b")
_COPIED_BY: Final = ("getSelection", "selection", "toString", "execCommand", ".value")
"""Parts of a script that adds something to what was copied, formats it, or copies for a button of the page."""
_IF_SO: Final = re.compile(r"\bif\b|\?|&&")
_NEAR: Final = 300
"""Characters between where visitors come from and where a script takes them."""
_ON_SUBMIT: Final = re.compile(
    r"(?:addEventListener|\.on)\(\s{0,3}[\"'`]submit\b|\bonsubmit\b|\.submit\(\s{0,3}function"
)
_NEW_FORM: Final = re.compile(r"createElement\(\s{0,3}[\"'`]form\b", re.IGNORECASE)
_MIN_FARM: Final = 15
"""Other sites in one block of links for such goods."""
_BLOCKS: Final = frozenset({"aside", "div", "footer", "nav", "ol", "section", "table", "td", "ul"})
_MAX_LEFT: Final = re.compile(r"(?:^|;)opacity:0?(?:\.0[0-5]?\d{0,4}|0?)(?:;|$)")
"""Opacity of a frame that no one sees."""
_AFTER_ADDRESS: Final = re.compile(r"[^;{}\n]{0,200}(?:\.key(?:Code)?|\.which|\.charCode|fromCharCode)\b")
_CALLS: Final = re.compile(r"(?:(?:sendBeacon|fetch|open)\s?\(|\.src\s?=)[^;{}\n]{0,20}[\"'`]\Z")
_MAX_CALL: Final = 60
"""Characters before an address that tell whether it is called or only named."""
_ON_KEYS: Final = re.compile(r"[\"'`]key(?:down|up|press)[\"'`]|\bonkey(?:down|up|press)\b")
_KEY_MARKS: Final = ("keydown", "keyup", "keypress")
"""One of them is in everything that the pattern above matches."""
_HOLDS: Final = frozenset(
    {"beforeunload", "keyboard", "keydown", "keypress", "popstate", "pushState", "requestFullscreen"}
)
_RETURNS: Final = re.compile(r"\b(?:pushState|forward|go)\(")
_ASKS: Final = re.compile(r"\breturn\s{0,3}[\"'`]|\breturnValue\s{0,3}=|\.preventDefault\(\)")
_FILLS: Final = re.compile(
    r"\b(?:document(?:\.body|\.documentElement)?|window)\s{0,3}\.\s{0,3}(?:addEventListener\(\s{0,3}[\"'`](?:click|mousedown"
    r"|pointerdown|keydown)[\"'`]\s{0,3},|on(?:click|mousedown|keydown)\s{0,3}=)\s{0,3}(?:async\s{1,3})?"
    r"(?:function\s{0,3}\w{0,40}\(\w{0,40}\)|\(?\w{0,40}\)?\s{0,3}=>)\s{0,3}\{?[^{}?]{0,200}\brequestFullscreen\("
)
"""Any click or key fills the screen, whatever else happens."""
_LOCKS: Final = re.compile(r"\bkeyboard\s{0,3}\??\.\s{0,3}lock\(\s{0,3}\)")
"""All keys are kept from the browser, with the one that ends a full screen."""
_HEAPS: Final = re.compile(
    r"(?:\b(?:for|while)\s{0,3}\([^(){}]{0,120}\)|\bsetInterval\(\s{0,3}(?:function\s{0,3}\(\)|\(\)\s{0,3}=>))\s{0,9}\{?"
    r"[^{}]{0,60}\bpushState\("
)
"""Page after page is put into the history, so that no one comes back out of it."""
MIN_HELD: Final = 2
"""Ways in which a script keeps visitors from leaving: one alone may be clumsy."""
_CARD: Final = frozenset({"cc-number", "cc-csc", "cc-exp"})
_MAX_FORM: Final = 12
_PIN: Final = re.compile(r"(?<![a-z])(?:pin|cvv2?|cvc2?|ccv|csc|card-?_?num(?:ber)?|ssn)(?![a-z])", re.IGNORECASE)
_OF_FILES: Final = re.compile(
    r"/(?:wp-includes|wp-content/(?:uploads|upgrade)|\.well-known/(?:acme-challenge|pki-validation)|sites/default/files)/"
)
"""Folders for files of software and of editors; a site that shows the source text of software has their names, too."""
_OF_EDITORS: Final = re.compile(r"/(?:uploads|files)/(?!.*\.php$)")
"""Courses and demonstrations are put there as they are, and plugins ask for the password of a file at its address."""
_WORDS_OF_WALLETS: Final = frozenset({12, 15, 18, 21, 24})
"""Words that restore a wallet: its standard knows no other numbers."""
_TEXTS: Final = frozenset({"text", "password", "textarea"})
_OF_NAMES: Final = frozenset({"text", "email", "tel"})
_MNEMONIC: Final = re.compile(r"mnemonic", re.IGNORECASE)
_PHRASE: Final = re.compile(r"(?:seed|recovery|mnemonic)[-_ ]?(?:phrase|words?)", re.IGNORECASE)
_WALLET: Final = re.compile(r"wallet|metamask|trezor|bip-?39|private[-_ ]?key", re.IGNORECASE)
_OF_WORDS: Final = re.compile(r"(?:[a-z]{0,2}|(?:seed|recovery|mnemonic|phrase|word).*)[^a-z]*", re.IGNORECASE)
"""Names of numbered fields for words; forms for teams, plants or addresses have names of their own."""
_ONLY_WALLETS: Final = re.compile(
    r"metamask|trezor|bip-?39|wallet-?connect|(?:trust|crypto|bitcoin|coinbase|ledger)[-_ ]?wallet|"
    r"(?:seed|recovery)[-_ ]?phrase",
    re.IGNORECASE,
)
"""Names that only wallets for money of computers have: those of leather are called so, too, and gardens have seeds."""
_KIND_OF_WALLET: Final = re.compile(
    r"<option[^<>]{0,200}>[^<>]{0,40}\b(?:browser|desktop|hardware|software)[-_ ]wallet", re.IGNORECASE
)
_MIN_KINDS: Final = 2
"""Kinds of wallets to choose from, with which words are asked for that are typed as exactly as those of one."""
_LAST_NUMBER: Final = re.compile(r"\d{1,2}(?=\D{0,2}$)")
_CODE_OF_CARD: Final = re.compile(r"(?<![a-z])(?:cvv2?|cvc2?|ccv|csc|cc-csc)(?![a-z])", re.IGNORECASE)
_PIN_OF_CARD: Final = re.compile(r"(?<![a-z])pin(?![a-z])", re.IGNORECASE)
_NOT_OF_BANKS: Final = re.compile(r"new|gift|voucher|coupon", re.IGNORECASE)
"""In names of fields for what is chosen now, and of cards that a shop gives out, which have a PIN, too."""
_PIN_AND_PASSWORD: Final = 2
"""Secrets beside the code of a card: a password that is chosen is asked for twice."""
MAX_FORM_TEXT: Final = 20_000
"""Characters of a form in which a wallet is looked for."""
_MIN_BRAND: Final = 4
_MIN_OF_OTHER: Final = 3
_MOST_OF_OTHER: Final = 0.7
"""Letters of a name, addresses of one other site, and share of all, from which on a page is made to look like it."""


_MIN_OWN: Final = 3
"""Addresses of the page on its own site beside which another one is none of it."""


def find_lures(document: Document, parties: Parties, foreign: Sequence[ForeignLink]) -> Iterator[Injection]:
    """Yield everything of that kind, in no particular order; ``foreign`` as ``foreign_links`` returns it."""
    yield from _click_layers(document, parties)
    yield from _frame_layers(document, parties)
    yield from _field_traps(document)
    asked = [one for one in document.controls[:MAX_ANCHORS] if not one.hidden and _is_secret(one)]
    if asked:
        yield from _imitations(document, parties, asked)
        yield from _stray_forms(document, asked)
    yield from _forbidden_fields(document)
    yield from _commands(document)
    yield from _traps(document, parties)
    yield from _programs(document)
    yield from _shells(document)
    yield from _farms(document, foreign)
    yield from _taken_canonicals(document, parties)


def _click_layers(document: Document, parties: Parties) -> Iterator[Injection]:
    """Links to other sites that lie over the whole window with nothing to be seen."""
    for anchor in document.anchors[:MAX_ANCHORS]:
        url = anchor.url or ""
        if anchor.text or not isinstance(anchor.node, Element) or not is_http(url) or parties.is_own(url):
            continue
        at: object = anchor.node
        for _ in range(_MAX_CLIMB):
            if not isinstance(at, Element) or at.tag in _CONTAINERS:
                break
            style = attribute_of(at, "style") or ""
            if covers_window(style) and _ABOVE.search("".join(style.split())):
                if next(iter(anchor.node.select(_SHOWN)), None) is None:
                    yield Injection("click-layer", anchor.node, url)
                break
            at = at.parent


def _frame_layers(document: Document, parties: Parties) -> Iterator[Injection]:
    """Frames of other sites that lie over the whole window unseen, and take every press for theirs."""
    for frame in document.frames[:MAX_ANCHORS]:
        url = frame.url or ""
        at: object = frame.node
        if not is_http(url) or parties.is_own(url):
            continue
        styles: list[str] = []
        for _ in range(_MAX_CLIMB):
            if not isinstance(at, Element) or at.tag in _CONTAINERS:
                break
            styles.append("".join((attribute_of(at, "style") or "")[:1_000].lower().split()))
            at = at.parent
        is_unseen = any(_MAX_LEFT.search(one) for one in styles) and not any("pointer-events:none" in s for s in styles)
        if is_unseen and any(covers_window(one) and _ABOVE.search(one) for one in styles):
            yield Injection("click-layer", frame.node, url)


def _field_traps(document: Document) -> Iterator[Injection]:
    """Fields for a card that are drawn where no one sees them, so that browsers fill them in beside those that show."""
    fields = [one for one in document.controls[:MAX_ANCHORS] if _kind_of_field(one.attrs) in _CARD]
    unseen = [one for one in fields if _is_out_of_sight(document, one.node)]
    if unseen and len(unseen) == len(fields) and len(document.controls) > len(fields):
        yield from (Injection("field-trap", one.node) for one in unseen)


def _imitations(document: Document, parties: Parties, asked: Sequence[Control]) -> Iterator[Injection]:
    """Fields for secrets on a page with the name, the pictures and the links of one other site, and none of its own.

    A site that signs visitors in for another one asks for no card and no PIN, and has the other's name alone in front
    of its own.
    """
    if not parties.site:
        return
    addresses = [one.url or "" for one in document.anchors[:MAX_ANCHORS]]
    addresses += (one.url or "" for one in document.images[:MAX_ANCHORS])
    sites = Counter(registrable_domain(host(one)) for one in addresses if is_http(one))
    site, number = sites.most_common(1)[0] if sites else ("", 0)
    if number < _MIN_OF_OTHER or number < _MOST_OF_OTHER * sites.total() or site == parties.site:
        return
    name = site.partition(".")[0]
    own = host(document.url)
    is_worn = name in own.removesuffix(parties.site) and name not in own.split(".")[:1]
    said = " ".join((*(one.text for one in document.titles[:1]), *(one.text for one in document.headings[:3]))).lower()
    is_named = len(asked) > 1 and name in said and any(one.type != "password" or _is_card(one) for one in asked)
    if len(name) >= _MIN_BRAND and (is_worn or is_named):
        yield Injection("imitation", asked[0].node, f"https://{site}/")


def _stray_forms(document: Document, asked: Sequence[Control]) -> Iterator[Injection]:
    """Fields for secrets in a folder in which software keeps its files, in a form that is sent into such a folder.

    A form may be sent to its own page as well, but where editors put files only if that page is a program. A site that
    shows the source text of software sends its sign-in elsewhere.
    """
    path = path_and_query(document.url)[0]
    if _OF_FILES.search(path) is None:
        return
    sent: dict[object, str] = {one.node: path_and_query(one.url)[0] for one in document.forms if one.method == "post"}
    may_be_own = _OF_EDITORS.search(path) is None
    for control in asked:
        around = islice(control.node.ancestors, _MAX_FORM) if isinstance(control.node, Element) else ()
        target = next((sent[one] for one in around if one in sent), "")
        if may_be_own if target == path else _OF_FILES.search(target) is not None:
            yield Injection("stray-form", control.node)
            return


def _forbidden_fields(document: Document) -> Iterator[Injection]:
    """Forms that are sent to a server with what no site needs: the words of a wallet, or all secrets of a person.

    The words are one field called so in a form that names a wallet, or as many numbered ones as a wallet has words in
    a form that names what only wallets for money of computers have, or lets visitors choose between such kinds of
    wallets and a browser change nothing in these fields. The secrets are the code of a card, its PIN directly beside
    it, and one password of an account behind its name, none of them a new one.
    """
    asked = [one for one in document.controls[:MAX_ANCHORS] if not one.hidden and isinstance(one.node, Element)]
    names = [f"{one.attrs.get('name', '')} {one.attrs.get('id', '')} {_kind_of_field(one.attrs)}" for one in asked]
    joined = "\n".join(names)
    texts = sum(one.type in _TEXTS for one in asked)
    has_some = any(one.search(joined) is not None for one in (_MNEMONIC, _PHRASE, _PIN_OF_CARD))
    if texts < min(_WORDS_OF_WALLETS) and not has_some:
        return
    posted = {one.node for one in document.forms if one.method == "post"}
    forms: dict[object, list[tuple[Control, str]]] = defaultdict(list)
    for control, name in zip(asked, names, strict=True):
        around = islice(control.node.ancestors, _MAX_FORM) if isinstance(control.node, Element) else ()
        forms[next((one for one in around if one in posted), None)].append((control, name))
    for form, fields in forms.items():
        if isinstance(form, Element) and (field := _forbidden_field(form, fields)) is not None:
            yield Injection("forbidden-field", field.node)


def _forbidden_field(form: Element, fields: Sequence[tuple[Control, str]]) -> Control | None:
    texts = [(one, name) for one, name in fields if one.type in _TEXTS]
    phrases = [one for one, name in texts if _PHRASE.search(name) is not None]
    words = [one for one, name in texts if _MNEMONIC.search(name) is not None] or _numbered([one for one, _ in texts])
    said = form.html[:MAX_FORM_TEXT] if phrases or words else ""
    if phrases and _WALLET.search(said) is not None:
        return phrases[0]
    is_choice = sum(1 for _ in islice(_KIND_OF_WALLET.finditer(said), _MIN_KINDS)) == _MIN_KINDS
    if words and (_ONLY_WALLETS.search(said) is not None or (is_choice and all(map(_is_typed_exactly, words)))):
        return words[0]
    if any(_NOT_OF_BANKS.search(name) is not None for _, name in fields):
        return None
    is_code = [_CODE_OF_CARD.search(name) is not None for _, name in fields]
    is_pin = [one.type == "password" and _PIN_OF_CARD.search(name) is not None for one, name in fields]
    secrets = sum(one.type == "password" and not code for (one, _), code in zip(fields, is_code, strict=True))
    at = is_pin.index(True) if sum(is_pin) == 1 and secrets == _PIN_AND_PASSWORD else -1
    if at < 0 or not any(is_code[max(at - 1, 0) : at + 2]):
        return None
    # A bank may ask those who are signed in for the password again, but not for a name before it.
    other = next(n for n, (one, _) in enumerate(fields) if one.type == "password" and n != at and not is_code[n])
    before = fields[other - 1][0] if other else None
    return fields[at][0] if before is not None and before.type in _OF_NAMES and not _is_card(before) else None


def _is_typed_exactly(control: Control) -> bool:
    """Return whether a browser neither writes capital letters nor corrects or shows what is typed."""
    attrs = control.attrs
    is_plain = attrs.get("autocapitalize", "").lower() in {"none", "off"} or attrs.get("spellcheck", "") == "false"
    return is_plain or control.type == "password"


def _numbered(fields: Sequence[Control]) -> list[Control]:
    """Fields for words, called alike but for their numbers, one after the other, as many as the words of a wallet."""
    groups: dict[str, list[tuple[int, Control]]] = {}
    for one in fields:
        name = one.attrs.get("name", "") or one.attrs.get("id", "")
        number = _LAST_NUMBER.search(name)
        is_word = number is not None and _OF_WORDS.fullmatch(name[: number.start()]) is not None
        if number is not None and is_word and one.attrs.get("maxlength", "") not in {"1", "2"}:
            groups.setdefault(name[: number.start()], []).append((int(number[0]), one))
    for group in groups.values():
        numbers = [number for number, _ in group]
        if len(group) in _WORDS_OF_WALLETS and numbers == list(range(numbers[0], numbers[0] + len(group))):
            return [one for _, one in group]
    return []


def _is_secret(control: Control) -> bool:
    return control.type == "password" or _is_card(control)


def _is_card(control: Control) -> bool:
    named = f"{control.attrs.get('name', '')} {control.attrs.get('id', '')}"
    return _kind_of_field(control.attrs) in _CARD or _PIN.search(named) is not None


def _kind_of_field(attrs: Mapping[str, str]) -> str:
    return attrs.get("autocomplete", "").strip().lower().rpartition(" ")[2]


def _is_out_of_sight(document: Document, node: object) -> bool:
    """Return whether an element or one around it in its form is clipped, moved far off or transparent."""
    for _ in range(_MAX_FORM):
        if not isinstance(node, Element) or node.tag in {"form", *_CONTAINERS}:
            break
        if document.visibility.is_clipped(node) or _MAX_LEFT.search(
            "".join((attribute_of(node, "style") or "")[:1_000].lower().split())
        ):
            return True
        node = node.parent
    return False


def _commands(document: Document) -> Iterator[Injection]:
    """Scripts and handlers that put a command into the clipboard which hides what it does."""
    # Few pages have a script that copies anything, and the pattern is a slow search in long ones.
    for script in document.scripts[:MAX_SCRIPTS] if not document.script_marks.isdisjoint(_COPY_MARKS) else ():
        text = script.text[:MAX_SCRIPT]
        if marks_in(document, script).isdisjoint(_COPY_MARKS):
            continue
        if _COPIES.search(text) is not None and _LOADER.search(text) is not None:
            yield Injection("paste-command", script.node)
    body = document.body.node if document.body is not None else None
    if isinstance(body, Element):
        for node in islice(body.select("[onclick]"), _MAX_LOOKED_AT):
            handler = (attribute_of(node, "onclick") or "")[:2_000]
            if _COPIES.search(handler) is not None and _LOADER.search(handler) is not None:
                yield Injection("paste-command", node)


def _traps(document: Document, parties: Parties) -> Iterator[Injection]:
    """Inline scripts that hold visitors, take something from them or give them something, without being asked."""
    for script in document.scripts[:MAX_SCRIPTS]:
        if script.kind not in {"classic", "module"} or not script.text:
            continue
        text = script.text[:MAX_SCRIPT]
        kind = _trap(text, marks_in(document, script), document, parties)
        if kind is not None:
            yield Injection(kind, script.node)


def _trap(text: str, marks: AbstractSet[str], document: Document, parties: Parties) -> Kind | None:
    """Kind of a script in which there are certain marks.

    None that waits for a click or a tap is one of the last two.
    """
    if (
        "popstate" in marks
        and "pushState" in text
        and any(is_foreign(one[1], parties) for one in _LEADS.finditer(text))
    ):
        return "back-trap"
    if not marks.isdisjoint(_DIALOGS) and _holds_by_dialogs(text):
        return "dialog-loop"
    if len(marks & _HOLDS) >= MIN_HELD and _ways_to_hold(text) >= MIN_HELD:
        return "held-visitor"
    kind = _swap(text, marks, document, parties)
    if kind is not None:
        return kind
    if not marks.isdisjoint(_PROMPT_MARKS) and _takes_permission(text, parties):
        return "permission-trap"
    if _takes_keys(text, marks, parties):
        return "key-logger"
    if "eth_requestAccounts" in marks and _SPENDS.search(text) is not None:
        kind = "wallet-request"
    elif ".click()" in marks and _brings_program(text, document, parties):
        kind = "forced-download"
    return None if kind is None or _WAITS.search(text) is not None else kind


def _ways_to_hold(text: str) -> int:
    """Return in how many ways a script keeps everybody from leaving.

    Whoever closes the page is asked, whoever goes back comes forth again or finds the page in the history many times,
    every key is taken, and any click fills the screen.
    """
    return (
        any(_ASKS.search(done) is not None for done in handlers_of(text, "beforeunload"))
        + any(_RETURNS.search(done) is not None for done in handlers_of(text, "popstate"))
        + cancels_all_keys(text)
        + (
            any("requestFullscreen(" in done for done in handlers_of(text, "click"))
            or _FILLS.search(text) is not None
            or _LOCKS.search(text) is not None
        )
        + (_HEAPS.search(text) is not None)
    )


def _holds_by_dialogs(text: str) -> bool:
    """Return whether a script shows one dialog after the other without an end."""
    if any(_STOPS.search(one[1]) is None for one in _LOOP.finditer(text)):
        return True
    return "clearInterval" not in text and _REPEATS.search(text) is not None


def _takes_keys(text: str, marks: AbstractSet[str], parties: Parties) -> bool:
    """Return whether a script collects each key and sends it away, or writes it behind the address that it calls."""
    if ".key" in text and _NOTES_KEYS.search(text) is not None:
        return _sends_away(text, parties)
    if marks.isdisjoint(_KEY_MARKS) or _ON_KEYS.search(text) is None or SENDS.search(text) is None:
        return False
    addresses = islice(ADDRESS.finditer(text), MAX_STRINGS)
    return any(
        is_foreign(one[0], parties)
        and _AFTER_ADDRESS.match(text, one.end()) is not None
        and _CALLS.search(text[max(0, one.start() - _MAX_CALL) : one.start()]) is not None
        for one in addresses
    )


def _swap(text: str, marks: AbstractSet[str], document: Document, parties: Parties) -> Kind | None:
    """Kind of a script that gives visitors, or what they enter or copy, to someone else."""
    if "referrer" in marks and any(
        is_foreign(one[1], parties) and _is_by_referrer(text[max(0, one.start() - _NEAR) : one.start()])
        for one in _LEADS.finditer(text)
    ):
        return "referrer-trap"
    # What is quickest to rule out comes first: few scripts with a form give it the address of another site.
    if "action" in text and "submit" in text and any(is_foreign(one[1], parties) for one in _ACTION.finditer(text)):
        is_of_page = any(parties.is_own(one.url) for one in document.forms)
        if is_of_page and _ON_SUBMIT.search(text) is not None and _NEW_FORM.search(text) is None:
            return "form-hijack"
    if "setData(" in marks and "preventDefault" in text and _ON_COPY.search(text) is not None:
        return None if any(one in text for one in _COPIED_BY) else "copy-swap"
    return None


def _is_by_referrer(before: str) -> bool:
    """Return whether what stands before an address asks where visitors come from, and goes there only then."""
    at = before.rfind("referrer")
    return at >= 0 and "}" not in before[at:] and _IF_SO.search(before) is not None


def _takes_permission(text: str, parties: Parties) -> bool:
    """Return whether it asks for a permission without being asked, and sends what it gets, or visitors, elsewhere."""
    if _PROMPTS.search(done_at_load(text)) is None:
        return False
    return _sends_away(text, parties) or any(is_foreign(one[1], parties) for one in _LEADS.finditer(text))


def _sends_away(text: str, parties: Parties) -> bool:
    addresses = islice(ADDRESS.finditer(text), MAX_STRINGS)
    return SENDS.search(text) is not None and any(is_foreign(one[0], parties) for one in addresses)


def _brings_program(text: str, document: Document, parties: Parties) -> bool:
    """Return whether a script holds the address of a program on another site that the page does not link to."""
    program = _PROGRAM.search(text)
    return program is not None and is_foreign(program[0], parties) and not _is_offered(program[0], document)


def _is_offered(program: str, document: Document) -> bool:
    """Return whether the page links to a program, as who offers one does, in case that it does not come by itself."""
    return any(program in (one.url or "") for one in document.anchors[:MAX_ANCHORS])


def _programs(document: Document) -> Iterator[Injection]:
    """Refreshes and frames that load a program which the page does not offer, and browsers save it."""
    loaded = [
        (one.node, refresh_target(one.content, document)) for one in document.metas if one.http_equiv == "refresh"
    ]
    loaded += [(one.node, one.url) for one in document.frames[:MAX_ANCHORS]]
    for node, url in loaded:
        if url is not None and _PROGRAM.match(f"{url}?") is not None and not _is_offered(url, document):
            yield Injection("forced-download", node, url)


def _shells(document: Document) -> Iterator[Injection]:
    """A form for commands or files with the output of a command beside it."""
    if "uid=" not in document.text or not isinstance(body := document.body and document.body.node, Element):
        return
    for node in islice(body.select("pre, textarea, code, p, td, div"), 4 * _MAX_LOOKED_AT):
        if _WHOAMI.search(str(node.text)[:4_000]) is None:
            continue
        at: object = node
        for _ in range(_MAX_CLIMB):
            if not isinstance(at, Element) or at.tag in _CONTAINERS:
                break
            if any(map(_takes_commands, islice(at.select("form"), _MAX_LOOKED_AT))):
                yield Injection("web-shell", at)
                return
            at = at.parent


def _takes_commands(form: Element) -> bool:
    """Return whether a form has one field for a line or a file, and is no search and no comment."""
    fields = [one for one in form.select("input") if (attribute_of(one, "type") or "text").lower() in {"text", "file"}]
    return len(fields) == 1 and attribute_of(form, "role") != "search"


def _farms(document: Document, foreign: Sequence[ForeignLink]) -> Iterator[Injection]:
    """A block of links to many other sites that sell what intruders advertise, whatever stands beside them."""
    if len({host(url) for _, url in foreign}) < _MIN_FARM:
        return
    blocks: dict[Element, list[Anchor]] = defaultdict(list)
    for anchor, url in foreign:
        node = anchor.node
        if anchor.hidden or not isinstance(node, Element) or not names_goods(f"{anchor.text} {url}"):
            continue
        around = (one for one in islice(node.ancestors, _MAX_CLIMB) if isinstance(one, Element))
        block = next((one for one in around if one.tag in _BLOCKS), None)
        if block is not None:
            blocks[block].append(anchor)
    for anchors in blocks.values():
        sites = {registrable_domain(host(one.url or "")): one for one in anchors}
        if len(sites) >= _MIN_FARM and not is_topic(document, anchors):
            shown = islice(sites.values(), 2 * _MIN_FARM)
            yield from (Injection("link-farm", one.node, one.url or "") for one in shown)


def _taken_canonicals(document: Document, parties: Parties) -> Iterator[Injection]:
    """The canonical link where it and all other versions lead to one other site that nothing else of the page knows.

    A page that has moved, or is published again, names the same path there, says so everywhere, or has no versions.
    """
    links = [one for one in document.links if one.in_head and one.url is not None and is_http(one.url)]
    target = next((one for one in links if "canonical" in one.rel), None)
    if target is None or target.url is None or parties.is_own(target.url):
        return
    site = registrable_domain(host(target.url))
    versions = [one for one in links if "amphtml" in one.rel or ("alternate" in one.rel and "hreflang" in one.attrs)]
    if {registrable_domain(host(one.url or "")) for one in versions} != {site}:
        return
    if path_and_query(target.url)[0] == path_and_query(document.url)[0]:
        return
    says_own = any(one.property == "og:url" and parties.is_own(one.content) for one in document.metas) or any(
        document.url in one.text for one in document.scripts if one.kind == "data"
    )
    urls = [one.url for one in document.anchors[:MAX_ANCHORS]]
    urls += (one.url for one in document.references[:MAX_ANCHORS])
    sites = Counter(registrable_domain(host(url)) for url in urls if url)
    if says_own and sites[parties.site] >= _MIN_OWN and not sites[site]:
        yield Injection("taken-canonical", target.node, target.url)
