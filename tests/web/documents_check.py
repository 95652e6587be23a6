"""Holds real answers against the description of the API: nothing undocumented in them, nothing missing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator

from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.routes import ALL_OPERATIONS


def is_timestamp(value: str) -> bool:
    """Return whether text is RFC 3339 in UTC, with milliseconds and ``Z``: narrower than the format, as promised."""
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value))


@cache
def description() -> dict[str, Any]:
    """The description of the API as it is served."""
    return build_openapi(ALL_OPERATIONS)


def closed(schema: Any) -> Any:
    """A schema whose objects may hold only the members it names."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        made["unevaluatedProperties"] = False
    return made


@cache
def validator(reference: str) -> Draft202012Validator:
    """Validates against the part of the description at ``reference`` (a JSON Pointer), with closed objects."""
    components = {"schemas": closed(description()["components"]["schemas"])}
    schema = {"components": components, **json.loads(reference)}
    return Draft202012Validator(schema, validate_formats=True, formats={"date-time": is_timestamp})


def faults_of_value(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Faults of a JSON value by a schema of the description; empty when there is none."""
    closed_schema = validator(json.dumps(closed(schema), sort_keys=True))
    return [f"{error.instance_path}: {error.message}" for error in closed_schema.iter_errors(value)]


def find_operation(method: str, path: str) -> dict[str, Any] | None:
    """The described operation that a request belongs to; HEAD belongs to GET."""
    verb = "get" if method.upper() == "HEAD" else method.lower()
    paths: dict[str, dict[str, Any]] = description()["paths"]
    # Literal paths first: /checks/x before /checks/{check} would be.
    for template in sorted(paths, key=lambda text: text.count("{")):
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), path) and verb in paths[template]:
            found: dict[str, Any] = paths[template][verb]
            return found
    return None


def faults(method: str, path: str, status: int, headers: Mapping[str, str], body: bytes) -> list[str]:
    """Faults of an answer by the description: its status, media type, members and headers.

    Args:
        method: Of the request.
        path: Of the request, without the query.
        status: Of the answer.
        headers: Of the answer, names in any case.
        body: Of the answer, as sent.
    """
    operation = find_operation(method, path)
    if operation is None:
        return [f"{method} {path} is not described"]
    described = operation["responses"].get(str(status))
    if described is None:
        return [f"{method} {path} does not say that it answers {status}"]
    described = resolved(described)
    sent = {name.lower(): value for name, value in headers.items()}
    content = described.get("content")
    if content is None or method.upper() == "HEAD":
        return [] if not body else [f"{status} has a body"]
    media_type = sent.get("content-type", "").partition(";")[0]
    if media_type not in content:
        return [f"{media_type!r} is not one of {sorted(content)}"]
    found = [f"header {name} is missing" for name in ("x-request-id",) if name not in sent]
    if media_type.endswith("json"):
        found += faults_of_value(content[media_type]["schema"], json.loads(body))
    return found


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """The target of a reference of the description; anything else as it is."""
    while "$ref" in part:
        here: Any = description()
        for step in part["$ref"].removeprefix("#/").split("/"):
            here = here[step]
        part = here
    return part
