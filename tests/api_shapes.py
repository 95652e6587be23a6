"""Validation of an answer of the API by the schema that is published of it."""

from __future__ import annotations

from functools import cache

from jsonschema_rs import Draft202012Validator
from msgspec import Struct

from pagegrade.web.schemas.shape import REFERENCE, schemas_of


def assert_described(document: type[Struct], answer: object) -> None:
    """Raise an error unless ``answer`` has the shape of a document, and no member that is not described."""
    _validator(document).validate(answer)


@cache
def _validator(document: type[Struct]) -> Draft202012Validator:
    schemas = schemas_of([document])
    for schema in schemas.values():
        schema["additionalProperties"] = False
    return Draft202012Validator({"$ref": REFERENCE.format(model=document.__name__), "components": {"schemas": schemas}})
