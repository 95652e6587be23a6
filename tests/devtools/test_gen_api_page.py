"""The page about the API is complete."""

from __future__ import annotations

import json
import re
from typing import Any

from devtools.gen_api_page import METHODS, api_page
from pagegrade.web.routes import describe_api


def test_every_operation_parameter_and_event_is_on_the_page() -> None:
    """By construction, from the description that programs read."""
    description = describe_api()
    api: dict[str, Any] = json.loads(description)
    page = api_page(description)
    operations = {
        f"`{method.upper()} {path}`" for path, item in api["paths"].items() for method in METHODS & item.keys()
    }

    assert operations
    assert sorted(re.findall(r"^(`[A-Z]+ /\S+`)$", page, re.MULTILINE)) == sorted(operations)
    assert [name for name in api["components"]["parameters"] if name not in page] == []
    assert [name for name in api["webhooks"] if f"| `{name}` |" not in page] == []


def test_members_of_a_body_say_their_type_and_whether_they_are_required() -> None:
    """Also where the schema is a reference, a choice or a list."""
    schema = {
        "type": "object",
        "required": ["url"],
        "properties": {
            "url": {"type": "string", "description": "The page."},
            "tags": {"type": "array", "items": {"type": "integer"}, "description": "A|B"},
            "device": {"anyOf": [{"enum": ["mobile", "desktop"]}, {"type": "null"}]},
        },
    }
    operation = {
        "summary": "Create",
        "description": "Creates.",
        "tags": ["Reports"],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}},
        "responses": {"201": {"description": "Done."}},
    }
    page = api_page(
        json.dumps(
            {
                "info": {"description": "All."},
                "tags": [{"name": "Reports", "description": "One."}],
                "paths": {"/reports": {"post": operation}},
                "webhooks": {},
                "components": {"schemas": {"New": schema}},
            }
        )
    )

    assert "| `url` (required) | string | The page. |" in page
    assert "| `tags` | list of integer | A&#124;B |" in page
    assert "| `device` | `mobile` or `desktop` or null |  |" in page
    assert "| 201 | Done. |" in page
