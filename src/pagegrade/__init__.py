"""Fetches a web page safely, checks it, and grades it with a score whose every point is explained.

    >>> import pagegrade
    >>> report = pagegrade.analyze("https://example.com/")  # doctest: +SKIP
    >>> report.score, report.result  # doctest: +SKIP
    (74, 'decent')

Everything public is listed in ``__all__`` and loaded on first use, so that ``import pagegrade`` is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagegrade.library import analyze, analyze_async, evaluate, evaluate_document
    from pagegrade.model.access import Access
    from pagegrade.model.artifacts import Artifacts
    from pagegrade.model.errors import (
        InvalidArtifacts,
        InvalidInput,
        InvalidURL,
        PagegradeError,
        RunFailed,
        URLNotAllowed,
    )
    from pagegrade.model.identity import VERSION as __version__  # noqa: N811 - the name Python tools look for
    from pagegrade.model.report import Report
    from pagegrade.report.artifacts_file import load_artifacts, save_artifacts
    from pagegrade.report.serialize import report_to_dict

__all__ = [
    "Access",
    "Artifacts",
    "InvalidArtifacts",
    "InvalidInput",
    "InvalidURL",
    "PagegradeError",
    "Report",
    "RunFailed",
    "URLNotAllowed",
    "__version__",
    "analyze",
    "analyze_async",
    "evaluate",
    "evaluate_document",
    "load_artifacts",
    "report_to_dict",
    "save_artifacts",
]

_HOMES = {
    "library": ("analyze", "analyze_async", "evaluate", "evaluate_document"),
    "model.access": ("Access",),
    "model.artifacts": ("Artifacts",),
    "model.errors": ("InvalidArtifacts", "InvalidInput", "InvalidURL", "PagegradeError", "RunFailed", "URLNotAllowed"),
    "model.report": ("Report",),
    "report.artifacts_file": ("load_artifacts", "save_artifacts"),
    "report.serialize": ("report_to_dict",),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("pagegrade.model.identity").VERSION
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"pagegrade.{home}"), name)
    raise AttributeError(f"module 'pagegrade' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
