"""Finds what intruders put into pages: links that only robots see, disguised scripts, invisible frames."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final, Literal
from urllib.parse import unquote

import msgspec
from turbohtml import Element

from pagegrade.model.document import Anchor, Document, Frame, Heading, Node, Script, Title
from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.data.social_networks import is_of_network
from pagegrade.parse.html.concealed_text import ConcealedText
from pagegrade.parse.party import Parties, is_shared_service
from pagegrade.parse.scripts import count_letters, main_script, scripts_of_language
from pagegrade.parse.url import host, is_http, registrable_domain

MAX_ANCHORS: Final = 3_000
MAX_DEPTH: Final = 12
"""Ancestors of a link that are looked at."""
MAX_SCRIPTS: Final = 200
MAX_SCRIPT: Final = 200_000
_MAX_NAMES: Final = 60
MAX_RULES: Final = 2_000
_UNSEEN_ONLY: Final = 1
_FAR: Final = 2
_MAX_TEXT: Final = 300
_MAX_MENTIONS: Final = 10
_MIN_MENTIONS: Final = 3
_SPAM: Final = re.compile(
    r"viagra|\bcialis\b|levitra|kamagra|tramadol|xanax|\bambien\b|valium|phentermine|sildenafil|tadalafil|modafinil|"
    r"without (?:a )?prescription|no prescription|online pharmac|canadian pharmac|cheap (?:pills|meds)|"
    r"casino|казино|カジノ|赌场|博彩|slots? (?:online|gacor|machine|game)|online slots?|poker|\bbetting\b|"
    r"sportsbook|roulette|blackjack|jackpot|baccarat|"
    r"\btogel\b|\bjudi\b|sbobet|gacor|maxwin|pragmatic play|\bbahis|1xbet|mostbet|melbet|pin-?up bet|"
    r"букмекер|ставки на спорт|"
    r"payday loan|cash advance|cheap loans?|займ|"
    r"replica (?:watch|bag|handbag|rolex)|rolex|louis vuitton|cheap (?:jerseys|nike|uggs?|ray ?bans?)|outlet store|"
    r"偽物|激安|スーパーコピー|"
    r"ブランドコピー|"
    r"essay (?:writ|service)|write my (?:essay|paper)|buy essays?|"
    r"\bporn|\bxxx\b|bokep|escorts?\b|hentai|sex ?(?:chat|cam|dating)|порно|"
    r"バイアグラ|クレジットカード現金化",
    re.IGNORECASE,
)
_SPAM_PARTS: Final = ByteSearch(
    [
        part.encode()
        for part in (
            "ambien|"  # typos: allow
            "viagra|cialis|levitra|kamagra|tramadol|xanax|valium|phentermine|sildenafil|tadalafil|modafinil|"
            "prescription|pharmac|cheap |casino|казино|カジノ|赌场|博彩|slot|poker|betting|sportsbook|roulette|"
            "blackjack|jackpot|baccarat|togel|judi|sbobet|gacor|maxwin|pragmatic play|bahis|1xbet|mostbet|melbet|"
            "up bet|букмекер|ставки на спорт|payday loan|cash advance|займ|replica |rolex|louis vuitton|outlet store|"
            "偽物|激安|コピー|essay|write my |porn|xxx|bokep|escort|hentai|sex|порно|バイアグラ|クレジットカード現金化"
        ).split("|")
    ]
)
"""One of them, in small letters, is in everything that the pattern above matches; they are found much faster."""
_OTHER_CASES: Final = re.compile("[\u0130\u0131\u017f\u1c80-\u1c88\u212a]")
"""Characters that the pattern takes for letters without their being the capital ones of these."""
_POLICY: Final = re.compile(
    r"privacy|cookie|datenschutz|policy|policies|legal|gdpr|consent|terms|imprint|opt-?out", re.IGNORECASE
)
_MOVED: Final = re.compile(
    r"(?:left|top|right|bottom|text-indent|margin-left|margin-top):-(?:[2-9][0-9]{3}|[0-9]{5,6})(?:px|em|rem)?|"
    r"(?:^|;)width:[01](?:px|em|pt)?;.{0,200}overflow:hidden|"
    r"overflow:hidden;.{0,200}(?:^|;)width:[01](?:px|em|pt)?(?:;|$)|"
    r"font-size:[01](?:px|em|pt|%)?(?:;|$)"
)
"""Far off the screen, or shrunk to nothing: no menu, slider or animation of an ordinary page does this to links."""
_UNSEEN: Final = re.compile(
    r"(?:left|top|right|text-indent|margin-left|margin-top):-[0-9]{3,6}(?:px|em|rem|%)?|"
    r"(?:^|;)(?:max-)?(?:height|width):[01](?:px|em|pt)?(?:;|$)|(?:^|;)opacity:0(?:\.0{1,3})?(?:;|$)|clip:rect\(0|"
    r"transform:(?:scale\(0|translate[xy]?\(-[0-9]{3,6})|font-size:[01](?:px|em|pt|%)?(?:;|$)"
)
"""Not to be seen, which has honest reasons as well."""
_MAY_CONCEAL: Final = (
    re.compile(r":(?:(?<=[tpm]:)-[0-9]{3}|(?:(?<=eight:)|(?<=width:)|(?<=acity:)|(?<=-size:))[01](?![0-9]))"),
    re.compile(r"\((?:0|-[0-9]{3})"),
)
"""Part of everything that the two patterns above match, and of few other rules; far cheaper to look for."""
_MAY_MOVE: Final = (":-", "overflow:hidden", "font-size:")
"""The same for the first pattern."""
_SIGNS: Final = (
    re.compile(r":(?<=[tpmheyTPMHEY\s]:)\s{0,5}(?:-\s{0,2}[0-9]\s{0,2}[0-9]\s{0,2}[0-9]|[01](?![0-9]))"),
    re.compile(r"\(\s{0,5}(?:0|-\s{0,2}[0-9])"),
)
"""The same in the text of a style sheet as it is written; white space may stand before the colon, too. Two searches for
one character each take a third of the time of one search for both."""
_SELECTED: Final = re.compile(r"[.#]([A-Za-z_][\w-]{0,80})\s{0,5}\Z")
_MAX_DECLARATIONS: Final = 400
_MAX_SELECTED: Final = 90
_SCRIPTED: Final = re.compile(
    r"getElementById\(\s{0,3}[\"']([^\"']{1,80})[\"']\s{0,3}\)\.style\.(?:display|visibility)\s{0,3}="
    r"\s{0,3}[\"'](?:none|hidden)"
)
_DECODES: Final = {
    "atob": (
        re.compile(
            r"(?:eval|document\.write(?:ln)?|Function|setTimeout)\s{0,3}\(\s{0,3}(?:window\.)?\Z",
        ),
        re.compile(r"\s{0,3}\("),
    ),
    "String.fromCharCode": (
        re.compile(
            r"(?:eval|document\.write(?:ln)?|Function|setTimeout)\s{0,3}\(\s{0,3}(?:window\.)?\Z",
        ),
        re.compile(r"\s{0,3}\("),
    ),
    "unescape": (
        re.compile(r"(?:eval|document\.write(?:ln)?)\s{0,3}\(\s{0,3}\Z"),
        re.compile(r"\s{0,3}\(\s{0,3}[\"'](?:%[0-9a-fA-F]{2}|%u[0-9a-fA-F]{4}){30}"),
    ),
}
"""Function that decodes -> (what comes before it, and after it) where a script runs what it has decoded."""
_MAX_BEFORE: Final = 40
"""Characters before such a function that are read; more than the longest match."""
_NUMBERS: Final = re.compile(r"\s{0,3}\((?:\s{0,3}\d{2,3}\s{0,3},){9,2000}\s{0,3}\d{2,3}\s{0,3}\)")
"""Ten and more character codes, as arguments."""
_RUNS: Final = re.compile(
    r"eval|document\.write|createElement|appendChild|insertBefore|location|innerHTML|Function|setTimeout"
)
_NOTHING: Final = frozenset({"0", "1", "0px", "1px", "2", "2px"})
_MINER: Final = re.compile(
    r"coin-?hive|coinimp|crypto-?loot|cryptonight|jsecoin|webminepool|minero\.cc|monerominer|deepminer|"
    r"stratum\+(?:tcp|ssl)"
)
"""In small letters: to ignore case takes eight times as long, and the address of every script is searched."""
_MINING: Final = ("hardwareConcurrency", "WebSocket", "throttle")
"""Parts of a script that mines coins: the cores, the pool and the limit that keeps it unnoticed."""
_ON_ANY_CLICK: Final = re.compile(
    r"(?:document|window|document\.body|document\.documentElement)\s{0,3}\.\s{0,3}(?:addEventListener\(\s{0,3}"
    r"[\"'](?:click|mousedown|mouseup|pointerdown|touchstart|touchend)[\"']|on(?:click|mousedown|touchstart)\s{0,3}=)"
)
_OPENED: Final = re.compile(r"window\.open\(\s{0,3}[\"'](https?://[^\"']{3,300}|//[^\"']{3,300})[\"']")
_PACKED: Final = re.compile(r"eval\(function\(p,a,c,k,e,[dr]\)")
_HEX_NAMES: Final = re.compile(r"\b_0x[0-9a-f]{4,6}\b")
_MIN_HEX_NAMES: Final = 10
SENDS: Final = re.compile(r"new Image\b|sendBeacon|fetch\(|XMLHttpRequest|new WebSocket")
"""Ways to hand what visitors type to any site."""
_MINER_MARKS: Final = frozenset(
    "oinhive oinHive oinimp oinImp ryptonight ryptoNight ryptoloot stratum+ jsecoin eepMiner".split()
)
_HARMFUL_MARKS: Final = (
    frozenset({"(p,a,c,k,e,", "\\x", "_0x", "new Worker", "window.open"}) | _MINER_MARKS | _DECODES.keys()
)
_CODED: Final = frozenset({"\\x", "\\u00", "atob", "unescape", "decodeURIComponent"})
"""One of these, or ``fromCharCode``, is in every script in which ``decoded_strings`` finds anything."""
_HEX_STRING: Final = re.compile(r"\\(?:x|u00)[0-9a-fA-F]{2}(?:\\(?:x|u00)[0-9a-fA-F]{2}){7,3999}")
_HEX_ESCAPE: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\u00([0-9a-fA-F]{2})")
_BASE64: Final = re.compile(r"[\"']([A-Za-z0-9+/]{12,4000}={0,2})[\"']")
_PERCENT: Final = re.compile(r"%[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2}){7,3999}")
"""Like the one above it begins with a certain character, which makes the search fast."""
_NUMBER: Final = re.compile(r"\d{2,3}")
ADDRESS: Final = re.compile(
    r"(?:(?:https?|wss?):)?//[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}[/\w.?=&%-]{0,200}", re.IGNORECASE
)
MAX_STRINGS: Final = 40
_MAX_DECODED: Final = 4_000
_MIN_FOREIGN_LINKS: Final = 5
_MIN_OWN_SHARE: Final = 0.1
_MOSTLY_OWN: Final = 0.9
"""Share of the letters of a page in its own script beside which a title in another one is not its owner's."""
_MIN_FOREIGN_LETTERS: Final = 8
_MIN_SPAM_LINKS: Final = 30
_MIN_SPAM_SITES: Final = 15
_MIN_SPAM_NAMES: Final = 4
_NOT_FOLLOWED: Final = frozenset({"nofollow", "ugc", "sponsored"})
_DEFACED: Final = re.compile(r"(?:.{0,40}\b)?(?:hacked|defaced|pwned|owned|h4ck3d|h@cked) by\b.{0,80}", re.IGNORECASE)
_MAX_DEFACED_WORDS: Final = 200


