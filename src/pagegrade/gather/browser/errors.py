"""Failures of the rendered engine."""

from __future__ import annotations

from pagegrade.model.artifacts import NotGathered


class RenderingFailed(Exception):
    """The page was not rendered; the report's other parts are not affected.

    Attributes:
        code: Code of ``NotGathered``: ``no_browser``, ``browser_sandbox``, ``browser_crash``, ``timeout``,
            ``too_large``, ``navigation``, ``internal``.
        detail: One sentence for people.
        reason: The finer cause; empty where there is none.
    """

    def __init__(self, code: str, detail: str, *, reason: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.reason = reason

    def not_gathered(self) -> NotGathered:
        """Return the failure as the artifact that is missing."""
        return NotGathered(code=self.code, detail=self.detail, reason=self.reason)
