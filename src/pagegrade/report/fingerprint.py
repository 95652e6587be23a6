"""Fingerprints: keys by which evidence is known again in another report, and one of all that is known of a page.

Two entries are one finding where a key of the same rank is equal and no stricter one found either of them a partner.
Every key holds what the entry is about (the address of a picture, the target of a link, the name of a header), so
that another picture in the same place is another finding, and none holds a line number.

What changes by itself between two runs (hashes, tokens, times) becomes ``*`` in addresses and texts. The rules err
towards keeping: two things that differ for a person must not become one, so a name that is nothing but a number or a
hash stays, and so does a query that may choose what is shown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Report

_TOKEN: Final = re.compile(r"[0-9A-Za-z]{8,}")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_TIME: Final = re.compile(
    r"\b[12][0-9]{3}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"|\b[0-9]{1,2}[ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ -][0-9]{4}(?: [0-9]{2}:[0-9]{2}:[0-9]{2})?"
    r"|\b1[0-9]{9}(?:[0-9]{3})?\b"
)
"""ISO 8601, the dates of HTTP, and seconds or milliseconds since 1970."""
_NUMBER: Final = re.compile(r"[0-9][0-9.,]*")
_UNITS: Final = re.compile(r"#\s?(?:ms|s|B|kB|KB|KiB|MB|MiB|bytes?|calls?|times?)\b")
_LIST: Final = re.compile(r"#(?:, #){1,200}")
_ASSETS: Final = frozenset(
    "avif bmp css eot gif ico jpeg jpg js json m4a map mjs mov mp3 mp4 ogg otf pdf png svg ttf wasm webm webmanifest "
    "webp woff woff2 xml".split()
)
_CODE: Final = frozenset({"css", "eot", "js", "map", "mjs", "otf", "ttf", "wasm", "woff", "woff2"})
"""Files whose whole name may be a hash: people know them by what includes them."""
_VERSIONS: Final = frozenset(
    "_ _v b bust build cache cachebust cachebuster cb h hash mtime nocache r rev t time timestamp ts v ver "
    "version".split()
)
"""Names in the query of a file that only make browsers fetch it anew."""
_SESSIONS: Final = frozenset(
    "_csrf _token authenticity_token csrf csrf_token csrfmiddlewaretoken jsessionid nonce phpsessid sess session "
    "session_id sessionid sid token xsrf".split()
)
_BUILD: Final = re.compile(r"([-.])([0-9A-Za-z_]{8,12})(\.(?:css|m?js))$")
_MIN_BUILD_SWITCHES: Final = 3
_MIN_SWITCHES: Final = 4
_MIN_SESSION: Final = 8
_LONG_HASH: Final = 16
"""Hexadecimal digits of a made-up address, such as that of the probe for missing pages."""
_MAX_CHARACTERS: Final = 4096


def settle_url(url: str, *, is_file: bool = False) -> str:
    """The address with ``*`` for what a new build, a new session or a new probe puts into it.

    Args:
        url: Absolute or relative.
        is_file: It is known to name a script, style, font or image, whatever its ending.
    """
    if url[:5].lower() == "data:":
        return url[:_MAX_CHARACTERS]
    head, mark, fragment = url[:_MAX_CHARACTERS].partition("#")
    address, question, query = head.partition("?")
    address = _without_session(address)
    is_file = is_file or _ending(address) in _ASSETS
    pairs = [pair for pair in query.split("&") if pair and not _is_passing(pair, is_file=is_file)]
    # Some servers join several files at one address: ``/combo?a/one.js&b/two.js``.
    shown = [_settle_path(pair, is_file=True) if "." in pair and _ending(pair) in _CODE else pair for pair in pairs]
    path = _settle_path(address, is_file=is_file)
    return path + (question + "&".join(shown) if shown else "") + mark + fragment


def settle_text(text: str) -> str:
    """The text with single spaces, and ``*`` for hashes, tokens and times."""
    text = " ".join(text[:_MAX_CHARACTERS].split())
    text = _TIME.sub("*", _UUID.sub("*", text))
    return _TOKEN.sub(lambda match: "*" if _looks_random(match[0]) else match[0], text)


def without_numbers(text: str) -> str:
    """The text with ``#`` for every number and list of numbers, with the unit behind it."""
    return _LIST.sub("#", _UNITS.sub("#", _NUMBER.sub("#", settle_text(text))))


