"""Text in the wrong encoding that visitors see, and not where a page shows it as an example."""

from __future__ import annotations

import base64
import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress, filterfalse, islice
from operator import eq
from typing import Final

import msgspec
from turbohtml import Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.mojibake import MAX_FOUND, Garbled, find_misread, find_mojibake, misread_as
from pagegrade.parse.scripts import main_script, scripts_of_language

MAX_NODES: Final = 200_000
_SKIPPED: Final = frozenset(
    "blockquote code head kbd listing noscript plaintext pre samp script style svg template textarea xmp".split()
)
"""Elements whose text is not seen, or shown as an example."""
_LOST: Final = re.compile(r"(?<!\S)[\"'(\[]?\?{2,}[.,;:!)\]\"']{0,3}(?!\S)")
"""A word of which a question mark is left for each letter: a database or a file could not hold them."""
_ESCAPED: Final = re.compile(
    r"&(?:#\d{2,6}|#[xX][0-9A-Fa-f]{2,6}|[A-Za-z]{2,8});|"
    r"</?(?:a|b|br|div|em|h[1-6]|i|img|li|ol|p|span|strong|table|td|tr|ul)\b[^<>]{0,200}>"
)
"""A character reference or a tag in the text, which was escaped twice."""
_BLOCKS: Final = re.compile(r"<(?:p|div|h[1-6]|li|td|br)\b[^<>]{0,200}>")
_MIN_BLOCKS: Final = 5
_INSIDE: Final = re.compile(r"[A-Za-z][|{}<>+~^\\;\[\]\xa1-\xbf][A-Za-z]")
"""A sign in the middle of a word."""
_MAX_WORDS: Final = 2_000
_MAX_COMMON: Final = 12
_MAX_PARAGRAPHS: Final = 200
_MAX_CONTEXT: Final = 80
_MIN_LOST: Final = 10
_MIN_ENCODED: Final = 120
"""Characters."""
_MIN_LOST_SHARE: Final = 0.1
"""Share of the words of a text."""
_MIXED: Final = re.compile(
    "[A-Za-z][\u0370-\u052f]{1,3}[A-Za-z]|[\u0370-\u052f][A-Za-z]{1,3}[\u0370-\u052f]|"
    "[^\\W\\d_][\ue000-\uf8ff]{1,3}[^\\W\\d_]|"
    "([\ue000-\uf8ff])(?!\\1)([\ue000-\uf8ff])(?!\\1|\\2)[\ue000-\uf8ff]"
)
"""Letters of one alphabet within those of another, or characters that mean nothing without a certain font: icons stand
beside words, alone, or in rows of the same one."""
_MAY_BE_MIXED: Final = re.compile("[\u0300-\u052f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ue000-\uf8ff]")
"""A character that every match of the pattern above and of that below holds: the search for one is quick."""
_HEAPED: Final = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{3,}")
"""More marks than any language puts on a letter: those of scripts that need more have their own."""
_FORMULA: Final = re.compile("[=+\u2212\u00d7\u00b7*/^()\\d]")
_MIN_RUN: Final = 26
_JOINED: Final = re.compile(
    "(?:(?![\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u9fff\uf900-\ufaff])[^\\W\\d_]|[\u0900-\u0dff])"
    f"{{{_MIN_RUN}}}"
)
"""More letters than a word has in a script that writes blanks between words."""
_MIN_DIFFERENT: Final = 9
"""Letters of a sentence; those of a sequence of bases or of notes are fewer."""
_MIN_JOINED: Final = 5
_MAX_HUMP: Final = 10
"""Letters of a word in the name of a program."""
_MIN_SENTENCES: Final = 12
_MIN_ORDERLY: Final = 200
"""Sentences, and words, of a text whose order can be told from none."""
_MAX_ORDERLY: Final = 600
"""Words that are looked at."""
_MIN_COMMON: Final = 0.015
"""Share of all words that the common ones of a language have, which join the others."""
_MIN_CHANCE: Final = 3.0
"""Pairs of a common word with itself, and common words at the end of a sentence, that a random order would have."""
_MIN_REPEATED: Final = 2
"""Different words among these pairs."""
_NEAR_CHANCE: Final = (0.4, 1.6)
"""Parts of these numbers between which the order is random: a sentence has neither, and a refrain more pairs."""
_END: Final = re.compile(r"[.!?\u0964\u061f\u06d4]+[\"'\u00bb\u201d)]{0,3}(?!\S)")
_BEHIND: Final = re.compile(r"[,;:.!?\u0964\u061f\u06d4]+[\"'\u00bb\u201d)]{0,3}(?!\S)")
"""The end of a sentence, and marks behind a word."""
_MARK: Final = ","
_FINAL: Final = "ךםןףץς\u0629\ufe93\ufe94"
_FINALS: Final = re.compile(f"[{_FINAL}](?<!\\w.)(?=\\w\\w)")
"""A letter that ends words of Hebrew, Greek or Arabic, at the beginning of one."""
_AROUND: Final = "\"'().,:;!?«»„“”"
_MIN_BACKWARDS: Final = 0.03
"""Share of words that begin with what ends one, or end with what begins one."""
_MIN_PROSE: Final = 400
"""Letters of paragraphs from which on the share of vowels is known."""
_MAX_PROSE: Final = 2_000
_MIN_PROSE_WORDS: Final = 8
_VOWELS: Final = "aeiouy"
_NO_LETTER: Final = re.compile(r"[\W\d_]+")
_MIN_VOWELS: Final = 0.28
"""Share of vowels among the Latin letters of a text in any language is 0.35 and more."""
_ENCODED: Final = re.compile(
    r"(?:\\u[0-9a-fA-F]{4})+|(?:=[C-F][0-9A-F](?:=[89AB][0-9A-F]){1,3})+|(?<![\w/?&%-])(?:%[C-F][0-9A-F](?:%[89AB][0-9A-F]){1,3})(?:%[0-9A-F]{2})*"
)
"""Letters as they travel in JSON, in a mail or in an address, which were never decoded."""
_BASE64: Final = re.compile(r"(?<![\w/+=.-])[A-Za-z0-9+/]{76,}={0,2}(?![\w/+=.-])")
"""A line of text in Base64, as mails have it, or more."""
_MIN_LINE: Final = 76
"""Characters of its shortest match."""
_SIGNS: Final = ((("??",), _LOST), (("&", "</"), _ESCAPED), (("\\u", "=C", "=D", "=E", "%C", "%D", "%E"), _ENCODED))
"""(parts of which a text with a match holds one, pattern) of what takes the place of text."""
_IN_EACH: Final = {_LOST: ("??",), _ESCAPED: ("&", "<")}
"""Parts of which each match holds one."""
_MIN_LETTERS: Final = 0.6
"""Share of letters and blanks in what was text before it was encoded; keys and files have less."""
_WORD: Final = 12
"""Characters around one place that it makes unreadable, in scripts that put no blanks between words."""


