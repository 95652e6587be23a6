"""Finds texts that a program should have put others in place of: keys of translations, and words to choose from."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from pagegrade.model.document import Document, Heading, Node, Paragraph
from pagegrade.parse.html.single_elements import holds_code

MIN_KEYS: Final = 3
MOST_KEYS: Final = 0.9
"""Headings and paragraphs that are a key of a translation and nothing else, and their share, below a name that is."""
MANY_KEYS: Final = 0.6
"""The same share where half of the links are keys, too, and two names end alike: what visitors wrote has no key."""
MOST_CHOICES: Final = 0.5
"""Share of the headings and paragraphs that hold a choice of words, from which on nobody chose."""
MIN_CHOICES: Final = 5
_ONE_KEY: Final = r"[a-z]\w{0,40}(?:\.[\w-]{1,40}){1,8}"
_TRANSLATION_KEY: Final = re.compile(rf"{_ONE_KEY}(?:[\s/,|·:]{{1,4}}{_ONE_KEY}){{0,9}}")
"""A key of a translation, or several with signs between them."""
_MAX_AMOUNT: Final = 12
_CHOICE: Final = re.compile(r"(?<![{$\\])\{(?![{%#|:])[^{}|\n]{1,80}(?:\|[^{}|\n]{0,80}){1,12}\}(?!\})")
"""Words of which a program should have chosen one, so that many pages differ."""
_NAMES_IN_KEYS: Final = ("title", "heading", "headline", "tagline", "slogan", "welcome")
"""In the last part of the key of a heading; names of machines and of parts of a program have another."""


def find_keys(document: Document) -> tuple[tuple[Node, str], ...]:
    """Names and texts of a page whose texts are nearly all keys, one of them that of a name.

    In an index of names, sentences explain some, and none of them ends in ``title``, or one of them as no other one
    does. Its first name is no title, or most links have texts of their own.
    """
    headings = [one for one in document.headings if not one.hidden and one.text]
    if not headings or _TRANSLATION_KEY.fullmatch(headings[0].text) is None:
        return ()
    texts: list[Heading | Paragraph] = [*headings, *document.paragraphs]
    keys = [one for one in texts if _is_key(one.text)]
    names = [one.text.rpartition(".")[2].lower() for one in keys if isinstance(one, Heading)]
    links = [one.text for one in document.anchors if not one.hidden and one.text.strip()]
    linked = sum(_is_key(one.strip()) for one in links)
    named = Counter(name for name in names if any(part in name for part in _NAMES_IN_KEYS))
    is_often = max(named.values(), default=0) > 1
    if not is_often and (headings[0].text.rpartition(".")[2].lower() not in named or 2 * linked < len(links)):
        return ()
    is_of_texts = sum(isinstance(one, Paragraph) for one in keys) >= MIN_KEYS
    share = MANY_KEYS if is_often and 2 * linked >= max(MIN_KEYS, len(links)) else MOST_KEYS
    return tuple((one.node, one.text) for one in keys) if is_of_texts and len(keys) >= share * len(texts) else ()


def _is_key(text: str) -> bool:
    """Return whether a text is a key, or several, with a price or number behind it at most."""
    key = _TRANSLATION_KEY.match(text)
    rest = text[key.end() :] if key is not None else text
    return key is not None and (not rest or (rest[0] == " " and len(rest) <= _MAX_AMOUNT and rest[1:2].isdigit()))


def find_choices(document: Document) -> tuple[tuple[Node, str], ...]:
    """Texts of a page that hold choices of words, where its name does and half of all texts do."""
    headings = [one for one in document.headings if not one.hidden]
    names = [one.text[:1_000] for one in document.titles[:1]] + [one.text[:1_000] for one in headings[:1]]
    if not any("|" in name and _CHOICE.search(name) is not None for name in names):
        return ()
    texts: list[Heading | Paragraph] = [*headings, *document.paragraphs]
    found = [one for one in texts if _CHOICE.search(one.text[:1_000]) is not None and not holds_code(one.node)]
    is_most = len(found) >= max(MIN_CHOICES, MOST_CHOICES * len(texts))
    return tuple((one.node, one.text[:200]) for one in found) if is_most else ()
