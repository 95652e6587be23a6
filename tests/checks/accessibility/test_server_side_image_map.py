from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.server_side_image_map import server_side_image_map
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/><img src=a alt=x></a>",
        "<a><img src=a ismap alt=x></a>",
        "<a href=/ hidden><img src=a ismap alt=x></a>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Without a link around it the attribute does nothing."""
    assert outcome(server_side_image_map, html).state == "none"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/><img src=a ismap alt=x></a>",
        "<a href=/><b><img src=a alt=y><img src=b ismap alt=x></b></a>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Anywhere inside the link."""
    found = outcome(server_side_image_map, html)

    assert found.state == "used"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize("html", ["<img src=a ismap alt=x>", "<a href=/>x</a>"])
def test_nothing_to_judge_is_not_applicable(html: str) -> None:
    """No link has an image."""
    assert isinstance(run("server-side-image-map", html), NotApplicable)
