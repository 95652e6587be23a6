from __future__ import annotations

from typing import Any

from devtools.refresh_schema_types import module, names
from pagegrade.parse.data.schema_types import SCHEMA_TYPES

DECLARATIONS = """
interface RecipeLeaf extends RecipeBase { "@type": "Recipe"; }
interface ModelLeaf extends ModelBase { "@type": "3DModel"; }
interface OtherLeaf extends OtherBase { "@type": "http://purl.org/dc/dcmitype/Dataset"; }
interface AgainLeaf extends RecipeBase { "@type": "Recipe"; }
"""


def test_types_of_schema_org_are_taken() -> None:
    """Each once, and none of other vocabularies."""
    assert names(DECLARATIONS) == ("3DModel", "Recipe")


def test_module_names_its_source() -> None:
    """And can be run."""
    found: dict[str, Any] = {}
    exec(compile(module("1.2.3", DECLARATIONS, "2026-11-23"), "types", "exec"), found)  # noqa: S102 - made a line above

    assert found["SCHEMA_TYPES"] == {"3DModel", "Recipe"}
    assert (found["DATE"], found["LICENSE"]) == ("2026-11-23", "facts")
    assert "1.2.3" in found["__doc__"]


def test_the_committed_list_has_the_well_known_types() -> None:
    """And hundreds more."""
    assert {"Thing", "Product", "Recipe", "LocalBusiness", "BreadcrumbList", "WebSite"} <= SCHEMA_TYPES
    assert len(SCHEMA_TYPES) > 800
