from __future__ import annotations

import pytest

from pagegrade.checks.content.open_graph import open_graph
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome

REQUIRED = ("og:title", "og:type", "og:image", "og:url")
ALL = (*REQUIRED, "og:description")


def page(*names: str, attribute: str = "property", content: str = "x") -> str:
    """A page with these properties."""
    metas = "".join(f'<meta {attribute}="{name}" content="{content}">' for name in names)
    return f"<!doctype html><title>t</title>{metas}"


@pytest.mark.parametrize(
    ("names", "state", "loss"),
    [
        (ALL, "complete", 0),
        (REQUIRED, "no_description", 0.25),
        (ALL[1:], "partial", 0.5),
        (("og:title",), "partial", 0.5),
        (("og:site_name",), "partial", 0.5),
        ((), "none", 1),
    ],
)
def test_four_properties_and_a_description_make_it_whole(names: tuple[str, ...], state: str, loss: float) -> None:
    """Each state has its loss."""
    found = evaluated(open_graph, page(*names))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, loss)


@pytest.mark.parametrize("missing", REQUIRED)
def test_each_of_the_four_is_required(missing: str) -> None:
    """The protocol names them."""
    found = outcome(open_graph, page(*(name for name in ALL if name != missing)))

    assert found.state == "partial"
    assert [detail.actual for detail in found.details] == [missing]


def test_the_name_attribute_is_accepted_too() -> None:
    """Both occur, and networks read both."""
    assert outcome(open_graph, page(*ALL, attribute="name")).state == "complete"


def test_empty_values_are_missing() -> None:
    """Blank is as good as nothing."""
    assert outcome(open_graph, page(*ALL, content="  ")).state == "none"


def test_case_of_the_property_does_not_matter() -> None:
    """Networks fold it."""
    assert outcome(open_graph, page(*(name.upper() for name in ALL))).state == "complete"


def test_values_are_decoded_once() -> None:
    """The text of the message is the text that a network reads."""
    found = outcome(open_graph, page("og:title", content="Tables &amp; chairs"))

    assert found.evidence[0].reason == "og:title: Tables & chairs"


@pytest.mark.parametrize("name", ["og:image:url", "og:image:secure_url"])
def test_the_longer_names_of_the_image_count(name: str) -> None:
    """They mean the same."""
    assert outcome(open_graph, page("og:title", "og:type", name, "og:url", "og:description")).state == "complete"


def test_a_page_that_scripts_fill_still_needs_them() -> None:
    """Networks do not run scripts."""
    html = page() + "<body><div id=root></div><script src=/a.js></script>"

    assert outcome(open_graph, html).state == "none"


def test_adding_a_property_never_costs_points() -> None:
    """One after the other."""
    losses = [evaluated(open_graph, page(*ALL[:count])).loss or 0 for count in range(6)]

    assert losses == sorted(losses, reverse=True)
