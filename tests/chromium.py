"""The browser of tests of the rendered engine: a fixture for the ``conftest.py`` of their folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pagegrade.gather.browser.options import HOW_TO_GET_ONE, find_browser


@pytest.fixture(scope="session")
def program() -> Path:
    """A Chromium; without one, tests fail in CI and are skipped elsewhere."""
    found = find_browser()
    if found is None:
        if os.environ.get("CI", "").lower() in {"1", "true"}:
            pytest.fail(f"The rendered engine must be tried in a real browser. {HOW_TO_GET_ONE}")
        pytest.skip(f"rendered engine: {HOW_TO_GET_ONE}")
    return found