Kind = Literal[
    "hidden-link",
    "disguised-script",
    "disguised-address",
    "mining-script",
    "skimming-script",
    "pop-under",
    "foreign-keywords",
    "link-spam",
    "invisible-frame",
    "defacement",
    "click-layer",
    "paste-command",
    "web-shell",
    "link-farm",
    "back-trap",
    "dialog-loop",
    "forced-download",
    "wallet-request",
    "field-trap",
    "key-logger",
    "held-visitor",
    "permission-trap",
    "referrer-trap",
    "form-hijack",
    "copy-swap",
    "imitation",
    "stray-form",
    "forbidden-field",
    "taken-canonical",
    "hidden-orders",
]
"""``disguised-address``: a script in which an address of another site is decoded and loaded or opened."""


ForeignLink = tuple[Anchor, str]
"""A link to another site, and its address."""


class Injection(msgspec.Struct, frozen=True, gc=False):
    """Something that looks as if an intruder had put it there."""

    kind: Kind
    node: Node
    url: str = ""
    spam: bool = False
    """A link for goods that intruders advertise."""
    moved: bool = False
    """A link that is moved off the screen or shrunk to nothing, which serves no visitor."""


def find_injections(
    document: Document, parties: Parties, concealed: ConcealedText, foreign: Sequence[ForeignLink]
) -> tuple[Injection, ...]:
    """Everything of that kind, in no particular order; what the page itself is about is no spam.

    Args:
        document: The page.
        parties: Decides which sites are others.
        concealed: Text of the page that no one can see.
        foreign: What ``foreign_links`` returns for the page.
    """
    return (
        *_hidden_links(document, concealed, foreign),
        *_harmful_scripts(document, parties),
        *_foreign_keywords(document),
        *_link_spam(document, parties),
        *_invisible_frames(document, parties),
        *_defacements(document),
    )


