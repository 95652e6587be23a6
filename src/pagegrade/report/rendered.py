"""The part of a report about the page in a browser: made of the artifact, and bounded."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from msgspec.structs import asdict

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