class GarbledText(msgspec.Struct, frozen=True, gc=False):
    """Text of a page that is in the wrong encoding."""

    places: tuple[tuple[Node, Garbled], ...]
    """With their elements: titles and descriptions, then the body; at most ``MAX_FOUND``."""
    share: float
    """Share of the visible text that stands in words with such a place, 0 to 1."""


def find_garbled_text(document: Document) -> GarbledText:
    """Find it in the title, the description and the visible text; linear in them."""
    if _is_for_own_font(document):
        found = tuple(islice(_places_of(_INSIDE, document), MAX_FOUND))
        latin = sum(len(one) for one in document.text.split() if one[0].isascii())
        if found:
            return GarbledText(places=found, share=latin / max(1, len(document.text)))
    scrambled = _scrambled(document)
    if scrambled is not None:
        return scrambled
    for signs, pattern in _SIGNS:
        if any(sign in document.text for sign in signs) and _is_frequent(pattern, document.text):
            found = tuple(islice(_places_of(pattern, document), MAX_FOUND))
            if found:
                between = _share_between_tags(document) if pattern is _ESCAPED else 0.0
                return GarbledText(places=found, share=max(between, _share_of(pattern, document.text)))
    places = tuple(islice(_in_base64(document), MAX_FOUND))
    if places:
        size = sum(len(one[0]) for one in _BASE64.finditer(document.text))
        return GarbledText(places=places, share=size / max(1, len(document.text)))
    encoding = misread_as(document.text)
    places = tuple(islice(_found(document, encoding), MAX_FOUND))
    is_in_body = any(node.tag not in {"title", "meta"} for node, _ in places)
    return GarbledText(places=places, share=_share(document.text, encoding) if is_in_body else 0.0)


