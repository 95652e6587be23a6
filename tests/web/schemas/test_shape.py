from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Annotated, Any, Literal

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator
from msgspec import UNSET, Meta, Struct, UnsetType, field

from pagegrade.model.schema import Count, Points, Scalar, Timestamp, about
from pagegrade.web import schemas
from pagegrade.web.schemas.shape import Document, example_of, extended, members_of, schemas_of

MODULES = [import_module(found.name) for found in pkgutil.iter_modules(schemas.__path__, f"{schemas.__name__}.")]
MODELS = sorted(
    {
        thing
        for module in MODULES
        for thing in vars(module).values()
        if inspect.isclass(thing) and issubclass(thing, Document) and thing is not Document
    },
    key=lambda model: model.__name__,
)


class Lamp(Document, frozen=True, kw_only=True):
    """The members of a lighthouse."""

    oil: Annotated[str, about("What burns.", "whale")]
    kind: Annotated[Literal["lamp"], about("The kind of object.")]
    spare: Annotated[str, about("What else may burn.", "seal")] | UnsetType = UNSET


class Tower(Document, frozen=True, kw_only=True):
    """A lighthouse."""

    lamp: Annotated[Lamp | None, about("On top.")]
    lamps: Annotated[list[Lamp], about("All of them.")]


class Keeper(Document, frozen=True, kw_only=True):
    """A name without an example."""

    name: Annotated[str, about("Who trims the wicks.")]


class Light(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Its members are left out where nothing is known."""

    range_km: Annotated[Count | None, about("How far it is seen.", 30)] = None
    since: Annotated[int, about("Year in which it was lit first.", 1811, later=True)]
    from_: Annotated[str, about("Direction.", "north")] = field(name="from")


class ListedKeeper(Keeper, frozen=True, kw_only=True):
    """A keeper with a number."""

    from_: Annotated[int, about("First year.", 1811)] = field(name="from")


def test_a_document_is_extended_by_the_members_of_another() -> None:
    """They come first and stay the same; one that is missing or unknown is an error."""
    keeper = Keeper(name="Ida")

    assert msgspec.json.encode(extended(keeper, ListedKeeper, from_=1858)) == b'{"name":"Ida","from":1858}'
    with pytest.raises(TypeError, match="from_"):
        extended(keeper, ListedKeeper)
    with pytest.raises(TypeError, match="lamp"):
        extended(keeper, ListedKeeper, from_=1858, lamp=None)


def test_an_example_is_made_of_the_examples_of_its_members() -> None:
    """However deep; a choice of one value is its own example."""
    lamp = {"oil": "whale", "kind": "lamp", "spare": "seal"}

    assert example_of(Tower) == {"lamp": lamp, "lamps": [lamp]}


def test_members_of_an_example_can_be_given() -> None:
    """For a second example that differs in one thing."""
    assert example_of(Tower, lamp=None)["lamp"] is None


def test_a_member_that_is_not_there_cannot_be_given() -> None:
    """A slip of the pen would otherwise make an example of nothing."""
    with pytest.raises(TypeError, match="Lamp has no oyl"):
        example_of(Lamp, oyl="seal")


def test_a_member_without_an_example_is_noticed() -> None:
    """By its name."""
    with pytest.raises(TypeError, match=r"Keeper\.name needs an example"):
        example_of(Keeper)


def test_members_are_read_from_the_annotations() -> None:
    """Members that are left out without a value are never null; those that came later are absent from older objects."""
    far, since, direction = members_of(Light)

    assert (far.type, far.always, far.examples) == (Count, False, (30,))
    assert (since.name, since.always) == ("since", False)
    assert (direction.name, direction.type, direction.always, direction.description) == (
        "from",
        str,
        True,
        "Direction.",
    )
    assert [member.always for member in members_of(Lamp)] == [True, True, False]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_document_is_described_down_to_its_members(model: type[Struct]) -> None:
    """A member without an explanation can be misunderstood."""
    parts = schemas_of([model])
    silent = [
        f"{name}.{member}"
        for name, part in parts.items()
        for member, described in part["properties"].items()
        # A member whose words are those of its document is described by it.
        if "$ref" not in described and not described.get("description", "").strip()
    ]

    assert silent == []
    assert [name for name, part in parts.items() if not part["description"]] == []
    assert example_of(model)


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
