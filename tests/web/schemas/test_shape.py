from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Annotated, Literal

import pytest
from msgspec import UNSET, Struct, UnsetType, field

from pagegrade.model.schema import Count, about
from pagegrade.web import schemas
from pagegrade.web.openapi.json_schema import schemas_of
from pagegrade.web.schemas.shape import Document, example_of, members_of

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