def _hidden_links(
    document: Document, text_concealed: ConcealedText, foreign: Sequence[ForeignLink]
) -> Iterator[Injection]:
    """Hidden links to other sites; what costs time is done only where there is a link that could be one."""
    if not foreign:
        return
    concealed = Concealed(document, text_concealed)
    hidden = [
        (anchor, url, depth == _FAR, f"{anchor.text or _text_of(anchor)} {url}"[:_MAX_TEXT])
        for anchor, url in foreign
        if (depth := concealed.how(anchor.node)) or anchor.hidden
    ]
    # No part holds a line break: one search is enough for most pages.
    are_suspect = may_be_spam("\n".join([text for _, _, _, text in hidden]))
    topic: bool | None = None
    for anchor, url, moved, text in hidden:
        suspect = are_suspect and may_be_spam(text)
        if not (suspect or moved) or _POLICY.search(text):
            continue
        spam = suspect and _SPAM.search(text) is not None
        if spam:
            topic = is_topic(document, [one for one, _ in foreign]) if topic is None else topic
            spam = not topic
        if spam or moved:
            yield Injection("hidden-link", anchor.node, url, spam=spam, moved=moved)


def foreign_links(document: Document, parties: Parties) -> list[ForeignLink]:
    """Links to other sites, each address once; shared services and social networks are no others."""
    found: list[ForeignLink] = []
    seen: set[str] = set()
    authorities: dict[str, bool] = {}
    for anchor in document.anchors[:MAX_ANCHORS]:
        url = anchor.url
        if url is None or url in seen or not is_http(url):
            continue
        seen.add(url)
        # Canonical addresses of one host start alike, and a page names few hosts.
        authority = url.split("/", 3)[2]
        if authority not in authorities:
            name = host(url)
            authorities[authority] = not (parties.is_own(url) or is_of_network(name) or is_shared_service(name))
        if authorities[authority]:
            found.append((anchor, url))
    return found


