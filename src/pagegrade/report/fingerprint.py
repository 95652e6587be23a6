"""By what an evidence is known again in another report: keys from the strictest to the loosest.

Two entries are one finding where a key of the same rank is equal and no stricter one found either of them a partner.
Every key holds what the entry is about (the address of a picture, the target of a link, the name of a header), so
that another picture in the same place is another finding, and none holds a line number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from pagegrade.model.outcome import Evidence
from pagegrade.report.normalize import settle_text, settle_url, without_numbers

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
        evidence: One entry.
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