def _without_session(address: str) -> str:
    """Without ``;jsessionid=...``."""
    path, semicolon, parameter = address.rpartition(";")
    name, equals, value = parameter.partition("=")
    if not (semicolon and equals and name.lower() in _SESSIONS and "/" not in value):
        return address
    return path


def _is_passing(pair: str, *, is_file: bool) -> bool:
    """Return whether a member of the query says nothing of what is asked for."""
    name, equals, value = pair.partition("=")
    if is_file and (name.lower() in _VERSIONS if equals else _TOKEN.fullmatch(name) and any(map(str.isdigit, name))):
        return True
    # The cheapest first: an address may have hundreds of members.
    return len(value) >= _MIN_SESSION and name.lower() in _SESSIONS and any(map(str.isdigit, value))


def _ending(path: str) -> str:
    """Return the lower-case extension of the last path segment; empty if it has none."""
    last = path.rpartition("/")[2]
    return last.rpartition(".")[2].lower() if "." in last else ""


def _settle_path(path: str, *, is_file: bool) -> str:
    parts = path.split("/")
    is_code = _ending(path) in _CODE
    # Scheme and host stay.
    first = 3 if "//" in path[:8] else 0
    parts[first:] = [_settle_part(part, is_file=is_file, is_code=is_code) for part in parts[first:]]
    return "/".join(parts)


def _settle_part(part: str, *, is_file: bool, is_code: bool) -> str:
    """One part of a path."""
    if not is_file:
        return _TOKEN.sub(lambda match: "*" if _is_long_hash(match[0]) and match[0] != part else match[0], part)
    settled = _UUID.sub("*", part)
    if is_code:
        settled = _TIME.sub("*", _BUILD.sub(_settle_build, settled))
    settled = _TOKEN.sub(
        lambda match: "*" if _looks_random(match[0]) or (is_code and match[0].isdigit()) else match[0], settled
    )
    stem = settled.partition(".")[0] if "." in settled else settled
    # A name without any other letter is the name; it is all that distinguishes one picture from the next.
    return settled if is_code or any(map(str.isalpha, stem)) else part


def _settle_build(match: re.Match[str]) -> str:
    """The end of a script's name, without what may be the hash of its build: ``-DiwrgTda.js``."""
    kinds = [(character.isdigit(), character.isupper()) for character in match[2]]
    switches = sum(one != other for one, other in pairwise(kinds))
    return f"{match[1]}*{match[3]}" if switches >= _MIN_BUILD_SWITCHES else match[0]


def _is_long_hash(token: str) -> bool:
    return len(token) >= _LONG_HASH and _is_hexadecimal(token)


def _is_hexadecimal(token: str) -> bool:
    """Digits and letters up to ``f``, both of them: a word is no hash, and neither is a number."""
    lower = token.lower()
    return set(lower) <= set("0123456789abcdef") and not lower.isdigit() and not lower.isalpha()


def _looks_random(token: str) -> bool:
    """A hash, or letters and digits that change places as no name does."""
    if _is_hexadecimal(token):
        return True
    kinds = [character.isdigit() for character in token]
    return sum(one != other for one, other in pairwise(kinds)) >= _MIN_SWITCHES


Keys = tuple[str, ...]
"""One key a rank; an empty one does not take part."""
_ATTRIBUTE: Final = re.compile(r"\s([^\s=>\"']{1,100})(?:=(?:\"([^\"]*)\"|'([^']*)'))?(?=[\s>])")
_TAG: Final = re.compile(r"<([A-Za-z][^\s>/]{0,60})")
_SELECTED: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]{0,60})[^\s>]{0,300}$")
_TARGETS: Final = ("href", "src", "data", "action", "formaction", "srcset", "data-src", "data-srcset", "poster")
_NO_TARGETS: Final = ("#", "javascript:", "about:blank", "data:")
_FILE_TAGS: Final = frozenset({"audio", "img", "script", "source", "video"})
_FILE_LINKS: Final = frozenset({"apple-touch-icon", "icon", "manifest", "modulepreload", "preload", "stylesheet"})
"""Relations of a link that name a file; others name a page."""
_NAMES: Final = ("name", "property", "http-equiv", "itemprop", "rel", "for", "id", "aria-label", "title", "role")
"""Attributes by which people know an element that leads nowhere."""
_PASSING: Final = frozenset({"class", "integrity", "nonce", "style"})
"""Attributes that say how it looks or which build it is of."""
_POINTING: Final = frozenset(
    "aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto aria-labelledby "
    "aria-owns for form headers id list".split()
)
"""Attributes that hold ids, whose numbers are often counted by a program."""
_SINGLE: Final = frozenset({"base", "body", "head", "html", "title"})
_SPACE: Final = re.compile(r"\s*([:;,])\s*")
_CUT: Final = "…"


