"""Renderings for the tests of checks."""

from __future__ import annotations

from typing import Any

from pagegrade.model.rendering import Rendering, Timeline


def make_timeline(**more: Any) -> Timeline:
    """A load that paints at 1 s and is quiet afterwards."""
    usual: dict[str, Any] = {
        "first_contentful_paint_ms": 1_000.0,
        "dom_content_loaded_ms": 900.0,
        "load_ms": 1_200.0,
        "end_ms": 30_000.0,
    }
    return Timeline(**{**usual, **more})


def make_rendering(*loads: Timeline, device: Any = "mobile", **more: Any) -> Rendering:
    """A page that a browser drew, by default once and without any trouble."""
    usual: dict[str, Any] = {
        "browser": "HeadlessChrome/156.0.1.2",
        "network": "mobile",
        "viewport_px": (412, 823),
        "final_url": "https://example.com/",
        "html": "<!doctype html><title>Page</title><body><h1>Page</h1>",
    }
    return Rendering(device=device, loads=loads or (make_timeline(),), **{**usual, **more})
