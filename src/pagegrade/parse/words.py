"""Counting words in any script, and the words of a title that carry meaning."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import filterfalse, islice, takewhile
from operator import itemgetter
from typing import Final

CHARACTERS_PER_TEN_WORDS: Final = 17
"""Characters that count as ten words where nothing separates words; Chinese words average between 1.5 and 2."""
MAX_SAYING: Final = 20_000
_SAYING: Final = (500, 2_000, MAX_SAYING)
MAX_TITLE: Final = 500
"""Characters of a title that are looked at."""
_OFTEN: Final = 3
"""Times that a word has to occur to be looked at first."""
MIN_SIGNIFICANT: Final = 3
"""Shorter words say little in any language that is written with letters."""
_SYLLABLES: Final = re.compile("[\u1100-\u11ff\u1200-\u139f\ua960-\ua97f\uac00-\ud7ff]")
"""Hangul and Ethiopic: one character is a syllable, and two are a word."""
_PREFIXING: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Hebrew, Arabic and their relatives write articles, prepositions and conjunctions together with the word."""
_MAX_PREFIX: Final = 3
"""Letters of such a beginning: conjunction and article (``وال``)."""
_DECOMPOSED_HANGUL: Final = re.compile("[\u1100-\u11ff]")
_VOICED: Final = re.compile("[\uff66-\uff9d][\uff9e\uff9f]")
"""A narrow katakana and its voice mark, which are one character in the wide form."""
_TATWEEL: Final = "\u0640"
"""Lengthens a word of the Arabic script; the only letter that is none."""
_INTERCHANGEABLE: Final = {
    **dict.fromkeys("يىئ", "\u06cc"),  # yeh
    **dict.fromkeys("أإآٱ", "ا"),  # alef
    "ك": "\u06a9",  # kaf
    "ة": "ه",  # ta marbuta, written as heh
    "ؤ": "و",  # waw
}
"""Letters of the Arabic script that writers and keyboards exchange for one another, so that search engines do too."""
_FEW: Final = 40
"""Different characters that are replaced one after the other; each takes a search through the text."""
_DOTTED_I: Final = {"I": "ı", "İ": "i"}
"""Small letters of Turkish and Azerbaijani; Unicode SpecialCasing."""

_UNSPACED: Final = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "]+",
)
_OTHER_LEADS: Final = bytes(set(range(256)) - {0xE0, 0xE1, 0xEF, *range(0xE3, 0xEA), *range(0xF0, 0xF5)})
"""Bytes that start none of the characters above in UTF-8."""
_HAN_LEADS: Final = b"\xe5\xe6\xe7\xe8\xe9"
"""Bytes that start nothing else in UTF-8 than Han characters, U+5000 to U+9FFF."""
_LONE_MARK: Final = re.compile(" [|\\-–—·•/&›»→](?= )")
_SPACED_WORD: Final = re.compile(r"\w[\w'’-]*")
_PUNCTUATION: Final = ".,:;!?…()[]{}<>«»\"“”„‘’'–—|/\\*#+=_-"
_MAX_ENDING: Final = 3
"""Letters that may follow a stem: endings are short, other words are not (``cat`` is no stem of ``category``)."""

