"""JSON Schema of documents, from the structs that declare them.

The one of msgspec sorts the values of an enumeration, which are in an order that means something, such as severities.

Source: https://json-schema.org/draft/2020-12/json-schema-validation
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from msgspec import Struct

from pagegrade.model.rendering import ConsoleMessage, Coverage, ElementFacts, RenderedPicture
from pagegrade.model.report import AppliedCap, PageFacts
from pagegrade.web.openapi.components import JSONObject
from pagegrade.web.schemas.shape import members_of

NAMES: Final[dict[type[Struct], str]] = {
    AppliedCap: "Cap",
    ConsoleMessage: "ConsoleLine",
    Coverage: "UsedCode",
    ElementFacts: "DrawnElement",
    PageFacts: "Page",
    RenderedPicture: "DrawnPicture",
}
"""Struct -> name of its schema, which clients know, where it is not that of the class."""
REFERENCE: Final = "#/components/schemas/{model}"
_PLAIN: Final[dict[Any, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}


def schemas_of(documents: Iterable[type[Struct]]) -> dict[str, JSONObject]:
    """Return name -> schema of documents and of all that they are made of.

    Raises:
        TypeError: A member is of a type that is not described here, or two structs have one name.
    """
    found: dict[str, tuple[type[Struct], JSONObject]] = {}
    waiting = list(documents)
    while waiting:
        struct = waiting.pop()
        name = name_of(struct)
        known, _ = found.get(name, (struct, {}))
        if known is not struct:
            raise TypeError(f"two documents have the name {name}")
        if name not in found:
            found[name] = struct, _object(struct, waiting)
    return {name: _in_order(schema) for name, (_, schema) in found.items()}


def name_of(struct: type[Struct]) -> str:
    """Return the name of the schema of a struct."""
    return NAMES.get(struct, struct.__name__)


def _object(struct: type[Struct], waiting: list[type[Struct]]) -> JSONObject:
    members = members_of(struct)
    required = [member.name for member in members if member.always]
    properties: JSONObject = {}
    for member in members:
        schema = _schema(member.type, waiting)
        # Bounds are of the value, not of null.
        (schema["anyOf"][0] if "anyOf" in schema else schema).update(member.keywords)
        # A reference has the description of its target already.
        if member.description and member.description != _description(member.type):
            schema["description"] = member.description
        if member.examples:
            schema["examples"] = list(member.examples)
        properties[member.name] = schema
    return {
        "type": "object",
        "description": _description(struct),
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _description(kind: Any) -> str:
    return inspect.cleandoc(kind.__doc__ or "") if isinstance(kind, type) and issubclass(kind, Struct) else ""


def _schema(kind: Any, waiting: list[type[Struct]]) -> JSONObject:
    """The schema of a type; structs in it are added to ``waiting``."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if kind is Any:
        return {}
    if isinstance(kind, type) and issubclass(kind, Struct):
        waiting.append(kind)
        return {"$ref": REFERENCE.format(model=name_of(kind))}
    if origin is Annotated:
        keywords: JSONObject = {}
        for meta in kind.__metadata__:
            keywords |= meta.extra_json_schema or {}
        return _schema(parts[0], waiting) | keywords
    if origin is Literal:
        (name,) = {_PLAIN[type(value)] for value in parts}
        return {"type": name, "const": parts[0]} if len(parts) == 1 else {"type": name, "enum": list(parts)}
    if origin in {Union, UnionType}:
        return {"anyOf": [_schema(part, waiting) for part in parts]}
    if origin in {list, tuple}:
        return {"type": "array", "items": _schema(parts[0], waiting)}
    if origin in {dict, Mapping}:
        values = _schema(parts[1], waiting)
        names = {} if parts[0] is str else {"propertyNames": {"enum": list(get_args(parts[0]))}}
        return {"type": "object", "additionalProperties": values or True, **names}
    raise TypeError(f"no schema of {kind}")


def _in_order(value: Any, *, is_members: bool = False) -> Any:
    """The same value with the keywords of schemas sorted, and the members of objects as they are."""
    if isinstance(value, list):
        return [_in_order(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = value if is_members else sorted(value)
    return {name: _in_order(value[name], is_members=name == "properties") for name in names}