def _is_for_own_font(document: Document) -> bool:
    """Return whether the text was typed for a font that draws another script's letters for those of ASCII.

    Such text stands in a page in a language of another script, and has signs in the middle of its words.
    """
    language = document.html.attrs.get("lang", "").strip() if document.html is not None else ""
    scripts = scripts_of_language(language) if language else ()
    if not scripts or "Latn" in scripts or not document.main_text:
        return False
    words = document.main_text.split()[:_MAX_WORDS]
    odd = sum(1 for one in words if _INSIDE.search(one) is not None)
    return odd >= _MIN_LOST and odd >= _MIN_LOST_SHARE * len(words) and main_script(" ".join(words)) == "Latn"


def _scrambled(document: Document) -> GarbledText | None:
    """Text whose letters, blanks or order are not those of words, so that no one reads or finds it."""
    text = document.main_text[: _MAX_WORDS * _WORD]
    words = text.split()
    if len(words) > 1 and document.body is not None:
        may_be_mixed = not text.isascii() and _MAY_BE_MIXED.search(text) is not None
        others = (_MIXED, _HEAPED) if may_be_mixed else ()
        # Hardly a text has a word as long as that.
        are_joined = document.longest_word >= _MIN_RUN and _are_joined(words)
        pattern = next((one for one in others if _are_mixed(words, one)), _JOINED if are_joined else None)
        if pattern is not None:
            places = tuple(islice(_places_of(pattern, document), MAX_FOUND))
            return GarbledText(places=places, share=_share_of(pattern, document.text))
        if _are_backwards(words) or _has_no_vowels(document) or _are_shuffled(document):
            text = max((one.text for one in document.paragraphs), key=len, default=document.main_text)[:_MAX_CONTEXT]
            garbled = Garbled(text=text, context=text, meant="")
            share = min(1.0, len(document.main_text) / max(1, len(document.text)))
            return GarbledText(places=((document.body.node, garbled),), share=share)
    return None


def _are_mixed(words: Sequence[str], pattern: re.Pattern[str]) -> bool:
    # No match holds a blank: nearly all texts end here, in one search.
    if not _has_some(pattern, " ".join(words)):
        return False
    found = sum(1 for one in words if pattern.search(one) is not None and _FORMULA.search(one) is None)
    return found >= _MIN_LOST and found >= _MIN_LOST_SHARE * len(words)


def _has_some(pattern: re.Pattern[str], text: str) -> bool:
    return sum(1 for _ in islice(pattern.finditer(text), _MIN_LOST)) == _MIN_LOST


def _are_joined(words: Sequence[str]) -> bool:
    """Return whether most of a text stands in words that are none, because the blanks between them are gone."""
    found = [one for one in words if len(one) >= _MIN_RUN and _JOINED.search(one) is not None]
    found = [one for one in found if len(set(one.casefold())) >= _MIN_DIFFERENT and "/" not in one and "_" not in one]
    # Names of programs are joined on purpose, with a capital where each of their words begins.
    found = [one for one in found if _MAX_HUMP * sum(map(str.isupper, one)) <= len(one)]
    size = sum(map(len, found))
    return len(found) >= _MIN_JOINED and size >= _MIN_PROSE and 2 * size >= sum(map(len, words))


