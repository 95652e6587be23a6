"""The exit codes, a promise to scripts."""

from __future__ import annotations

from typing import Final

OK: Final = 0
GATE_FAILED: Final = 1
"""A condition of ``--fail-on`` or ``--fail-on-new`` holds."""
USAGE: Final = 2
"""The command line, a file named on it, or a setting cannot be used."""
NOT_ANALYZED: Final = 3
"""At least one page could not be analyzed; it weighs more than a failed gate."""
UNAVAILABLE: Final = 4
"""The database cannot be used right now."""
UNFIT: Final = 5
"""``pagegrade doctor`` found a problem."""
INTERRUPTED: Final = 130
"""Ctrl-C: 128 + SIGINT."""