_LASTING: Final = 3
"""Rank of an element's key by which it is known without its place and its looks."""


class _Element(msgspec.Struct, frozen=True):
    """A snippet, read."""

    tag: str
    attributes: Mapping[str, str]
    text: str


def repeats_places(evidence: Sequence[Evidence]) -> bool:
    """Return whether one location is listed several times with different reasons, which then distinguish findings."""
    reasons: dict[str, str] = {}
    for entry in evidence:
        place = entry.selector or (entry.url and f"{entry.url}\n{_plain(entry)}")
        if place and reasons.setdefault(place, entry.reason) != entry.reason:
            return True
    return False


def keys(evidence: Evidence, *, by_reason: bool = False, own: Collection[str] = ()) -> Keys:
    """The keys of an entry, from the strictest to the loosest.

    Args:
        by_reason: Another reason is another finding (see ``repeats_places``).
        own: Origins of the page itself; their addresses count as relative. For comparing copies on several hosts.
    """
    reason = without_numbers(evidence.reason) if by_reason else ""
    if evidence.snippet.startswith("<") or evidence.selector:
        return _element_keys(evidence, reason, own)
    if evidence.url:
        return _address_keys(evidence, reason, own)
    if evidence.header:
        return _header_keys(evidence)
    if evidence.snippet:
        return _joined(
            ("text", evidence.snippet, evidence.reason),
            ("text", settle_text(evidence.snippet), without_numbers(evidence.reason)),
        )
    return _joined(
        ("value", evidence.value, evidence.reason, str(evidence.line)),
        ("value", evidence.value, evidence.reason),
        ("value", without_numbers(evidence.value), without_numbers(evidence.reason)),
    )


def identity(evidence: Evidence, *, by_reason: bool = False) -> str:
    """One text for one thing, on whatever day and wherever it stands; of several that look the same it is equal."""
    found = keys(evidence, by_reason=by_reason)
    return (found[_LASTING] or found[_LASTING - 1]) if len(found) > _LASTING else found[-1]


def _joined(*parts: tuple[str, ...]) -> Keys:
    """Every key as one text."""
    return tuple("\n".join(key) for key in parts)


def _address_keys(evidence: Evidence, reason: str, own: Collection[str]) -> Keys:
    url = _relative(evidence.url, own)
    what = (evidence.header.lower(), _plain(evidence), _cookie(evidence), reason)
    return _joined(
        ("url", url, *what, evidence.value, evidence.reason),
        ("url", url, *what),
        ("url", settle_url(url, is_file=True) if not evidence.snippet else settle_url(url), *what),
    )


def _header_keys(evidence: Evidence) -> Keys:
    # Of a header the reason is what is wrong: a policy that allowed one thing and now allows another is not the same.
    name, reason = evidence.header.lower(), without_numbers(evidence.reason)
    return _joined(
        ("header", name, evidence.snippet, evidence.value, reason),
        ("header", name, settle_text(evidence.snippet), without_numbers(evidence.value), reason),
        ("header", name, _cookie(evidence), reason),
    )


def _cookie(evidence: Evidence) -> str:
    """Of a cookie its name: one header may come many times."""
    return evidence.value if evidence.snippet and evidence.header.lower() == "set-cookie" else ""


def _plain(evidence: Evidence) -> str:
    """A snippet that is a line of a file; a cookie's holds what may be wrong with it, and not who it is."""
    if evidence.snippet.startswith("<") or evidence.header.lower() == "set-cookie":
        return ""
    return settle_text(evidence.snippet)


