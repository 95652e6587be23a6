"""Abilities of the kernel below the tests, read from its own files."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from pagegrade.gather.confinement import FILTERED_MACHINES


def knows_filters() -> bool:
    """Return whether the kernel filters system calls, and the product knows those of the machine."""
    if sys.platform != "linux" or platform.machine() not in FILTERED_MACHINES:
        return False
    return "\nSeccomp:" in Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
