from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pagegrade.service.doctor.browser import look_at_browser
from pagegrade.service.doctor.checks import Diagnosis
from pagegrade.service.options import RenderDefault
from tests.chromium import program

__all__ = ["program"]


def look(configured: str | None, render: RenderDefault, platform: str = "linux") -> Diagnosis:
    """The finding."""
    return asyncio.run(look_at_browser(configured, render, platform=platform))


def test_the_browser_is_named_and_was_started(program: Path) -> None:
    """With its sandbox on."""
    found = look(str(program), "always")

    assert found.level == "ok"
    assert "isolated and sandboxed" in found.message
    assert str(program) in found.message


@pytest.mark.parametrize(
    ("configured", "render", "platform", "level"),
    [
        ("/no/such/browser", "never", "linux", "ok"),
        ("/no/such/browser", "auto", "linux", "warning"),
        ("/no/such/browser", "always", "linux", "problem"),
        ("/bin/true", "auto", "linux", "warning"),
        ("/bin/true", "always", "linux", "problem"),
        (None, "auto", "darwin", "ok"),
        (None, "always", "darwin", "problem"),
    ],
)
def test_what_is_missing_is_as_serious_as_it_is_required(
    configured: str | None, render: RenderDefault, platform: str, level: str
) -> None:
    """It is no finding for those who need none; every other finding says what to do."""
    found = look(configured, render, platform)

    assert found.level == level
    assert bool(found.advice) == (level != "ok")


def test_without_a_browser_there_is_nothing_to_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pages are analyzed without one, unless it is required."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert look(None, "auto").level == "ok"
    assert look(None, "always").advice.startswith("Install a Chromium")
