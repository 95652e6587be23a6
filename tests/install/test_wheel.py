"""The wheel in empty environments: the base is command, library and service, and each extra works alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from devtools.locks import UV
from tests import otlp, postgres
from tests.server import Server, start_server

ROOT = Path(__file__).resolve().parents[2]
MAX_BASE_BYTES = 120_000_000
"""Files that ``pip install --no-compile pagegrade`` brings."""
MAX_BYTE_CODE_BYTES = 45_000_000
"""Byte code that pip compiles them to without ``--no-compile``."""
PATIENCE_S = 300.0
Install = Callable[[str], Path]
"""Makes an environment with an extra (empty: none); returns its Python."""

LIBRARY = """
import sys, pagegrade
from pagegrade.model.errors import PDFNotInstalled
from pagegrade.render.pdf import render_report_pdf
report = pagegrade.evaluate_document(b"<title>A</title><h1>B</h1>", url="https://example.com/")
assert report.score is not None and not {"typst", "mcp", "httpx2", "opentelemetry", "psycopg"} & set(sys.modules)
try:
    render_report_pdf(report)
except PDFNotInstalled as error:
    assert "pagegrade[pdf]" in error.message
else:
    raise AssertionError("Typst is part of the base")
"""
PDF = """
import pagegrade
from pagegrade.render.pdf import render_report_pdf
report = pagegrade.evaluate_document(b"<title>A</title><h1>B</h1>", url="https://example.com/")
assert render_report_pdf(report).startswith(b"%PDF-")
"""
MCP = """
import asyncio, sys
from mcp import Client, StdioServerParameters
async def main():
    command = StdioServerParameters(command=sys.executable, args=["-I", "-m", "pagegrade", "mcp"])
    async with Client(command) as client:
        answer = await client.call_tool("explain_check", {"check": "canonical"})
        assert answer.structured_content["check"] == "canonical", answer
asyncio.run(main())
"""
CLIENT = """
import sys
from pagegrade.client import Client
with Client(*sys.argv[1:3]) as client:
    report = client.wait_for_report(client.create_report(sys.argv[3])["id"])
    assert report["url"] == sys.argv[3] and report["state"] == "failed", report
"""
OTEL = """
from pagegrade.wiring import start_tracing
tracing = start_tracing("test")
assert tracing.on
tracing.start("installed", kind="internal").end()
tracing.close()
"""
NO_TRACES = """
import logging
logging.basicConfig(format="%(message)s: %(reason)s")
from pagegrade.wiring import start_tracing
assert not start_tracing("test").on
"""
AUDIT = """
import tempfile
from pathlib import Path
from pagegrade.service.audits.analysis import analyze_folder
with tempfile.TemporaryDirectory() as folder:
    assert analyze_folder(Path(folder)).no_grade == "too_few_pages"
"""
UVLOOP = """
import uvloop
from pagegrade.web.server.serve import loop_factory
assert loop_factory() is uvloop.new_event_loop
"""


def run(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with settings of its own only."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAGEGRADE_", "PYTHON", "OTEL_"))}
    return subprocess.run(
        [str(part) for part in command],
        env={**kept, "UV_SYSTEM_CERTS": "true", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )


def output(*command: object, **environment: str) -> str:
    """Return the output of a command that must succeed."""
    done = run(*command, **environment)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """Environments, each made once, in which nothing but the wheel with one extra is installed."""
    folder = tmp_path_factory.mktemp("install")
    output(
        *(UV, "build", "--quiet", "--wheel", "--build-constraints", ROOT / "requirements" / "build.txt"),
        *("--python", sys.executable, "--out-dir", folder, ROOT),
    )
    (wheel,) = folder.glob("*.whl")

    @cache
    def made(extra: str) -> Path:
        home = folder / (extra or "base")
        output(UV, "venv", "--quiet", "--python", sys.executable, home)
        output(
            *(UV, "pip", "install", "--quiet", "--python", home, "--constraint", ROOT / "requirements" / "dev.txt"),
            f"pagegrade[{extra}] @ {wheel.as_uri()}" if extra else wheel,
        )
        return home / "bin" / "python"

    return made


@pytest.fixture(scope="module")
def base_service(install: Install, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The service of the base."""
    command = (str(install("")), "-I", "-m", "pagegrade")
    server = start_server(tmp_path_factory.mktemp("data"), command=command, tables=False)
    yield server
    server.stop()


