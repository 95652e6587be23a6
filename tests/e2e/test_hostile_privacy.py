"""Privacy and deletion as the API sees them, against a real server."""

from __future__ import annotations

import pytest

from tests.e2e.asking import REPORTS, ask_for, rows
from tests.server import Server
from tests.site.serve import Site
from tests.waiting import pause, wait_until

PASSWORDS = {
    "M09-one": ("x", 201),
    "M09-longest": ("é" * 128, 201),
    "M09-too-long": ("x" * 129, 422),
    "M09-spaces": ("  in  the  middle  ", 201),
    "M09-only-spaces": ("   ", 201),
    "M09-unicode": ("пароль 🔑", 201),
    "M09-nul": ("a\0b", 400),
}


@pytest.mark.parametrize("case", PASSWORDS)
@rows("M09")
def test_share_passwords_have_bounds(case: str, idle: Server) -> None:
    """1 to 128 characters of any kind but NUL."""
    password, status = PASSWORDS[case]
    reply = ask_for(idle, "https://example.com/", privacy=2, password=password)

    assert reply.status == status
    if status == 201:
        assert reply.data["password"] is True


@rows("M11", "M15")
def test_privacy_holds_from_the_first_moment(idle: Server) -> None:
    """A queued report already has the privacy it was made with, and a change counts from the next request."""
    report = idle.create("https://example.com/private", privacy=1)
    path = f"{REPORTS}/{report['id']}"
    tag = idle.call("GET", path).need("ETag")
    changed = idle.call("PUT", path, form={"privacy": 0})
    stale = idle.call("GET", path, headers={"If-None-Match": tag})

    assert (report["state"], report["privacy"]) == ("queued", 1)
    assert changed.data["privacy"] == 0
    assert (stale.status, stale.data["privacy"]) == (200, 0)


@rows("M14", "N08")
def test_deleting_ends_a_run_under_way(server: Server, site: Site) -> None:
    """A report that is being analyzed can be deleted; what the analysis finds is dropped."""
    _, key = server.add_account("Impatient")
    report = server.create(f"{site.http}/slow?deleted", key=key)
    path = f"{REPORTS}/{report['id']}"
    wait_until(lambda: server.call("GET", path, key=key).data["state"] != "queued")
    state = server.call("GET", path, key=key).data["state"]
    deleted = server.call("DELETE", path, key=key)
    gone = server.call("GET", path, key=key, headers={"Prefer": "wait=4"})
    pause(2.5, "the time that the page takes to answer")
    usage = server.call("GET", "/api/v1/account", key=key).data["usage"]

    assert (state, deleted.status, gone.status) == ("running", 200, 404)
    assert server.call("GET", path, key=key).status == 404
    assert (usage["reports"], usage["queued_runs"]) == (0, 0)


@rows("M17")
def test_nothing_of_the_api_is_for_shared_caches(idle: Server) -> None:
    """Answers belong to the key that asked."""
    report = idle.create("https://example.com/cached")
    replies = [
        idle.call("GET", path) for path in (REPORTS, f"{REPORTS}/{report['id']}", "/api/v1/account", f"{REPORTS}/0")
    ]
    vary = [{word.strip().lower() for word in reply.need("Vary").split(",")} for reply in replies]

    assert [
        reply.need("Cache-Control").startswith("private") or "no-store" in reply.need("Cache-Control")
        for reply in replies
    ] == [True] * 4
    assert [words >= {"authorization", "accept", "origin"} for words in vary] == [True] * 4


@rows("M18")
def test_addresses_keep_no_secrets(idle: Server) -> None:
    """A fragment is never stored, a user in an address is refused, a query that looks secret is warned of."""
    made = ask_for(idle, "https://example.com/p?q=1#fragment")
    user = idle.call("POST", REPORTS, form={"url": "https://alice:secret@example.com/"})
    token = ask_for(idle, "https://example.com/reset?token=abcdef123456")

    assert made.data["url"] == "https://example.com/p?q=1"
    assert (user.status, b"secret" in user.body) == (422, False)
    assert [warning["code"] for warning in token.json["warnings"]] == ["url_may_contain_secret"]
