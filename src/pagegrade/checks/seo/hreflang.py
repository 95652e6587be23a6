import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, Outcome, Severity
from pagegrade.parse.language_tags import is_spoken_in, parse_language_tag
from pagegrade.parse.page_links import PageLink, canonical_links, language_alternates
from pagegrade.parse.url import strip_fragment

_DEFAULT: Final = "x-default"
_NO_COUNTRIES: Final = frozenset("AN BU CS DD EU EZ FX NT SU TP UN YD YU ZR".split())
"""Regions in the registry of language subtags that ISO 3166-1 assigns to no country, or to none any more."""
_FOR_PRIVATE_USE: Final = re.compile(r"AA|Q[M-Z]|X[A-JL-Z]|ZZ")
"""Regions that ISO 3166-1 leaves to its users; Kosovo's XK is one of them and in wide use."""


@check(
    id="hreflang",
    title="hreflang annotations",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("ok", "The hreflang annotations are complete."),
        State(
            "unlikely_country",
            "An hreflang code combines a language with a country where hardly anyone speaks it.",
            title="Check the countries of the hreflang codes",
            why=(
                "A region is always a country: `LA` is Laos and not Latin America, `SA` is Saudi Arabia. Search "
                "engines show the version in that country."
            ),
            fix="If no country is meant, use the language alone, such as `es`. Otherwise leave the code as it is.",
        ),
        State(
            "no_default",
            "No version is declared for all other languages (x-default).",
            loss=0.5,
            title="Add an x-default language version",
            why="Visitors whose language is not listed are sent to a version chosen by the search engine.",
            fix=(
                "Declare the version for all other visitors, such as a language selection or the English page:\n\n"
                "```html\n"
                '<link rel="alternate" hreflang="x-default" href="https://example.com/">\n'
                "```"
            ),
        ),
        State(
            "no_country",
            "An hreflang code names a region that is not a country.",
            loss=0.5,
            title="hreflang region is not a country",
            why="Google supports only country codes as regions and ignores codes such as `es-419` or `en-EU`.",
            fix="Use the language alone, such as `es`, or one link for each country, such as `es-MX` and `es-AR`.",
        ),
        State(
            "several_addresses",
            "One hreflang code has several URLs.",
            loss=0.5,
            title="Several URLs for one hreflang code",
            why="Search engines cannot know which of the URLs is the version for that language.",
            fix="Keep one URL for each code.",
        ),
        State(
            "other_language",
            "The page is listed under a language that differs from its lang attribute.",
            loss=0.5,
            title="hreflang code contradicts the page's language",
            why=(
                "The annotation and the page contradict each other, so the page may be shown to speakers of the "
                "wrong language."
            ),
            fix="Correct either the `hreflang` code of this page or the `lang` attribute of its `<html>` element.",
        ),
        State(
            "no_self",
            "The page does not list itself among its language versions.",
            loss=1.0,
            title="Page is missing from its own hreflang list",
            why="Google requires that every version lists itself and may ignore the annotations otherwise.",
            fix='Add a `<link rel="alternate" hreflang="...">` with the URL of this page.',
        ),
        State(
            "bad_address",
            "A language version has no absolute URL.",
            loss=1.0,
            title="hreflang URL is not absolute",
            why="Search engines ignore annotations without a scheme and host.",
            fix="Write the whole URL: `https://example.com/de/`.",
        ),
        State(
            "invalid_code",
            "A language version has an invalid code.",
            loss=1.0,
            title="Invalid hreflang code",
            why="Search engines ignore the version, so it is not shown to speakers of its language.",
            fix=(
                "Use a language code of ISO 639-1, optionally with a country: `en-GB` instead of `en-UK`, `ja` "
                "instead of `jp`."
            ),
        ),
    ),
    sources=(
        "https://developers.google.com/search/docs/specialty/international/localized-versions",
        "https://www.rfc-editor.org/rfc/rfc5646#section-2.1",
    ),
)
def hreflang(document: Document, response: Response) -> Verdict:
    """`hreflang` links show search engines which version of a page is for which language.

    ## What it checks

    Every `<link rel="alternate" hreflang="...">` in the head and every such `Link` header; feeds do not count. A page
    without any has nothing to evaluate. Failures: a code that is not a registered language with an optional script and
    region (or `x-default`), a URL without scheme and host, and a list without the page itself (or its canonical URL).
    Warnings: no `x-default` among several versions, several URLs for one code, a region that is no country (`es-419`,
    `en-EU`), and a page that is listed under another language than its `lang` attribute says. A language with a country
    in which hardly anyone speaks it, such as Spanish for Laos (`es-LA`), is listed and costs nothing. Case does not
    matter, spaces do.

    Google asks for the page itself in its list, and knows countries only, though `es-419` is a good language tag.
    It calls `x-default` optional; visitors of all other languages still need some page to land on.

    ## Fails on

    ```html
    <!doctype html>
    <title>Start</title>
    <link rel="alternate" hreflang="en-UK" href="https://example.com/">
    <link rel="alternate" hreflang="de" href="/de/">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Start</title>
    <link rel="alternate" hreflang="en" href="https://example.com/">
    <link rel="alternate" hreflang="de" href="https://example.com/de/">
    <link rel="alternate" hreflang="x-default" href="https://example.com/">
    ```
    """
    found = language_alternates(document.links, response)
    counted = [link for link in found if link.in_head]
    if not counted:
        return NotApplicable(
            "The links to language versions stand in the body, where they do not count."
            if found
            else "The page declares no other language versions."
        )
    found_faults = list(_faults(counted, document, response))
    return _outcome(found_faults, document) if found_faults else Outcome("ok", value=_codes(counted))