def may_be_spam(text: str) -> bool:
    """Return whether a text may name goods that intruders advertise; false for nearly all others."""
    if next(_SPAM_PARTS.places(text.lower().encode("utf-8", "replace"), 1), None) is not None:
        return True
    return not text.isascii() and _OTHER_CASES.search(text) is not None


def names_goods(text: str) -> bool:
    """Return whether a text names goods that intruders advertise."""
    text = text[:_MAX_TEXT]
    return may_be_spam(text) and _SPAM.search(text) is not None


def is_topic(document: Document, foreign: Sequence[Anchor]) -> bool:
    """Return whether the page itself is about goods that intruders advertise.

    Its title says so, and so does its own text: what stands in links to other sites is not the page's, or every link
    that an intruder adds would excuse the others.
    """
    if not _SPAM.search(" ".join(one.text for one in document.titles[:1])):
        return False
    of_links = sum(len(_SPAM.findall(one.text[:_MAX_TEXT])) for one in foreign)
    of_headings = sum(_SPAM.search(one.text[:_MAX_TEXT]) is not None for one in document.headings[:_MAX_MENTIONS])
    return of_headings > 0 or len(_SPAM.findall(document.text[:20_000])) - of_links >= _MIN_MENTIONS


def _concealing_rules(css: str) -> Iterator[tuple[str, str]]:
    """(class or id, declarations) of the rules that may conceal what they select, at most ``MAX_RULES``."""
    done = count = 0
    for at in sorted(sign.start() for pattern in _SIGNS for sign in pattern.finditer(css)):
        if at < done:
            continue
        start = css.rfind("{", max(0, at - _MAX_DECLARATIONS), at)
        end = css.find("}", at, at + _MAX_DECLARATIONS)
        if start < 0 or end < 0 or end - start - 1 > _MAX_DECLARATIONS or css.find("}", start, at) >= 0:
            continue
        done = end
        selected = _SELECTED.search(css[max(0, start - _MAX_SELECTED) : start])
        count += 1
        if count > MAX_RULES:
            return
        if selected is not None and css.find("{", at, end) < 0:
            yield selected[1], css[start + 1 : end]


