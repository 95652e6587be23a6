"""Modules that each way to start the program does without: a heavy one that is not used yet would slow every start."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

from tests.waiting import HANG_S

DATABASE: Final = "alembic duckdb procrastinate psycopg sqlalchemy"
WEB: Final = "jinja2 prometheus_client starlette structlog uvicorn"
PAGES: Final = "pagegrade.checks pycurl turbohtml"
RARE: Final = "alembic dns.resolver duckdb httpx httpx2 mcp mypy opentelemetry procrastinate psycopg pytest typst"
"""Extras, and modules that are loaded with their first use: no start needs them."""

STARTS: Final = {
    "pagegrade --version": (
        "from pagegrade.cli.app import run; run(['--version'])",
        f"{DATABASE} {WEB} {PAGES} {RARE} asyncio pydantic rich",
    ),
    "pagegrade serve --help": (
        "from pagegrade.cli.app import run; run(['serve', '--help'])",
        f"{DATABASE} {WEB} {PAGES} {RARE} rich",
    ),
    "pagegrade analyze": (
        "from pagegrade.cli.app import run; run(['analyze', 'http://127.0.0.1:1/', '--quiet'])",
        f"{DATABASE} {WEB} {RARE}",
    ),
    "pagegrade accounts": (
        "import pagegrade.cli.app, pagegrade.cli.commands.accounts",
        f"pydantic starlette uvicorn {RARE}",
    ),
    "pagegrade serve": ("import pagegrade.cli.app, pagegrade.cli.commands.serve", RARE),
    "pagegrade worker": ("import pagegrade.cli.app, pagegrade.cli.commands.serve", RARE),
    "a child that reads pages": (
        "import importlib; from pagegrade.sandbox.worker import TASKS\n"
        "for name in TASKS: importlib.import_module(name)\n"
        "from pagegrade.checks import all_checks; all_checks()",
        f"{DATABASE} {WEB} {RARE} pycurl pydantic rich",
    ),
}
"""Start -> (code that does it, up to its first page or question; modules that it must not have loaded then)."""


@pytest.mark.parametrize("start", STARTS)
def test_a_start_loads_only_what_it_needs(start: str) -> None:
    """Counted in modules, not in seconds, so that a busy machine changes nothing."""
    code, unwanted = STARTS[start]
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('LOADED', *sys.modules)"],
        capture_output=True,
        encoding="utf-8",
        timeout=HANG_S,
        check=True,
    )
    loaded = set(told.stdout.rpartition("LOADED ")[2].split())

    assert "pagegrade.model" in loaded
    assert loaded & set(unwanted.split()) == set()
