from __future__ import annotations

import pytest

from pagegrade.checks.performance.domains_count import domains_count
from pagegrade.model.artifacts import StylesheetReference
from pagegrade.model.outcome import Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome


def page(hosts: int) -> str:
    """A page with scripts of that many hosts beside its own."""
    return "<!doctype html>" + "".join(f"<script src=https://h{n}.example/a.js></script>" for n in range(hosts))


@pytest.mark.parametrize(
    ("others", "state", "loss"),
    [(0, "few", 0), (11, "few", 0), (12, "many", 0.2), (29, "many", 0.8), (30, "too_many", 1)],
)
def test_the_own_host_counts_and_the_limits_are_inclusive(others: int, state: str, loss: float) -> None:
    """12 and 30 are still the better state."""
    found = evaluated(domains_count, page(others))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.verdict.value) == (state, others + 1)
    assert found.loss == pytest.approx(loss)


def test_a_host_counts_once_and_only_when_it_is_spoken_to_at_once() -> None:
    """Links, hints and lazy images open no connection that counts."""
    html = (
        "<script src=https://a.example/1.js></script><script src=https://a.example/2.js></script>"
        "<a href=https://b.example/>b</a><link rel=preconnect href=https://c.example/>"
        "<img loading=lazy src=https://d.example/d.png><img src=/e.png srcset='https://e.example/e.png 2x'>"
        "<link rel=icon href=https://f.example/f.png>"
    )

    assert outcome(domains_count, html).value == 2


def test_fonts_of_stylesheets_count_where_they_were_fetched() -> None:
    """The formats that a browser passes over are not fetched."""
    files = make_resources(
        make_resource("https://fonts.example/a.woff2", kind="font"),
        stylesheet_references=(
            StylesheetReference(url="https://fonts.example/a.woff2", kind="font", stylesheet_url=URL + "a.css"),
            StylesheetReference(url="https://old.example/a.woff", kind="font", stylesheet_url=URL + "a.css"),
        ),
    )

    assert outcome(domains_count, "<p>x", resources=files).value == 2
