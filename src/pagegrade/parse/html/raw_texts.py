"""Finds texts that a program should have put others in place of: keys of translations, and words to choose from."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from pagegrade.model.document import Document, Heading, Node, Paragraph
from pagegrade.parse.html.single_elements import holds_code, short_texts

MIN_KEYS: Final = 3
MOST_KEYS: Final = 0.9
"""Headings and paragraphs that are a key of a translation and nothing else, and their share, below a name that is."""
MOST_CHOICES: Final = 0.5
"""Share of the headings, and of the paragraphs, that hold choices of words, from which on nobody chose."""
MIN_CHOSEN: Final = 3
"""Different choices in headings, paragraphs with some, and different choices in each of these."""
_ONE_KEY: Final = r"[a-z]\w{0,40}(?:\.[\w-]{1,40}){1,8}"
_TRANSLATION_KEY: Final = re.compile(rf"{_ONE_KEY}(?:[\s/,|·:]{{1,4}}{_ONE_KEY}){{0,9}}")
"""A key of a translation, or several with signs between them."""
_MAX_AMOUNT: Final = 12
_MAX_KEY: Final = 400
_DOT: Final = re.compile(r"\.")
_CHOICE: Final = re.compile(
    r"(?<![{$\\])\{[^\W\d_][^{}|\n]{0,79}(?<!\s)\|[^\W\d_][^{}|\n]{0,79}(?:\|[^{}|\n]{0,80}){0,11}\}(?!\})"
)
"""Words of which a program should have chosen one, so that many pages differ; sets have spaces around the line."""
_NAMES_IN_KEYS: Final = ("title", "heading", "headline", "tagline", "slogan", "welcome")
"""In the last part of the key of a heading; names of machines and of parts of a program have another."""


def find_keys(document: Document) -> tuple[tuple[Node, str], ...]:
    """Names and texts of a page whose texts are nearly all keys, one of them that of a name.

    In an index of names, sentences or code explain some, an address holds one, one is part of another, and none of them
    ends in ``title``, or one of them as no other one does. Its first name is no title, or most links have texts of
    their own.
    """
    headings = [one for one in document.headings if not one.hidden and one.text]
    if not headings or _TRANSLATION_KEY.fullmatch(headings[0].text) is None:
        return ()
    texts: list[Heading | Paragraph] = [*headings, *document.paragraphs]
    keys = [one for one in texts if _is_key(one.text)]
    if sum(isinstance(one, Paragraph) for one in keys) < MIN_KEYS or len(keys) < MOST_KEYS * len(texts):
        return ()
    names = [one.text.rpartition(".")[2].lower() for one in keys if isinstance(one, Heading)]
    links = [one for one in document.anchors if not one.hidden and one.text.strip()]
    linked = [one for one in links if _is_key(one.text.strip())]
    named = Counter(name for name in names if any(part in name for part in _NAMES_IN_KEYS))
    is_often = max(named.values(), default=0) > 1
    if not is_often and (headings[0].text.rpartition(".")[2].lower() not in named or 2 * len(linked) < len(links)):
        return ()
    pairs = [(headings[0].text, document.url), *((one.text.strip(), one.url or "") for one in linked)]
    if _is_explained(document) or any(text.lower() in url.lower() for text, url in pairs):
        return ()
    # What a catalogue has a text for holds no other texts, while an object of a program has parts.
    whole = {one.text for one in keys}
    is_part = any(one.text[: dot.start()] in whole for one in keys for dot in _DOT.finditer(one.text[:_MAX_KEY]))
    return () if is_part else tuple((one.node, one.text) for one in keys)


def _is_explained(document: Document) -> bool:
    """Return whether the body holds code, or a cell or definition with words and without a key."""
    if document.body is None or holds_code(document.body.node):
        return True
    cells = short_texts(document.body.node, "dd, dt, td, th", _MAX_KEY)
    return any(_TRANSLATION_KEY.search(text) is None and any(map(str.isalpha, text)) for _, text in cells)


def _is_key(text: str) -> bool:
    """Return whether a text is a key, or several, with a price or number behind it at most."""
    key = _TRANSLATION_KEY.match(text)
    rest = text[key.end() :] if key is not None else text
    return key is not None and (not rest or (rest[0] == " " and len(rest) <= _MAX_AMOUNT and rest[1:2].isdigit()))


def find_choices(document: Document) -> tuple[tuple[Node, str], ...]:
    """Texts of a page that hold choices of words, where its title, half of its headings and half of its paragraphs do.

    Those of the headings and of each paragraph differ: an exercise asks for the same words again and again, or for one
    in a line.
    """
    if not any("|" in one.text and _CHOICE.search(one.text[:1_000]) is not None for one in document.titles[:1]):
        return ()
    headings = [one for one in document.headings if not one.hidden]
    named = [(one, match[0]) for one in headings if (match := _CHOICE.search(one.text[:1_000])) is not None]
    spun = [one for one in document.paragraphs if len(set(_CHOICE.findall(one.text[:1_000]))) >= MIN_CHOSEN]
    if len({words for _, words in named}) < MIN_CHOSEN or len(named) < MOST_CHOICES * len(headings):
        return ()
    if len(spun) < max(MIN_CHOSEN, MOST_CHOICES * len(document.paragraphs)):
        return ()
    if document.body is None or holds_code(document.body.node):
        return ()
    both: list[Heading | Paragraph] = [*(one for one, _ in named), *spun]
    return tuple((one.node, one.text[:200]) for one in both)
