"""Answers as they are declared."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from pagegrade.model.schema import about
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted, numbered_list
from pagegrade.web.schemas.shape import Document, schemas_of


class Thing(Document, frozen=True, kw_only=True):
    """A thing."""

    id: Annotated[int, about("Its number.", 4)]


def test_an_object_is_data_beside_the_status() -> None:
    """Warnings are absent where there are none."""
    answer = answer_with("ThingAnswer", Thing, "One thing.", "The thing.")
    schema = schemas_of([answer])["ThingAnswer"]

    assert list(schema["properties"]) == ["status", "warnings", "data"]
    assert schema["properties"]["data"] == {"$ref": "#/components/schemas/Thing", "description": "The thing."}
    assert (schema["description"], schema["required"]) == ("One thing.", ["status", "data"])


@pytest.mark.parametrize(
    ("declare", "meta"), [(numbered_list, "Meta"), (cursor_list, "ReportListMeta")], ids=["numbered", "cursor"]
)
def test_a_list_has_links_and_its_position(declare: type, meta: str) -> None:
    """Numbered pages always have a number, parts at a cursor do not."""
    schema = schemas_of([declare("ThingList", Thing, "Things.", "The things of this page.")])["ThingList"]

    assert list(schema["properties"]) == ["status", "warnings", "links", "meta", "data"]
    assert schema["properties"]["meta"]["$ref"].endswith(f"/{meta}")
    assert schema["properties"]["data"]["items"] == {"$ref": "#/components/schemas/Thing"}


def test_a_deletion_says_what_was_deleted() -> None:
    """In the answer by number and kind, in the description by a sentence."""
    confirmation = deleted("DeletedThing", "thing", "a thing was deleted", "The deleted thing.", 4)
    schema = schemas_of([confirmation])["DeletedThing"]

    assert msgspec.json.encode(confirmation(id=7)) == b'{"deleted":true,"status":200,"id":7,"object":"thing"}'
    assert schema["description"] == "Confirmation that a thing was deleted."
    assert schema["properties"]["object"]["const"] == "thing"
    assert schema["properties"]["id"] | {"examples": [4], "minimum": 1} == schema["properties"]["id"]
