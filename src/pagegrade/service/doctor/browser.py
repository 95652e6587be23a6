"""Health check of the browser that draws pages: which one, whether its sandbox works, and whether it starts."""

from __future__ import annotations

import sys

from pagegrade.gather.browser.options import HOW_TO_GET_ONE, RenderingFailed, find_browser
from pagegrade.gather.browser.process import try_browser
from pagegrade.render.english import N_, phrase
from pagegrade.service.doctor.checks import Diagnosis, ok, problem, warning
from pagegrade.service.options import RenderDefault

_TOPIC = N_("browser")


async def look_at_browser(configured: str | None, render: RenderDefault, *, platform: str = sys.platform) -> Diagnosis:
    """Start the browser once and report on it; where it is required, its absence is a problem.

    Args:
        configured: ``PAGEGRADE_BROWSER``; ``None`` to look for one.
        render: ``PAGEGRADE_RENDER``.
        platform: As ``sys.platform``.
    """
    if render == "never":
        return ok(_TOPIC, "not used: PAGEGRADE_RENDER is never")
    serious = problem if render == "always" else warning
    if platform != "linux":
        message = phrase("pages are not drawn on {0}, where a browser cannot be isolated", platform)
        return ok(_TOPIC, message) if render == "auto" else problem(_TOPIC, message, "Run the service on Linux.")
    program = find_browser(configured)
    if program is None:
        if configured is not None:
            return serious(
                _TOPIC, phrase("{0} is no program that can be run", configured), "Correct PAGEGRADE_BROWSER."
            )
        message = phrase("none found; pages are analyzed without one")
        return ok(_TOPIC, message) if render == "auto" else problem(_TOPIC, message, HOW_TO_GET_ONE)
    try:
        trial = await try_browser(program)
    except RenderingFailed as error:
        return serious(_TOPIC, phrase("{0}: {1}", program, error.detail), "Fix it, or set PAGEGRADE_RENDER=never.")
    if not trial.sandboxed:
        return serious(
            _TOPIC,
            phrase("{0} ({1}) draws pages without a filter for system calls", trial.product, program),
            "Install a Chromium of your distribution, or set PAGEGRADE_RENDER=never.",
        )
    return ok(
        _TOPIC,
        phrase("{0} ({1}), isolated and sandboxed, started in {2} s", trial.product, program, round(trial.seconds, 1)),
    )