_STOP_WORDS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the and for with from your you our are was not but can all any has have how its that this these those "
        "what when where which who why will into about more most new out over than then they them their there home "
        "page welcome website official site his her him she been being had did does would could should also only just "
        "such very",
        "de": "der die das den dem des ein eine einen einem einer eines und oder aber mit von für auf aus bei nach "
        "über unter vor zum zur wir ihr sie ich ist sind war nicht auch wie was wer wenn mehr alle als beim durch "
        "startseite willkommen seite",
        "fr": "les des une dans par pour sur avec sans sous vers chez qui que quoi dont est sont ont pas plus vos nos "
        "votre notre leur leurs ses mes ces cette aux elle ils nous vous tout tous toute accueil page bienvenue site",
        "es": "los las una unos unas del por para con sin sobre entre desde hasta que qué como cómo más pero sus "
        "nuestro nuestra este esta estos estas ese esa son ser está hay inicio página bienvenido bienvenidos sitio",
        "pt": "uma uns umas dos das nos nas pelo pela por para com sem sobre entre até que como mais mas seu sua seus "
        "suas nosso nossa este esta esse essa são ser está início página bem-vindo site",
        "it": "gli una uno del dello della dei degli delle dal dalla nel nella sul sulla con per tra fra che chi come "
        "più non suo sua nostro nostra questo questa sono essere pagina benvenuti sito",
        "nl": "het een van voor met aan bij uit naar over onder door tot maar ook niet wel dat die dit deze wat wie "
        "hoe als dan meer alle zijn onze jouw wij jullie pagina welkom startpagina",
        "sv": "och att det som för med den till från över under ett eller men inte här var vad vem hur när mer alla "
        "våra vår din ditt dina startsida välkommen sida",
        "da": "det den der som for med til fra over under eller men ikke her hvad hvem hvor når mere alle vores din "
        "dit dine forside velkommen side",
        "no": "det den der som for med til fra over under eller men ikke her hva hvem hvor når mer alle våre vår din "
        "ditt dine forside velkommen side",
        "fi": "että oli olla kuin mutta sekä joka jotka tämä nämä hän kun niin myös etusivu tervetuloa",
        "pl": "dla lub ale nie tak jak jest się czy przez przy pod nad bez oraz tym ten tej ich nas nasz twój strona "
        "główna witamy",
        "cs": "pro nebo ale jak jako jsou při pod nad bez jeho její který která které tento tato naše vaše stránka "
        "hlavní vítejte",
        "ro": "din pentru care este sunt sau dar mai cum unde când prin între despre fără acest această nostru pagina "
        "principală",
        "hu": "egy hogy nem vagy mint már csak még azt ezt ami aki így ahol főoldal kezdőlap",
        "ru": "для или как что это все его при под над без она они нас вас наш ваш где кто когда также главная "
        "страница сайт",
        "uk": "для або але що як все його при під над без вона вони нас вас наш ваш хто коли головна сторінка сайт",
        "el": "και για από στο στη στην στον των τους της του την τον μας σας που πως είναι αρχική σελίδα",
        "tr": "bir için ile ama veya gibi daha çok her olan olarak değil biz siz ana sayfa sayfası hoş geldiniz",
        "id": "yang dan untuk dari dengan pada ini itu atau tidak adalah oleh kami anda beranda halaman situs",
    }.items()
}
_ALL_STOP_WORDS: Final = frozenset().union(*_STOP_WORDS.values())
_SILENT: Final = re.compile(
    "[\\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff\U000f0000-\U0010fffd]+"
)
"""Characters that draw nothing, and those of private use: glyphs of icon fonts, which mean nothing without them."""


def collapse(text: str) -> str:
    """Make one space of runs of white space and cut the ends; "" for text of which nothing can be read aloud."""
    text = " ".join(text.split())
    return text if text.isascii() or not _SILENT.fullmatch(text) else ""


def has_unspaced_script(text: str) -> bool:
    """Return whether ``text`` holds a script without spaces between words (Chinese, Japanese, Thai, Khmer, ...)."""
    if text.isascii():
        return False
    # Deleting all other bytes costs a tenth of a search with the expression, and most pages end here.
    leads = text.encode("utf-8", "replace").translate(None, _OTHER_LEADS)
    if not leads:
        return False
    return any(lead in leads for lead in _HAN_LEADS) or _UNSPACED.search(text) is not None


