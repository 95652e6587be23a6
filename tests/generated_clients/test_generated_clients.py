"""Third-party programs read the API description: two linters, and three generators whose clients are then used.

They are installed by ``python devtools/description_tools.py``; without them these tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from devtools.description_tools import FOLDER
from pagegrade.web.routes import describe_api
from tests.server import Server
from tests.site.serve import Site

TRIPS = Path(__file__).parent / "programs"
NODE = FOLDER / "node_modules/.bin"
PYTHON = FOLDER / "python/bin"
PACKAGE = "pagegrade_generated"
LIMIT_S = 300


def run(*command: str | Path, folder: Path) -> str:
    """Run a program that must succeed and return what it prints."""
    if not Path(command[0]).exists() and shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed here: run python devtools/description_tools.py")
    done = subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=False, env=None
    )
    said = done.stdout + done.stderr
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{said[-10_000:]}")
    return said


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A folder with the description in a file."""
    (tmp_path / "openapi.json").write_text(describe_api(), encoding="utf-8")
    return tmp_path


def test_spectral_finds_nothing(described: Path) -> None:
    """The linter most editors and gateways use, with its rules for OpenAPI; a warning counts as well."""
    (described / "rules.yaml").write_text('extends: ["spectral:oas"]\n', encoding="utf-8")
    said = run(NODE / "spectral", "lint", "-r", "rules.yaml", "-F", "warn", "openapi.json", folder=described)

    assert "No results" in said


def test_redocly_finds_nothing(described: Path) -> None:
    """Its recommended rules; a warning counts as well."""
    said = run(NODE / "redocly", "lint", "openapi.json", folder=described)

    assert "Your API description is valid" in said
    assert "You have" not in said


def test_the_client_of_openapi_generator_makes_the_trip(described: Path, server: Server, site: Site) -> None:
    """Python, defaults; compiled, then used.

    Without the section of webhooks, of which the generator makes methods whose arguments have no type.
    """
    if shutil.which("java") is None:
        pytest.skip("java is not installed here")
    generator = FOLDER / "python/bin/openapi-generator-cli"
    description = json.loads((described / "openapi.json").read_text(encoding="utf-8"))
    del description["webhooks"]
    (described / "calls.json").write_text(json.dumps(description), encoding="utf-8")
    made = ("generate", "-g", "python", "-i", "calls.json", "-o", "made", "--package-name", PACKAGE)
    run(generator, *made, folder=described)
    run(PYTHON / "python", "-m", "compileall", "-q", PACKAGE, folder=described / "made")
    shutil.copy(TRIPS / "openapi_generator.py", described / "made/trip.py")
    arguments = (server.origin, server.key, f"{site.http}/about?by=openapi-generator")

    run(PYTHON / "python", "trip.py", *arguments, folder=described / "made")


def test_the_client_of_openapi_python_client_makes_the_trip(described: Path, server: Server, site: Site) -> None:
    """With every kind of body there is."""
    generator = PYTHON / "openapi-python-client"
    settings = (
        f"package_name_override: {PACKAGE}",
        "post_hooks: []",
        # The generator knows few media types, and this setting says how to read others.
        "content_type_overrides: {image/webp: application/octet-stream}",
    )
    (described / "settings.yaml").write_text("\n".join(settings), encoding="utf-8")
    said = run(
        generator,
        *("generate", "--path", "openapi.json", "--config", "settings.yaml", "--output-path", "made"),
        folder=described,
    )
    run(PYTHON / "python", "-m", "compileall", "-q", PACKAGE, folder=described / "made")
    shutil.copy(TRIPS / "openapi_python_client.py", described / "made/trip.py")
    arguments = (server.origin, server.key, f"{site.http}/about?by=openapi-python-client")
    run(PYTHON / "python", "trip.py", *arguments, folder=described / "made")

    assert "Warning" not in said


def test_the_types_of_openapi_typescript_make_the_trip(described: Path, server: Server, site: Site) -> None:
    """Strictly compiled: a valid update must be one by its type."""
    run(NODE / "openapi-typescript", "openapi.json", "-o", f"{PACKAGE}.d.ts", folder=described)
    shutil.copy(TRIPS / "openapi_typescript.ts", described / "trip.ts")
    (described / "node_modules").symlink_to(FOLDER / "node_modules")
    how = ("--strict", "--target", "es2022", "--module", "commonjs", "--moduleResolution", "node10")
    run(NODE / "tsc", *how, "--lib", "es2022,dom", "--types", "node", "trip.ts", folder=described)
    arguments = (server.origin, server.key, f"{site.http}/about?by=openapi-typescript")

    run("node", "trip.js", *arguments, folder=described)
