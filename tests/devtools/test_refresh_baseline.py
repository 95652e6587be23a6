from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devtools import refresh_baseline
from devtools.refresh_baseline import PROGRESSIVE, load, module, tables
from pagegrade.parse.data import baseline

EVERYWHERE = dict.fromkeys(("chrome", "edge", "firefox", "safari", "safari_ios"), "1")


def feature(
    *keys: str, status: str | bool = "low", support: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    """One feature of the package with these keys."""
    return {
        "kind": "feature",
        "name": "A name",
        "status": {
            "baseline": status,
            "baseline_low_date": "≤2025-03-04",
            "support": EVERYWHERE if support is None else support,
            "by_compat_key": {key: {"baseline": status} for key in keys},
        },
        **more,
    }


@pytest.mark.parametrize(
    ("key", "table", "entry"),
    [
        ("css.at-rules.scope", "AT_RULES", "scope"),
        ("css.properties.anchor-name", "PROPERTIES", "anchor-name"),
        ("css.properties.appearance.base-select", "VALUES", ("appearance", "base-select")),
        ("css.selectors.open", "PSEUDOS", "open"),
        ("css.types.color.light-dark", "FUNCTIONS", "light-dark"),
        ("html.elements.selectedcontent", "ELEMENTS", "selectedcontent"),
        ("html.elements.dialog.closedby", "ATTRIBUTES", ("dialog", "closedby")),
        ("html.global_attributes.popover", "ATTRIBUTES", ("*", "popover")),
    ],
)
def test_key_goes_into_its_table(key: str, table: str, entry: object) -> None:
    """With the feature it belongs to."""
    found = tables({"features": {"a": feature(key)}})

    assert found[table] == {entry: "a"}
    assert found["FEATURES"] == {"a": ("A name", "2025-03", "")}


@pytest.mark.parametrize(
    "key",
    [
        "css.properties.d", "css.properties.display.flex", "css.properties.align-content.flex_context",
        "css.types.length.rcap", "html.elements.a.ping", "html.elements.input.type_color", "api.Window.open",
        "css.at-rules.container.style_queries", "javascript.classes",
    ],
)  # fmt: skip
def test_key_that_no_token_shows_is_left_out(key: str) -> None:
    """Short words, descriptions, and what is no markup or style."""
    assert not any(tables({"features": {"a": feature(key)}}).values())


def test_features_that_need_no_word_are_left_out() -> None:
    """Widely available ones, those that only change a detail, and discouraged ones."""
    wide = feature("css.at-rules.scope", status="high")
    mixed = feature("css.at-rules.scope")
    mixed["status"]["by_compat_key"]["css.at-rules.scope"]["baseline"] = "high"
    unwanted = feature("css.at-rules.scope", discouraged={"according_to": []})
    features = {"a": wide, "b": mixed, "c": unwanted, min(PROGRESSIVE): feature("css.at-rules.scope")}

    assert not any(tables({"features": features}).values())


def test_browsers_that_lack_it_are_named() -> None:
    """Safari is there only where its phones have it."""
    found = tables({"features": {"a": feature("css.at-rules.x", status=False, support={"chrome": "1", "safari": "1"})}})

    assert found["FEATURES"]["a"] == ("A name", "", "Edge, Firefox, Safari")


def test_values_of_a_new_property_say_nothing_more() -> None:
    """They are used with it only."""
    found = tables({"features": {"a": feature("css.properties.text-fit", "css.properties.text-fit.per-line-all")}})

    assert (found["PROPERTIES"], found["VALUES"]) == ({"text-fit": "a"}, {})


def test_module_names_its_source(tmp_path: Path) -> None:
    """And can be run."""
    (tmp_path / "package.json").write_text('{"version": "1.2.3"}')
    (tmp_path / "data.json").write_text(json.dumps({"features": {"a": feature("css.at-rules.scope")}}))
    text = module(*load(tmp_path), "2026-11-22")
    names: dict[str, Any] = {}
    exec(compile(text, "baseline", "exec"), names)  # noqa: S102 - what was written a line above

    assert (names["VERSION"], names["DATE"], names["AT_RULES"]) == ("1.2.3", "2026-11-22", {"scope": "a"})
    assert "Apache-2.0" in text


def test_committed_data_is_whole() -> None:
    """Every entry has its feature."""
    named = {
        feature
        for table in (
            *(baseline.AT_RULES, baseline.PROPERTIES, baseline.VALUES, baseline.PSEUDOS),
            *(baseline.FUNCTIONS, baseline.ELEMENTS, baseline.ATTRIBUTES),
        )
        for feature in table.values()
    }

    assert named <= set(baseline.FEATURES)
    assert set(baseline.FEATURES).isdisjoint(refresh_baseline.PROGRESSIVE)
