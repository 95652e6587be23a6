"""The reference page of the HTTP API, made from its OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

METHODS: Final = ("get", "post", "put", "patch", "delete")


def api_page(description: str) -> str:
    """Every operation with its parameters, members of its body and answers; ``description`` is OpenAPI as JSON."""
    api: dict[str, Any] = json.loads(description)
    lines = ["# HTTP API", "", api["info"]["description"].strip(), ""]
    lines += ["The same for programs: [openapi.json](openapi.json). Every problem: [errors](errors.md).", ""]
    for tag in api["tags"]:
        lines += [f"## {tag['name']}", "", tag["description"], ""]
        for path, item in api["paths"].items():
            for method in METHODS:
                if method in item and item[method]["tags"] == [tag["name"]]:
                    lines += _operation(api, method, path, item)
    lines += ["## Events", "", "Sent to webhooks.", "", "| event | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {_cell(item['post'].get('summary', ''))} |" for name, item in api["webhooks"].items()]
    return "\n".join(lines) + "\n"


def _operation(api: Mapping[str, Any], method: str, path: str, item: Mapping[str, Any]) -> Iterator[str]:
    operation = item[method]
    yield from (f"### {operation['summary']}", "", f"`{method.upper()} {path}`", "", operation["description"], "")
    parameters = [_resolve(api, each) for each in (*item.get("parameters", ()), *operation.get("parameters", ()))]
    if parameters:
        yield from ("| parameter | in | type | meaning |", "|---|---|---|---|")
        for each in parameters:
            required = " (required)" if each.get("required") else ""
            meaning = _cell(each.get("description", ""))
            yield f"| `{each['name']}`{required} | {each['in']} | {_type(api, each['schema'])} | {meaning} |"
        yield ""
    if "requestBody" in operation:
        yield from _body(api, _resolve(api, operation["requestBody"]))
    yield from ("| status | answer |", "|---|---|")
    for status, answer in operation["responses"].items():
        yield f"| {status} | {_cell(_resolve(api, answer)['description'])} |"
    yield ""


def _body(api: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[str]:
    """The members of a body; media types that describe the same members share one table."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for media_type, content in body["content"].items():
        schema = _resolve(api, content.get("schema", {}))
        required = schema.get("required", ())
        rows = tuple(
            f"| `{name}`{' (required)' if name in required else ''} | {_type(api, member)} "
            f"| {_cell(_resolve(api, member).get('description', ''))} |"
            for name, member in schema.get("properties", {}).items()
        )
        tables.setdefault(rows, []).append(f"`{media_type}`")
    for rows, media_types in tables.items():
        yield from (f"Body: {', '.join(media_types)}. {body.get('description', '')}".rstrip(), "")
        if rows:
            yield from ("| member | type | meaning |", "|---|---|---|", *rows, "")


def _resolve(api: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The component that ``node`` refers to; ``node`` itself if it does not refer to one."""
    while "$ref" in node:
        found: Any = api
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


def _type(api: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    schema = _resolve(api, schema)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(_type(api, choice) for choice in choices))
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if values:
        return " or ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in values)
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(api, schema.get('items', {}))}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "&#124;")
