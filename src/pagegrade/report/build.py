"""Puts the report together from what was evaluated.

Its parts about the page are bounded: headers, weight by type, previews, and what a browser saw.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Final, Protocol

from msgspec.structs import asdict, replace

from pagegrade.model.artifacts import Artifacts, NotGathered, PreviewImage, Resource, Response
from pagegrade.model.document import Document, social_image
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome, Saving
from pagegrade.model.rendering import (
    DrawnRequest,
    LargestPaint,
    LoadMetrics,
    Metrics,
    Picture,
    RefusedHost,
    RenderedPage,
    RenderedPicture,
    Rendering,
    ShiftedElement,
    Spread,
    Viewport,
)
from pagegrade.model.report import (
    CATEGORIES,
    RESOURCE_TYPES,
    Category,
    CheckLike,
    Counts,
    Ignored,
    LoadedFile,
    OutcomeName,
    PageFacts,
    Preview,
    PreviewPicture,
    Redirect,
    ResourceTotal,
    ResourceType,
    Result,
    severity_of_finding,
)
from pagegrade.report.masking import reveals_values
from pagegrade.report.sanitize import clean

MAX_FILES: Final = 200
MAX_FILE_URL: Final = 500
MAX_HEADERS: Final = 60
MAX_HEADER_NAME: Final = 80
MAX_HEADER_VALUE: Final = 400
MASK: Final = "…"
_SECRET_NAMES: Final = ("token", "csrf", "xsrf", "secret", "session", "auth", "api-key", "apikey", "password")
"""Parts of header names whose values are meant for one browser only."""
_PUBLIC_NAMES: Final = frozenset({"origin-agent-cluster", "www-authenticate", "proxy-authenticate"})
_TYPE_OF_KIND: Final[dict[str, ResourceType]] = {
    "stylesheet": "stylesheet",
    "script": "script",
    "font": "font",
    "image": "image",
    "icon": "image",
    "media": "media",
    "frame": "document",
}
"""Use of a resource -> its type; of several uses the first one here decides."""
MAX_VALUE: Final = 500
MAX_MESSAGE: Final = 500


def resource_totals(artifacts: Artifacts) -> tuple[ResourceTotal, ...]:
    """Sum up the page's files by type, the page included; empty if its resources were not gathered."""
    if isinstance(artifacts.resources, NotGathered):
        return ()
    response = artifacts.navigation.response
    totals: dict[ResourceType, list[int]] = {"document": [1, 0, _transferred(response)]}
    for item in artifacts.resources.items:
        total = totals.setdefault(_type_of(item), [0, 0, 0])
        total[0] += 1
        if item.response is None or not 200 <= item.response.status < 400:  # noqa: PLR2004 - RFC 9110 15
            total[1] += 1
        else:
            total[2] += _transferred(item.response)
    return tuple(
        ResourceTotal(type=name, count=totals[name][0], failed=totals[name][1], transfer_bytes=totals[name][2])
        for name in RESOURCE_TYPES
        if name in totals
    )


def loaded_files(artifacts: Artifacts) -> tuple[LoadedFile, ...]:
    """List the page's files in the order in which they were found; empty if its resources were not gathered."""
    if isinstance(artifacts.resources, NotGathered):
        return ()
    return tuple(_file_of(item) for item in artifacts.resources.items[:MAX_FILES])


def _file_of(item: Resource) -> LoadedFile:
    response = item.response
    hops_ms = sum(hop.timings.total_ms for hop in item.hops)
    first_ms = total_ms = None
    if response is not None:
        timings = response.timings
        setup = (timings.dns_ms, timings.connect_ms, timings.tls_ms, timings.first_byte_ms)
        first_ms = hops_ms + sum(part for part in setup if part is not None)
        total_ms = max(first_ms, hops_ms + timings.total_ms)
    return LoadedFile(
        url=clean(item.url, MAX_FILE_URL),
        type=_type_of(item),
        initiator_url=clean(item.initiator_url, MAX_FILE_URL),
        first_party=item.first_party,
        status=None if response is None else response.status,
        failure="" if item.failure is None else item.failure.code,
        http_version="" if response is None else response.http_version,
        transfer_bytes=None if response is None else _transferred(response),
        redirects=len(item.hops),
        first_byte_ms=first_ms,
        total_ms=total_ms,
    )