class Concealed:
    """Ways to hide elements: by their own style, by a rule of the page, or by a script."""

    def __init__(self, document: Document, concealed: ConcealedText) -> None:
        self._names: dict[str, int] = {}
        self._styled: dict[object, int] = {}
        """Elements that are concealed by what they are, or hold what no one sees."""
        self._known: dict[Element, int] = {}
        self._found: dict[tuple[Element, int], int] = {}
        ways: dict[str, int] = {}
        for style in document.styles[:50]:
            for name, declarations in _concealing_rules(style.text[:MAX_SCRIPT]):
                if declarations not in ways:
                    ways[declarations] = _how(declarations)
                how = ways[declarations]
                if how and len(self._names) < _MAX_NAMES:
                    self._names[name] = max(how, self._names.get(name, 0))
        for script in document.scripts[:MAX_SCRIPTS] if "getElementById" in document.script_marks else ():
            if "getElementById" in script.text[:MAX_SCRIPT]:
                for match in _SCRIPTED.finditer(script.text[:MAX_SCRIPT]):
                    self._names.setdefault(match[1], _UNSEEN_ONLY)
        self._styles = {attribute.node: attribute.value for attribute in document.style_attributes}
        for element in document.obsolete:
            if element.node.tag == "marquee" and any(
                element.attrs.get(name, "") in _NOTHING for name in ("width", "height")
            ):
                self._styled[element.node] = _FAR
        may_clip = document.visibility.may_clip(set(self._styles.values()))
        self._clips = document.visibility.is_clipped if may_clip else None
        self._styled.update((place, _FAR) for place, why, _ in concealed.places if why not in {"cut", "narrow"})
        self._is_any = bool(self._names or self._styled or self._styles or self._clips)

    def how(self, node: object, depth: int = MAX_DEPTH) -> int:
        """0 for what can be seen, ``_UNSEEN_ONLY`` or ``_FAR``, ``depth`` elements from it upwards included."""
        if not (depth and self._is_any and isinstance(node, Element)):
            return 0
        # Elements side by side share those around them.
        found = self._found.get((node, depth))
        if found is None:
            own = self._known.get(node)
            if own is None:
                own = self._known[node] = _FAR if self._clips and self._clips(node) else self._own(node)
            found = self._found[node, depth] = own if own == _FAR else max(own, self.how(node.parent, depth - 1))
        return found

    def _own(self, node: Element) -> int:
        how = self._styled.get(node)
        if how is None:
            how = _how(self._styles[node]) if node in self._styles else 0
        names = self._names
        if names:
            attrs = node.attrs
            if "class" in attrs:
                classes = attrs["class"] or ()
                for name in classes.split() if isinstance(classes, str) else classes:
                    how = max(how, names.get(name, 0))
            if "id" in attrs:
                how = max(how, names.get(str(attrs["id"] or ""), 0))
        return how


def _how(style: str) -> int:
    plain = "".join(style[:1_000].lower().split())
    if _MAY_CONCEAL[0].search(plain) is None and _MAY_CONCEAL[1].search(plain) is None:
        return 0
    is_moved = any(part in plain for part in _MAY_MOVE) and _MOVED.search(plain) is not None
    return _FAR if is_moved else _UNSEEN_ONLY if _UNSEEN.search(plain) else 0


def _text_of(anchor: Anchor) -> str:
    node = anchor.node
    return str(node.text)[:_MAX_TEXT] if isinstance(node, Element) else ""


