"""Base class of the documents, descriptions of their members, and examples built from the members."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field

from pagegrade.model.report import Category, Grade

Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""RFC 3339 in UTC with milliseconds and ``Z``."""
Points = Annotated[int, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0)]
Scalar = str | int | float | None
URL = Annotated[str, Field(json_schema_extra={"format": "uri"})]
Result = Grade
EXAMPLE_CATEGORIES: Final[tuple[Category, ...]] = (
    "seo",
    "performance",
    "security",
    "accessibility",
    "technical",
    "content",
)


class Document(BaseModel):
    """A JSON object of the API. These classes describe it; the answers themselves are encoded elsewhere."""

    # Nothing is validated by them, and validators that are not used would be built at every start.
    model_config = ConfigDict(defer_build=True)


def about(description: str, *examples: Any, **constraints: Any) -> Any:
    """Declare a member that is always present.

    Args:
        description: Meaning of the member.
        examples: Typical values; none for a member that is a document (or a list of one) with its own examples.
        constraints: As for ``pydantic.Field``.
    """
    return Field(description=description, examples=list(examples) or None, **constraints)


def sometimes(description: str, *examples: Any, **constraints: Any) -> Any:
    """Declare a member that is absent if it has no value."""
    return Field(
        default=None,
        description=description,
        examples=list(examples) or None,
        # Without a value it is absent, not null.
        json_schema_extra=forget_default,
        **constraints,
    )


def forget_default(schema: dict[str, Any]) -> None:
    """Mark the schema of a member as absent, not null, if it has no value."""
    schema.pop("default", None)


def example_of(model: type[BaseModel], **members: Any) -> dict[str, Any]:
    """Return a complete example of a document: the first example of each member, replaced by ``members`` where given.

    Raises:
        TypeError: A member has neither examples nor a document to build one from.
    """
    made: dict[str, Any] = {}
    for attribute, field in model.model_fields.items():
        name = field.alias or attribute
        if name in members:
            made[name] = members[name]
        elif field.examples:
            made[name] = field.examples[0]
        elif field.is_required():
            made[name] = _example_of_type(field.annotation, f"{model.__name__}.{name}")
    unknown = set(members) - {field.alias or name for name, field in model.model_fields.items()}
    if unknown:
        raise TypeError(f"{model.__name__} has no {', '.join(sorted(unknown))}")
    return made


def _example_of_type(annotation: Any, place: str) -> Any:
    origin, parts = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return example_of(annotation)
    if origin is list:
        return [_example_of_type(parts[0], place)]
    if origin is Literal:
        return parts[0]
    if origin in {Union, UnionType}:
        return _example_of_type(next(part for part in parts if part is not type(None)), place)
    if origin in {dict, Mapping} and Category in parts:
        return {name: _example_of_type(parts[1], place) for name in EXAMPLE_CATEGORIES}
    raise TypeError(f"{place} needs an example")
