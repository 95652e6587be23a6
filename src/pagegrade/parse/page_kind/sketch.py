"""The facts that distinguish a page from a notice served in its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final, Literal
from urllib.parse import unquote

from pagegrade.model.artifacts import Navigation
from pagegrade.model.document import Document
from pagegrade.parse.url import host, is_http, registrable_domain, strip_fragment

Kind = Literal[
    "bot_challenge",
    "login_wall",
    "consent_wall",
    "maintenance",
    "parked_domain",
    "suspended_account",
    "server_default_page",
    "soft_404",
    "notice",
    "empty_shell",
    "leads_on",
]
THRESHOLD: Final = 10
"""Points from which the signals of a kind are taken for proof; no single signal reaches it, except marks that no
ordinary page carries."""
MAX_TEXT: Final = 12_000
"""Characters of the visible text that are searched: notices are short, and longer texts are no notices."""
MAX_WORDS: Final = 1_500
"""Words of visible text above which a page is no notice of any kind."""
ORIGIN_FIELD: Final = re.compile(r"refer|landing|page|source|utm")
"""Fields of forms that say where a visitor came from; they are no way back."""
SLUG: Final = re.compile(r"[^\w]+|_")
"""Signs between the words of an address."""
_IN_ADDRESSES: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "æ": "ae", "ø": "oe", "ł": "l", "đ": "d", "ı": "i"}
)
"""Letters as addresses write them, beside those that only lose their accents."""
_MAX_LINE: Final = 300
_MIN_PROMISED: Final = 2
_STEM: Final = 4
"""Letters by which a word of an address is known in other forms of it."""
_MAX_LISTED: Final = 40
_MAX_INLINE: Final = 6_000
_MAX_TITLE_PARTS: Final = 12
_TITLE_MARKS: Final = re.compile(r"\s[|\-–—·•»›>]\s|[:|]\s")
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "…": "...", "\u00ad": ""})
_CURRENCY: Final = (
    r"(?:[$£€¥₹₩₽₺₴₪₫฿₱₦₸₾₼֏₮៛]|(?:eur|usd|gbp|chf|cad|aud|sek|nok|dkk|pln|czk|huf|ron|try|uah|inr|jpy|cny|krw|brl|mxn)\b|"
    r"euros?\b|ευρ[ωώ]|евро|руб|円|元|원|kr\b|zł|zl\b|kč|kc\b|ft\b|lei\b|درهم|ريال|ש\"ח)"
)
_MONTHLY: Final = r" ?(?:/|per\b|pro\b|par\b|al\b|p\.)"
PRICE: Final = re.compile(
    rf"\d ?{_CURRENCY}(?![\w.]{{0,3}}{_MONTHLY})|{_CURRENCY} ?\d[\d.,]{{0,9}}(?![\d.,]|{_MONTHLY})"
)
"""A price that is not paid by the month, in folded text."""


def fold(text: str) -> str:
    """Lower case, plain quotation marks, white space collapsed."""
    return " ".join(text.translate(_QUOTES).casefold().split())


class Pattern:
    """A regular expression that is compiled when it is first needed: most pages need none of them."""

    def __init__(self, source: str) -> None:
        """Keep the source."""
        self._source = source

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere in ``text``."""
        return self._compiled.search(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole of ``text``."""
        return self._compiled.fullmatch(text)

    def found_in(self, text: str) -> int:
        """Count the different matches in ``text``."""
        return len({match.group() for match in self._compiled.finditer(text)})


def phrases(*alternatives: str) -> Pattern:
    """A pattern that finds any of ``alternatives`` in folded text, at a word's start where the script has words.

    Alternatives may use bounded regular expressions only, so that a search takes linear time.
    """
    # Neighbors share one test for the start of a word: with a test each, a search tries every one at every character.
    return Pattern(
        "|".join(
            ("(?:" if unspaced else r"\b(?:") + "|".join(f"(?:{one})" for one in group) + ")"
            for unspaced, group in groupby(alternatives, key=is_unspaced)
        )
    )


def is_unspaced(alternative: str) -> bool:
    """Return whether the first letter belongs to a script that puts no spaces between words."""
    return next((one >= "\u2e80" or "\u0e00" <= one <= "\u0eff" for one in alternative if one.isalpha()), False)


@dataclass(frozen=True, kw_only=True)
class Sketch:
    """Input of the detectors; all texts are folded and bounded."""

    document: Document
    navigation: Navigation

    @cached_property
    def url(self) -> str:
        """URL of the document after redirects."""
        return self.navigation.main_document_url

    @cached_property
    def requested_path(self) -> str:
        """Path and query that were asked for, lower case."""
        return path_of(self.navigation.requested_url).lower()[:_MAX_LINE]

    @cached_property
    def final_path(self) -> str:
        """Path and query that answered, lower case."""
        return path_of(self.url).lower()[:2_000]

    @cached_property
    def final_host(self) -> str:
        """Host that answered."""
        return host(self.url)

    @cached_property
    def is_elsewhere(self) -> bool:
        """Redirects led to another path or site; scheme, ``www.``, a closing slash and capital letters do not count."""
        asked = self.navigation.requested_url
        names = (host(asked).removeprefix("www."), self.final_host.removeprefix("www."))
        paths = (self.requested_path.rstrip("/"), self.final_path[:_MAX_LINE].rstrip("/"))
        return names[0] != names[1] or paths[0] != paths[1]

    @cached_property
    def is_root(self) -> bool:
        """The front page was asked for."""
        return self.requested_path == "/"

    @cached_property
    def is_other_site(self) -> bool:
        """The answer has another registrable domain than what was asked for."""
        return registrable_domain(host(self.navigation.requested_url)) != registrable_domain(self.final_host)

    @cached_property
    def title(self) -> str:
        """The first title."""
        return next((fold(one.text[:_MAX_LINE]) for one in self.document.titles), "")

    @cached_property
    def title_parts(self) -> tuple[str, ...]:
        """The title, and what separators part in it."""
        parts = (one.strip(" .!") for one in _TITLE_MARKS.split(self.title, maxsplit=_MAX_TITLE_PARTS))
        return tuple(dict.fromkeys((self.title.strip(" .!"), *(one for one in parts if one))))

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The first visible headings."""
        found = (fold(one.text[:_MAX_LINE]) for one in self.document.headings[:_MAX_LISTED] if not one.hidden)
        return tuple(one for one in found if one)

    @cached_property
    def first_heading(self) -> str:
        """The first visible heading, without closing punctuation."""
        return self.headings[0].strip(" .!。") if self.headings else ""

    @cached_property
    def is_named_by_address(self) -> bool:
        """The words of the address that was asked for are those of the title or the first heading."""
        return bool(self._address_words) and all(one in self._name for one in self._address_words)

    @cached_property
    def is_told_of(self) -> bool:
        """The words of the address that was asked for, not its numbers, are in its name and in its main part."""
        words = [one for one in self._address_words if not one.isdecimal()]
        places = (f"{self.title} {self.first_heading}", fold(self.document.main_text[:MAX_TEXT]))
        spelled = [f"{_without_accents(one)} {_without_accents(one.translate(_IN_ADDRESSES))}" for one in places]
        return bool(words) and all(one in text for text in spelled for one in words)

    @cached_property
    def is_named_otherwise(self) -> bool:
        """The address that was asked for has words, and neither the title nor the first heading has any of them."""
        words = [one for one in self._address_words if not one.isdecimal()]
        return bool(words) and not any(one in self._name for one in words)

    @cached_property
    def says_what_it_is(self) -> bool:
        """The page has a description."""
        described = self.document.meta("description")
        return described is not None and bool(described.content.strip())

    @cached_property
    def promises_otherwise(self) -> bool:
        """The address has two words or more, and a page in Latin letters has none in its name or its main part."""
        words = [one[:_STEM] for one in self._address_words if not one.isdecimal()]
        if len(words) < _MIN_PROMISED:
            return False
        plain = f"{self.title} {self.first_heading} {fold(self.document.main_text[:MAX_TEXT])}"
        said = f"{_without_accents(plain)} {_without_accents(plain.translate(_IN_ADDRESSES))}"
        is_latin = 2 * sum(one.isascii() and one.isalpha() for one in said) > sum(map(str.isalpha, said))
        return is_latin and not any(one in said for one in words)

    @cached_property
    def _address_words(self) -> tuple[str, ...]:
        """Words of more than three letters or digits at the end of the address that was asked for, in lower case."""
        _, _, last = self.requested_path.partition("?")[0].rstrip("/").rpartition("/")
        return tuple(_without_accents(one) for one in SLUG.split(unquote(last).partition(".")[0]) if len(one) > 3)

    @cached_property
    def _name(self) -> str:
        return _without_accents(f"{self.title} {self.first_heading}")

    @cached_property
    def text(self) -> str:
        """The beginning of the visible text."""
        return fold(self.document.text[:MAX_TEXT])

    @cached_property
    def words(self) -> int:
        """Words of the visible text."""
        return self.document.word_count

    @cached_property
    def noscript(self) -> str:
        """Return the content for browsers without scripting."""
        return fold(" ".join(self.document.noscripts)[:_MAX_INLINE])

    @cached_property
    def links(self) -> int:
        """Visible links that lead to other pages."""
        return sum(
            1
            for one in self.document.anchors
            if not one.hidden and one.url is not None and is_http(one.url) and not (one.href or "").startswith("#")
        )

    @cached_property
    def controls(self) -> int:
        """Visible fields of forms."""
        return sum(1 for one in self.document.controls if not one.hidden)

    @cached_property
    def passwords(self) -> int:
        """Visible fields for passwords."""
        return sum(1 for one in self.document.controls if one.type == "password" and not one.hidden)

    @cached_property
    def loaded(self) -> str:
        """URLs of scripts, styles, frames, images and links, and ids, one a line."""
        urls = (one.url for one in self.document.references[: 4 * _MAX_LISTED])
        links = (one.url or "" for one in self.document.anchors[: 2 * _MAX_LISTED])
        forms = (one.url for one in self.document.forms[:_MAX_LISTED])
        ids = list(self.document.ids)[: 2 * _MAX_LISTED]
        return "\n".join(one[:_MAX_LINE] for one in (*urls, *links, *forms, *ids)).lower()

    @cached_property
    def files(self) -> str:
        """URLs of scripts, styles, frames and images, one a line."""
        return "\n".join(one.url[:_MAX_LINE] for one in self.document.references[: 4 * _MAX_LISTED]).lower()

    @cached_property
    def inline(self) -> str:
        """The beginnings of inline scripts that a browser runs, lower case."""
        run = self.document.running_scripts[:_MAX_LISTED]
        scripts = [one.text[:_MAX_INLINE] for one in run if one.text]
        return "\n".join(scripts)[: 4 * _MAX_INLINE].lower()

    @cached_property
    def runs_scripts(self) -> bool:
        """There is a script that a browser runs."""
        return bool(self.document.running_scripts)

    @cached_property
    def is_noindex(self) -> bool:
        """The page asks robots not to index it."""
        robots = self.document.meta("robots")
        return robots is not None and "noindex" in robots.content.lower()

    @cached_property
    def domain(self) -> str:
        """Registrable domain of the document."""
        return registrable_domain(self.final_host)

    def names_itself(self) -> bool:
        """The title or the first heading is the name of the host, perhaps with a word beside it."""
        name = self.domain
        shown = (self.title, self.first_heading)
        return bool(name) and any(name in one and len(one) < len(name) + 60 for one in shown)

    def is_bare(self, words: int, links: int) -> bool:
        """The page holds no more than that many words and links."""
        return self.words <= words and self.links <= links

    def says_on_top(self, pattern: Pattern) -> int:
        """Count the matches among title and first heading: 0 to 2."""
        return (pattern.search(self.title) is not None) + any(pattern.search(one) for one in self.headings[:2])

    def is_titled(self, pattern: Pattern) -> int:
        """Count the full matches among title and first heading: 0 to 2."""
        in_title = any(pattern.fullmatch(one) for one in self.title_parts)
        return in_title + (pattern.fullmatch(self.first_heading) is not None)

    def count(self, patterns: Iterable[Pattern]) -> int:
        """Count the patterns that the text contains."""
        return sum(1 for pattern in patterns if pattern.search(self.text))


def _without_accents(text: str) -> str:
    """The text as addresses spell it: "sesión" is "sesion"."""
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))


def path_of(url: str) -> str:
    """Path and query of an absolute URL."""
    return "/" + strip_fragment(url).partition("://")[2].partition("/")[2]
