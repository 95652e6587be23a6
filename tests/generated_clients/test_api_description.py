"""The API does what its description says, evaluated by a program of another maker."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import httpx

from pagegrade.web.operations import Operation
from pagegrade.web.routes import ALL_OPERATIONS
from tests.contract.test_api_answers import some_reports
from tests.web.listening_app import listening_app

TOOL = Path(sys.executable).with_name("schemathesis")
SETTINGS = Path(__file__).with_name("schemathesis.toml")
PATIENCE_S = 900


def refusals(operation: Operation) -> list[int]:
    """Statuses of correct requests that the state of the service refuses, which no schema can say."""
    found = {404}
    if {"If-Match", "If-None-Match"} & set(operation.request_headers) and operation.method != "GET":
        found |= {412}
    if "Idempotency-Key" in operation.request_headers:
        found |= {410, 412, 429}  # what it made was deleted since
    if {"quota_exceeded", "crawl_limit"} & set(operation.problems):
        found |= {429}  # the account has as many as it may
    if operation.body is not None:
        found |= {422}  # a URL or a schedule that cannot be used
    if operation.query is not None and "cursor" in operation.query.model_fields:
        found |= {304, 422}  # a cursor belongs to one order of a list
    return sorted(found)


def settings_with_refusals() -> str:
    """The settings, with a section for each operation that the state of the service can refuse."""
    sections = [SETTINGS.read_text(encoding="utf-8")]
    for operation in ALL_OPERATIONS:
        if operation.path.startswith("/api/v1/") and (statuses := refusals(operation)) != [404]:
            expected = json.dumps(["2xx", *statuses])
            sections.append(
                f"[[operations]]\ninclude-operation-id = {json.dumps(operation.name)}\n"
                f"checks.positive_data_acceptance.expected-statuses = {expected}\n"
            )
    return "\n".join(sections)


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
        # An empty value is as if absent, which neither a format, a list of values nor a number can express.
        for operation in (each for path in reports.values() for each in path.values() if isinstance(each, dict)):
            for parameter in operation.get("parameters", ()):
                schema = parameter.get("schema", {})
                is_number = parameter.get("in") == "query" and '"integer"' in json.dumps(schema)
                if parameter.get("name") == "updated_since" or "enum" in json.dumps(schema) or is_number:
                    parameter["schema"] = {"anyOf": [schema, {"type": "string", "maxLength": 0}]}
        document = tmp_path / "openapi.json"
        document.write_text(json.dumps(description), encoding="utf-8")
        settings = tmp_path / "schemathesis.toml"
        settings.write_text(settings_with_refusals(), encoding="utf-8")
        done = subprocess.run(
            [
                *(TOOL, "--config-file", settings, "run", document, "--url", instance.url),
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
