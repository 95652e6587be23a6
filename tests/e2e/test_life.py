"""The whole life of reports through the API of a real server: made, graded, found, changed, run again, deleted."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.e2e.shapes import wrong_account, wrong_report
from tests.server import Server
from tests.site.serve import Site

RANK = {"bad": 1, "decent": 2, "good": 3}
Report = dict[str, Any]


class Customer:
    """An account on the shared server, and its reports."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.account, self.key = server.add_account(name)
        self.reports: list[Report] = []

    def get(self, path: str, **query: object) -> Any:
        """The document of a successful read."""
        reply = self.server.call("GET", f"{path}?{urlencode(query)}" if query else path, key=self.key)
        if reply.status != 200:
            raise AssertionError(f"{path} {query}: {reply.status} {reply.body[:300]!r}")
        return reply.json

    def all_ids(self, **query: object) -> list[int]:
        """The ids of every page of a list, in order."""
        found: list[int] = []
        page = 1
        while True:
            document = self.get("/api/v1/reports", page=page, **query)
            found += [report["id"] for report in document["data"]]
            if document["links"]["next"] is None:
                return found
            page += 1


@pytest.fixture(scope="module")
def customer(server: Server, site: Site) -> Customer:
    """An account with fourteen finished reports of every kind, on three projects."""
    alice = Customer(server, "Library")
    urls = [
        *(f"{site.http}/good?n={number}" for number in range(3)),
        *(f"{site.http}/about?n={number}" for number in range(3)),
        *(f"{site.http}/poor?100%25_n={number}" for number in range(3)),
        f"{site.soft_404}/",
        f"{site.spa}/",
        f"{site.http}/status/500",
        f"{site.http}/data.json",
        f"{site.http}/Upper/Case",
    ]
    made = [server.create(url, key=alice.key)["id"] for url in urls]
    alice.reports = [server.finished(report_id, key=alice.key) for report_id in made]
    return alice


def in_order(reports: list[Report], sort_by: str, *, descending: bool) -> list[int]:
    """Ids in the documented order."""
    ranked = [report for report in reports if sort_by != "result" or report["result"] is not None]
    rest = [report for report in reports if report not in ranked]

    def key(report: Report) -> tuple[Any, ...]:
        found: dict[str, tuple[Any, ...]] = {
            "id": (),
            "generated_at": (report["generated_at"] or report["created_at"],),
            "url": (report["url"],),
            "result": (RANK.get(report["result"], 0), report["score"]),
        }
        return (*found[sort_by], report["id"])

    ordered = sorted(ranked, key=key, reverse=descending)
    ordered += sorted(rest, key=lambda r: (r["score"] is not None, r["score"] or 0, r["id"]), reverse=descending)
    return [report["id"] for report in ordered]


def test_every_report_has_come_to_an_end(customer: Customer) -> None:
    """Pages are graded and explained; what is no page fails with a reason instead of a grade."""
    by_path = {report["url"].rpartition("/")[2]: report for report in customer.reports}
    good, poor, broken, data = (by_path[name] for name in ("good?n=0", "poor?100%25_n=0", "500", "data.json"))

    assert [wrong_report(report, detail=True) for report in customer.reports] == [[]] * 14
    assert (good["state"], good["result"]) == ("completed", "good")
    assert good["score"] > poor["score"]
    assert poor["result"] in {"bad", "decent"}
    assert all({"outcome", "price", "lost", "message"} <= set(one) for one in good["results"].values())
    assert (broken["state"], broken["error"]["code"], broken["result"]) == ("failed", "http_error", None)
    assert broken["error"]["http_status"] == 500
    assert (data["state"], data["error"]["code"], data["score"]) == ("failed", "not_html", None)
    assert data["results"] is None


@pytest.mark.parametrize("sort", ["asc", "desc"])
@pytest.mark.parametrize("sort_by", ["id", "generated_at", "url", "result"])
def test_pages_of_a_sorted_list_lose_and_repeat_nothing(sort_by: str, sort: str, customer: Customer) -> None:
    """Every order is total, so that walking through the pages sees each report once, in the documented order."""
    found = customer.all_ids(sort_by=sort_by, sort=sort, per_page=10)

    assert found == in_order(customer.reports, sort_by, descending=sort == "desc")


def test_the_newest_comes_first_unless_asked_otherwise(customer: Customer) -> None:
    """Defaults of the list: by id, descending, ten to a page, from the first."""
    document = customer.get("/api/v1/reports")
    meta = document["meta"]

    assert [report["id"] for report in document["data"]] == sorted((r["id"] for r in customer.reports), reverse=True)[
        :10
    ]
    assert (meta["current_page"], meta["from"], meta["to"], meta["per_page"]) == (1, 1, 10, 10)
    assert (meta["last_page"], meta["total"]) == (2, 14)
    assert document["links"]["prev"] is None
    assert document["links"]["next"].endswith("page=2")


