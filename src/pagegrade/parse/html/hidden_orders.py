"""Finds texts that no one can see and that give orders to programs which read pages for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document
from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.html.concealed_text import ConcealedText
from pagegrade.parse.html.injected_content import MAX_DEPTH, Concealed, Injection

MAX_TEXT: Final = 400_000
"""Characters of a page that are searched."""
_MAX_ORDER: Final = 4_000
_MAX_NODES: Final = 60_000
MIN_TAGS: Final = 20
"""Letters that no font shows, from which on they are a text."""
_TAGS: Final = re.compile(r"[\U000e0020-\U000e007e]{20,4000}")
_SILENT: Final = frozenset({"script", "style", "template", "textarea", "pre", "code", "svg", "select"})
_FILES: Final = (".ssh/", "id_rsa", "id_ed25519", ".aws/", "/etc/passwd")
_ORDERS: Final = (
    *("instruction", "anweisung", "instruccion", "instruç", "istruzion"),  # typos: allow
    *("инструкц", "指示", "指令", "지시", "تعليمات", "निर्देश", "talimat", "instrukcj", "polecenia", "คำสั่ง"),
)
_LEAVE: Final = (
    *("ignor", "disregard", "forget", "override", "vergiss", "missachte"),  # typos: allow
    *("olvida", "esque", "oublie", "dimentica"),  # typos: allow
    *("игнорир", "забудь", "zapomnij", "yok say", "görmezden", "unut", "忽略", "無視", "无视", "忘", "무시", "잊"),
    *("تجاهل", "انس", "अनदेखा", "भूल", "ละเว้น", "เพิกเฉย", "ไม่ต้องสนใจ"),
)
_MARKS: Final = ByteSearch([mark.encode() for mark in (*_FILES, *_ORDERS, *_LEAVE)])
"""A file, or one of each of the others, in small letters, is in every text that the patterns below match."""
_SPELLINGS: Final = {
    "instruç": ("instru",),
    "görmezden": ("rmezden",),
    **{
        mark: tuple(map("".join, product(*((one, one.upper()) for one in mark[:3]))))
        for mark in ("инструкц", "игнорир", "забудь")
    },
}
"""Parts of marks in all letters that bytes cannot make small ones of."""
_ODD_LETTERS: Final = ("\u0130", "\u212a")
"""Capitals beyond ASCII whose small letters are i and k."""
_MAY_ORDER, _MAY_LEAVE = (
    ByteSearch([part.encode() for mark in (*_FILES, *marks, *_ODD_LETTERS) for part in _SPELLINGS.get(mark, (mark,))])
    for marks in (_ORDERS, _LEAVE)
)
"""Parts of both kinds, and of files, whose search needs small letters of ASCII alone: they take a fifth of the time."""
_MAX_START: Final = 100
_MAX_MARKS: Final = 2_000
_MAX_APART: Final = 400
"""Bytes between the two."""
_OVERRULES: Final = re.compile(
    r"\b(?:ignor[ae]|disregard|forget|override)\b.{0,60}\binstructions?\b|"  # typos: allow
    r"\b(?:ignorier|vergiss|missachte)\w{0,4}\b.{0,60}\banweisung|"
    r"\b(?:ignor[ae]|olvida)\w{0,3}\b.{0,60}\binstruccion|"  # typos: allow
    r"\b(?:ignore|esque[çc]a)\w{0,3}\b.{0,60}\binstruç|\b(?:ignore[rz]|oublie[rz]?)\b.{0,60}\binstructions?\b|"
    r"\b(?:ignora|dimentica)\w{0,3}\b.{0,60}\bistruzion|"  # typos: allow
    r"\b(?:игнорир|забудь)\w{0,6}\b.{0,60}\bинструкц|"  # noqa: RUF001 - Cyrillic
    r"\b(?:zignoruj|ignoruj|zapomnij)\b.{0,60}(?:instrukcj|polecenia)|talimat.{0,60}(?:yok say|görmezden|unut)|"
    r"(?:忽略|無視|无视|忘记).{0,40}(?:指示|指令)|(?:指示|指令).{0,20}(?:無視|忘れ|忽略)|지시.{0,30}(?:무시|잊)|"
    r"(?:تجاهل|انس).{0,60}تعليمات|निर्देश.{0,60}(?:अनदेखा|भूल)|(?:ละเว้น|เพิกเฉย|ไม่ต้องสนใจ).{0,60}คำสั่ง",
    re.IGNORECASE | re.DOTALL,
)
"""Orders to leave orders aside."""
_EARLIER: Final = re.compile(
    r"\b(?:previous|prior|above|earlier|other|system|all|your|bisherig|vorherig|vorig|alle|anterior|"  # typos: allow
    r"previas|toda?s|precedent|tutte|précédent|antérieur|toutes|предыдущ|прежни|все|poprzedni|wszystk|önceki|tüm)|"
    r"之前|所有|以前|先前|上述|これまで|すべて|全て|以上|이전|모든|السابقة|جميع|كل|पिछल|सभी|ก่อนหน้า|ทั้งหมด",
    re.IGNORECASE,
)
"""Those of others: who asks to ignore an instruction of one's own says so without these words."""
_NEAR: Final = 40
_MAX_FOUND: Final = 100
_PROGRAMS: Final = re.compile(
    r"\b(?:AI|LLMs?|GPT|ChatGPT|Claude|Gemini|Copilot|KI|IA|ИИ|chatbots?|(?:language|sprach)-?\s?models?|"
    r"assistants?|assistenten?|asistentes?|assistenti|ассистент\w{0,4}|asystent\w{0,4}|agents?|"
    r"agenten|agentes|агент\w{0,4})\b|"
    r"人工智能|人工知能|助手|智能体|アシスタント|エージェント|"
    r"인공지능|어시스턴트|الذكاء الاصطناعي|المساعد|एआई|yapay zek",
    re.IGNORECASE,
)
_SECRETS: Final = re.compile(r"\.ssh/|\bid_(?:rsa|ed25519)\b|\.aws/|(?<![\w.])\.env\b|/etc/passwd")
"""Files with keys and passwords."""
_SENDS: Final = re.compile(r"https?://|wss?://|\bcurl\b|[\w.+-]{1,60}@[\w-]{1,60}\.")
"""An address to which something is sent, in any language."""


