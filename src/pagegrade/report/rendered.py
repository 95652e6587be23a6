"""The part of a report about the page in a browser: made of the artifact, and bounded."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from pagegrade.model.rendering import (
    LargestPaint,
    LoadMetrics,
    Picture,
    RenderedPage,
    RenderedPicture,
    Rendering,
    ShiftedElement,
)

JSONObject = dict[str, Any]
_METRICS: Final = LoadMetrics.__struct_fields__
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
    values = {name: [value for load in loads if (value := getattr(load, name)) is not None] for name in _METRICS}
    return RenderedPage(
        device=rendering.device,
        browser=rendering.browser,
        network=rendering.network,
        viewport_px=rendering.viewport_px,
        load_count=len(loads),
        metrics=_rounded({name: getattr(medians, name) for name in values}),
        lowest=_rounded({name: min(found, default=None) for name, found in values.items()}),
        highest=_rounded({name: max(found, default=None) for name, found in values.items()}),
        dom_elements=rendering.dom_elements,
        js_heap_bytes=rendering.js_heap_bytes,
        lcp_element=rendering.lcp_element,
        largest_paint=largest_paint,
        shifted_elements=tuple(shifted_elements),
        storage=rendering.storage,
        requests=rendering.requests[:MAX_REQUESTS],
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
        axe_version=rendering.axe_version,
        refused_hosts=rendering.refused_hosts,
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


def _rounded(values: dict[str, float | None]) -> LoadMetrics:
    return LoadMetrics(
        **{name: None if value is None else round(value, _DIGITS.get(name, 1)) for name, value in values.items()}
    )


def rendered_to_dict(page: RenderedPage) -> JSONObject:
    """Return the JSON object of a page in a browser."""
    return {
        "device": page.device,
        "browser": page.browser,
        "network": page.network,
        "viewport": {"width_px": page.viewport_px[0], "height_px": page.viewport_px[1]},
        "load_count": page.load_count,
        "metrics": {
            **_plain(page.metrics),
            "dom_elements": page.dom_elements,
            "js_heap_bytes": page.js_heap_bytes,
        },
        "spread": {
            name: None if low is None else {"min": low, "max": high}
            for (name, low), high in zip(_plain(page.lowest).items(), _plain(page.highest).values(), strict=True)
        },
        "lcp_element": None if page.lcp_element is None else _plain(page.lcp_element),
        "largest_paint": None if page.largest_paint is None else _plain(page.largest_paint),
        "shifted_elements": [_plain(one) for one in page.shifted_elements],
        "storage": [_plain(one) for one in page.storage],
        "request_count": page.request_count,
        "requests": [
            {**_plain(request), "response_headers": dict(request.response_headers)} for request in page.requests
        ],
        "console": [_plain(message) for message in page.console],
        "coverage": [_plain(one) for one in page.coverage],
        "pictures": [_plain(picture) for picture in page.pictures],
        "axe_version": page.axe_version or None,
        "refused_hosts": [{"host": host, "connections": count} for host, count in page.refused_hosts],
        "cpu_s": page.cpu_s,
        "peak_memory_bytes": page.peak_memory_bytes,
        "notes": list(page.notes),
    }


def rendered_shape(data: Mapping[str, Any]) -> JSONObject:
    """Rearrange what ``rendered_to_dict`` made to the fields of ``RenderedPage``; what is not there is left out."""
    metrics, spread, viewport = (_mapping(data.get(name)) for name in ("metrics", "spread", "viewport"))
    shaped = {name: value for name, value in data.items() if name not in ("spread", "viewport") and value is not None}
    for name in ("dom_elements", "js_heap_bytes"):
        if metrics.get(name) is not None:
            shaped[name] = metrics[name]
    shaped["metrics"] = {name: value for name, value in metrics.items() if name in _METRICS}
    for extreme, side in (("lowest", "min"), ("highest", "max")):
        shaped[extreme] = {name: _mapping(spread.get(name)).get(side) for name in _METRICS}
    shaped["viewport_px"] = [viewport.get("width_px"), viewport.get("height_px")]
    shaped["requests"] = [
        {**_mapping(request), "response_headers": list(_mapping(_mapping(request).get("response_headers")).items())}
        for request in data.get("requests") or ()
    ]
    shaped["refused_hosts"] = [
        [_mapping(one).get("host"), _mapping(one).get("connections")] for one in data.get("refused_hosts") or ()
    ]
    return shaped


def _plain(value: object) -> JSONObject:
    plain: JSONObject = msgspec.to_builtins(value)
    return plain


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
