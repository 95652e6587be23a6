"""Base class of the documents, their members, and examples built from the members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, UnsetType

from pagegrade.model.report import Category
from pagegrade.model.schema import LATER

EXAMPLE_CATEGORIES: Final[tuple[Category, ...]] = (
    "seo",
    "performance",
    "security",
    "accessibility",
    "technical",
    "content",
)


class Document(Struct, frozen=True, kw_only=True):
    """A JSON object of the API."""


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
        return {name: _example_of_type(parts[1], place) for name in EXAMPLE_CATEGORIES}
    raise TypeError(f"{place} needs an example")
