"""Parts of a report about the page: headers, weight by type, previews, and what a browser saw; all bounded."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from itertools import chain
from typing import Final

from msgspec.structs import asdict, replace

from pagegrade.model.artifacts import Artifacts, NotGathered, PreviewImage, Resource, Response
from pagegrade.model.document import Document, social_image
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
    RESOURCE_TYPES,
    LoadedFile,
    Preview,
    PreviewPicture,
    ResourceTotal,
    ResourceType,
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
        rendering: The artifact.
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
