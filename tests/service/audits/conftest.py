"""The browser of the tests of this folder."""

from __future__ import annotations

from tests.chromium import program

__all__ = ["program"]
