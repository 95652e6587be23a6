from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.technical.mime_types import mime_types
from pagegrade.model.artifacts import ImageFacts, Resource
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_resource, make_resources, outcome, run

NOSNIFF = ("X-Content-Type-Options", "nosniff")


def served(kind: str, content_type: str | None, *more: tuple[str, str], image: str = "", **fields: Any) -> Resource:
    """A file of the page."""
    headers = (*(() if content_type is None else (("Content-Type", content_type),)), *more)
    facts = ImageFacts(format=image) if image else None  # type: ignore[arg-type]
    return make_resource("https://example.com/f", kind=kind, headers=headers, image=facts, **fields)


@pytest.mark.parametrize(
    ("resource", "state"),
    [
        (served("script", "text/javascript"), "right"),
        (served("script", "Application/JavaScript; charset=utf-8", NOSNIFF), "right"),
        (served("script", "application/x-javascript"), "right"),
        (served("script", "text/plain"), "loose"),
        (served("script", "text/html"), "loose"),
        (served("script", None), "loose"),
        (served("script", "text/plain", NOSNIFF), "refused"),
        (served("script", None, NOSNIFF), "refused"),
        (served("script", "image/png"), "refused"),
        (served("stylesheet", "text/css;charset=UTF-8"), "right"),
        (served("stylesheet", "text/plain"), "refused"),
        (served("stylesheet", "text/html"), "refused"),
        (served("stylesheet", None), "loose"),
        (served("stylesheet", None, NOSNIFF), "refused"),
        (served("image", "image/webp", image="webp"), "right"),
        (served("image", "image/jpg", image="jpeg"), "right"),
        (served("image", "image/vnd.microsoft.icon", image="ico"), "right"),
        (served("image", "image/png", image="webp"), "loose"),
        (served("image", "application/octet-stream", image="png"), "loose"),
        (served("image", "image/svg+xml", image="svg"), "right"),
        (served("image", "text/xml", image="svg"), "refused"),
        (served("image", "image/x-unknown"), "right"),
    ],
)
def test_types_against_what_the_files_are(resource: Resource, state: str) -> None:
    """Types that browsers refuse are distinguished from types that they detect."""
    assert outcome(mime_types, "<!doctype html>", resources=make_resources(resource)).state == state


@pytest.mark.parametrize(
    ("headers", "state"),
    [
        ((), "loose"),
        ((("Content-Type", "nonsense"),), "loose"),
        ((NOSNIFF,), "refused"),
        ((("Content-Type", "text/plain"),), "refused"),
    ],
)
def test_page_must_say_that_it_is_html(headers: tuple[tuple[str, str], ...], state: str) -> None:
    """Browsers guess where it says nothing, and show the source where it says something else."""
    found = outcome(mime_types, "<!doctype html>", resources=make_resources(), headers=headers)

    assert (found.state, found.value, found.evidence[0].reason[:7]) == (state, "1 of 1 file", "page as")


@pytest.mark.parametrize("value", ["text/html", "Text/HTML;charset=x", "application/xhtml+xml", "text/html; invalid"])
def test_page_that_says_so_is_no_file_of_its_own(value: str) -> None:
    """Only a wrong one is counted, and its encoding is looked at elsewhere."""
    found = outcome(
        mime_types,
        "<!doctype html>",
        resources=make_resources(served("script", "text/javascript")),
        headers=(("Content-Type", value),),
    )

    assert (found.state, found.value) == ("right", "0 of 1 file")


def test_modules_are_strict_and_quirks_mode_is_not() -> None:
    """A module needs its type; an old page takes any stylesheet of its own site."""
    files = make_resources(served("script", "text/plain"), served("stylesheet", "text/css"))
    sheet = make_resources(served("stylesheet", "text/plain"))

    assert (
        outcome(mime_types, "<!doctype html><script type=module src=/f></script>", resources=files).state == "refused"
    )
    assert outcome(mime_types, "<title>old</title>", resources=sheet).state == "loose"
    assert outcome(mime_types, "<!doctype html>", resources=sheet).state == "refused"


@pytest.mark.parametrize(
    "resource",
    [
        served("script", "text/plain", first_party=False),
        served("script", "text/plain", status=404),
        served("script", "text/plain", status=204),
        served("script", None, body_bytes=0),
        served("font", "text/plain"),
        served("manifest", "text/plain"),
        served("media", "text/plain"),
    ],
)
def test_files_that_are_not_evaluated(resource: Resource) -> None:
    """Files of other sites, that did not arrive, that are empty, or whose type no browser reads."""
    assert isinstance(run(mime_types, resources=make_resources(resource)), NotApplicable)


def test_loss_grows_with_the_number_and_never_falls_by_a_refusal() -> None:
    """A quarter to half, half to everything."""

    def loss(*files: Resource) -> float | None:
        return evaluated(mime_types, resources=make_resources(*files)).loss

    loose, refused = served("script", "text/plain"), served("stylesheet", "text/plain")

    assert [loss(loose), loss(*[loose] * 10), loss(*[loose] * 40)] == [0.25, 0.5, 0.5]
    assert [loss(refused), loss(*[loose] * 40, refused), loss(*[refused] * 10)] == [0.5, 0.5, 1.0]


def test_resources_that_were_not_gathered_are_not_evaluated() -> None:
    """Nothing is known of them."""
    assert isinstance(run(mime_types), NotRun)
