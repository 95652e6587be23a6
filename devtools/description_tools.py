"""Installs other makers' tools for OpenAPI, two linters and three generators of clients, and an identity provider.

``make description-tools`` needs the network, npm and about fifteen seconds; openapi-generator needs a Java runtime
besides. ``tests/generated_clients`` and ``tests/e2e`` use what is there and skip what is not. Only the standard
library is imported, so that CI can run this before anything else is installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent.parent / ".tools"
"""Not committed."""
NPM: Final = {
    "@redocly/cli": "2.77.0",
    "@stoplight/spectral-cli": "6.16.3",
    "@types/node": "20.19.0",
    "oidc-provider": "9.13.3",
    "openapi-fetch": "0.17.0",
    "openapi-typescript": "7.13.0",
    "typescript": "5.9.3",
}
PYPI: Final = {
    "openapi-generator-cli": "7.26.0",
    "openapi-python-client": "0.29.1",
    # What the clients they make import:
    "httpx": "0.28.1",
    "python-dateutil": "2.9.0.post0",
    "urllib3": "2.7.0",
}


def main() -> None:
    """Install everything, exactly these versions."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "package.json").write_text(json.dumps({"private": True, "dependencies": NPM}, indent=2), encoding="utf-8")
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    subprocess.run(["npm", "install", *quiet], cwd=FOLDER, check=True)  # noqa: S607 - npm is where it is
    subprocess.run([sys.executable, "-m", "venv", FOLDER / "python"], check=True)
    wanted = [f"{name}=={version}" for name, version in PYPI.items()]
    subprocess.run([FOLDER / "python/bin/pip", "install", "--quiet", *wanted], check=True)


if __name__ == "__main__":
    main()
