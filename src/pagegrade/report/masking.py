"""Masks secrets and query values in reports.

For people who were only given a link to the report, the query values of its own page's address are masked: such values
are often keys to something: a reset link, an invitation, a session. The names stay, because they help to understand
the report. For everyone, the secrets are masked that a run sent to be let in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache
from operator import is_
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote, unquote_plus

import msgspec
from ahocorasick_rs import AhoCorasick, BytesAhoCorasick, Implementation, MatchKind
from msgspec.structs import replace

from pagegrade.model.audit_result import AuditResult, Place
from pagegrade.model.outcome import Detail, Evidence
from pagegrade.model.rendering import ElementFacts, RenderedPage
from pagegrade.model.report import PageFacts, Redirect, Report, Result

_Element = TypeVar("_Element", bound=ElementFacts)
_Value = TypeVar("_Value")
MASK: Final = "…"
"""Never part of a canonical URL, where it would be percent-encoded: what holds it cannot be followed by mistake."""
MIN_BARE_CHARACTERS: Final = 6
"""A value this long is masked wherever it stands; a shorter one (``2``, ``en``) only inside an address."""
PIECE_CHARACTERS: Final = 64
"""Longer values are looked for in pieces of this length."""
_SMALL: Final = Implementation.ContiguousNFA
"""Takes a fraction of the memory and of the time to build of the fastest one."""
_NAME_END: Final = re.compile(r"[?&;=#]|%3[FfDd]|%2[36]")
_NAMED: Final = re.compile(r"(?:[?&;]|%3[Ff]|%26)((?:[^?&;=#%]|%(?!3[FfDd]|26))*)(?:=|%3[Dd])")
"""A name and its equals sign inside an address inside any text."""
_REST: Final = re.compile(r"[^&;#\s\"'<>`\\)\]}]*+")
"""The rest of a value there."""


def mask_url(url: str) -> str:
    """The URL with ``…`` for every query value, for its fragment, and for a user name and password.

    A query without ``=`` is a value as a whole.
    """
    head, hash_mark, _ = url.partition("#")
    address, question, query = head.partition("?")
    scheme, slashes, rest = address.partition("//")
    authority, slash, path = rest.partition("/")
    if "@" in authority:
        authority = f"{MASK}@{authority.rpartition('@')[2]}"
    shown = f"{scheme}{slashes}{authority}{slash}{path}" if slashes else address
    if question and query:
        shown += "?" + "&".join(_mask_pair(pair) for pair in query.split("&"))
    elif question:
        shown += "?"
    return shown + (f"#{MASK}" if hash_mark else "")


def _mask_pair(pair: str) -> str:
    name, equals, value = pair.partition("=")
    if not equals:
        return MASK if pair else ""
    return f"{name}={MASK}" if value else pair


def mask_report(report: Report) -> Report:
    """The report with the query values of its page masked, wherever they stand.

    The page's own addresses are the one asked for, the final one and every redirect between them; their values are
    masked in these, and in all text that came from the page or the server. Addresses of other things (images,
    scripts) lose the same names' and the same values' text, and keep the rest.
    """
    return mask_reports((report,))[0]


def mask_reports(reports: Sequence[Report]) -> tuple[Report, ...]:
    """The reports with the query values of all their pages masked in each."""
    mask = masker(url for report in reports for url in _own_addresses(report))
    return tuple(_mask_report(report, mask) for report in reports)


def mask_audit(result: AuditResult) -> AuditResult:
    """The result of an audit for people with its link: without what could name a part of the site that has no finding.

    The query values of all pages that it names are masked, as ``mask_report`` does. Templates are left out, and so are
    folders without a page that is named.
    """
    places = [*result.worst, *(place for one in result.findings for place in one.places)]
    named = {result.url, *(each.example for each in result.templates)}
    named.update(url for place in places for url in (place.url, *place.sources))
    mask = masker(sorted(named))
    found = [url for one in result.findings for place in one.places for url in (place.url, *place.sources)]

    def hide(listed: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(
            replace(one, url=mask_url(one.url), value=mask(one.value), sources=tuple(map(mask_url, one.sources)))
            for one in listed
        )

    return replace(
        result,
        url=mask_url(result.url),
        worst=hide(result.worst),
        findings=tuple(replace(one, message=mask(one.message), places=hide(one.places)) for one in result.findings),
        templates=(),
        folders=tuple(one for one in result.folders if any(url.startswith(one.url) for url in found)),
    )


def reveals_values(text: str, addresses: Iterable[str]) -> bool:
    """Return whether ``text`` holds something that ``mask_report`` masks in a report with these own addresses."""
    return masker(addresses)(text) != text


def _own_addresses(report: Report) -> Iterator[str]:
    yield report.url
    yield report.final_url or ""
    for hop in () if report.page is None else report.page.redirects:
        yield hop.url
        yield hop.location


def _mask_report(report: Report, mask: Callable[[str], str]) -> Report:
    return replace(
        report,
        url=mask_url(report.url),
        final_url=None if report.final_url is None else mask_url(report.final_url),
        results=tuple(_mask_result(result, mask) for result in report.results),
        page=None if report.page is None else _mask_page(report.page, mask),
        rendered=None if report.rendered is None else _mask_rendered(report.rendered, mask),
        withheld=None if report.withheld is None else replace(report.withheld, message=mask(report.withheld.message)),
        run=replace(
            report.run,
            not_gathered=tuple(replace(one, reason=mask(one.reason)) for one in report.run.not_gathered),
            notes=tuple(map(mask, report.run.notes)),
        ),
        error=None
        if report.error is None
        else replace(report.error, message=mask(report.error.message), reason=mask(report.error.reason or "") or None),
    )


def _mask_rendered(page: RenderedPage, mask: Callable[[str], str]) -> RenderedPage:
    paint = page.largest_paint
    return replace(
        page,
        lcp_element=None if page.lcp_element is None else _mask_element(page.lcp_element, mask),
        largest_paint=None if paint is None else replace(paint, url=mask(paint.url), cause_url=mask(paint.cause_url)),
        shifted_elements=tuple(
            replace(
                _mask_element(one, mask),
                pushed_by=None if one.pushed_by is None else _mask_element(one.pushed_by, mask),
                cause_url=mask(one.cause_url),
            )
            for one in page.shifted_elements
        ),
        storage=tuple(replace(one, name=mask(one.name)) for one in page.storage),
        requests=tuple(
            replace(
                request,
                url=mask(request.url),
                initiator_url=mask(request.initiator_url),
                response_headers={name: mask(value) for name, value in request.response_headers.items()},
            )
            for request in page.requests
        ),
        console=tuple(replace(message, text=mask(message.text), url=mask(message.url)) for message in page.console),
        coverage=tuple(replace(one, url=mask(one.url)) for one in page.coverage),
    )


def _mask_element(element: _Element, mask: Callable[[str], str]) -> _Element:
    return replace(element, selector=mask(element.selector), html=mask(element.html))


def _mask_page(page: PageFacts, mask: Callable[[str], str]) -> PageFacts:
    hops = tuple(
        Redirect(
            url=mask_url(hop.url),
            status=hop.status,
            location=mask_url(hop.location),
            address=hop.address,
            total_ms=hop.total_ms,
            http_version=hop.http_version,
        )
        for hop in page.redirects
    )
    preview = page.preview
    return replace(
        page,
        redirects=hops,
        title=mask(page.title),
        server=mask(page.server),
        files=tuple(replace(file, url=mask(file.url), initiator_url=mask(file.initiator_url)) for file in page.files),
        headers=tuple((name, mask(value)) for name, value in page.headers),
        preview=None
        if preview is None
        else replace(
            preview,
            description=mask(preview.description),
            site_name=mask(preview.site_name),
            social_title=mask(preview.social_title),
            social_description=mask(preview.social_description),
            image_url=mask(preview.image_url),
        ),
    )


def _mask_result(result: Result, mask: Callable[[str], str]) -> Result:
    return replace(
        result,
        value=_mask_value(result.value, mask),
        message=mask(result.message),
        reason=mask(result.reason),
        # Others need not know who made a rule, and when.
        ignored=None
        if result.ignored is None
        else replace(result.ignored, reason=mask(result.ignored.reason), rules=(), author=""),
        fix=mask(result.fix),
        errors=tuple(
            Detail(code=detail.code, actual=_mask_value(detail.actual, mask), limit=_mask_value(detail.limit, mask))
            for detail in result.errors
        ),
        evidence=tuple(_mask_evidence(item, mask) for item in result.evidence),
    )


def _mask_evidence(item: Evidence, mask: Callable[[str], str]) -> Evidence:
    return replace(
        item,
        selector=mask(item.selector),
        snippet=mask(item.snippet),
        url=mask(item.url),
        value=mask(item.value),
        reason=mask(item.reason),
    )


def _mask_value(value: str | float | None, mask: Callable[[str], str]) -> str | int | float | None:
    return mask(value) if isinstance(value, str) else value


def masker(urls: Iterable[str]) -> Callable[[str], str]:
    """Return a function that masks the query values of ``urls`` in a text, in linear time."""
    names: set[str] = set()
    values: set[str] = set()
    for url in urls:
        for pair in url.partition("#")[0].partition("?")[2].split("&"):
            name, equals, value = pair.partition("=")
            if equals and value:
                names.add(name)
            values.add(value if equals else name)
        values.add(url.partition("#")[2])
    # In a text a name ends where a name can end, so of one that holds such a character only a part is found there.
    parts = {part for name in names for form in (name, unquote_plus(name)) for part in _NAME_END.split(form)}
    # A page may have thousands of values, most of them plain.
    escaped = {value for value in values if "%" in value or "+" in value}
    forms = values.union(map(unquote, escaped), map(unquote_plus, escaped))
    pieces = sorted({piece for form in forms if len(form) >= MIN_BARE_CHARACTERS for piece in _pieces(form)})
    found_in = AhoCorasick(pieces, matchkind=MatchKind.LeftmostLongest, implementation=_SMALL) if pieces else None

    # Two runs of a page have most texts in common, and so have the entries of one check.
    @cache
    def mask(text: str) -> str:
        # Also where a text was cut in the middle of a value, which the whole value would no longer match.
        shown = _mask_named(text, parts) if parts and ("=" in text or "%3" in text) else text
        return shown if found_in is None else _mask_found(shown, found_in.find_matches_as_indexes(shown))

    return mask


def without_secrets(value: _Value, secrets: Sequence[str]) -> _Value:
    """Return a value with ``…`` for every secret in its texts and bytes, however deep they are inside of it.

    Args:
        value: Of structs, tuples, mappings, texts and bytes; parts without a secret are the same objects.
    """
    if not secrets:
        return value
    texts = AhoCorasick(list(secrets), matchkind=MatchKind.LeftmostLongest, implementation=_SMALL)
    raw = BytesAhoCorasick(
        [secret.encode() for secret in secrets], matchkind=MatchKind.LeftmostLongest, implementation=_SMALL
    )

    def clean(part: Any) -> Any:
        if isinstance(part, str):
            return _mask_found(part, texts.find_matches_as_indexes(part))
        if isinstance(part, bytes):
            return _mask_found_bytes(part, raw.find_matches_as_indexes(part))
        if isinstance(part, tuple):
            return _if_changed(part, tuple(map(clean, part)))
        if isinstance(part, dict):
            return {clean(key): clean(one) for key, one in part.items()}
        if isinstance(part, msgspec.Struct):
            changed = _changed(part, part.__struct_fields__, clean)
            return replace(part, **changed) if changed else part
        return part

    return cast("_Value", clean(value))


def _if_changed(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[Any, ...]:
    return before if all(map(is_, before, after)) else after


def _changed(part: object, names: Iterable[str], clean: Callable[[Any], Any]) -> dict[str, Any]:
    found = {}
    for name in names:
        before = getattr(part, name)
        after = clean(before)
        if after is not before:
            found[name] = after
    return found


def _mask_found_bytes(data: bytes, found: Sequence[tuple[int, int, int]]) -> bytes:
    shown: list[bytes] = []
    done = 0
    for _, start, end in found:
        shown += (data[done:start], MASK.encode())
        done = end
    return b"".join((*shown, data[done:])) if shown else data


def _pieces(value: str) -> Iterator[str]:
    """The value in pieces of ``PIECE_CHARACTERS``, the last one up to ``MIN_BARE_CHARACTERS`` longer or shorter.

    A search for texts of bounded length cannot be made to look far ahead again and again.
    """
    start = 0
    while len(value) - start >= PIECE_CHARACTERS + MIN_BARE_CHARACTERS:
        yield value[start : start + PIECE_CHARACTERS]
        start += PIECE_CHARACTERS
    yield value[start:]


def _mask_named(text: str, names: Container[str]) -> str:
    """The text without what stands behind one of the names inside an address."""
    shown: list[str] = []
    done = 0
    for match in _NAMED.finditer(text):
        if match.start() >= done and match[1] in names:
            rest = _REST.match(text, match.end())
            shown += (text[done : match.end()], MASK)
            done = match.end() if rest is None else rest.end()
    return "".join((*shown, text[done:])) if shown else text


def _mask_found(text: str, found: Sequence[tuple[int, int, int]]) -> str:
    """The text with one mask for every run of what was found, from the left."""
    shown: list[str] = []
    done = -1
    for _, start, end in found:
        if start != done:
            shown += (text[max(done, 0) : start], MASK)
        done = end
    return "".join((*shown, text[done:])) if shown else text
