from __future__ import annotations

import pytest

from pagegrade.checks.performance.cookies_on_static import cookies_on_static
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run

COOKIE = (("set-cookie", "id=s3cr3t; Path=/"), ("Set-Cookie", "other=s3cr3t"))


def test_names_are_shown_and_values_are_not() -> None:
    """Values may be session identifiers."""
    found = outcome(cookies_on_static, resources=make_resources(make_resource(URL + "a.png", headers=COOKIE)))

    assert (found.state, found.evidence[0].value) == ("cookies", "id, other")
    assert "s3cr3t" not in repr(found)


def test_a_line_without_a_name_is_all_value() -> None:
    """So nothing of it is shown."""
    item = make_resource(URL + "a.png", headers=(("Set-Cookie", "s3cr3t"),))

    assert "s3cr3t" not in repr(outcome(cookies_on_static, resources=make_resources(item)))


@pytest.mark.parametrize(("kind", "own"), [("frame", True), ("image", False)])
def test_pages_and_other_sites_are_left_out(kind: str, own: bool) -> None:  # noqa: FBT001 - a table
    """Pages may set cookies, and others are not the owner's."""
    item = make_resource(URL + "a", kind=kind, headers=COOKIE, first_party=own)

    assert isinstance(run(cookies_on_static, resources=make_resources(item)), NotApplicable)


def test_it_costs_nothing() -> None:
    """Load balancers do it everywhere."""
    assert (
        evaluated(cookies_on_static, resources=make_resources(make_resource(URL + "a.png", headers=COOKIE))).loss == 0
    )
    assert isinstance(run(cookies_on_static), NotRun)
