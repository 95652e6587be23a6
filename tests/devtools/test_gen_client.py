"""The client is what the description of the API says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devtools import gen_client
from pagegrade.web.routes import describe_api

ROOT = Path(__file__).resolve().parents[2]


def described() -> dict[str, Any]:
    """The description of the API."""
    found: dict[str, Any] = json.loads(describe_api())
    return found


def test_the_committed_client_is_current() -> None:
    """Else ``python -m devtools.gen_docs`` was forgotten."""
    assert gen_client.fill(ROOT, describe_api(), checking=True) == []


def test_a_new_operation_gets_its_methods_and_types(tmp_path: Path) -> None:
    """Without a line by hand."""
    description = described()
    description["paths"]["/api/v1/things/{id}"] = {
        "patch": {
            "operationId": "patch_thing",
            "summary": "Change a thing",
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ThingBody"}}}},
            "responses": {
                "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ThingAnswer"}}}}
            },
        }
    }
    schemas = description["components"]["schemas"]
    schemas["Thing"] = {"type": "object", "required": ["class"], "properties": {"class": {"type": "string"}}}
    schemas["ThingBody"] = {
        "type": "object",
        "properties": {"class": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    }
    schemas["ThingAnswer"] = {"type": "object", "properties": {"data": {"$ref": "#/components/schemas/Thing"}}}
    for path in gen_client.PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)

    stale = gen_client.fill(tmp_path, json.dumps(description), checking=False)
    again = gen_client.fill(tmp_path, json.dumps(description), checking=True)
    methods, types = ((tmp_path / path).read_text() for path in (gen_client.METHODS, gen_client.TYPES))

    assert (set(stale), again) == (set(gen_client.PATHS), [])
    assert "def patch_thing(self, id: int, *, class_: str | Unset | None = UNSET) -> Thing:" in methods
    assert 'self._data("patch_thing", locals())' in methods
    assert "patch_thing = awaited(SyncMethods.patch_thing)" in methods
    assert 'Thing = TypedDict("Thing", {"class": "str"})' in types
    assert "ThingBody" not in types


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "str"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "int | None"),
        ({"enum": ["a", 1]}, "Literal['a', 1]"),
        ({"const": "a", "type": "string"}, "Literal['a']"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Run"}}, "list[Run]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "dict[str, float]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({"type": ["string", "null"]}, "str | None"),
    ],
)
def test_a_schema_is_a_type_of_python(schema: dict[str, Any], expected: str) -> None:
    """Of every kind that the description has."""
    assert gen_client.python_type(schema) == expected


def test_pages_of_lists_differ_in_their_items_only_and_long_choices_have_a_name() -> None:
    """Else each list and each object repeats them."""
    types = (ROOT / gen_client.TYPES).read_text()

    assert 'ReportList = CursorPage["ListedReport"]' in types
    assert 'RunList = NumberedPage["RunItem"]' in types
    assert types.count('"report.regressed"') == 1
    assert "    events: list[Event]" in types
