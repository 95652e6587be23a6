"""The API does what its description says, evaluated by a program of another maker."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import httpx

from tests.contract.test_api_answers import some_reports
from tests.web.listening_app import listening_app

TOOL = Path(sys.executable).with_name("schemathesis")
SETTINGS = Path(__file__).with_name("schemathesis.toml")
PATIENCE_S = 900


def test_the_api_keeps_its_description(tmp_path: Path) -> None:
    """Right and wrong requests of every kind to every operation, alone and one after another: all as described."""
    with listening_app(tmp_path, furnish=some_reports) as instance:
        description = httpx.get(f"{instance.url}/api/v1/openapi.json", timeout=PATIENCE_S).json()
        # No worker runs here: a preference to wait would only make the test longer.
        description["components"]["parameters"]["Prefer"]["examples"]["wait"]["value"] = "wait=0"
        # What is described is the whole answer in JSON: who asks for some of its members, or for a file, gets that.
        for path in (reports := description["paths"])["/api/v1/reports"], reports["/api/v1/reports/{id}"]:
            parameters = path["get"]["parameters"]
            path["get"]["parameters"] = [each for each in parameters if each.get("name") not in {"fields", "format"}]
        # An empty value is as if absent, which a format cannot express.
        for parameter in reports["/api/v1/reports"]["get"]["parameters"]:
            if parameter.get("name") == "updated_since":
                parameter["schema"] = {"anyOf": [parameter["schema"], {"type": "string", "maxLength": 0}]}
        document = tmp_path / "openapi.json"
        document.write_text(json.dumps(description), encoding="utf-8")
        done = subprocess.run(
            [
                *(TOOL, "--config-file", SETTINGS, "run", document, "--url", instance.url, "--checks", "all"),
                *("--header", f"Authorization: Bearer {instance.key}", "--no-color"),
            ],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE_S,
            check=False,
        )

    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    assert f"Tested: {sum(map(len, description['paths'].values()))}" in done.stdout
