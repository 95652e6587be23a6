"""Memory given back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import ctypes
from pathlib import Path
from pagegrade.sandbox.memory import map_large_blocks, trim_memory

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

# The C library keeps blocks, as it does by itself after large ones were freed; small ones outlive the next large ones.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 32 << 20)
ctypes.CDLL(None).mallopt(M_TRIM_THRESHOLD, 64 << 20)
{before}
base = resident_mb()
kept = []
for _ in range(40):
    large = bytearray(b"x" * 1_000_000)
    kept.append(bytearray(b"y" * 2_000))
    kept.append(large)
kept = [each for each in kept if len(each) < 10_000]
del large
{after}
print(resident_mb() - base)
"""


def grown_mb(before: str, after: str) -> float:
    """Memory that stays with a process of its own that frees blocks between two statements."""
    script = SCRIPT.format(before=before, after=after)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return float(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc only")
@pytest.mark.parametrize(("before", "after"), [("map_large_blocks()", ""), ("", "trim_memory()")])
def test_freed_blocks_go_back_to_the_system(before: str, after: str) -> None:
    """Either at once, or on demand."""
    assert grown_mb(before, after) < 10


@pytest.mark.skipif(sys.platform != "linux", reason="glibc only")
def test_freed_blocks_would_stay() -> None:
    """The test above could fail."""
    assert grown_mb("", "") > 30