def _element_keys(evidence: Evidence, reason: str, own: Collection[str]) -> Keys:
    element = _read(evidence)
    target = _relative(_target(evidence, element), own)
    relations = element.attributes.get("rel", "").lower().split() if element.tag == "link" else ()
    is_file = element.tag in _FILE_TAGS or not _FILE_LINKS.isdisjoint(relations)
    settled = settle_url(target, is_file=is_file)
    text = element.text or ("" if _is_count(evidence.value) else settle_text(evidence.value))
    named = [f"{name}={_settled(name, element.attributes[name])}" for name in _NAMES if element.attributes.get(name)]
    exact = sorted(element.attributes.items())
    # An address is compared as such; one that leads nowhere is an attribute like others.
    other = [(one, value) for one, value in exact if not target or one not in _TARGETS]
    every = [(one, _settled(one, value)) for one, value in other]
    lasting = [f"{name}={value}" for name, value in every if name not in _PASSING and not name.startswith("data-")]
    known = (settled, text, *lasting) if settled or text or named else ()
    # What leads somewhere is known by where it leads, whatever it is called.
    name = "" if settled else " ".join(named[:1]) or (element.tag if element.tag in _SINGLE else "")
    if not evidence.snippet and not target:
        return _joined(("place", element.tag, evidence.selector, evidence.value), ("place", evidence.selector, reason))
    ranks: tuple[tuple[str, ...], ...] = (
        ("exact", target, element.text, evidence.value, evidence.reason, *(f"{one}={two}" for one, two in exact)),
        ("element", target, text, reason, *(f"{one}={two}" for one, two in other)),
        ("settled", settled, text, reason, *(f"{one}={two}" for one, two in every)),
        ("lasting", reason, *known) if known else (),
        ("target", settled, reason) if settled else (),
        ("name", name, reason) if name else (),
        ("place", evidence.selector, settled, reason) if evidence.selector else (),
    )
    return tuple("\n".join((key[0], element.tag, *key[1:])) if key else "" for key in ranks)


def _read(evidence: Evidence) -> _Element:
    """The start tag and text of an element as snippets are written; what was cut off is left out."""
    snippet = evidence.snippet
    start = _TAG.match(snippet)
    if start is None:
        selected = _SELECTED.search(evidence.selector)
        return _Element(selected[1].lower() if selected else "", {}, settle_text(snippet))
    attributes: dict[str, str] = {}
    position = start.end()
    while found := _ATTRIBUTE.match(snippet, position):
        attributes.setdefault(found[1].lower(), found[2] or found[3] or "")
        position = found.end()
    text = ""
    if snippet[position : position + 1] == ">" and not snippet.endswith(_CUT):
        text = settle_text(snippet[position + 1 :].rpartition("</")[0])
    return _Element(start[1].lower(), attributes, text)


def _target(evidence: Evidence, element: _Element) -> str:
    candidates = (evidence.url, *(element.attributes.get(name, "") for name in _TARGETS))
    return next((url for url in candidates if url and not url.lower().startswith(_NO_TARGETS)), "")


def _settled(name: str, value: str) -> str:
    if name == "class":
        return " ".join(sorted(set(settle_text(value).split())))
    if name in _POINTING or name.startswith("data-"):
        return without_numbers(value)
    return _SPACE.sub(r"\1", settle_text(value)) if name == "style" else settle_text(value)


def _is_count(value: str) -> bool:
    """Return whether a value is a number, with its unit if it has one."""
    return without_numbers(value).strip(" %") in {"", "#"}


def _relative(url: str, own: Collection[str]) -> str:
    for origin in own:
        if url.startswith(origin) and url[len(origin) : len(origin) + 1] in {"", "/", "?", "#"}:
            return url[len(origin) :] or "/"
    return url


def page_fingerprint(report: Report) -> bytes:
    """Return the SHA-256 of how a page was analyzed, its title and language, and its results of accessibility.

    Two runs of a page that stayed the same have the same; what else a page shows, such as the date, changes nothing.
    """
    page = report.page
    results = [
        (result.check, result.outcome, result.state, [evidence.selector for evidence in result.evidence])
        for result in report.results
        if result.category == "accessibility"
    ]
    basis = (report.basis.ruleset, report.basis.device)
    known = (basis, page and (page.title, page.language), sorted(results, key=lambda each: each[0]))
    return hashlib.sha256(msgspec.json.encode(known)).digest()