class _Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong with some of the links."""

    state: str
    links: Sequence[PageLink]
    reason: str
    message: str = ""


def _codes(links: Sequence[PageLink]) -> int:
    return len({link.hreflang.lower() for link in links})


def _faults(counted: Sequence[PageLink], document: Document, response: Response) -> Iterator[_Fault]:
    """Everything that is wrong, the worst first; a missing link to the page only where every link can be read."""
    invalid = [link for link in counted if not _is_valid(link.hreflang)]
    if invalid:
        codes = ", ".join(dict.fromkeys(repr(link.hreflang[:40]) for link in invalid[:5]))
        message = f"{amount(len({link.hreflang for link in invalid}), 'language code')} cannot be read: {codes}."
        yield _Fault("invalid_code", invalid, "Not a valid code.", message)
    unusable = [link for link in counted if link.url is None or not link.is_absolute]
    if unusable:
        yield _Fault("bad_address", unusable, "Not an absolute URL with scheme and host.")
    own = {strip_fragment(document.url)}
    own |= {link.url for link in canonical_links(document.links, response) if link.counts and link.url}
    selves = [link for link in counted if link.url in own]
    if not selves:
        if not (invalid or unusable):
            yield _Fault("no_self", counted, "Is not this page.")
    elif _is_under_other_language(selves, document):
        yield _Fault("other_language", selves, "Is not the language of the page.")
    beyond = [link for link in counted if _is_beyond_countries(link.hreflang)]
    if beyond:
        yield _Fault("no_country", beyond, "Search engines know countries only.")
    addresses: dict[str, set[str | None]] = defaultdict(set)
    for link in counted:
        addresses[link.hreflang.lower()].add(link.url)
    doubled = [link for link in counted if len(addresses[link.hreflang.lower()]) > 1]
    if doubled:
        yield _Fault("several_addresses", doubled, "Another link has the same code.")
    if _DEFAULT not in addresses and len({link.url for link in counted}) > 1:
        yield _Fault("no_default", counted[:1], "No link has the code x-default.")
    unlikely = [link for link in counted if _is_unlikely(link.hreflang)]
    if unlikely:
        yield _Fault("unlikely_country", unlikely, "Hardly anyone in this country speaks the language.")


def _is_valid(code: str) -> bool:
    if code.lower() == _DEFAULT:
        return True
    tag = parse_language_tag(code)
    return tag is not None and not tag.unregistered and not tag.private_use


def _is_beyond_countries(code: str) -> bool:
    tag = parse_language_tag(code)
    region = "" if tag is None or tag.region is None else tag.region
    return region.isdigit() or region in _NO_COUNTRIES or _FOR_PRIVATE_USE.fullmatch(region) is not None


def _is_unlikely(code: str) -> bool:
    """Return whether the language of a code has no place in its country; English is taken for one everywhere."""
    tag = parse_language_tag(code)
    if tag is None or tag.region is None or tag.primary == "en":
        return False
    return is_spoken_in(tag.primary, tag.region) is False


def _is_under_other_language(selves: Sequence[PageLink], document: Document) -> bool:
    declared = parse_language_tag(document.html.attrs.get("lang", "").strip()) if document.html else None
    tags = [parse_language_tag(link.hreflang) for link in selves if link.hreflang.lower() != _DEFAULT]
    listed = {tag.primary for tag in tags if tag is not None}
    return declared is not None and bool(listed) and declared.primary not in listed


def _outcome(faults: Sequence[_Fault], document: Document) -> Outcome:
    """The state of the worst fault, with the links of all."""
    worst = faults[0]
    listed = [(link, fault.reason, "" if fault is worst else fault.state) for fault in faults for link in fault.links]
    return Outcome(
        worst.state,
        value=", ".join(dict.fromkeys(link.hreflang[:40] for link in worst.links[:20])),
        evidence=tuple(link.evidence(document, reason, state) for link, reason, state in listed[:MAX_EVIDENCE]),
        total=len(listed),
        count=len(worst.links),
        message=worst.message,
    )
