"""The schema of a struct says what the encoder writes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator
from msgspec import UNSET, Meta, Struct, UnsetType

from pagegrade.model.schema import Count, Points, Scalar, Timestamp, about
from pagegrade.web.openapi.json_schema import schemas_of


class Buoy(Struct, frozen=True, kw_only=True):
    """A buoy."""

    color: Annotated[Literal["red", "green", "black"], about("Its color.", "green")]
    shape: Literal["can"] = "can"


class Chart(Struct, frozen=True, kw_only=True):
    """A chart."""

    depth: Annotated[Points | None, about("Depth.", 12)] = None
    soundings: Annotated[tuple[Count, ...], about("Soundings.", [3, 4])] = ()
    buoys: Annotated[dict[Literal["b", "a"], Buoy | None], about("By letter.")] = msgspec.field(default_factory=dict)
    nearest: Annotated[Buoy, about("A buoy.")]
    next: Annotated[Buoy, about("The next one.")]
    drawn_at: Annotated[Timestamp | None, about("Time.", None)] = None
    scale: Annotated[int | None, about("Scale.", minimum=1)] = None
    note: Annotated[Scalar, about("Note.", None)] | UnsetType = UNSET
    more: Annotated[dict[str, Any], about("More.", {})] = msgspec.field(default_factory=dict)


def test_a_schema_has_the_words_bounds_and_order_of_the_annotations() -> None:
    """Values of an enumeration and members stay in their order; keywords are sorted."""
    schemas = schemas_of([Chart])
    members = schemas["Chart"]["properties"]

    assert list(schemas["Chart"]) == ["description", "properties", "required", "type"]
    assert schemas["Buoy"]["properties"]["color"]["enum"] == ["red", "green", "black"]
    assert schemas["Buoy"]["properties"]["shape"] == {"const": "can", "type": "string"}
    assert members["depth"]["anyOf"] == [{"maximum": 100, "minimum": 0, "type": "integer"}, {"type": "null"}]
    assert members["scale"]["anyOf"] == [{"minimum": 1, "type": "integer"}, {"type": "null"}]
    assert members["soundings"]["items"] == {"minimum": 0, "type": "integer"}
    assert members["buoys"]["propertyNames"] == {"enum": ["b", "a"]}
    assert members["nearest"] == {"$ref": "#/components/schemas/Buoy"}  # described there in the same words
    assert members["next"]["description"] == "The next one."
    assert members["drawn_at"]["anyOf"][0] == {"format": "date-time", "type": "string"}
    assert list(members) == list(Chart.__struct_encode_fields__)
    assert schemas["Chart"]["required"] == [name for name in members if name != "note"]


@pytest.mark.parametrize("note", [UNSET, None, "shoal", 4, 0.5])
def test_what_is_encoded_has_the_described_shape(note: Any) -> None:
    """With and without what may be absent."""
    buoy = Buoy(color="red")
    chart = Chart(depth=3, soundings=(1,), buoys={"a": buoy, "b": None}, nearest=buoy, next=buoy, note=note)
    schemas = schemas_of([Chart])
    validator = Draft202012Validator({"$ref": "#/components/schemas/Chart", "components": {"schemas": schemas}})

    assert validator.is_valid(msgspec.to_builtins(chart))
    assert not validator.is_valid(msgspec.to_builtins(chart) | {"soundings": [-1]})


def test_two_structs_of_one_name_are_noticed() -> None:
    """One of them would describe the other."""
    other = msgspec.defstruct("Buoy", [("bell", bool)])

    with pytest.raises(TypeError, match="two documents have the name Buoy"):
        schemas_of([Buoy, other])


def test_a_type_without_a_schema_is_noticed() -> None:
    """By its name."""
    with pytest.raises(TypeError, match=r"no schema of .*bytes"):
        schemas_of([msgspec.defstruct("Log", [("text", Annotated[bytes, Meta(description="Text.")])])])
