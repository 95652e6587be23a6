from __future__ import annotations

import subprocess
import sys

import pytest

from tests import ports
from tests.ports import free_port
from tests.waiting import HANG_S


def test_a_port_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the one who got it lives, neither this process nor another one is given it, listening or not."""
    given = [free_port() for _ in range(20)]
    monkeypatch.setattr(ports, "NUMBERS", given)
    code = f"from tests import ports\nports.NUMBERS = {given}\nports.free_port()"
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=HANG_S, check=False
    )

    with pytest.raises(OSError, match="no port is free"):
        free_port()

    assert len(set(given)) == 20
    assert "no port is free" in other.stderr
