"""Base class of the documents, and what is made of their members: examples and JSON Schema.

The schema that msgspec makes sorts the values of an enumeration, which are in an order that means something, such as
severities.

Source: https://json-schema.org/draft/2020-12/json-schema-validation
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, UnsetType

from pagegrade.model.audit_result import Distribution, SummaryChange
from pagegrade.model.rendering import ConsoleMessage, Coverage, ElementFacts, RenderedPicture
from pagegrade.model.report import CATEGORIES, AppliedCap, Category, PageFacts
from pagegrade.model.schema import LATER
from pagegrade.service.reports.validation import RequestWarning

JSONObject = dict[str, Any]
NAMES: Final[dict[type[Struct], str]] = {
    AppliedCap: "Cap",
    Distribution: "AuditDistribution",
    SummaryChange: "AuditChange",
    ConsoleMessage: "ConsoleLine",
    Coverage: "UsedCode",
    ElementFacts: "DrawnElement",
    PageFacts: "Page",
    RenderedPicture: "DrawnPicture",
    RequestWarning: "AnswerWarning",
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


class Document(Struct, frozen=True, kw_only=True):
    """A JSON object of the API."""


D = TypeVar("D", bound=Struct)


def extended(document: Struct, kind: type[D], **more: Any) -> D:
    """Return a document of a kind that has the members of ``document`` and ``more``."""
    return kind(**msgspec.structs.asdict(document), **more)


class Member(Struct, frozen=True, kw_only=True):
    """A member of a JSON object, as a struct declares it."""

    name: str
    """In JSON."""
    type: Any
    """Of its values; the possibility that it is absent is left out."""
    always: bool
    """It is present in every such object."""
    description: str = ""
    examples: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Further keywords of JSON Schema."""


@cache
def members_of(struct: type[Struct]) -> tuple[Member, ...]:
    """Return the members of the JSON object that a struct is encoded as, in order."""
    return tuple(_members(struct))


def _members(struct: type[Struct]) -> Iterator[Member]:
    hints = get_type_hints(struct, include_extras=True)
    omits_defaults = struct.__struct_config__.omit_defaults
    for field in msgspec.structs.fields(struct):
        kind = hints[field.name]
        is_omitted = omits_defaults and not field.required
        always = not is_omitted and UnsetType not in get_args(kind)
        kind = _without(kind, UnsetType)
        metas: list[Meta] = []
        if get_origin(kind) is Annotated:
            kind, *metas = get_args(kind)
        description, examples, keywords = "", list[Any](), dict[str, Any]()
        for meta in metas:
            description, examples = meta.description or description, meta.examples or examples
            keywords |= meta.extra_json_schema or {}
            always = always and LATER not in (meta.extra or {})
        yield Member(
            name=field.encode_name,
            type=_without(kind, type(None)) if is_omitted else kind,
            always=always,
            description=description,
            examples=tuple(examples),
            keywords=keywords,
        )


def _without(kind: Any, part: type) -> Any:
    """The same type without one of the types that it is a union of."""
    if get_origin(kind) not in {Union, UnionType}:
        return kind
    return Union[tuple(each for each in get_args(kind) if each is not part)]  # noqa: UP007 - of a number of types


def example_of(document: type[Struct], **given: Any) -> dict[str, Any]:
    """Return a complete example of a document: the first example of each member, replaced by ``given`` where given.

    Raises:
        TypeError: A member has neither examples nor a document to build one from.
    """
    made: dict[str, Any] = {}
    for member in members_of(document):
        if member.name in given:
            made[member.name] = given.pop(member.name)
        elif member.examples:
            made[member.name] = member.examples[0]
        elif member.always:
            made[member.name] = _example_of_type(member.type, f"{document.__name__}.{member.name}")
    if given:
        raise TypeError(f"{document.__name__} has no {', '.join(sorted(given))}")
    return made


def _example_of_type(kind: Any, place: str) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Struct):
        return example_of(kind)
    if origin in {list, tuple}:
        return [_example_of_type(parts[0], place)]
    if origin is Literal:
        return parts[0]
    if origin in {Union, UnionType}:
        return _example_of_type(next(part for part in parts if part is not type(None)), place)
    if origin in {dict, Mapping} and Category in parts:
        return {name: _example_of_type(parts[1], place) for name in CATEGORIES}
    raise TypeError(f"{place} needs an example")


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
