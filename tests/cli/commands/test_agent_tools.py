from __future__ import annotations

import sys

import pytest

from pagegrade.cli.app import run


def test_without_the_extra_it_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base installation has no tools for agents."""
    monkeypatch.delitem(sys.modules, "pagegrade.mcp.local_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)  # as where it is not installed
    code = run(["mcp"])

    assert code == 2
    assert "pagegrade[mcp]" in capsys.readouterr().err


def test_a_network_that_cannot_be_read_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Named, before anything is served."""
    code = run(["mcp", "--allow-network", "everything"])

    assert code == 2
    assert "everything" in capsys.readouterr().err