def _harmful_scripts(document: Document, parties: Parties) -> Iterator[Injection]:
    """Inline scripts that hide what they run, mine coins, or open windows behind the page."""
    addresses = (one for one in document.references[:MAX_ANCHORS] if one.kind == "script")
    miners = (one for one in addresses if _MINER.search(one.url.lower()))
    yield from (Injection("mining-script", one.node, one.url) for one in miners)
    if document.script_marks.isdisjoint(_HARMFUL_MARKS):
        return
    for script in document.scripts[:MAX_SCRIPTS]:
        if script.kind not in {"classic", "module"} or not script.text:
            continue
        text = script.text[:MAX_SCRIPT]
        own = marks_in(document, script)
        may_decode = not own.isdisjoint(_CODED) or "fromCharCode" in text
        kind = _kind_of_script(text, own, parties, may_decode=may_decode)
        if kind is not None:
            yield Injection(kind, script.node)


def marks_in(document: Document, script: Script) -> AbstractSet[str]:
    """The marks of a script that are in the part of it that is looked at."""
    marks = document.marks_of_scripts.get(script.node, frozenset())
    text = script.text[:MAX_SCRIPT]
    return marks if len(script.text) == len(text) else {mark for mark in marks if mark in text}


def _kind_of_script(text: str, marks: AbstractSet[str], parties: Parties, *, may_decode: bool) -> Kind | None:
    """Kind of a script in which there are certain marks."""
    if not _MINER_MARKS.isdisjoint(marks) and _MINER.search(text.lower()) is not None:
        return "mining-script"
    if "new Worker" in marks and all(part in text for part in _MINING):
        return "mining-script"
    if "window.open" in marks and _ON_ANY_CLICK.search(text) is not None:
        opened = _OPENED.search(text)
        if opened is not None and is_foreign(opened[1], parties):
            return "pop-under"
    if may_decode and _decodes_foreign_address(text, parties):
        return "disguised-address"
    is_packed = "(p,a,c,k,e," in marks and _PACKED.search(text) is not None
    is_packed = is_packed or ("_0x" in marks and len(_HEX_NAMES.findall(text, 0, 20_000)) >= _MIN_HEX_NAMES)
    names = marks & _DECODES.keys()
    is_blob = "new Worker" in marks and bool(names) and "createObjectURL" in text
    if is_blob and "hardwareConcurrency" in text:
        return "mining-script"
    if is_packed or is_blob or (any(_is_disguised(text, name) for name in names) and _RUNS.search(text)):
        return "disguised-script"
    return None


def _decodes_foreign_address(text: str, parties: Parties) -> bool:
    """Return whether a script holds an address of another site in a form that no one can read, and loads it."""
    strings = [one[:_MAX_DECODED] for one in decoded_strings(text)]
    addresses = (found[0] for decoded in strings for found in ADDRESS.finditer(decoded))
    # Who hides an address hides the name of what opens it as well.
    return any(is_foreign(address, parties) for address in addresses) and (
        "window.open" in text or any(_RUNS.search(one) is not None for one in (text, *strings))
    )


def decoded_strings(text: str) -> Iterator[str]:
    """Text in Base64, hexadecimal or percent escapes, or as numbers of characters; some of each."""
    for match in islice(_HEX_STRING.finditer(text), MAX_STRINGS) if "\\x" in text or "\\u00" in text else ():
        yield _HEX_ESCAPE.sub(lambda escape: chr(int(escape[1] or escape[2], 16)), match[0])
    if "atob" in text:
        for match in islice(_BASE64.finditer(text), MAX_STRINGS):
            try:
                yield base64.b64decode(match[1], validate=True).decode("latin-1")
            except ValueError:
                continue
    for part in text.split("fromCharCode", MAX_STRINGS)[1:] if "fromCharCode" in text else ():
        numbers = _NUMBERS.match(part)
        if numbers is not None:
            yield "".join(chr(int(number)) for number in _NUMBER.findall(numbers[0]))
    if "unescape" in text or "decodeURIComponent" in text:
        for match in islice(_PERCENT.finditer(text), MAX_STRINGS):
            yield unquote(match[0])


def is_foreign(address: str, parties: Parties) -> bool:
    """Return whether an address in a script, with or without its scheme, is that of a site that is not known."""
    url = f"https:{address[address.index('//') :]}"
    return is_http(url) and not (parties.is_own(url) or is_of_network(host(url)) or is_shared_service(host(url)))