def _type_of(item: Resource) -> ResourceType:
    return next((name for kind, name in _TYPE_OF_KIND.items() if kind in item.kinds), "other")


def _transferred(response: Response) -> int:
    """Bytes of the body; of a film that was only begun, what its answer announces."""
    seen = response.wire_bytes if response.wire_bytes is not None else len(response.body)
    announced = response.header("Content-Length") or ""
    if response.truncated == "limit" and announced.isascii() and announced.isdigit():
        return max(seen, int(announced[:15]))
    return seen


def shown_headers(response: Response) -> tuple[tuple[str, str], ...]:
    """The headers in the order they came, cut, and without what may be a secret."""
    return tuple(
        (clean(name, MAX_HEADER_NAME), clean(_public(name.lower(), value), MAX_HEADER_VALUE))
        for name, value in response.headers[:MAX_HEADERS]
    )


def _public(name: str, value: str) -> str:
    if name in {"set-cookie", "set-cookie2"}:
        return _cookie_without_value(value)
    secret = name not in _PUBLIC_NAMES and any(part in name for part in _SECRET_NAMES)
    return MASK if secret and value.strip() else value


def _cookie_without_value(line: str) -> str:
    """``name=…; Path=/; Secure``: a cookie's name and rules say everything that a report is about."""
    pair, semicolon, attributes = line.partition(";")
    name, equals, _ = pair.partition("=")
    return (f"{name}={MASK}" if equals else MASK) + semicolon + attributes


def preview_of(document: Document) -> Preview:
    """Return the previews in search results and shared links."""
    described = document.meta("description")
    social: dict[str, str] = {}
    for meta in document.metas:
        for name in (meta.property, meta.name):
            if name.startswith("og:") and meta.content.strip():
                social.setdefault(name, meta.content)
    return Preview(
        description=_line(described.content if described else "", 400),
        site_name=_line(social.get("og:site_name", ""), 80),
        social_title=_line(social.get("og:title", ""), 200),
        social_description=_line(social.get("og:description", ""), 400),
        image_url=_line(social_image(document.metas), 500),
    )


def stored_previews(artifacts: Artifacts) -> tuple[PreviewImage, ...]:
    """Return the images for previews whose URLs would not be masked for those who only have a link to the report.

    What such a URL leads to may be meant for the one who asked.
    """
    found = artifacts.preview_images
    if isinstance(found, NotGathered):
        return ()
    navigation = artifacts.navigation
    hops = ((hop.url, hop.header("location") or "") for hop in navigation.hops)
    own = (navigation.requested_url, navigation.main_document_url, *chain.from_iterable(hops))
    return tuple(image for image in found.items if not reveals_values(image.url, own))


def with_pictures(preview: Preview, images: Sequence[PreviewImage]) -> Preview:
    """Return the preview with what is stored of its images, and why one is not."""
    stored = {image.kind: _picture(image) for image in images if not image.problem}
    return replace(
        preview,
        image=stored.get("social"),
        image_problem=next((image.problem for image in images if image.kind == "social"), ""),
        icon=stored.get("icon"),
    )


def _picture(image: PreviewImage) -> PreviewPicture | None:
    facts = image.facts
    if facts is None or facts.width_px is None or facts.height_px is None:
        return None
    return PreviewPicture(
        name=image.kind,
        format=facts.format,
        width_px=facts.width_px,
        height_px=facts.height_px,
        bytes=len(image.data),
    )


def _line(text: str, limit: int) -> str:
    # A description of ten megabytes is cut before it is taken apart.
    return clean(" ".join(text[: 4 * limit].split()), limit)


MAX_REQUESTS: Final = 300
MAX_COVERAGE: Final = 100
_DIGITS: Final = {"cls": 4}
"""Decimals that a metric is rounded to; times to one."""