def _are_backwards(words: Sequence[str]) -> bool:
    """Return whether words are written from the last letter to the first."""
    least = max(_MIN_LOST, _MIN_BACKWARDS * len(words))
    text = " ".join(words)
    may_end = not text.isascii() and any(one in text for one in _FINAL)
    if may_end and sum(1 for _ in _FINALS.finditer(text)) >= least:
        return True
    # Few words end in a capital, with a mark behind it or without one, and begin with no other.
    odd = filterfalse(str.istitle, filterfalse(str.islower, words))
    ends = [one.strip(_AROUND) for one in odd if one[-1].isupper() or one[-2:-1].isupper()]
    number = sum(len(one) > 2 and one.isalpha() and one[:-1].islower() and one[-1].isupper() for one in ends)
    if number < least:
        return False
    bare = [one.strip(_AROUND) for one in words]
    return number > sum(len(one) > 2 and one.isalpha() and one[0].isupper() and one[1:-1].islower() for one in bare)


def _are_shuffled(document: Document) -> bool:
    """Return whether the words of the paragraphs stand in a random order, in any language that joins them by others.

    In every sentence the common words stand between others: hardly ever twice in a row, nor at its end. In a random
    order they do both as often as their share of the text tells.
    """
    texts = []
    left = _MAX_ORDERLY
    for one in document.paragraphs[:_MAX_PARAGRAPHS]:
        texts.append(one.text[: _MAX_ORDERLY * _WORD].casefold())
        left -= len(texts[-1].split())
        if left < 0:
            break
    number = _MAX_ORDERLY - left
    if number < _MIN_ORDERLY:
        return False
    # A mark stands between two words: an enumeration of names says one after the other ("share, share exclusive").
    words = [_BEHIND.sub(f" {_MARK}", text).split() for text in texts]
    # Nearly all texts end here: no two words stand twice in a row.
    repeated = [one for text in words for one in compress(text, map(eq, text, islice(text, 1, None)))]
    if len(set(repeated)) < _MIN_REPEATED:
        return False
    counts = Counter(one for text in words for one in text)
    del counts[_MARK]
    common = {
        word: count
        for word, count in counts.most_common(_MAX_COMMON)
        if count >= _MIN_COMMON * number and word.isalpha()
    }
    ends = [
        text[text.rfind(" ", 0, found.start()) + 1 : found.start()] for text in texts for found in _END.finditer(text)
    ]
    pairs_by_chance = sum(count * count for count in common.values()) / number
    ends_by_chance = len(ends) * sum(common.values()) / number
    if len(ends) < _MIN_SENTENCES or min(pairs_by_chance, ends_by_chance) < _MIN_CHANCE:
        return False
    pairs = [one for one in repeated if one in common]
    low, high = _NEAR_CHANCE
    return (
        low * pairs_by_chance <= len(pairs) <= high * pairs_by_chance
        and len(set(pairs)) >= _MIN_REPEATED
        and sum(one in common for one in ends) >= low * ends_by_chance
    )


def _has_no_vowels(document: Document) -> bool:
    """Return whether the paragraphs are Latin letters that were exchanged for others, so that vowels are rare."""
    text = ""
    for one in document.paragraphs[:_MAX_PARAGRAPHS]:
        words = one.text[:_MAX_PROSE].split()
        if len(words) >= _MIN_PROSE_WORDS or len(one.text.split(None, _MIN_PROSE_WORDS)) >= _MIN_PROSE_WORDS:
            # Names of programs have few vowels, and capitals inside of them.
            text += "".join([word for word in words if word.islower() or word[1:] == word[1:].lower()])
        if len(text) >= _MAX_PROSE:
            break
    letters = _NO_LETTER.sub("", text[:_MAX_PROSE].casefold())
    plain = len(letters.encode("ascii", "ignore"))
    if len(letters) < _MIN_PROSE or plain < _MIN_LETTERS * len(letters):
        return False
    # A letter with a mark is a vowel or a form of one nearly always.
    return len(letters) - plain + sum(map(letters.count, _VOWELS)) < _MIN_VOWELS * len(letters)


