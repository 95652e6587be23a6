"""Read parameters by their models and collect every violation at once.

The models are pydantic's, for the description of the API. They are read here and not by pydantic, whose messages and
conversions do not fit: a form holds only text, JSON may contain 1 or "1", an empty value means no value, and messages
are the API's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pagegrade.model.errors import Violation

Model = TypeVar("Model", bound=BaseModel)
Choice = str | int
N = TypeVar("N", int, float)
_INTEGER: Final = re.compile(r"-?[0-9]{1,100}")
"""Longer than any limit, so that a number beyond one is told so."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")
_BOUNDS: Final = ("ge", "le", "max_length")
_NO_BOUNDS: Final = ("gt", "lt", "multiple_of", "min_length")
"""Bounds that no model may declare, because they would be read as if they stood nowhere."""


class UnreadableError(Exception):
    """A text that is not valid for its field."""

    def __init__(self, code: str, message: str, *, allowed: tuple[Choice, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.allowed = allowed


class Reads(msgspec.Struct, frozen=True):
    """Annotates a field with the function that parses its text and raises ``UnreadableError``."""

    function: Callable[[str], Any]


class _Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Rule for reading one field."""

    name: str
    """Name as sent."""
    attribute: str
    """Name in the model."""
    choices: Mapping[str, Choice] | None
    """Text -> value, where only these are valid."""
    is_integer: bool
    is_number: bool
    """True if the field is a decimal number, not only a whole one."""
    is_list: bool
    """True if the field is a list of texts."""
    is_strict: bool
    """True if no single text is read as the lines of the list (``Field(strict=True)``)."""
    default: Any
    required: bool
    minimum: float | None
    maximum: float | None
    longest: int | None
    reads: Callable[[str], Any] | None


def read_fields(
    model: type[Model],
    sent: Mapping[str, Any],
    place: Literal["query", "body"],
    *,
    lenient: bool = False,
    is_json: bool = False,
) -> tuple[Model, list[Violation]]:
    """Read the fields of a model from the sent values and collect all violations.

    Args:
        model: Model whose fields are text, numbers, or a choice of either.
        sent: Text from a form or a query, any JSON value from JSON.
        place: Place of the fields for the violations, such as ``query``.
        lenient: Use the default, without a violation, for values that are not valid.
        is_json: The values come from JSON, which can spell a list: no single text is read as the lines of one.

    Returns:
        The model, with the default where a field was not sent or is not valid, and the violations. Only fields that
        were sent with a value count as set (``model_fields_set``).
    """
    values: dict[str, Any] = {}
    was_sent: set[str] = set()
    violations: list[Violation] = []
    for rule in _rules(model):
        value = sent.get(rule.name)
        if value is None or (value == "" and not (is_json and rule.is_list)):
            value = rule.default
            if rule.required:
                violations.append(_violation(rule, place, "required", "Required."))
        else:
            read = _read(rule, value, place, is_json=is_json)
            if isinstance(read, Violation):
                if not lenient:
                    violations.append(read)
                value = rule.default
            else:
                value = read
                was_sent.add(rule.attribute)
        values[rule.attribute] = value
    return model.model_construct(was_sent, **values), violations


def names_of(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the names of the fields of a model as they are sent, in the order of the model."""
    return tuple(rule.name for rule in _rules(model))


def is_spelled_freely(model: type[BaseModel], name: str) -> bool:
    """Return whether a function converts the value of a field, so that it can differ from the text that was sent."""
    return any(rule.name == name and rule.reads is not None for rule in _rules(model))


def _read(rule: _Rule, value: Any, place: str, *, is_json: bool) -> Any:
    if rule.choices is not None:
        return _read_choice(rule, rule.choices, value, place)
    if rule.is_integer:
        return _read_integer(rule, value, place)
    if rule.is_number:
        return _read_number(rule, value, place)
    if rule.is_list:
        return _read_list(rule, value, place, is_json=is_json)
    if not isinstance(value, str):
        return _violation(rule, place, "type", "Must be text.")
    if rule.longest is not None and len(value) > rule.longest:
        return _violation(rule, place, "too_long", f"At most {rule.longest} characters.", limit=rule.longest)
    if rule.reads is None:
        return value
    try:
        return rule.reads(value)
    except UnreadableError as error:
        return _violation(rule, place, error.code, error.message, allowed=error.allowed)


def _read_list(rule: _Rule, value: Any, place: str, *, is_json: bool) -> tuple[str, ...] | Violation:
    """Read a list of texts; a single text of a form is split into lines, unless the field is strict."""
    texts = value.splitlines() if isinstance(value, str) and not (is_json or rule.is_strict) else value
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        return _violation(rule, place, "type", "Must be a list of texts.")
    if rule.longest is not None and len(texts) > rule.longest:
        return _violation(rule, place, "too_many", f"At most {rule.longest}.", limit=rule.longest)
    return tuple(texts)


def _read_choice(rule: _Rule, choices: Mapping[str, Choice], value: Any, place: str) -> Choice | Violation:
    # True is 1 in Python; it is not in JSON.
    text = value.strip() if isinstance(value, str) else str(value) if type(value) is int else None
    if text == "":
        default: Choice = rule.default
        return _violation(rule, place, "required", "Required.") if rule.required else default
    if text is None or text not in choices:
        allowed = tuple(choices.values())
        listed = ", ".join(str(each) for each in allowed)
        message = f"Must be {listed}." if len(allowed) == 1 else f"Must be one of {listed}."
        return _violation(rule, place, "not_in", message, allowed=allowed)
    return choices[text]


def _read_integer(rule: _Rule, value: Any, place: str) -> int | Violation:
    text = value.strip() if isinstance(value, str) else str(value) if type(value) is int else ""
    if not _INTEGER.fullmatch(text):
        return _violation(rule, place, "type", "Must be a whole number.")
    return _within(rule, int(text), place)


def _read_number(rule: _Rule, value: Any, place: str) -> float | Violation:
    text = value.strip() if isinstance(value, str) else str(value) if type(value) in {int, float} else ""
    if not _NUMBER.fullmatch(text):
        return _violation(rule, place, "type", "Must be a number such as 0.5.")
    return _within(rule, float(text), place)


def _within(rule: _Rule, number: N, place: str) -> N | Violation:
    for bound, code, most in ((rule.minimum, "too_small", "least"), (rule.maximum, "too_large", "most")):
        if bound is not None and (number < bound if most == "least" else number > bound):
            # Limits are whole numbers where they are members of a problem.
            limit = None if rule.is_number else int(bound)
            return _violation(rule, place, code, f"Must be at {most} {bound}.", limit=limit)
    return number


def _violation(
    rule: _Rule, place: str, code: str, message: str, *, allowed: tuple[Choice, ...] = (), limit: int | None = None
) -> Violation:
    return Violation(field=rule.name, place=place, code=code, message=message, allowed=allowed, limit=limit)


@cache
def _rules(model: type[BaseModel]) -> tuple[_Rule, ...]:
    return tuple(_rule(attribute, field) for attribute, field in model.model_fields.items())


def _rule(attribute: str, field: FieldInfo) -> _Rule:
    kind = field.annotation
    if get_origin(kind) in {Union, UnionType}:
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    choices = {str(each): each for each in get_args(kind)} if get_origin(kind) is Literal else None
    reads = next((each.function for each in field.metadata if isinstance(each, Reads)), None)
    is_list = get_origin(kind) is tuple
    if choices is None and reads is None and not is_list and kind not in {int, float, str}:
        raise TypeError(f"{attribute}: {kind!r} cannot be read from a form")
    ignored = [name for each in field.metadata for name in _NO_BOUNDS if getattr(each, name, None) is not None]
    if ignored:
        raise TypeError(f"{attribute}: {', '.join(ignored)} is not read here; use {', '.join(_BOUNDS)}")
    bounds = {name: getattr(each, name) for each in field.metadata for name in _BOUNDS if hasattr(each, name)}
    return _Rule(
        name=field.alias or attribute,
        attribute=attribute,
        choices=choices,
        is_integer=kind is int and reads is None,
        is_number=kind is float and reads is None,
        is_list=is_list and reads is None,
        is_strict=any(getattr(each, "strict", None) for each in field.metadata),
        default=None if field.is_required() else field.default,
        required=field.is_required(),
        minimum=bounds.get("ge"),
        maximum=bounds.get("le"),
        longest=bounds.get("max_length"),
        reads=reads,
    )