@pytest.mark.parametrize("result", ["good", "decent", "bad"])
def test_a_result_filters(result: str, customer: Customer) -> None:
    """Exactly the reports with that result, and their number."""
    wanted = [report["id"] for report in customer.reports if report["result"] == result]
    document = customer.get("/api/v1/reports", result=result, per_page=25, sort="asc")

    assert [report["id"] for report in document["data"]] == wanted
    assert document["meta"]["total"] == len(wanted)


@pytest.mark.parametrize("state", ["queued", "running", "completed", "failed"])
def test_a_state_filters(state: str, customer: Customer) -> None:
    """Exactly the reports in that state."""
    wanted = [report["id"] for report in customer.reports if report["state"] == state]

    assert customer.all_ids(state=state, sort="asc") == wanted


def test_a_project_filters_however_it_is_written(customer: Customer, site: Site) -> None:
    """A host, or a whole address of it, in any case."""
    project = customer.reports[0]["project"]
    wanted = [report["id"] for report in customer.reports if report["project"] == project]

    assert len(wanted) == 12
    assert customer.all_ids(project=project, sort="asc") == wanted
    assert customer.all_ids(project=f"{site.http.upper()}/about", sort="asc") == wanted
    assert customer.all_ids(project="elsewhere.example") == []


@pytest.mark.parametrize(
    ("search", "count"),
    [("/good", 3), ("/GOOD", 3), ("100%25_", 3), ("%", 3), ("_", 3), ("n=1", 3), ("\\", 0), ("po", 3), ("", 14)],
)
def test_a_search_is_a_part_of_the_url(search: str, count: int, customer: Customer) -> None:
    """Case does not count; signs that mean something to a database mean themselves."""
    found = customer.all_ids(search=search, search_by="url", sort="asc")
    wanted = [report["id"] for report in customer.reports if search.lower() in report["url"].lower()]

    assert found == wanted
    assert len(found) == count


def test_filters_combine(customer: Customer) -> None:
    """All of them must hold."""
    project = customer.reports[0]["project"]
    wanted = [
        r["id"] for r in customer.reports if r["project"] == project and r["result"] == "good" and "n=1" in r["url"]
    ]

    assert customer.all_ids(project=project, result="good", search="n=1", state="completed") == wanted[::-1]
    assert customer.all_ids(project=project, result="good", state="failed") == []


def test_past_the_last_page_is_empty(customer: Customer) -> None:
    """Not an error: the list may have become shorter."""
    document = customer.get("/api/v1/reports", page=9)

    assert document["data"] == []
    assert (document["meta"]["from"], document["meta"]["to"], document["meta"]["total"]) == (None, None, 14)


def test_the_list_brings_results_when_asked(customer: Customer) -> None:
    """``include=results`` makes an item what show answers."""
    document = customer.get("/api/v1/reports", include="results", per_page=25)
    shown = {report["id"]: report for report in customer.reports}

    assert {report["id"]: report["results"] for report in document["data"]} == {
        n: r["results"] for n, r in shown.items()
    }


def test_links_lead_to_the_pages_they_name(customer: Customer) -> None:
    """A client may follow ``next`` without knowing how paging works, in the body and in the Link header."""
    reply = customer.server.call("GET", "/api/v1/reports?per_page=10&sort_by=url", key=customer.key)
    following = reply.json["links"]["next"]
    path = following.removeprefix(customer.server.origin)
    second = customer.server.call("GET", path, key=customer.key).json

    assert following in reply.need("Link")
    assert path.startswith("/api/v1/reports?")
    assert second["meta"]["current_page"] == 2
    assert second["links"]["prev"].removeprefix(customer.server.origin).startswith("/api/v1/reports?")
    assert len(second["data"]) == 4


def test_an_update_changes_what_it_names(server: Server, site: Site) -> None:
    """Privacy and password, one by one; a password is never answered, and an empty update changes nothing."""
    _, key = server.add_account("Changer")
    report = server.create(f"{site.http}/about?privacy", key=key)
    path = f"/api/v1/reports/{report['id']}"
    server.finished(report["id"], key=key)

    def change(**fields: object) -> tuple[int, int, bool]:
        reply = server.call("PUT", path, key=key, form=fields)
        if reply.status != 200:
            return reply.status, -1, False
        return reply.status, reply.data["privacy"], reply.data["password"]

    before = server.call("GET", path, key=key)

    assert change(privacy=2) == (422, -1, False)
    assert change() == (200, 0, False)
    assert server.call("GET", path, key=key).need("ETag") == before.need("ETag")
    assert change(privacy=1) == (200, 1, False)
    assert change(privacy=2, password="open sesame") == (200, 2, True)
    assert change(privacy=2) == (200, 2, True)
    assert change(results=0) == (200, 2, True)
    assert change(privacy=0) == (200, 0, False)
    assert change(privacy=2) == (422, -1, False)
    assert b"open sesame" not in server.call("GET", path, key=key).body
    assert server.call("GET", path, key=key).need("ETag") != before.need("ETag")


