"""A report without the query values of its own page's address, for people who were only given a link to the report.

Such values are often keys to something: a reset link, an invitation, a session. The names stay, because they help to
understand the report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final
from urllib.parse import unquote, unquote_plus

import msgspec

from pagegrade.model.outcome import Detail, Evidence
from pagegrade.model.report import PageFacts, Preview, Redirect, Report, Result

MASK: Final = "…"
"""Never part of a canonical URL, where it would be percent-encoded: what holds it cannot be followed by mistake."""
MIN_BARE_CHARACTERS: Final = 6
"""A value this long is masked wherever it stands; a shorter one (``2``, ``en``) only inside an address."""
_END: Final = r"[^&;#\s\"'<>`\\)\]}]*"
"""The rest of a value inside an address inside any text."""


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
    hops = report.page.redirects if report.page is not None else ()
    own = [report.url, report.final_url or "", *(hop.url for hop in hops), *(hop.location for hop in hops)]
    mask = _masker(own)
    return replace(
        report,
        url=mask_url(report.url),
        final_url=None if report.final_url is None else mask_url(report.final_url),
        results=tuple(_mask_result(result, mask) for result in report.results),
        page=None if report.page is None else _mask_page(report.page, mask),
        run=replace(
            report.run,
            not_gathered=tuple((name, mask(why)) for name, why in report.run.not_gathered),
            notes=tuple(map(mask, report.run.notes)),
        ),
        error=None
        if report.error is None
        else replace(report.error, message=mask(report.error.message), reason=mask(report.error.reason or "") or None),
    )


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
        headers=tuple((name, mask(value)) for name, value in page.headers),
        preview=None
        if preview is None
        else Preview(
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
        fix=mask(result.fix),
        errors=tuple(
            Detail(code=detail.code, actual=_mask_value(detail.actual, mask), limit=_mask_value(detail.limit, mask))
            for detail in result.errors
        ),
        evidence=tuple(_mask_evidence(item, mask) for item in result.evidence),
    )


def _mask_evidence(item: Evidence, mask: Callable[[str], str]) -> Evidence:
    return msgspec.structs.replace(
        item,
        selector=mask(item.selector),
        snippet=mask(item.snippet),
        url=mask(item.url),
        value=mask(item.value),
        reason=mask(item.reason),
    )


def _mask_value(value: str | float | None, mask: Callable[[str], str]) -> str | int | float | None:
    return mask(value) if isinstance(value, str) else value


def _masker(urls: Iterable[str]) -> Callable[[str], str]:
    """What takes the query values of ``urls`` out of a text."""
    names: set[str] = set()
    values: set[str] = set()
    for url in urls:
        for pair in url.partition("#")[0].partition("?")[2].split("&"):
            name, equals, value = pair.partition("=")
            if equals and value:
                names.add(name)
            values.add(value if equals else name)
        values.add(url.partition("#")[2])
    forms = {form for value in values for form in (value, unquote(value), unquote_plus(value))}
    bare = sorted((form for form in forms if len(form) >= MIN_BARE_CHARACTERS), key=len, reverse=True)
    alternatives = []
    if names:
        # Also where a text was cut in the middle of a value, which the whole value would no longer match.
        listed = "|".join(re.escape(form) for name in sorted(names) for form in {name, unquote_plus(name)})
        alternatives.append(rf"(?P<head>(?:[?&;]|%3[Ff]|%26)(?:{listed})(?:=|%3[Dd])){_END}")
    alternatives += [re.escape(form) for form in bare]
    if not alternatives:
        return str
    pattern = re.compile("|".join(alternatives))
    return lambda text: pattern.sub(lambda match: (match["head"] or "") + MASK if names else MASK, text)
