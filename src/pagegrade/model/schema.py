"""Descriptions of the members of JSON objects: what documentation, JSON Schema and typed clients say about them.

They are written in the annotations of a struct, as in ``bytes: Annotated[int, about("Size of the file.", 84_211)]``, so
that the struct which is encoded is also the one that is described.
Bounds describe and are not tested when an object is read: a report that was stored must stay readable.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta

LATER: Final = "later"
"""Key of ``Meta.extra``: objects that older versions stored lack the member."""


def about(description: str, *examples: Any, later: bool = False, **keywords: Any) -> Meta:
    """Return the description of a member, to stand in its annotation.

    Args:
        description: Meaning of the member.
        examples: Typical values; none for a member that is an object (or a list of one) with examples of its own.
        later: True if objects that older versions stored lack it.
        keywords: Further keywords of JSON Schema.
    """
    return Meta(
        description=description,
        examples=list(examples) or None,
        extra_json_schema=keywords or None,
        extra={LATER: True} if later else None,
    )


Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""RFC 3339 in UTC with milliseconds and ``Z``."""
URL = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
Points = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": 100})]
Count = Annotated[int, Meta(extra_json_schema={"minimum": 0})]
Amount = Annotated[float, Meta(extra_json_schema={"minimum": 0})]
Scalar = str | int | float | None
