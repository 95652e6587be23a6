"""The browser of the tests of this folder and those in it."""

from __future__ import annotations

from tests.chromium import program

__all__ = ["program"]
