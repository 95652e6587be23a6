from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.checks.performance.asset_compression import asset_compression
from pagegrade.model.artifacts import ImageFacts, Resource
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, make_response, outcome, run


def plain(path: str, size: int, gzip_bytes: int | None, **more: Any) -> Resource:
    """A script that came unpacked."""
    return make_resource(URL + path, kind="script", body_bytes=size, gzip_bytes=gzip_bytes, **more)


def packed(path: str, **more: Any) -> Resource:
    """A file that came packed."""
    response = make_response(url=URL + path, headers=(), wire_bytes=9_000, content_encodings=("gzip",))
    return make_resource(URL + path, response=response, **more)


@pytest.mark.parametrize(
    ("saving", "loss"),
    [(1_399, 0), (1_400, 0.1), (20_000, 0.1), (20_001, 0.25), (100_000, 0.6), (200_000, 1), (900_000, 1)],
)
def test_the_bytes_that_could_be_saved_decide(saving: int, loss: float) -> None:
    """One packet is noted, up to 20,000 bytes cost little, from 200,000 everything is lost."""
    found = evaluated(asset_compression, resources=make_resources(plain("a.js", saving + 9_000, 9_000)))

    assert found.loss == pytest.approx(loss)


def test_savings_of_several_files_add_up_and_the_largest_is_named_first() -> None:
    """Two files of moderate size are a waste together."""
    found = outcome(
        asset_compression, resources=make_resources(plain("a.js", 20_000, 5_000), plain("b.js", 30_000, 5_000))
    )

    assert found.value == "40,000 bytes"
    assert [entry.url for entry in found.evidence] == [URL + "b.js", URL + "a.js"]


def test_files_of_other_sites_cost_nothing() -> None:
    """Their owners have to act."""
    foreign = plain("a.js", 400_000, 9_000, first_party=False)

    assert isinstance(run(asset_compression, resources=make_resources(foreign)), NotApplicable)
    assert (
        outcome(asset_compression, resources=make_resources(foreign, plain("b.js", 2_000, None))).state == "compressed"
    )


@pytest.mark.parametrize(("name", "state"), [("jpeg", "needless"), ("svg", "compressed"), ("bmp", "compressed")])
def test_packing_what_is_packed_is_needless(name: str, state: str) -> None:
    """Drawings and bitmaps gain from it, photos do not."""
    item = packed("a", image=ImageFacts(format=name))  # type: ignore[arg-type]
    found = evaluated(asset_compression, resources=make_resources(item))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == (0.25 if state == "needless" else 0)


def test_needless_packing_outweighs_a_little_waste() -> None:
    """The more expensive fault is the one that is named."""
    found = outcome(
        asset_compression,
        resources=make_resources(plain("a.js", 5_000, 2_000), packed("b", image=ImageFacts(format="jpeg"))),
    )

    assert found.state == "needless"
    assert {detail.code: detail.actual for detail in found.details}["uncompressed_files"] == 1


def test_fonts_are_recognized_by_their_bytes() -> None:
    """WOFF2 is packed inside; TrueType is not."""
    assert (
        outcome(asset_compression, resources=make_resources(packed("a", kind="font", font_format="woff2"))).state
        == "needless"
    )
    assert (
        outcome(asset_compression, resources=make_resources(packed("a", kind="font", font_format="ttf"))).state
        == "compressed"
    )


def test_an_html_page_in_place_of_a_script_is_no_asset() -> None:
    """Application shells answer everything with themselves."""
    page = plain("a.js", 400_000, 9_000, headers=(("Content-Type", "text/html"),))

    assert isinstance(run(asset_compression, resources=make_resources(page)), NotApplicable)


def test_what_was_not_fetched_is_not_evaluated() -> None:
    """No resources, no verdict; an error page is no file."""
    missing = plain("a.js", 400_000, 9_000, status=404)

    assert isinstance(run(asset_compression), NotRun)
    assert isinstance(run(asset_compression, resources=make_resources(missing)), NotApplicable)


def test_icons_of_the_site_are_left_out() -> None:
    """A browser asks for them when all else is there; a picture that is shown as well counts."""
    icon = replace(plain("favicon.ico", 90_000, 5_000), kinds=("icon",))

    assert evaluated(asset_compression, resources=make_resources(icon, plain("a.js", 1_000, 900))).loss == 0
    assert (
        evaluated(asset_compression, resources=make_resources(replace(icon, kinds=("icon", "image")))).loss or 0
    ) > 0