def _foreign_keywords(document: Document) -> Iterator[Injection]:
    """A title, a description and links in another script than the page's language, its heading and some of its text."""
    title = document.titles[0] if document.titles else None
    expected = scripts_of_language(document.html.attrs.get("lang", "").strip()) if document.html else ()
    if title is None or not expected or title.text.isascii():
        return
    script = main_script(title.text)
    description = document.meta("description")
    if description is None or main_script(description.content[:_MAX_TEXT]) != script:
        return
    heading = next((one for one in document.headings if not one.hidden and one.text), None)
    if script is None or script in expected or heading is None or main_script(heading.text) not in expected:
        return
    total = count_letters(document.text)
    links = sum(
        1 for one in document.anchors[:MAX_ANCHORS] if not one.text.isascii() and main_script(one.text) == script
    )
    own = count_letters(document.text, *expected)
    said = min(count_letters(one, script) for one in (title.text, description.content[:_MAX_TEXT]))
    is_alone = said >= _MIN_FOREIGN_LETTERS and own > _MOSTLY_OWN * total
    if is_alone or (links >= _MIN_FOREIGN_LINKS and own > _MIN_OWN_SHARE * total):
        yield Injection("foreign-keywords", title.node)


def _link_spam(document: Document, parties: Parties) -> Iterator[Injection]:
    """Links that visitors have left: many, followed, to many sites, and with them far more than the page's own ones."""
    if len(document.anchors) < _MIN_SPAM_LINKS:
        return
    anchors = [
        one for one in document.anchors[:MAX_ANCHORS] if one.url is not None and is_http(one.url) and not one.hidden
    ]
    foreign = [one for one in anchors if not parties.is_own(one.url or "")]
    own = len(anchors) - len(foreign)
    if len(foreign) < max(_MIN_SPAM_LINKS, 3 * own):
        return
    followed = [
        one for one in foreign if not _NOT_FOLLOWED.intersection(one.rel) and not is_of_network(host(one.url or ""))
    ]
    sites = {registrable_domain(host(one.url or "")): one for one in followed}
    # Lists of links call each site by its name, or all of them alike; spammers repeat a few words for many sites.
    names = {one.text.strip().casefold() for one in followed}
    repeats = _MIN_SPAM_NAMES <= len(names) <= len(sites) / 2
    if not repeats and not any(one.type == "textarea" for one in document.controls):
        return
    if len(followed) >= max(_MIN_SPAM_LINKS, 3 * own) and len(sites) >= _MIN_SPAM_SITES:
        for anchor in islice(sites.values(), _MIN_SPAM_LINKS):
            yield Injection("link-spam", anchor.node, anchor.url or "")


def _is_disguised(text: str, name: str) -> bool:
    """Return whether a script runs what the function of that name decodes, or decodes a list of character codes."""
    before, after = _DECODES[name]
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if after.match(text, end) and before.search(text[max(0, start - _MAX_BEFORE) : start]):
            return True
        if name == "String.fromCharCode" and _NUMBERS.match(text, end):
            return True
        start = text.find(name, end)
    return False


def _invisible_frames(document: Document, parties: Parties) -> Iterator[Injection]:
    for frame in document.frames[:MAX_SCRIPTS]:
        url = frame.url
        if url is None or not is_http(url) or parties.is_own(url) or is_shared_service(host(url)):
            continue
        if _is_invisible(frame) and registrable_domain(host(url)) != parties.site:
            yield Injection("invisible-frame", frame.node, url)


def _is_invisible(frame: Frame) -> bool:
    attrs = frame.attrs
    sizes = (attrs.get("width", "").strip(), attrs.get("height", "").strip())
    style = "".join(attrs.get("style", "").lower().split())[:1_000]
    return frame.hidden or all(size in _NOTHING for size in sizes) or _UNSEEN.search(style) is not None


def _defacements(document: Document) -> Iterator[Injection]:
    if document.word_count > _MAX_DEFACED_WORDS:
        return
    topics: tuple[Title | Heading, ...] = (*document.titles[:1], *document.headings[:2])
    for one in topics:
        if _DEFACED.fullmatch(one.text.strip()[:_MAX_TEXT]):
            yield Injection("defacement", one.node)
            return