def rendered_page(
    rendering: Rendering,
    loads: Sequence[LoadMetrics],
    medians: LoadMetrics,
    *,
    largest_paint: LargestPaint | None = None,
    shifted_elements: Sequence[ShiftedElement] = (),
) -> RenderedPage:
    """Summarize what a browser saw.

    Args:
        loads: Metrics of each of its loads.
        medians: Their medians.
        largest_paint: Its largest paint with its cause; ``None``: not known.
        shifted_elements: The elements that moved, with their causes.
    """
    values = {
        name: [value for load in loads if (value := getattr(load, name)) is not None]
        for name in LoadMetrics.__struct_fields__
    }
    return RenderedPage(
        device=rendering.device,
        browser=rendering.browser,
        network=rendering.network,
        viewport=Viewport(width_px=rendering.viewport_px[0], height_px=rendering.viewport_px[1]),
        load_count=len(loads),
        metrics=Metrics(
            **{name: None if value is None else _rounded(name, value) for name, value in asdict(medians).items()},
            dom_elements=rendering.dom_elements,
            js_heap_bytes=rendering.js_heap_bytes,
        ),
        spread={
            name: Spread(min=_rounded(name, min(found)), max=_rounded(name, max(found))) if found else None
            for name, found in values.items()
        },
        lcp_element=rendering.lcp_element,
        largest_paint=largest_paint,
        shifted_elements=tuple(shifted_elements),
        storage=rendering.storage,
        requests=tuple(
            DrawnRequest(**asdict(request) | {"response_headers": dict(request.response_headers)})
            for request in rendering.requests[:MAX_REQUESTS]
        ),
        request_count=len(rendering.requests),
        console=rendering.console,
        coverage=tuple(sorted(rendering.coverage or (), key=lambda one: (-one.unused_bytes, one.url)))[:MAX_COVERAGE],
        pictures=tuple(
            RenderedPicture(
                name=name,
                kind=picture.kind,
                width_px=picture.width_px,
                height_px=picture.height_px,
                bytes=len(picture.data),
                time_ms=picture.time_ms,
            )
            for name, picture in zip(picture_names(rendering.pictures), rendering.pictures, strict=True)
        ),
        axe_version=rendering.axe_version or None,
        refused_hosts=tuple(RefusedHost(host=host, connections=count) for host, count in rendering.refused_hosts),
        cpu_s=rendering.cpu_s,
        peak_memory_bytes=rendering.peak_memory_bytes,
        notes=rendering.notes,
    )


def picture_names(pictures: Sequence[Picture]) -> tuple[str, ...]:
    """Return the name of each picture within its report: ``viewport``, ``full-page``, ``frame-1`` and so on."""
    frames = itertools.count(1)
    return tuple(
        f"frame-{next(frames)}" if picture.kind == "frame" else picture.kind.replace("_", "-") for picture in pictures
    )


def _rounded(metric: str, value: float) -> float:
    return round(value, _DIGITS.get(metric, 1))


class EvaluatedLike(Protocol):
    """A verdict that was read by its check's table of states."""

    @property
    def verdict(self) -> Outcome | NotApplicable | NotRun: ...  # noqa: D102
    @property
    def outcome(self) -> OutcomeName: ...  # noqa: D102
    @property
    def loss(self) -> float | None: ...  # noqa: D102


def result_of(
    check: CheckLike,
    evaluated: EvaluatedLike,
    *,
    price: float,
    lost: float,
    counted_in: str | None,
    ignored: Ignored | None = None,
) -> Result:
    """One line of the report; ``counted_in`` is the check that is charged for the cause of both."""
    title = check.title
    severity = check.severity
    why = fix = ""
    count: int | None = None
    saving: Saving | None = None
    state: str | None = None
    value: str | float | None = None
    message = reason = ""
    errors: tuple = ()  # type: ignore[type-arg]
    evidence: tuple = ()  # type: ignore[type-arg]
    total = 0
    match evaluated.verdict:
        case Outcome() as found:
            state = found.state
            explained = check.state(found.state)
            if evaluated.outcome in {"failed", "warning"} and evaluated.loss is not None:
                severity = severity_of_finding(check, found.state, evaluated.loss)
            if evaluated.outcome != "passed" and explained.title:
                title, why, fix, saving = explained.title, explained.why, explained.fix, found.saving
            value = clean(found.value, MAX_VALUE) if isinstance(found.value, str) else found.value
            message = clean(found.message or explained.message, MAX_MESSAGE)
            errors, evidence = found.details, found.evidence
            total = len(evidence) if found.total is None else found.total
            if fix:
                fix = _with_further_advice(check, fix, evidence, is_whole=total == len(evidence))
            if why and explained.counted:
                count = found.count or total or None
        case NotApplicable(why_not):
            reason = f"not_applicable: {why_not}"
            message = why_not
        case NotRun(code, detail):
            reason = f"{code}: {detail}" if detail else code
            message = detail
    if ignored is not None:
        reason = f"ignored: {ignored.reason}"
    return Result(
        check=check.id,
        title=title,
        category=check.category,
        outcome=evaluated.outcome if ignored is None else "ignored",
        state=state,
        importance=severity.label,
        price=price,
        lost=lost,
        cause=check.cause,
        counted_in=counted_in,
        value=value,
        message=message,
        reason=reason,
        why=why,
        fix=fix,
        errors=errors,
        evidence=evidence,
        evidence_total=total,
        learn_more=check.sources[0],
        name=check.title,
        count=count,
        saving=saving,
        ignored=ignored,
    )


