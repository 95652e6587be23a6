"""A crawl is evaluated as its site was made: each fault is named at its pages, and nowhere else."""

from __future__ import annotations

import random
from typing import Any, Final

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pagegrade.checks import all_site_checks
from pagegrade.model.audit_result import AuditResult
from pagegrade.service.audits.evaluation import MAX_FOLDERS, MAX_LEVEL, evaluate_crawl, facts_of, run_check
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
    assert finding.lost is not None
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
    lost = {"check_id": "meta-description", "state": "missing", "lost": 0.1, "total": 1, "signature": 7}
    costly = {**lost, "check_id": "csp", "lost": 9.0, "signature": 8}
    found = [{**one, "page_id": page} for page in range(1, 5) for one in (lost, costly)]
    few = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 4}], found=found))
    enough = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 5}]))

    assert (few.score, few.rating, few.no_grade) == (None, None, "too_few_pages")
    assert enough.score is not None
    assert few.findings
    for status, why in ((401, "start_refused"), (403, "start_refused"), (404, "too_few_pages")):
        refused = evaluated(rows_of(pages=[{"page_id": 1, "repeat": 1, "status": status, "score": None}]))
        assert (refused.score, refused.no_grade) == (None, why)
    order = ("critical", "high", "medium", "low", "informative")
    places = [(order.index(one.severity), -one.pages) for one in few.findings]

    assert len(set(places)) > 1
    assert places == sorted(places)


def page_at(number: int, path: str, score: int | None = 80, **columns: Any) -> dict[str, Any]:
    """A page that was read."""
    return {"page_id": number, "url": f"https://a.test{path}", "path": path, "score": score, **columns}


def test_folders_are_a_tree_with_pages_and_their_mean_score() -> None:
    """A folder counts those below it; a single page is none, and neither are errors and files."""
    paths = ("/", "/x-1/a", "/x-1/b", "/x/1.html?y=/p/q", "/x/y/2.html", "/x/y/3.html", "/alone/z.html")
    scores = (100, 90, None, 50, 60, 71, 80)
    pages = [page_at(number, path, score) for number, (path, score) in enumerate(zip(paths, scores, strict=True), 1)]
    others = [page_at(8, "/x/gone", None, status=404), page_at(9, "/x/file.pdf", None, words=None)]
    found = evaluated(rows_of(pages=[*pages, *others])).folders

    assert [(one.url, one.level, one.pages, one.score) for one in found] == [
        ("https://a.test/", 0, 7, 75.2),
        ("https://a.test/x/", 1, 3, 60.3),
        ("https://a.test/x/y/", 2, 2, 65.5),
        ("https://a.test/x-1/", 1, 2, 90.0),
    ]


@pytest.mark.parametrize(("folders", "shown"), [(MAX_FOLDERS - 1, MAX_FOLDERS), (MAX_FOLDERS, MAX_FOLDERS)])
def test_of_many_folders_the_largest_are_shown(folders: int, shown: int) -> None:
    """With the host that is above them all; a path has so many levels at most."""
    deep = "/1/2/3/4/5/6/7/"
    paths = [f"/f{number}/{page}" for number in range(folders) for page in range(2)]
    found = evaluated(rows_of(pages=[page_at(number, path) for number, path in enumerate(paths, 1)])).folders
    levels = evaluated(rows_of(pages=[page_at(1, deep), page_at(2, f"{deep}a")])).folders

    assert (len(found), found[0].level, found[0].pages) == (shown, 0, 2 * folders)
    assert [one.level for one in levels] == list(range(MAX_LEVEL + 1))


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