def test_the_extras_are_those_that_are_tested_here() -> None:
    """A new extra gets its test in this file."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert set(project["optional-dependencies"]) == {"audit", "client", "mcp", "otel", "pdf", "postgresql", "uvloop"}


def test_the_base_is_small(install: Install) -> None:
    """All files that the installation brings, without byte code, which pip may compile them to."""
    (packages,) = install("").parents[1].glob("lib/python3*/site-packages")
    files = {path.relative_to(packages): path.stat().st_size for path in packages.rglob("*") if path.is_file()}

    assert sum(files.values()) <= MAX_BASE_BYTES
    assert {path.parts[0] for path in files} & {
        "babel",
        "duckdb",
        "mcp",
        "opentelemetry",
        "procrastinate",
        "typst",
    } == set()
    assert {path for path in files if path.parts[0] == "pagegrade" and path.stem.startswith("test_")} == set()


def test_the_byte_code_of_the_base_is_bounded(install: Install, tmp_path: Path) -> None:
    """Byte code is written elsewhere here, because the other tests measure the files alone."""
    (packages,) = install("").parents[1].glob("lib/python3*/site-packages")
    output(install(""), "-m", "compileall", "-qq", "-j", "0", packages, PYTHONPYCACHEPREFIX=str(tmp_path))
    sizes = [path.stat().st_size for path in tmp_path.rglob("*.pyc")]

    assert 0 < sum(sizes) <= MAX_BYTE_CODE_BYTES


def test_the_base_is_command_and_library(install: Install) -> None:
    """Without any extra; only PDF is not there, and the error names what brings it."""
    command = install("").with_name("pagegrade")
    output(install(""), "-I", "-c", LIBRARY)

    assert output(command, "--version").startswith("pagegrade ")
    assert "canonical" in output(command, "explain", "canonical")


def test_the_base_is_a_service(base_service: Server) -> None:
    """Pages, API and analyses, from SQLite."""
    report = base_service.create("http://127.0.0.1:9/")

    assert base_service.call("GET", "/healthz", key=None).status == 200
    assert b"<!doctype html>" in base_service.call("GET", "/sign-in", key=None).body.lower()
    assert base_service.finished(report["id"])["state"] == "failed"
    assert base_service.call("GET", f"/api/v1/reports/{report['id']}").status == 200


def test_what_the_base_lacks_says_how_to_get_it(install: Install, base_service: Server, tmp_path: Path) -> None:
    """Each extra is named where it is missed."""
    python = install("")
    url = "postgresql+psycopg://db.example/reports"
    tools = run(python, "-I", "-m", "pagegrade", "mcp")
    database = run(
        *(python, "-I", "-m", "pagegrade", "migrate"),
        PAGEGRADE_DATABASE_URL=url,
        PAGEGRADE_DATA_DIR=str(tmp_path),
    )
    client = run(python, "-I", "-c", "import pagegrade.client")
    audit = run(python, "-I", "-c", AUDIT)
    traces = run(python, "-I", "-c", NO_TRACES, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    agents = base_service.call("POST", "/mcp", body=b"{}", headers={"Content-Type": "application/json"})

    assert (tools.returncode, "pip install 'pagegrade[mcp]'" in tools.stderr) == (2, True)
    assert (database.returncode, "pip install 'pagegrade[postgresql]'" in database.stderr) == (2, True)
    assert (audit.returncode, "pip install 'pagegrade[audit]'" in audit.stderr) == (1, True)
    assert (client.returncode, "pip install 'pagegrade[client]'" in client.stderr) == (1, True)
    assert (traces.returncode, "pagegrade[otel]" in traces.stderr) == (0, True)
    assert (agents.status, b"pagegrade[mcp]" in agents.body) == (404, True)


@pytest.mark.parametrize(("extra", "script"), [("audit", AUDIT), ("pdf", PDF), ("mcp", MCP), ("uvloop", UVLOOP)])
def test_an_extra_works_alone(install: Install, extra: str, script: str) -> None:
    """No extra leans on what another one brings."""
    assert output(install(extra), "-I", "-c", script) == ""


def test_the_client_works_alone(install: Install, base_service: Server) -> None:
    """Against the service of another environment."""
    url = "http://127.0.0.1:9/client"

    assert output(install("client"), "-I", "-c", CLIENT, base_service.origin, base_service.key, url) == ""


def test_traces_work_alone(install: Install) -> None:
    """One span arrives at a collector."""
    python = install("otel")
    with otlp.collecting() as collector:
        output(python, "-I", "-c", OTEL, OTEL_EXPORTER_OTLP_ENDPOINT=collector.endpoint)

        assert [span.name for span in collector.wait("installed")] == ["installed"]


def test_postgresql_works_alone(install: Install, tmp_path: Path) -> None:
    """An empty database gets its tables, and the queue's."""
    url = postgres.databases().make_empty()
    output(
        *(install("postgresql"), "-I", "-m", "pagegrade", "migrate"),
        PAGEGRADE_DATABASE_URL=url,
        PAGEGRADE_DATA_DIR=str(tmp_path),
    )

    assert postgres.execute(url, "SELECT count(*) FROM procrastinate_jobs") == [(0,)]