def test_a_password_without_its_privacy_is_reported(server: Server, site: Site) -> None:
    """Clients that always send the field are served, and the answer says that it had no effect."""
    form = {"url": f"{site.http}/about?warning", "privacy": 0, "password": "unused"}
    reply = server.call("POST", "/api/v1/reports", form=form)

    assert reply.status == 201
    assert [warning["code"] for warning in reply.json["warnings"]] == ["password_ignored"]
    assert reply.data["password"] is False


def test_results_can_be_made_anew(server: Server, site: Site) -> None:
    """A second run has its own number; both can be read and compared."""
    _, key = server.add_account("Again")
    report = server.create(f"{site.http}/good?again", key=key)
    path = f"/api/v1/reports/{report['id']}"
    first = server.finished(report["id"], key=key)

    second = server.call("PUT", path, key=key, form={"results": 1}).data
    runs = server.call("GET", f"{path}/runs", key=key).data
    one = server.call("GET", f"{path}/runs/1", key=key).data
    compared = server.call("GET", f"{path}/compare?from=1&to=2", key=key)

    assert (first["run"]["number"], second["run"]["number"]) == (1, 2)
    assert second["state"] == "completed"
    assert second["generated_at"] > first["generated_at"]
    assert sorted(run["number"] for run in runs) == [1, 2]
    assert one["results"] == first["results"]
    assert compared.status == 200


def test_a_deleted_report_is_gone_everywhere(server: Server, site: Site) -> None:
    """Show, list, search, counts and projects know nothing of it, and its id is not used again."""
    _, key = server.add_account("Eraser")
    keep = server.create(f"{site.http}/about?keep", key=key)["id"]
    report = server.create(f"{site.spa}/?erase", key=key)
    server.finished(report["id"], key=key)
    path = f"/api/v1/reports/{report['id']}"

    reply = server.call("DELETE", path, key=key)
    again = server.call("DELETE", path, key=key)
    listed = server.call("GET", "/api/v1/reports", key=key).json
    searched = server.call("GET", "/api/v1/reports?search=erase", key=key).json
    projects = server.call("GET", "/api/v1/projects", key=key).json
    following = server.create(f"{site.http}/about?following", key=key)["id"]

    assert reply.json == {"id": report["id"], "object": "report", "deleted": True, "status": 200}
    assert again.status == 404
    assert [server.call("GET", path + rest, key=key).status for rest in ("", "/runs", "/runs/1")] == [404] * 3
    assert ([item["id"] for item in listed["data"]], listed["meta"]["total"]) == ([keep], 1)
    assert (searched["data"], searched["meta"]["total"]) == ([], 0)
    assert report["project"] not in str(projects)
    assert following > report["id"]


def test_the_account_counts_what_was_done(customer: Customer) -> None:
    """Usage, limits and the key that asks."""
    account = customer.get("/api/v1/account")["data"]

    assert wrong_account(account) == []
    assert (account["id"], account["name"], account["email"]) == (customer.account, "Library", "library@example.org")
    assert (account["usage"]["reports"], account["usage"]["projects"]) == (14, 3)
    assert (account["usage"]["analyses_total"], account["usage"]["queued_runs"]) == (14, 0)
    assert account["api_key"]["prefix"] == customer.key[:12]
    assert account["thresholds"] == {"good": 80, "decent": 50}


def test_projects_count_their_reports(customer: Customer) -> None:
    """Every host with its number; one of them by itself."""
    projects = customer.get("/api/v1/projects", per_page=10)["data"]
    name = customer.reports[0]["project"]
    one = customer.get(f"/api/v1/projects/{name}")["data"]

    assert name in str(projects)
    assert len(projects) == 3
    assert 12 in one.values()


def test_a_report_can_be_waited_for(server: Server, site: Site) -> None:
    """A call that does not wait answers at once; one that asks again with ``wait`` hears the end."""
    form = {"url": f"{site.http}/slow"}
    made = server.call("POST", "/api/v1/reports", form=form, headers={"Prefer": "respond-async"})
    path = f"/api/v1/reports/{made.data['id']}"
    meanwhile = server.call("GET", path)
    shown = server.call("GET", path, headers={"Prefer": "wait=30"})

    assert made.data["state"] in {"queued", "running"}
    assert made.data["result"] is None
    assert made.need("Retry-After") == "2"
    assert made.header("Preference-Applied") is not None
    assert (meanwhile.status, meanwhile.header("Retry-After")) == (200, "2")
    assert shown.data["state"] == "completed"
    assert shown.header("Retry-After") is None