FEW: Final = settings(max_examples=5, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""Each example evaluates sites, which takes some tenths of a second; a failing one is small already."""
CHECK: Final = "duplicate-content"
Site = dict[str, list[dict[str, Any]]]


@st.composite
def sites(draw: st.DrawFn) -> Site:
    """Six to twelve different pages with links, and what was found on them."""
    count = draw(st.integers(6, 12))
    ids = st.integers(1, count)
    links = draw(st.sets(st.tuples(ids, ids), min_size=count, max_size=3 * count))
    marks = draw(
        st.dictionaries(st.tuples(ids, st.integers(1, 4)), st.integers(1, 80), min_size=count, max_size=3 * count)
    )
    lost = dict.fromkeys(range(1, count + 1), 0)
    for (page_id, _), tenths in marks.items():
        lost[page_id] += tenths
    return rows_of(
        pages=[{"page_id": at, "score": round(max(0.0, 100 - tenths / 10))} for at, tenths in lost.items()],
        links=[{"from_id": one, "to_id": other} for one, other in sorted(links) if one != other],
        found=[on_page(page_id, look, tenths / 10) for (page_id, look), tenths in marks.items()],
    )


def on_page(page_id: int, look: int, lost: float) -> dict[str, Any]:
    """A row of what was found on a page."""
    return {"page_id": page_id, "check_id": "title", "state": "missing", "lost": lost, "total": 1, "signature": look}


def weights(site: Site) -> dict[str, int]:
    """URL -> weight of each page that the grade is of."""
    with loaded(site) as relations:
        evaluate_crawl(relations, {CHECK: all_site_checks()[CHECK]})
        return dict(relations.rows("SELECT url, weight FROM weights JOIN pages USING (page_id)"))


def whole(result: AuditResult) -> float:
    """The score before caps and rounding."""
    assert result.exact is not None
    return result.exact


@given(site=sites(), data=st.data())
@FEW
def test_what_is_found_no_more_never_costs(site: Site, data: st.DataObject) -> None:
    """Law 1, for what was found on pages."""
    gone = data.draw(st.sampled_from(site["found"]))
    better = site | {"found": [row for row in site["found"] if row is not gone]}

    assert whole(evaluated(better, CHECK)) >= whole(evaluated(site, CHECK))


@given(site=sites(), data=st.data())
@FEW
def test_copies_of_pages_cost_what_their_own_finding_says(site: Site, data: st.DataObject) -> None:
    """Law 2: the same page at another URL, with the same links, changes nothing but the finding about duplicates."""
    chosen = data.draw(st.sampled_from(site["pages"][1:]))
    number, copy = chosen["page_id"], 1_000
    links = [row | {"from_id": copy} for row in site["links"] if row["from_id"] == number]
    links += [row | {"to_id": copy} for row in site["links"] if row["to_id"] == number]
    more: Site = site | {
        "pages": [*site["pages"], chosen | {"page_id": copy, "url": f"{chosen['url']}/copy"}],
        "links": [*site["links"], *links],
        "found": [*site["found"], *(row | {"page_id": copy} for row in site["found"] if row["page_id"] == number)],
    }
    result = evaluated(more, CHECK)
    own = sum(one.lost or 0.0 for one in result.findings if one.check == CHECK)

    assert own > 0
    assert whole(result) + own == pytest.approx(whole(evaluated(site, CHECK)))


@given(site=sites(), data=st.data())
@FEW
def test_what_is_no_page_has_no_weight(site: Site, data: st.DataObject) -> None:
    """Law 3: images, scripts, errors, and redirects to where a page links already."""
    link = data.draw(st.sampled_from(site["links"]))
    others: list[dict[str, Any]] = [
        {"page_id": 900, "content_type": "image/png", "words": None, "score": None},
        {"page_id": 901, "content_type": "text/javascript", "words": None, "score": None},
        {"page_id": 902, "status": 404, "words": None, "score": None},
        {"page_id": 903, "status": 301, "redirect_id": link["to_id"], "words": None, "score": None},
        {"page_id": 904, "state": "failed", "status": None, "words": None, "score": None},
        {"page_id": 905, "state": "blocked", "status": None, "words": None, "score": None},
    ]
    added = rows_of(pages=others, links=[{"from_id": link["from_id"], "to_id": row["page_id"]} for row in others])
    more = site | {name: [*site[name], *added[name]] for name in ("pages", "links")}

    assert weights(more) == weights(site)


@given(site=sites(), seed=st.integers(0, 1_000))
@FEW
def test_the_same_rows_in_any_order_give_the_same_bytes(site: Site, seed: int) -> None:
    """Laws 4 and 7."""
    order = random.Random(seed)  # noqa: S311 - an order, no secret
    mixed = {name: order.sample(rows, len(rows)) for name, rows in site.items()}
    first, again, other = (msgspec.json.encode(evaluated(rows, CHECK)) for rows in (site, site, mixed))

    assert first == again == other


@given(site=sites(), parts=st.integers(2, 4))
@FEW
def test_one_cause_is_charged_once_however_many_looks_it_has(site: Site, parts: int) -> None:
    """Law 6: the points of a page are divided among the looks of a fault, and not multiplied by them."""
    split = site | {
        "found": [
            row | {"lost": row["lost"] / parts, "signature": row["signature"] + 100 * part}
            for row in site["found"]
            for part in range(parts)
        ]
    }
    one, other = evaluated(site, CHECK), evaluated(split, CHECK)

    # Points are counted in ten-thousandths, of which a third has no whole number.
    assert whole(other) == pytest.approx(whole(one), abs=0.02)
    assert sum(found.lost or 0.0 for found in other.findings) == pytest.approx(100 - whole(other))
