"""Memory given back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
from pathlib import Path
from pagegrade.sandbox.memory import map_large_blocks, trim_memory

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

{before}
# One large block is freed, and small ones outlive the next large ones.
bytearray(20_000_000)
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


@pytest.mark.skipif(sys.platform != "linux", reason="glibc only")
@pytest.mark.parametrize(("before", "after"), [("map_large_blocks()", ""), ("", "trim_memory()")])
def test_freed_blocks_go_back_to_the_system(before: str, after: str) -> None:
    """Either at once, or when told."""
    script = SCRIPT.format(before=before, after=after)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert float(done.stdout) < 10