def count_words(text: str, pieces: int | None = None) -> int:
    """Count the words of ``text`` in linear time.

    White space separates words; in scripts without spaces ``CHARACTERS_PER_TEN_WORDS`` characters count as ten,
    rounded up. A lone dash, bar or bullet between spaces is no word.

    Args:
        text: Any length.
        pieces: How many pieces its white space makes, where that is known.
    """
    if not has_unspaced_script(text):
        return (len(text.split()) if pieces is None else pieces) - len(_LONE_MARK.findall(text))
    spaced, runs = _UNSPACED.subn(" ", text)
    unspaced = len(text) - len(spaced) + runs
    return len(_SPACED_WORD.findall(spaced)) - (-unspaced * 10 // CHARACTERS_PER_TEN_WORDS)


def says_more_than(text: str, words: int) -> bool:
    """Return whether ``text`` has more than so many different words with a letter, counted as ``count_words`` does.

    What is repeated says no more, however often it comes, so that a text cannot be made longer by filling it. The
    beginning decides: the first ``MAX_SAYING`` characters.
    """
    for end in _SAYING:
        beginning = text[:end]
        if end < min(len(text), MAX_SAYING):
            # A part of a word may be none of its own.
            beginning = beginning.rpartition(" ")[0]
        different = dict.fromkeys(beginning.split())
        pieces = (one for one in different if one.isalpha() or any(map(str.isalpha, one)))
        # In most texts as many pieces as words are enough, and the others need no look.
        first = " ".join(islice(pieces, words + 1))
        if count_words(first) > words or count_words(" ".join((first, *pieces))) > words:
            return True
        if len(text) <= end:
            break
    return False


def fold_for_search(text: str, language: str | None = None) -> str:
    """Return ``text`` without the differences that search engines ignore, in linear time.

    Those are capital and small letters (by the rules of ``language``), accents, vowel signs and points, invisible
    characters such as the soft hyphen, tatweel, composed and decomposed forms, wide, narrow, joined and positional
    forms of letters and digits, and letters of the Arabic script that are exchanged for one another. Signs that are
    vowels of their own, as in Devanagari, stay.

    Source: Unicode 17, sections 3.13 (default case folding) and 4.3 (combining classes); UAX #15.
    """
    for capital, small in _DOTTED_I.items() if _primary(language) in {"tr", "az"} else ():
        text = text.replace(capital, small)
    text = text.casefold()
    if text.isascii():
        return text
    if _DECOMPOSED_HANGUL.search(text):
        text = unicodedata.normalize("NFC", text)
    if "\uff9e" in text or "\uff9f" in text:
        text = _VOICED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    folded = {one: letters for one in set(text) if (letters := _fold_character(one)) != one}
    if len(folded) > _FEW:
        return text.translate({ord(one): letters for one, letters in folded.items()})
    # A search for each of a few characters takes a tenth of the time of looking every character up.
    for character, letters in folded.items():
        text = text.replace(character, letters)
    return text


@lru_cache(4_000)
def _fold_character(character: str) -> str:
    """The letters of one case-folded character that are compared; none for a mark or an invisible character."""
    if character.isascii():
        return character
    if unicodedata.category(character) == "Cf" or character == _TATWEEL:
        return ""
    if character in _INTERCHANGEABLE:
        return _INTERCHANGEABLE[character]
    # A sign such as that of a trademark is written with letters and is none.
    letters = unicodedata.normalize("NFKD" if character.isalnum() else "NFD", character)
    kept = "".join(_INTERCHANGEABLE.get(each, each) for each in letters if not _is_accent(each) and each != _TATWEEL)
    return unicodedata.normalize("NFC", kept.casefold())


def _is_accent(character: str) -> bool:
    """A mark that may be left out: not the vowel signs of Indic scripts, nor the dots that make kana voiced."""
    return unicodedata.combining(character) > 0 and character not in "\u3099\u309a"


def _is_word_character(character: str) -> bool:
    """A letter, a digit or a mark on one; ``str.isalnum`` leaves the marks out."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _split_words(text: str) -> list[str]:
    """The words of a short text; characters that show nothing belong to the word around them."""
    kept = [character if _belongs_to_word(character) else " " for character in text]
    return "".join(kept).split()


def _belongs_to_word(character: str) -> bool:
    return _is_word_character(character) or unicodedata.category(character) == "Cf"


def significant_words(title: str, language: str | None) -> tuple[str, ...]:
    """The words of a title that say something: longer than two letters, no stop words, not digits alone.

    Two characters are enough where each is a syllable.

    Args:
        title: White space may be anything; only the first ``MAX_TITLE`` characters count.
        language: A language tag such as ``pt-BR``; where it is missing or unknown, the stop words of every known
            language are left out, because a wrong keyword is worse than one fewer.

    Returns:
        Case-folded words in order, each once.
    """
    stop_words = stop_words_of(language)
    turkish = (
        {ord(capital): small for capital, small in _DOTTED_I.items()} if _primary(language) in {"tr", "az"} else {}
    )
    words = _split_words(title[:MAX_TITLE].translate(turkish).casefold())
    return tuple(
        dict.fromkeys(
            word
            for word in words
            if _is_long_enough(word) and word not in stop_words and any(character.isalpha() for character in word)
        ),
    )


def _is_long_enough(word: str) -> bool:
    """Return whether a word of that length can say something in its script."""
    return len(word) >= MIN_SIGNIFICANT or (len(word) == MIN_SIGNIFICANT - 1 and _SYLLABLES.match(word) is not None)


def contains_word(text: str, word: str) -> bool:
    """Return whether a word of ``text`` is ``word`` or shares its stem. Both as ``fold_for_search`` returns them.

    The stem is the word without its last letter from five letters on, without its last two from seven on: enough for
    plurals and cases in European languages, short of a stemmer for each; of syllables, one from three and two from four
    on. It must begin a word of the text that goes on for at most three letters more; in Hebrew and Arabic, as many may
    come before it.
    """
    length = len(word)
    one, two = (3, 4) if _SYLLABLES.match(word) else (5, 7)
    stem = word[:-2] if length >= two else word[:-1] if length >= one else word
    if not stem:
        return False
    more = _MAX_ENDING + length - len(stem)
    before = _MAX_PREFIX if _PREFIXING.match(word) else 0
    at = text.find(stem)
    while at >= 0:
        end = at + len(stem)
        if _run_of_word(reversed(text[max(0, at - before - 1) : at])) <= before and (
            _run_of_word(text[end : end + more + 1]) <= more
        ):
            return True
        at = text.find(stem, at + 1)
    return False


def _run_of_word(characters: Iterable[str]) -> int:
    """Count the characters of a word that ``characters`` begins with."""
    return sum(1 for _ in takewhile(_is_word_character, characters))


_GAP: Final = re.compile(r"\s")
_COUNTED_AT_ONCE: Final = 100_000
"""Characters of a text that are counted together, up to the next space."""


def top_terms(pieces: Mapping[str, int], limit: int) -> list[tuple[str, int]]:
    """The most frequent words of a text that are no stop words of any known language, most frequent first.

    The declared language is not asked: pages often declare another one than that of their text.

    Args:
        pieces: What stands between the white space of the text, and how often.
        limit: How many.

    Returns:
        Case-folded words of at least ``MIN_SIGNIFICANT`` letters with their counts; those equally frequent in
        alphabetical order.
    """
    # Counted before, because no piece that comes again has to be looked at again.
    counts: dict[str, int] = {}
    known = counts.get
    for piece, number in zip("\n".join(pieces).casefold().split("\n"), pieces.values(), strict=False):
        word = piece if piece.isalnum() else _bare_word(piece)
        counts[word] = known(word, 0) + number
    return _most_frequent(counts, limit)


def top_terms_of_text(text: str, limit: int) -> list[tuple[str, int]]:
    """The same for a text of any length, in parts: its pieces together take more memory than its parser is given."""
    counts = Counter[str]()
    start = 0
    while start < len(text):
        gap = _GAP.search(text, start + _COUNTED_AT_ONCE)
        end = len(text) if gap is None else gap.start()
        counts.update(text[start:end].casefold().split())
        start = end
    for piece in [*filterfalse(str.isalnum, counts)]:
        number = counts.pop(piece)
        counts[_bare_word(piece)] += number
    return _most_frequent(counts, limit)


def _bare_word(piece: str) -> str:
    """A piece of text between white space, without the punctuation of any script around it."""
    word = piece.strip(_PUNCTUATION)
    # Most words of other scripts end with a letter or a mark on one; those that do not are cut once more.
    if word.isascii() or (_is_word_character(word[0]) and _is_word_character(word[-1])):
        return word
    return word.strip("".join({character for character in word if not _is_word_character(character)}))


def _most_frequent(counts: Mapping[str, int], limit: int) -> list[tuple[str, int]]:
    # Most words stand there once or twice, and do not have to be put in order when enough others are more frequent.
    found: list[tuple[str, int]] = []
    for least in (_OFTEN, 1):
        found.clear()
        candidates = [item for item in counts.items() if item[1] >= least]
        for word, count in sorted(candidates, key=itemgetter(1), reverse=True):
            if len(found) >= limit and count < found[limit - 1][1]:
                break
            if _is_long_enough(word) and word not in _ALL_STOP_WORDS and word[0].isalpha():
                found.append((word, count))
        if len(found) >= limit:
            break
    return sorted(found, key=lambda item: (-item[1], item[0]))[:limit]


def stop_words_of(language: str | None) -> frozenset[str]:
    """The stop words of a language tag; those of every known language where it is missing or unknown."""
    subtag = _primary(language)
    return _STOP_WORDS.get({"nb": "no", "nn": "no"}.get(subtag, subtag), _ALL_STOP_WORDS)


def _primary(language: str | None) -> str:
    """The first part of a language tag in small letters; empty where there is none."""
    return (language or "").split("-", 1)[0].strip().lower()