def _with_further_advice(check: CheckLike, fix: str, evidence: Sequence[Evidence], *, is_whole: bool) -> str:
    """The advice of the outcome's state, followed by that of the other states that entries of the evidence show.

    Their number is given where the evidence ``is_whole``, so that the numbers add up to the entries listed.
    """
    advice = {fix: ""}
    for name, number in Counter(entry.state for entry in evidence).items():
        if name and (other := check.state(name)).fix:
            count = f": {number:,}" if other.counted and is_whole else ""
            advice.setdefault(other.fix, f"Also found: {other.title}{count}. ")
    return "\n\n".join(title + text for text, title in advice.items())


def count_results(results: Sequence[Result]) -> tuple[Counts, dict[Category, tuple[int, int]]]:
    """(the counts of the report, category -> (passed, findings)).

    Findings of one cause are one finding: one that is counted in another is not counted again.
    """
    totals = dict.fromkeys(
        ("passed", "critical", "high", "medium", "low", "informative", "not_applicable", "not_evaluated"),
        0,
    )
    by_category: dict[Category, tuple[int, int]] = dict.fromkeys(CATEGORIES, (0, 0))
    for result in results:
        passed, failed = by_category[result.category]
        if result.outcome == "ignored":
            continue
        if result.outcome in ("warning", "failed"):
            if result.counted_in is not None:
                continue
            totals[result.importance] += 1
            by_category[result.category] = (passed, failed + 1)
        else:
            totals[result.outcome] += 1
            if result.outcome == "passed":
                by_category[result.category] = (passed + 1, failed)
    return Counts(**totals), by_category


def page_facts(artifacts: Artifacts, document: Document | None) -> PageFacts:
    """Figures of the page; those of the document are left out where it was not evaluated."""
    navigation = artifacts.navigation
    response = navigation.response
    timings = response.timings
    requests = 0
    title = language = ""
    if document is not None:
        urls = {reference.url for reference in document.references if not reference.alternative}
        if not isinstance(artifacts.resources, NotGathered):
            urls.update(item.url for item in artifacts.resources.items)
        requests = len(urls)
        title = clean(next((one.text for one in document.titles), ""), 512)
        language = clean(document.html.attrs.get("lang", "") if document.html else "", 35)
    return PageFacts(
        http_status=response.status,
        redirects=tuple(
            Redirect(
                url=clean(hop.url, 2048),
                status=hop.status,
                location=clean(hop.header("location") or "", 2048),
                address=hop.address,
                total_ms=hop.timings.total_ms,
                http_version=hop.http_version,
            )
            for hop in navigation.hops
        ),
        http_version=response.http_version,
        address=response.address,
        bytes=len(response.body),
        transfer_bytes=response.wire_bytes,
        requests=requests,
        timing_ms={
            "dns": timings.dns_ms,
            "connect": timings.connect_ms,
            "tls": timings.tls_ms,
            "first_byte": timings.first_byte_ms,
            "download": timings.download_ms,
        },
        title=title,
        language=language,
        server=clean(response.header("server") or "", 200),
        resources=resource_totals(artifacts),
        files=loaded_files(artifacts),
        headers=shown_headers(response),
        preview=None if document is None else with_pictures(preview_of(document), stored_previews(artifacts)),
    )