def _is_frequent(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a pattern matches as often as in one of ten words."""
    if pattern is _ENCODED:
        # One match may be a whole sentence.
        return sum(len(one[0]) for one in pattern.finditer(text)) >= max(_MIN_ENCODED, _MIN_LOST_SHARE * len(text))
    if sum(map(text.count, _IN_EACH[pattern])) < _MIN_LOST:
        return False
    found = sum(1 for _ in pattern.finditer(text))
    return found >= _MIN_LOST and found >= _MIN_LOST_SHARE * len(text.split())


def _places_of(pattern: re.Pattern[str], document: Document) -> Iterator[tuple[Node, Garbled]]:
    """Elements in whose text a pattern matches, each once a text, with the character that a reference means."""
    for node, text in _texts(document.body.node) if document.body is not None else ():
        match = pattern.search(text)
        if match is not None:
            meant = html.unescape(match[0]) if pattern is _ESCAPED else ""
            context = " ".join(text.split())[:_MAX_CONTEXT]
            yield node, Garbled(text=match[0][:_MAX_CONTEXT], context=context, meant="" if meant == match[0] else meant)


def _in_base64(document: Document) -> Iterator[tuple[Node, Garbled]]:
    """Elements whose text is that of a page in Base64."""
    # Hardly a text has a word as long as that, and the pattern is a slow search in long ones.
    if document.body is None or document.longest_word < _MIN_LINE or _BASE64.search(document.text) is None:
        return
    for node, text in _texts(document.body.node):
        match = _BASE64.search(text)
        if match is None:
            continue
        whole = match[0].rstrip("=")
        try:
            meant = base64.b64decode(whole[: len(whole) // 4 * 4]).decode("utf-8", "replace")
        except ValueError:
            continue
        # The last character may be cut off.
        letters = sum(one.isalpha() or one == " " for one in meant)
        if meant.count("\ufffd") <= 1 and letters >= _MIN_LETTERS * len(meant):
            yield node, Garbled(text=match[0][:_MAX_CONTEXT], context=meant[:_MAX_CONTEXT], meant="")


def _share_of(pattern: re.Pattern[str], text: str) -> float:
    """Share of a text that stands in words in which a pattern matches."""
    words = text.split()
    return sum(len(one) for one in words if pattern.search(one) is not None) / max(1, sum(map(len, words)))


def _share_between_tags(document: Document) -> float:
    """Share of a text between the first and the last tag that is shown, where tags are all the structure it has."""
    starts = [one.start() for one in _BLOCKS.finditer(document.text)]
    if len(starts) < _MIN_BLOCKS or len(starts) < 2 * len(document.paragraphs):
        return 0.0
    return (starts[-1] - starts[0]) / max(1, len(document.text))


def _found(document: Document, encoding: str | None) -> Iterator[tuple[Node, Garbled]]:
    named = [(title.node, title.text) for title in document.titles]
    named += [(meta.node, meta.content) for meta in document.metas if meta.name == "description"]
    for node, text in named:
        for garbled in _places(text, encoding or misread_as(text)):
            yield node, garbled
    # Most pages end here: the text of an element is part of the page's.
    if document.body is not None and next(_places(document.text, encoding), None) is not None:
        for node, text in _texts(document.body.node):
            for garbled in _places(text, encoding):
                yield node, garbled


def _places(text: str, encoding: str | None) -> Iterator[Garbled]:
    return find_mojibake(text) if encoding is None else find_misread(text, encoding)


def _share(text: str, encoding: str | None) -> float:
    """Share of a text that stands in words with a garbled place."""
    hit = size = 0
    for word in text.split():
        size += len(word)
        if word.isascii():
            continue
        # Where the text as a whole was misread, so were the few characters in it that look like others.
        hit += len(word) if encoding is not None else min(len(word), _WORD * sum(1 for _ in find_mojibake(word)))
    return hit / size if size else 0.0


def _texts(root: Node) -> Iterator[tuple[Node, str]]:
    """Each element with each of its texts, in document order."""
    if not isinstance(root, Element):
        return
    stack: list[tuple[Element, Iterator[object]]] = [(root, iter(root))]
    left = MAX_NODES
    while stack:
        element, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            continue
        left -= 1
        if not left:
            return
        if isinstance(child, Text):
            yield element, child.data
        elif isinstance(child, Element) and child.tag not in _SKIPPED:
            stack.append((child, iter(child)))
