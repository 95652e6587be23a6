"""The example of the documentation of the Python client, run as it stands against a server and a site of the tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.server import Server
from tests.site.serve import Site

ROOT = Path(__file__).resolve().parents[2]


def test_the_documented_example_runs(server: Server, site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Create, wait, print and iterate, over a real connection with real workers."""
    text = (ROOT / "docs/howto/use-the-client.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    example = examples[0].replace("https://reports.example.org", server.origin).replace("pgk_...", server.key)
    exec(compile(example.replace("https://example.com/", f"{site.http}/"), "example", "exec"), {})  # noqa: S102
    printed = capsys.readouterr().out.splitlines()

    assert len(examples) == 1
    assert re.fullmatch(r"completed \d+ (good|decent|bad)", printed[0])
    assert any(line.startswith(f"{site.http}/ ") for line in printed[1:])
