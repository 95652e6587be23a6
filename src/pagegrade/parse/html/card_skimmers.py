"""Finds scripts that copy the fields of a payment or a sign-in to another site or a chat, whatever hides it."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Control, Document
from pagegrade.parse.html.injected_content import (
    ADDRESS,
    MAX_ANCHORS,
    MAX_SCRIPT,
    MAX_SCRIPTS,
    MAX_STRINGS,
    SENDS,
    Injection,
    decoded_strings,
    is_foreign,
)
from pagegrade.parse.party import Parties
from pagegrade.parse.url import host, registrable_domain

MIN_NAMED: Final = 2
"""Fields of a card that a script names: one alone is looked up to tell the brand of the card."""
_MAX_FIELDS: Final = 24
_MAX_NAME: Final = 60
_MAX_CLIMB: Final = 24
_CARD: Final = re.compile(
    r"(?<![a-z])(?:cvv2?|cvc2?|ccv|csc|card-?_?(?:num(?:ber)?|no|code|exp(?:iry)?)|cc-?_?(?:num(?:ber)?|exp|csc))"
    r"(?![a-z])",
    re.IGNORECASE,
)
"""Names of fields for a card that say nothing by ``autocomplete``."""
_ALL_FIELDS: Final = re.compile(
    r"querySelectorAll\(\s{0,3}[\"'`](?:input|select|textarea)\b|getElementsByTagName\(\s{0,3}[\"'`](?:input|select)\b|"
    r"document\.forms\b"
)
_EVERY_FIELD: Final = re.compile(
    r"querySelectorAll[\"'`\]]{0,2}\(\s{0,3}[\"'`](?:input|select|textarea)\s{0,3}[,\"'`]|"
    r"getElementsByTagName[\"'`\]]{0,2}\(\s{0,3}[\"'`](?:input|select)[\"'`]|\bnew FormData\(\s{0,3}[\w$]"
)
"""The same without those of one kind, such as fields for an e-mail address."""
_LISTENS: Final = re.compile(
    r"\b(?:document|window)(?:\.body)?\s{0,3}\.\s{0,3}addEventListener\(\s{0,3}[\"'`](?:input|change|keyup|blur)[\"'`]"
)
_OF_TARGET: Final = re.compile(r"\btarget\s{0,3}\.\s{0,3}value\b")
_TAKES_OVER: Final = ("preventDefault", "return false", "return!1")
"""A script with one of these sends the form itself, as pages of one's own programs do."""
_MAY_SEND: Final = ("Image", "sendBeacon", "fetch", "XMLHttpRequest", "WebSocket", "\\x", "\\u00")
_SENDS_BY_NAME: Final = re.compile(r"[\"'`](?:fetch|sendBeacon|Image|XMLHttpRequest|WebSocket)[\"'`]\s{0,3}\]")
_ESCAPE: Final = re.compile(r"\\(?:x|u00)([0-9a-fA-F]{2})")
_JOINT: Final = re.compile(r"([\"'`])\s{0,3}\+\s{0,3}\1")
"""Between two parts of a text that are put together."""
_SHORT: Final = re.compile(r"[\"'`]([A-Za-z0-9+/_-]{2,40}={0,2})[\"'`]")
_TURNS: Final = re.compile(r"\bsplit[\"'`\]]{0,2}\(\s{0,3}(?:\"\"|''|``)\s{0,3}\)\s{0,3}[.\[]\s{0,3}[\"'`]?reverse\b")
"""A text read back to front; lists alone are turned, too."""
_MIN_TURNED: Final = 4
"""Letters of a name from which on it is no other word read back to front."""
_CODES: Final = re.compile(r"fromCharCode\(\s{0,3}(\d{2,3}(?:\s{0,3},\s{0,3}\d{2,3}){1,60})\s{0,3}\)")
_MAX_SHORT: Final = 200
"""Texts of a script in which the name of a field may be hidden."""
_CHAT: Final = re.compile(
    r"//[\w.-]{3,100}/bot\d{5,15}:[\w-]{8,80}/|//api\.telegram\.org/bot[\"'`$]|"
    r"//[\w.-]{3,100}/api/(?:v\d{1,2}/)?webhooks/(?:\d{15,22}/[\w-]{16,100}|[\"'`$])|"
    r"//hooks\.slack\.com/services/(?:T\w{6,20}/B\w{6,20}/|[\"'`$])",
    re.IGNORECASE,
)
"""The address at which a chat takes messages: with its token, or before a variable for it."""
_CHAT_MARKS: Final = ("/bot", "/webhooks/", "/services/")
"""One of them is in everything that the pattern above matches."""
_CODE_OF_CARD: Final = re.compile(r"(?<![a-z])(?:cvv2?|cvc2?|ccv|csc)(?![a-z])", re.IGNORECASE)
_SENDS_HOME: Final = re.compile(
    r"\b(?:fetch|post|ajax|open|sendBeacon)\([^()\n]{0,40}[\"'`](?!(?:https?|wss?):|//)(?:\.{0,2}/|\$\{|\w[\w-]{0,40}\.php)|"
    r"\.submit\(\s{0,3}\)|\.\s{0,3}(?:auth|signIn|signUp|logIn|createUser|register)\w{0,40}\(|^\s{0,9}import\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A call that may hand a password to who keeps it: a server of the page, or a library that signs visitors in."""
_TYPE: Final = re.compile(r"\.type\s{0,3}=|[\"'`]type[\"'`]\s{0,3},")
_VALUE: Final = re.compile(r"value\b|Value\b|FormData")
_BRACES: Final = re.compile(r"[{}]")
_MAX_BLOCK: Final = 400
"""Characters before and behind the name of a field in which a script may change its type."""
_NO_TEXT: Final = frozenset({"button", "checkbox", "hidden", "image", "radio", "reset", "search", "submit"})


def find_skimmers(document: Document, parties: Parties) -> Iterator[Injection]:
    """Yield the inline scripts that copy fields for a password or a card to a site that the page does not load.

    A script that names two fields of the card, or reads or listens to all fields, copies them if it sends anything to
    another site. One that sends the form itself does so only if it hides the names or the address, or if it sends the
    code of the card, or a password that nothing else gets, as a message to a chat. Linear.
    """
    secret = [one for one in document.controls[:MAX_ANCHORS] if one.type == "password" or _is_card(one)]
    if not secret:
        return
    names = _names_of(one for one in secret if _is_card(one))
    known: set[str] | None = None
    for script in document.scripts[:MAX_SCRIPTS]:
        text = script.text[:MAX_SCRIPT]
        if script.kind not in {"classic", "module"} or not any(mark in text for mark in _MAY_SEND):
            continue
        if known is None:
            known = _loaded_sites(document)
        if (
            _copies_all(text, parties)
            or (names and _copies_card(text, names, known, parties))
            or _tells_chat(text, document, secret)
        ):
            yield Injection("skimming-script", script.node)


def _is_card(control: Control) -> bool:
    if control.attrs.get("autocomplete", "").strip().lower().rpartition(" ")[2].startswith("cc-"):
        return True
    return any(_CARD.search(control.attrs.get(name, "")[:_MAX_NAME]) is not None for name in ("name", "id"))


def _names_own_server(script: str, document: Document) -> bool:
    """Return whether an address in a script is one of the page's own site."""
    own = registrable_domain(host(document.url))
    addresses = islice(ADDRESS.finditer(script), MAX_STRINGS)
    return any(registrable_domain(host("https:" + one[0][one[0].index("//") :])) == own for one in addresses)


def _names_of(fields: Iterable[Control]) -> Sequence[tuple[re.Pattern[str], ...]]:
    """Patterns for the names by which scripts find each of these fields."""
    found = []
    for control in islice(fields, _MAX_FIELDS):
        words = {control.attrs.get(name, "").strip() for name in ("id", "name", "autocomplete")}
        found.append(
            tuple(
                re.compile(rf"[\"'`#=]{re.escape(word)}[\"'`\]]|\.{re.escape(word)}\.value\b")
                for word in words
                if 1 < len(word) <= _MAX_NAME
            )
        )
    return found


def _loaded_sites(document: Document) -> set[str]:
    """Sites whose scripts and frames the page loads, or that its forms are sent to: such as a provider of payments."""
    urls = [one.url for one in document.scripts[:MAX_SCRIPTS]]
    urls += (one.url for one in document.frames[:MAX_SCRIPTS])
    urls += (one.url for one in document.forms[:MAX_SCRIPTS])
    return {registrable_domain(host(url)) for url in urls if url}


def _copies_all(text: str, parties: Parties) -> bool:
    """Return whether a script copies all fields, in a form no one can read, to another site."""
    if "btoa(" not in text or ".value" not in text or SENDS.search(text) is None:
        return False
    addresses = islice(ADDRESS.finditer(text), MAX_STRINGS)
    return any(is_foreign(one[0], parties) for one in addresses) and _ALL_FIELDS.search(text) is not None


def _copies_card(text: str, names: Sequence[tuple[re.Pattern[str], ...]], known: set[str], parties: Parties) -> bool:
    """Return whether a script reads the fields of a card and sends them to a site that the page does not load."""
    plain = _plain(text)
    if "value" not in plain and "FormData" not in plain:
        return False
    if SENDS.search(plain) is None and _SENDS_BY_NAME.search(plain) is None:
        return False
    if not _reads_card(plain, names):
        return False
    if _has_foreign(text, known, parties):
        # What anyone can read may be how the page itself sends the form.
        return not _reads_card(text, names) or not any(one in text for one in _TAKES_OVER)
    return any(_has_foreign(one, known, parties) for one in _hidden_strings(text, plain))


def _tells_chat(text: str, document: Document, secret: Sequence[Control]) -> bool:
    """Return whether a script sends a field that nobody tells a chat as a message to one."""
    plain = _plain(text)
    places = (plain, *_hidden_strings(text, plain)) if "atob" in plain or "reverse" in plain else (plain,)
    if not any(any(mark in one for mark in _CHAT_MARKS) and _CHAT.search(one) is not None for one in places):
        return False
    cards = [one for one in secret if _is_code_of_card(one)]
    passwords = [one for one in secret if one.type == "password" and one not in cards]
    if passwords and (_SENDS_HOME.search(plain) is not None or _names_own_server(plain, document)):
        passwords = []
    asked = [*cards, *passwords]
    names = _names_of(asked)
    if asked and ("value" in plain or "FormData" in plain):
        if any(not shows_field(plain, found) for words in names for one in words for found in _places(one, plain)):
            return True
        every = _every_field(plain)
        # The fields of one form are those of the secret where there is no other form to fill in.
        return every is not None and (plain[: every.start()].endswith("document.") or _is_only_form(document, asked))
    return False


def _every_field(script: str) -> re.Match[str] | None:
    """The first place where a script reads what is in all fields; to check or to mark them is no reading."""
    fields = _places(_EVERY_FIELD, script)
    return next((one for one in fields if _VALUE.search(script, one.start(), one.end() + _MAX_BLOCK)), None)


def _places(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return islice(pattern.finditer(text), MAX_STRINGS)


def shows_field(script: str, place: re.Match[str]) -> bool:
    """Return whether a script names a field where it changes its type, as one that shows a password does."""
    before = _BRACES.split(script[max(0, place.start() - _MAX_BLOCK) : place.start()])[-1]
    block = before + _BRACES.split(script[place.start() : place.end() + _MAX_BLOCK])[0]
    return _VALUE.search(block) is None and _TYPE.search(block) is not None


def _is_code_of_card(control: Control) -> bool:
    if control.attrs.get("autocomplete", "").strip().lower().rpartition(" ")[2] in {"cc-csc", "cc-number"}:
        return True
    return any(_CODE_OF_CARD.search(control.attrs.get(name, "")[:_MAX_NAME]) is not None for name in ("name", "id"))


def _is_only_form(document: Document, asked: Iterable[Control]) -> bool:
    """Return whether each form with a text to fill in is one of those with these fields."""
    with_secret = {_form_of(one) for one in asked}
    texts = (one for one in document.controls[:MAX_ANCHORS] if one.type not in _NO_TEXT)
    return all((form := _form_of(one)) is None or form in with_secret for one in texts)


def _form_of(control: Control) -> Element | None:
    if not isinstance(control.node, Element):
        return None
    around = (one for one in islice(control.node.ancestors, _MAX_CLIMB) if isinstance(one, Element))
    return next((one for one in around if one.tag == "form"), None)


def _plain(text: str) -> str:
    """A script with its escapes read and its texts put together, and with the names that it hides behind it."""
    plain = _JOINT.sub("", _ESCAPE.sub(lambda one: chr(int(one[1], 16)), text))
    return " ".join((plain, *(f'"{one}"' for one in _hidden_names(text) if len(one) <= _MAX_NAME)))


def _hidden_names(text: str) -> Iterator[str]:
    """Yield the short texts of a script in Base64, as numbers of characters, or back to front."""
    turns = "reverse" in text and _TURNS.search(text) is not None
    for one in islice(_SHORT.finditer(text), _MAX_SHORT) if turns or "atob" in text else ():
        if turns and len(one[1]) >= _MIN_TURNED:
            yield one[1][::-1]
        with suppress(ValueError):
            yield b64decode(one[1] + "=" * (-len(one[1]) % 4), validate=True).decode("ascii")
    for one in islice(_CODES.finditer(text), _MAX_SHORT) if "fromCharCode" in text else ():
        yield "".join(chr(int(number)) for number in one[1].split(","))


def _reads_card(text: str, names: Sequence[tuple[re.Pattern[str], ...]]) -> bool:
    """Return whether a script reads all fields, or two of the card by their names."""
    if _every_field(text) is not None:
        return True
    if _LISTENS.search(text) is not None and _OF_TARGET.search(text) is not None:
        return True
    return sum(any(one.search(text) is not None for one in words) for words in names) >= MIN_NAMED


def _hidden_strings(text: str, plain: str) -> Iterator[str]:
    """Yield the texts in which a script may hide an address: decoded, put together, with spaces, or back to front."""
    yield plain
    for one in decoded_strings(text):
        yield "".join(one.split())
        if "reverse" in plain:
            yield "".join(one[::-1].split())
    if "reverse" in plain:
        yield plain[::-1]


def _has_foreign(text: str, known: set[str], parties: Parties) -> bool:
    """Return whether there is the address of a site in a text that is neither the page's nor one of these."""
    for one in islice(ADDRESS.finditer(text), MAX_STRINGS):
        url = f"https:{one[0][one[0].index('//') :]}"
        if is_foreign(one[0], parties) and registrable_domain(host(url)) not in known:
            return True
    return False
