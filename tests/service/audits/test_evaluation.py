"""A crawl is evaluated as its site was made: each fault is named at its pages, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks import all_site_checks
from pagegrade.service.audits.evaluation import evaluate_crawl, facts_of, run_check
from pagegrade.store.analysis.derive import derive
from tests.site_builders import evaluated, loaded, rows_of
from tests.site_world.relations import ORIGIN, rows_of_world
from tests.site_world.world import ENDLESS, FAULTS, World, make_world


def named(world: World) -> dict[str, set[str]]:
    """Site check -> paths that it names in a crawl of the whole site."""
    with loaded(rows_of_world(world)) as relations:
        derive(relations)
        for check in all_site_checks().values():
            run_check(relations, check, facts_of(relations))
        rows = relations.rows("SELECT DISTINCT check_id, path FROM hits JOIN pages USING (page_id)")
    found: dict[str, set[str]] = {}
    for check_id, path in rows:
        found.setdefault(check_id, set()).add(path)
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_a_sound_site_has_no_finding(seed: int) -> None:
    """Nothing is found where nothing was put."""
    assert named(make_world(seed, pages=60)) == {}


@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - ENDLESS))
def test_a_fault_is_found_at_its_pages(fault: str) -> None:
    """Each fault by itself is named by its checks, and by no other."""
    world = make_world(7, pages=45, faults=[fault])

    assert named(world) == world.expected


@pytest.mark.parametrize("seed", range(3))
def test_all_faults_together_are_found_at_their_pages(seed: int) -> None:
    """Faults do not hide each other."""
    world = make_world(seed, pages=240, templates=5, faults=sorted(FAULTS.keys() - ENDLESS))

    assert named(world) == world.expected


def mark(check: str = "title", state: str = "missing", lost: float = 8.0, signature: int = 1) -> dict[str, Any]:
    """A row of ``found`` without its page."""
    return {"check_id": check, "state": state, "lost": lost, "total": 1, "signature": signature}


def test_one_fault_of_a_template_is_one_finding() -> None:
    """A fault in the header of a template is a finding with all its pages, and costs what the pages lose by it."""
    world = make_world(3, pages=60)
    paths = [path for path, page in world.pages.items() if page.template == "product"]
    rows = rows_of_world(world, scores={"product": 92}, found={path: [mark()] for path in paths})
    result = evaluated(rows)
    (finding,) = result.findings

    assert (finding.check, finding.extent, finding.pages) == ("title", "template", len(paths))
    assert finding.title
    assert 0 < finding.lost < 8
    assert result.exact == round(100 - finding.lost, 2)
    assert len(finding.places) == len(paths)


def test_faults_that_pages_do_not_share_are_listed_together() -> None:
    """Below three pages a cause is none; signatures of nearly the same pages are one."""
    world = make_world(3, pages=60)
    paths = [path for path, page in world.pages.items() if page.template == "guide"]
    rows = rows_of_world(
        world,
        found={
            **{path: [mark(signature=1, lost=1.0), mark(signature=2, lost=1.0)] for path in paths[:10]},
            paths[10]: [mark(signature=2), mark(signature=77)],
            paths[11]: [mark(signature=78)],
        },
    )
    result = evaluated(rows)
    found = [(one.extent, one.pages) for one in sorted(result.findings, key=lambda one: -one.pages)]

    assert found == [("pages", 11), ("various", 2)]


def test_a_broken_target_is_listed_with_all_its_sources() -> None:
    """The places of a finding about links are the targets, each with the pages that link to it."""
    world = make_world(5, pages=30, faults=["broken-link"])
    result = evaluated(rows_of_world(world), "broken-internal-links")
    (finding,) = result.findings
    (place,) = finding.places
    sources = {ORIGIN + path for path in world.expected["broken-internal-links"]}

    assert (place.value, place.count, set(place.sources)) == ("status 404", 2, sources)


def test_few_pages_have_no_grade() -> None:
    """Four pages are too few, five are enough; findings are listed all the same."""
    few = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 4}]))
    enough = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 5}]))

    assert (few.score, few.rating, few.no_grade) == (None, None, "too_few_pages")
    assert enough.score is not None
    assert few.findings


@pytest.mark.parametrize(
    ("code", "pages", "facts"),
    [
        ("start_not_indexable", [{"page_id": 1, "noindex": True}, {"page_id": 2, "repeat": 9}], {}),
        ("robots_blocks_all", [{"page_id": 1, "repeat": 9}], {"robots": "blocks_all"}),
        ("server_errors", [{"page_id": 1, "repeat": 8}, {"page_id": 50, "status": 500}], {}),
        ("no_https", [{"page_id": 1, "repeat": 9}], {"https": "0"}),
        ("bad_fifth", [{"page_id": 1, "repeat": 7}, {"page_id": 50, "repeat": 2, "score": 49}], {}),
    ],
)
def test_caps_hold(code: str, pages: list[dict[str, Any]], facts: dict[str, str]) -> None:
    """A fault that no amount of other goodness outweighs is one line of the result, and a limit."""
    site = [{"key": key, "value": value} for key, value in facts.items()]
    result = evaluated(rows_of(pages=pages, site=site), "dead-ends")
    (cap,) = result.caps

    assert cap.code == code
    assert result.score is not None
    assert result.score <= cap.max_score


def test_the_threshold_of_a_cap_itself_is_allowed() -> None:
    """A tenth of failing pages, and less than a fifth of bad ones, are below their caps."""
    failing = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 9}, {"page_id": 50, "status": 500}]), "dead-ends")
    bad = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 9}, {"page_id": 50, "score": 49}]), "dead-ends")

    assert (failing.caps, bad.caps) == ((), ())


def test_the_same_rows_give_the_same_result_in_any_order() -> None:
    """Numbers and order of pages change nothing, and two evaluations are equal to the last digit."""
    world = make_world(9, pages=60, faults=sorted(FAULTS.keys() - ENDLESS))
    rows = rows_of_world(world, found={path: [mark(lost=1.7)] for path in list(world.pages)[::3]})
    names = ("page_id", "redirect_id", "canonical_id", "from_id", "to_id")

    def moved(value: int) -> int:
        return value if value >= 1_000_000 else 500_000 - value

    other = {
        name: [
            {key: moved(value) if key in names and value is not None else value for key, value in row.items()}
            for row in reversed(some)
        ]
        for name, some in rows.items()
    }
    other["site"] = [row | ({"value": str(moved(1))} if row["key"] == "start" else {}) for row in other["site"]]

    assert evaluated(rows) == evaluated(rows)
    assert evaluated(other) == evaluated(rows)


def test_the_table_of_pages_has_every_page_of_every_finding() -> None:
    """The result names some pages, the table all of them."""
    world = make_world(2, pages=120, faults=["duplicate-title", "broken-link"])
    paths = [path for path, page in world.pages.items() if page.template == "news"]
    with loaded(rows_of_world(world, found={path: [mark()] for path in paths})) as relations:
        result = evaluate_crawl(relations)
        counts: dict[Any, Any] = dict(
            relations.rows("SELECT number, count(DISTINCT page_id) FROM finding_pages GROUP BY number")
        )

    assert counts == {one.number: one.pages for one in result.findings}


def test_a_rare_thing_is_a_share_of_the_whole_site() -> None:
    """One bad redirect of one is a trifle among a hundred pages."""
    loop = {"page_id": 500, "status": 301, "redirect_id": 500}
    result = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 99}, loop]), "redirect-loops")
    (finding,) = result.findings

    assert (finding.share, finding.lost) == (0.01, 4.0)
