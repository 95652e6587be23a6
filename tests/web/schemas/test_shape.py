from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Literal

import pytest
from pydantic import BaseModel

from pagegrade.web import schemas
from pagegrade.web.schemas.shape import Document, about, example_of, sometimes

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


class Lamp(Document):
    """The members of a lighthouse."""

    oil: str = about("What burns.", "whale")
    kind: Literal["lamp"] = about("The kind of object.")
    spare: str = sometimes("What else may burn.", "seal")


class Tower(Document):
    """A lighthouse."""

    lamp: Lamp | None = about("On top.")
    lamps: list[Lamp] = about("All of them.")


class Keeper(Document):
    """A name without an example."""

    name: str = about("Who trims the wicks.")


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


def test_what_is_sometimes_absent_is_not_required_and_never_null() -> None:
    """Absent and null are two things to a client."""
    schema = Lamp.model_json_schema()

    assert schema["required"] == ["oil", "kind"]
    assert schema["properties"]["spare"]["type"] == "string"
    assert "default" not in schema["properties"]["spare"]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_document_is_described_down_to_its_members(model: type[BaseModel]) -> None:
    """A member without an explanation can be misunderstood."""
    schema = model.model_json_schema()
    parts = {model.__name__: schema, **schema.get("$defs", {})}
    silent = [
        f"{name}.{member}"
        for name, part in parts.items()
        for member, described in part.get("properties", {}).items()
        # A member whose words are those of its document is described by it.
        if "$ref" not in described and not described.get("description", "").strip()
    ]

    assert silent == []
    assert [name for name, part in parts.items() if not part.get("description")] == []
    assert example_of(model)
