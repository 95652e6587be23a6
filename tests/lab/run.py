"""The pytest side of the lab: can it run here, and if so, run cases in it."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from tests.lab.namespace import repository, unshare_command
from tests.lab.world import AT_ONCE, Order, Verdicts

LONGEST_S: Final = 900
"""A run that takes longer than this is stuck."""


class LabBrokenError(Exception):
    """The lab itself failed; what it printed is the message."""


@functools.cache
def why_not() -> str | None:
    """The reason why the lab cannot run here; ``None`` when it can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces exist only on Linux"
    if unshare_command() is None:
        return "this system does not permit `unshare` to make a network and mount namespace"
    return None


def run_lab(cases: Sequence[str], subject: str = "product", at_once: int = AT_ONCE) -> Verdicts:
    """Run the cases with these ids in a fresh namespace.

    Raises:
        LabBrokenError: It did not come to an end or could not be set up.
    """
    prefix = unshare_command()
    if prefix is None:
        raise LabBrokenError(why_not())
    process = subprocess.Popen(
        [*prefix, sys.executable, "-m", "tests.lab.world"],
        cwd=repository(),
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = process.communicate(
            msgspec.json.encode(Order(cases=list(cases), subject=subject, at_once=at_once)), LONGEST_S
        )
    except subprocess.TimeoutExpired:
        process.kill()
        raise LabBrokenError(f"the lab did not end within {LONGEST_S} s") from None
    if process.returncode != 0:
        raise LabBrokenError(err.decode(errors="replace")[-4000:])
    return msgspec.json.decode(out, type=Verdicts)