def find_hidden_orders(document: Document, concealed: ConcealedText) -> Iterator[Injection]:
    """Yield the elements whose text no one sees and orders programs to disobey, or to hand secrets to an address.

    What is hidden with ``display: none`` or its like may be shown at a click: it counts by the order to leave others
    aside alone, and where the text that shows has none. Linear in the page.
    """
    body = document.body.node if document.body is not None else None
    if not isinstance(body, Element):
        return
    text = str(body.text)[:MAX_TEXT]
    if not text.isascii() and any(one in text for one in "\U000e0061\U000e0065\U000e0074"):
        spelled = (one[0] for one in islice(_TAGS.finditer(text), 20))
        if any(_gives_orders("".join(map(_untagged, one))) for one in spelled):
            yield Injection("hidden-orders", body)
            return
    if not _is_marked(_without_scripts(text, document)):
        return
    hides = Concealed(document, concealed)
    is_topic = _overrules(document.text[:MAX_TEXT])
    for node in dict.fromkeys(_marked_in(body)):
        said = str(node.text)[:_MAX_ORDER]
        if (hides.how(node) and _gives_orders(said)) or (not is_topic and _is_off(document, node) and _overrules(said)):
            yield Injection("hidden-orders", node)
            return


def _without_scripts(text: str, document: Document) -> str:
    """The text of the body without the inside of its scripts, which is most of it and no text that programs read.

    The words of a script may stand in the text before it, too, and go there instead: what is left at both ends is as
    long as an order, so that none is cut in two.
    """
    parts: list[str] = []
    start = 0
    for script in document.scripts:
        if len(script.text) > 2 * _MAX_APART and not script.in_head:
            # The search for a long text takes a time to prepare.
            at = text.find(script.text[:_MAX_START], start)
            if at < 0 or not text.startswith(script.text, at):
                break
            parts.append(text[start : at + _MAX_APART])
            start = at + len(script.text) - _MAX_APART
    return "\n".join((*parts, text[start:]))


def _is_off(document: Document, node: Element) -> bool:
    around = (node, *islice(node.ancestors, MAX_DEPTH))
    return any(isinstance(one, Element) and document.visibility.hides(one) for one in around)


def _is_marked(text: str) -> bool:
    """Return whether a text may give orders; false for nearly all others."""
    octets = text.encode("utf-8", "replace").lower()
    if any(next(one.places(octets, 1), None) is None for one in (_MAY_ORDER, _MAY_LEAVE)):
        return False
    order = leave = -_MAX_APART - 1
    for index, at in _MARKS.places(text.lower().encode("utf-8", "replace"), _MAX_MARKS):
        if index < len(_FILES):
            return True
        if index < len(_FILES) + len(_ORDERS):
            order = at
        else:
            leave = at
        if min(order, leave) >= 0 and abs(order - leave) <= _MAX_APART:
            return True
    return False


def _marked_in(body: Element) -> Iterator[Element]:
    """Yield the elements in which such a text stands directly."""
    stack = [body]
    left = _MAX_NODES
    while stack and left:
        left -= 1
        element = stack.pop()
        for child in element:
            if isinstance(child, Element):
                if child.tag not in _SILENT:
                    stack.append(child)
            elif isinstance(child, Text) and len(child.data) > 9 and _is_marked(child.data[:_MAX_ORDER]):
                yield element


def _gives_orders(text: str) -> bool:
    """Return whether a text orders programs to leave orders aside, or to send files with secrets to an address."""
    return _overrules(text) or all(one.search(text) is not None for one in (_SECRETS, _SENDS, _PROGRAMS))


def _overrules(text: str) -> bool:
    """Return whether a text orders to leave aside what others have ordered."""
    return any(
        _EARLIER.search(text, max(0, one.start() - _NEAR), one.end() + _NEAR) is not None
        for one in islice(_OVERRULES.finditer(text), _MAX_FOUND)
    )


def _untagged(letter: str) -> str:
    return chr(ord(letter) - 0xE0000)
