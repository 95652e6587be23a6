"""Access to the API: every operation, every method on its path, every kind of caller, against a real server.

The expected answers come from a row for each operation and a few rules; an operation without a row fails.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import pytest
from sqlalchemy import select

from pagegrade.clock import now_ms
from pagegrade.model.account import Role
from pagegrade.model.stored import PackedPicture
from pagegrade.report.serialize import timestamp
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.members import add_membership
from pagegrade.store.repositories.run_history import save_pictures
from pagegrade.store.schema.tables import runs
from pagegrade.web.operations import PAGES
from pagegrade.web.routes import ALL_OPERATIONS
from tests.e2e.shapes import wrong_problem
from tests.server import Reply, Server, running_server
from tests.site.serve import Site, serve_site
from tests.waiting import wait_until

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
ACTORS: Final = (
    "anonymous",
    "wrong key",
    "revoked key",
    "expired key",
    "disabled account",
    "read-only key",
    "other account",
    "owner",
)
KEYLESS: Final = frozenset({"anonymous", "wrong key", "revoked key", "expired key", "disabled account"})
BATCHES: Final = "/api/v1/batches"
IGNORES: Final = "/api/v1/ignores"
KEYS: Final = "/api/v1/account/keys"
MONITORS: Final = "/api/v1/monitors"
WEBHOOKS: Final = "/api/v1/webhooks"
MEMBERS: Final = "/api/v1/account/members"
INVITATIONS: Final = "/api/v1/account/invitations"
PROFILES: Final = "/api/v1/access-profiles"
AUDITS: Final = "/api/v1/audits"
PROFILE: Final = {"name": "Staging", "origins[]": "https://staging.example", "user": "reader", "password": "secret"}
SILENCES: Final = "/api/v1/silences"
SILENCE: Final = {"project": "example.com", "reason": "Move.", "until": timestamp(now_ms() + 3_600_000)}
SECURITY_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": None,
    "Permissions-Policy": None,
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": None,
}
"""Header -> its value, where the test cares."""


@dataclass(frozen=True, slots=True)
class Row:
    """The answer of an operation to those who may call it."""

    owner: int
    other: int
    """To another account, about what belongs to the owner."""
    scope: str | None = "reports:read"
    form: dict[str, str] = field(default_factory=dict)
    query: str = ""


ROWS: Final = {
    ("GET", "/api/v1/reports"): Row(200, 200),
    ("POST", "/api/v1/reports"): Row(201, 201, "reports:write", {"url": "{site}/about"}),
    ("GET", "/api/v1/reports/{id}"): Row(200, 404),
    ("PUT", "/api/v1/reports/{id}"): Row(200, 404, "reports:write", {"privacy": "0"}),
    ("PATCH", "/api/v1/reports/{id}"): Row(200, 404, "reports:write", {"privacy": "0"}),
    ("POST", "/api/v1/reports/{id}"): Row(200, 404, "reports:write", {"privacy": "0"}),
    ("DELETE", "/api/v1/reports/{id}"): Row(200, 404, "reports:write"),
    ("GET", "/api/v1/reports/{id}/runs"): Row(200, 404),
    ("GET", "/api/v1/reports/{id}/runs/{n}"): Row(200, 404),
    ("GET", "/api/v1/reports/{id}/compare"): Row(200, 404, query="?from=1&to=2"),
    ("GET", "/api/v1/reports/{id}/criteria"): Row(200, 404),
    ("GET", "/api/v1/reports/{id}/criteria/{criterion}"): Row(200, 404),
    ("PUT", "/api/v1/reports/{id}/criteria/{criterion}"): Row(200, 404, "reports:write", {"outcome": "passed"}),
    ("DELETE", "/api/v1/reports/{id}/criteria/{criterion}"): Row(200, 404, "reports:write"),
    ("GET", "/api/v1/reports/{id}/pictures/{picture}"): Row(200, 404),
    ("GET", "/api/v1/batches"): Row(200, 200),
    ("POST", "/api/v1/batches"): Row(202, 202, "reports:write", {"urls[]": "{site}/about"}),
    ("GET", "/api/v1/batches/{id}"): Row(200, 404),
    ("DELETE", "/api/v1/batches/{id}"): Row(200, 404, "reports:write"),
    ("GET", "/api/v1/ignores"): Row(200, 200),
    ("POST", "/api/v1/ignores"): Row(201, 201, "ignores", {"check": "image-alt", "reason": "Known."}),
    ("GET", "/api/v1/ignores/{id}"): Row(200, 404),
    ("DELETE", "/api/v1/ignores/{id}"): Row(200, 404, "ignores"),
    ("GET", "/api/v1/monitors"): Row(200, 200, "monitors"),
    ("POST", "/api/v1/monitors"): Row(201, 422, "monitors", {"report_id": "{report}", "schedule": "daily"}),
    ("GET", "/api/v1/monitors/{id}"): Row(200, 404, "monitors"),
    ("PUT", "/api/v1/monitors/{id}"): Row(200, 404, "monitors", {"paused": "1"}),
    ("DELETE", "/api/v1/monitors/{id}"): Row(200, 404, "monitors"),
    ("GET", "/api/v1/silences"): Row(200, 200, "monitors"),
    ("POST", "/api/v1/silences"): Row(201, 201, "monitors", SILENCE),
    ("GET", "/api/v1/silences/{id}"): Row(200, 404, "monitors"),
    ("DELETE", "/api/v1/silences/{id}"): Row(200, 404, "monitors"),
    ("GET", "/api/v1/access-profiles"): Row(200, 200, "access"),
    ("POST", "/api/v1/access-profiles"): Row(201, 201, "access", PROFILE),
    ("GET", "/api/v1/access-profiles/{id}"): Row(200, 404, "access"),
    ("PUT", "/api/v1/access-profiles/{id}"): Row(200, 404, "access", {"name": "Other"}),
    ("DELETE", "/api/v1/access-profiles/{id}"): Row(200, 404, "access"),
    ("GET", "/api/v1/audits"): Row(200, 200, "audits:read"),
    ("POST", "/api/v1/audits"): Row(201, 201, "audits:write", {"url": "{site}/about", "max_pages": "1"}),
    ("GET", "/api/v1/audits/{id}"): Row(200, 404, "audits:read"),
    ("PUT", "/api/v1/audits/{id}"): Row(200, 404, "audits:write", {"paused": "0"}),
    ("DELETE", "/api/v1/audits/{id}"): Row(200, 404, "audits:write"),
    ("GET", "/api/v1/audits/{id}/compare"): Row(422, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/proof"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/export"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/crawls"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/crawls/{n}"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/findings"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/findings/{finding}/pages"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/links"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/pages"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/audits/{id}/pages/{page}"): Row(200, 404, "audits:read"),
    ("GET", "/api/v1/webhooks"): Row(200, 200, "webhooks"),
    ("POST", "/api/v1/webhooks"): Row(201, 201, "webhooks", {"url": "{site}/hook"}),
    ("GET", "/api/v1/webhooks/{id}"): Row(200, 404, "webhooks"),
    ("PUT", "/api/v1/webhooks/{id}"): Row(200, 404, "webhooks", {"project": "example.com"}),
    ("DELETE", "/api/v1/webhooks/{id}"): Row(200, 404, "webhooks"),
    ("POST", "/api/v1/webhooks/{id}/rotate"): Row(200, 404, "webhooks"),
    ("POST", "/api/v1/webhooks/{id}/test"): Row(202, 404, "webhooks"),
    ("GET", "/api/v1/webhooks/{id}/deliveries"): Row(200, 404, "webhooks"),
    ("POST", "/api/v1/webhooks/{id}/deliveries/{delivery}/retry"): Row(202, 404, "webhooks"),
    ("GET", "/api/v1/projects"): Row(200, 200),
    ("GET", "/api/v1/projects/{project}"): Row(200, 404),
    ("PUT", "/api/v1/projects/{project}"): Row(200, 404, "reports:write", {"tags": "shop"}),
    ("DELETE", "/api/v1/projects/{project}"): Row(200, 404, "reports:write"),
    ("GET", "/api/v1/account"): Row(200, 200, "account:read"),
    ("GET", "/api/v1/account/keys"): Row(200, 200, "keys"),
    ("POST", "/api/v1/account/keys"): Row(201, 201, "keys", {"name": "build", "scopes[]": "reports:read"}),
    ("GET", "/api/v1/account/keys/{id}"): Row(200, 404, "keys"),
    ("DELETE", "/api/v1/account/keys/{id}"): Row(200, 404, "keys"),
    ("GET", "/api/v1/account/members"): Row(200, 200, "members"),
    ("GET", "/api/v1/account/members/{id}"): Row(200, 404, "members"),
    ("PUT", "/api/v1/account/members/{id}"): Row(200, 404, "members", {"role": "admin"}),
    ("DELETE", "/api/v1/account/members/{id}"): Row(200, 404, "members"),
    ("GET", "/api/v1/account/invitations"): Row(200, 200, "members"),
    ("POST", "/api/v1/account/invitations"): Row(201, 201, "members", {"label": "Bob", "role": "viewer"}),
    ("GET", "/api/v1/account/invitations/{id}"): Row(200, 404, "members"),
    ("DELETE", "/api/v1/account/invitations/{id}"): Row(200, 404, "members"),
    ("GET", "/api/v1/checks"): Row(200, 200, None),
    ("GET", "/api/v1/checks/{check}"): Row(200, 200, None),
    ("GET", "/api/v1/openapi.json"): Row(200, 200, None),
    ("GET", "/healthz"): Row(200, 200, None),
    ("GET", "/readyz"): Row(200, 200, None),
    ("GET", "/metrics"): Row(200, 200, None),
    ("POST", "/mcp"): Row(400, 400),  # tools for agents: without a message there is nothing to answer
}
_NAMES: Final = {"number": "n"}


def plain(path: str) -> str:
    """A path with its parameters named as in ``ROWS``."""
    return re.sub(r"\{(\w+)[^}]*\}", lambda found: "{" + _NAMES.get(found[1], found[1]) + "}", path)


FOR_PROGRAMS: Final = [operation for operation in ALL_OPERATIONS if operation.tag != PAGES]
"""Pages have a matrix of their own."""
PATHS: Final = sorted({plain(operation.path) for operation in FOR_PROGRAMS})
OFFERED: Final = {(operation.method, plain(operation.path)) for operation in FOR_PROGRAMS}


@dataclass(frozen=True, slots=True)
class World:
    """A server with what the requests need, and a secret for each actor."""

    server: Server
    site: Site
    known: dict[str, Any]
    """Values for the parameters of a path: the owner's report with two finished runs, and its project."""
    keys: dict[str, str | None]

    def batch(self) -> int:
        """The id of a new batch of the owner."""
        made: int = self.server.call("POST", BATCHES, form={"urls[]": f"{self.site.spa}/"}).data["id"]
        return made

    def ignore(self) -> int:
        """The id of a new ignore rule of the owner."""
        made: int = self.server.call("POST", IGNORES, form={"check": "image-alt", "reason": "Known."}).data["id"]
        return made

    def key(self) -> int:
        """The id of a new key of the owner."""
        form = {"name": "build", "scopes[]": "reports:read"}
        made: int = self.server.call("POST", KEYS, key=self.keys["owner"], form=form).data["id"]
        return made

    def member(self) -> int:
        """The id of a new member of the owner's account."""
        person, _ = self.server.add_account("Member")
        with self.server._database() as database:
            database.write_here(lambda tx: add_membership(tx, 1, person, Role.VIEWER, 1))
        return person

    def invitation(self) -> int:
        """The id of a new invitation of the owner."""
        form = {"label": "Bob", "role": "viewer"}
        made: int = self.server.call("POST", INVITATIONS, key=self.keys["owner"], form=form).data["id"]
        return made

    def monitor(self) -> int:
        """The id of a new monitor of the owner."""
        form = {"report_id": str(self.known["id"]), "schedule": "monthly"}
        made: int = self.server.call("POST", MONITORS, form=form).data["id"]
        return made

    def silence(self) -> int:
        """The id of a new silence of the owner."""
        made: int = self.server.call("POST", SILENCES, form=SILENCE).data["id"]
        return made

    def webhook(self) -> int:
        """The id of a new webhook of the owner."""
        made: int = self.server.call("POST", WEBHOOKS, form={"url": f"{self.site.http}/hook"}).data["id"]
        return made

    def profile(self) -> int:
        """The id of a new access profile of the owner."""
        made: int = self.server.call("POST", PROFILES, key=self.keys["owner"], form=PROFILE).data["id"]
        return made

    def audit(self) -> int:
        """The id of a new audit of one page of the owner."""
        form = {"url": f"{self.site.soft_404}/", "max_pages": "1"}
        made: int = self.server.call("POST", AUDITS, key=self.keys["owner"], form=form).data["id"]
        return made

    def evaluated_audit(self) -> int:
        """The id of one whose pages were evaluated together."""
        made, key = self.audit(), self.keys["owner"]
        wait_until(lambda: self.server.call("GET", f"{AUDITS}/{made}", key=key).data["state"] == "completed")
        return made

    def fill(self, path: str, *, fresh: bool) -> str:
        """The path with what belongs to the owner; ``fresh``: with something that may be deleted."""
        known = self.known
        makers = {
            BATCHES: ("batch", self.batch),
            IGNORES: ("ignore", self.ignore),
            KEYS: ("key", self.key),
            MEMBERS: ("member", self.member),
            INVITATIONS: ("invitation", self.invitation),
            MONITORS: ("monitor", self.monitor),
            SILENCES: ("silence", self.silence),
            PROFILES: ("profile", self.profile),
        }
        kind, maker = next((makers[each] for each in makers if path.startswith(each)), ("", None))
        if maker is not None:
            return path.format(id=maker() if fresh else known[kind])
        if path.startswith(AUDITS):
            audit = self.audit() if fresh else known["audit"]
            return path.format(id=audit, n=1, finding=1, page=1)
        if path.startswith(WEBHOOKS):
            return path.format(id=self.webhook() if fresh else known["webhook"], delivery=known["delivery"])
        if "/criteria" in path:
            filled = path.format(**known)
            if fresh:
                self.server.call("PUT", filled, form={"outcome": "passed"})
            return filled
        if fresh:
            made = self.server.create(f"{self.site.spa}/")
            known = {**known, "id": made["id"], "project": made["project"]}
        return path.format(**known)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server whose owner has a report with two runs, and callers of every kind."""
    with (
        serve_site() as site,
        running_server(tmp_path_factory.mktemp("matrix") / "data", WRONG_KEYS_PER_MINUTE=100_000) as server,
    ):
        report = server.create(f"{site.soft_404}/")
        server.finished(report["id"])
        server.call("PUT", f"/api/v1/reports/{report['id']}", form={"results": 1})
        server.finished(report["id"])
        with server._database() as database:
            database.write_here(lambda tx: _add_picture(tx, report["id"]))
        keys: dict[str, str | None] = {"anonymous": None, "owner": server.add_key(1), "wrong key": "pgk_" + "x" * 40}
        keys["read-only key"] = server.add_key(1, scopes=("reports:read", "account:read"))
        keys["revoked key"] = server.add_key(1)
        server.revoke_by_command(keys["revoked key"] or "")
        keys["expired key"] = server.add_key(1)
        server.expire(keys["expired key"] or "")
        server.run("accounts", "create", "--name", "Bob", "--email", "bob@example.org")
        keys["other account"] = server.add_key(2)
        disabled, keys["disabled account"] = server.add_account("Gone")
        server.run("accounts", "disable", str(disabled))
        asset = re.search(rb'"/static/([^/"]+)/([^/"]+)"', server.call("GET", "/docs", key=None).body)
        known = {
            "id": report["id"],
            "n": 2,
            "project": report["project"],
            "check": "title",
            "picture": "viewport",
            "criterion": "1.4.5",
            "code": "validation-failed",
        }
        known |= {"slug": report["share_url"].rpartition("/")[2]}
        known |= {"digest": asset[1].decode(), "name": asset[2].decode()} if asset else {}
        world = World(server, site, known, keys)
        # Numbers of batches are others than those of reports.
        known["batch"] = [world.batch() for _ in range(5)][-1]
        known["ignore"] = [world.ignore() for _ in range(7)][-1]
        known["key"] = [world.key() for _ in range(2)][-1]
        known["member"] = world.member()
        known["invitation"] = [world.invitation() for _ in range(3)][-1]
        known["monitor"] = [world.monitor() for _ in range(9)][-1]
        known["silence"] = [world.silence() for _ in range(6)][-1]
        known["webhook"] = [world.webhook() for _ in range(9)][-1]
        known["profile"] = [world.profile() for _ in range(4)][-1]
        known["audit"] = [world.audit(), world.evaluated_audit()][-1]
        known["delivery"] = server.call("POST", f"{WEBHOOKS}/{known['webhook']}/test").data["id"]
        yield world


def _add_picture(tx: Transaction, report_id: int) -> None:
    """A picture of the run that the report shows, as one from a browser has."""
    (run_id,) = tx.execute(select(runs.c.id).where(runs.c.report_id == report_id, runs.c.number == 2)).scalars()
    save_pictures(tx, run_id, [PackedPicture(name="viewport", body=b"RIFF\x04\0\0\0WEBP")])


def expected(method: str, path: str, actor: str) -> int:
    """The status that the rules give."""
    methods = {offered for offered, where in OFFERED if where == path}
    if method == "OPTIONS":
        return 204
    asked = "GET" if method == "HEAD" else method
    if asked not in methods:
        return 405
    row = ROWS[asked, path]
    if row.scope is None:
        return row.owner
    if actor in KEYLESS:
        return 401
    if actor == "read-only key" and row.scope in {
        "reports:write",
        "ignores",
        "monitors",
        "webhooks",
        "audits:read",
        "audits:write",
        "access",
        "keys",
        "members",
    }:
        return 403
    return row.other if actor == "other account" else row.owner


def ask(world: World, method: str, path: str, actor: str, *, fill: Callable[[str], str] | None = None) -> Reply:
    """The answer to an actor's request."""
    row = ROWS.get(("GET" if method == "HEAD" else method, path), Row(0, 0))
    fresh = method == "DELETE" and actor == "owner" and (method, path) in ROWS
    filled = fill(path) if fill else world.fill(path, fresh=fresh)
    form = {
        name: value.format(site=world.site.http, report=world.known["id"]) for name, value in row.form.items()
    } or None
    headers = {"Prefer": "respond-async"} if path == "/api/v1/reports" else {}
    return world.server.call(method, filled + row.query, key=world.keys[actor], form=form, headers=headers)


def wrong_in_every_answer(reply: Reply, method: str, path: str) -> list[str]:
    """Promises for every answer that this one breaks."""
    found = [f"{name} is there" for name in ("Set-Cookie", "Server", "X-Powered-By") if reply.header(name) is not None]
    found += [
        f"{name}: {reply.header(name)}"
        for name, value in SECURITY_HEADERS.items()
        if reply.header(name) is None or (value is not None and reply.header(name) != value)
    ]
    if not re.fullmatch(r"[\w.:-]{8,128}", reply.header("X-Request-Id") or ""):
        found.append(f"X-Request-Id: {reply.header('X-Request-Id')}")
    media_type = (reply.header("Content-Type") or "").partition(";")[0]
    if path.startswith("/api/") and reply.status not in {204, 304}:
        wanted = {"application/json", "application/vnd.oai.openapi+json"}
        if reply.status >= 400:
            wanted = {"application/problem+json"}
        elif path.endswith("/pictures/{picture}") and method != "OPTIONS":
            wanted = {"image/webp"}
        if media_type not in wanted:
            found.append(f"Content-Type: {media_type}")
    if reply.status >= 400 and media_type == "application/problem+json" and method != "HEAD":
        found += wrong_problem(reply.json, status=reply.status)
        if reply.json.get("request_id") != reply.header("X-Request-Id"):
            found.append("request_id is not X-Request-Id")
    if method == "HEAD" and reply.body:
        found.append("HEAD with a body")
    if reply.status == 405 and not reply.header("Allow"):
        found.append("405 without Allow")
    if reply.status == 401 and not (reply.header("WWW-Authenticate") or "").startswith("Bearer realm="):
        found.append(f"WWW-Authenticate: {reply.header('WWW-Authenticate')}")
    return found


def test_every_operation_has_its_row() -> None:
    """A new operation must say who may call it; a row of an operation that is gone is dropped."""
    assert set(ROWS) == OFFERED


def test_every_operation_asks_for_the_scope_of_its_row() -> None:
    """The declaration that routes requests says the same."""
    said = {(operation.method, plain(operation.path)): operation.scope for operation in FOR_PROGRAMS}

    assert said == {where: row.scope for where, row in ROWS.items()}


def test_every_caller_gets_what_the_rules_say(world: World, subtests: pytest.Subtests) -> None:
    """Status, media type, headers and the members of a refusal, for each kind of caller."""
    for path, method in itertools.product(PATHS, METHODS):
        with subtests.test(path=path, method=method):
            replies = {actor: ask(world, method, path, actor) for actor in ACTORS}

            assert {actor: reply.status for actor, reply in replies.items()} == {
                a: expected(method, path, a) for a in ACTORS
            }
            assert [
                (a, wrong) for a, reply in replies.items() if (wrong := wrong_in_every_answer(reply, method, path))
            ] == []


def test_allow_names_every_method_of_the_path(world: World, subtests: pytest.Subtests) -> None:
    """The answer to a refused method names all methods that there are."""
    for path in PATHS:
        with subtests.test(path=path):
            methods = {method for method, where in OFFERED if where == path}
            reply = ask(world, "TRACE", path, "owner")

            assert {word.strip() for word in reply.need("Allow").split(",")} == {
                *methods,
                "OPTIONS",
                *(["HEAD"] if "GET" in methods else []),
            }


def test_head_is_get_without_its_body(world: World, subtests: pytest.Subtests) -> None:
    """The same status and the same headers, but for those that every answer has of its own."""
    for path in (path for method, path in sorted(OFFERED) if method == "GET"):
        with subtests.test(path=path):
            own = {"date", "x-request-id", "ratelimit", "x-ratelimit-remaining"}
            of_content = {"content-length", "etag", "last-modified"}
            got, head, after = (ask(world, method, path, "owner") for method in ("GET", "HEAD", "GET"))
            # Some change with every request, others go on meanwhile: batches, and deliveries of webhooks.
            changing = own if got.body == after.body else own | of_content

            kept = [
                sorted((name.lower(), value) for name, value in reply.headers if name.lower() not in changing)
                for reply in (head, got)
            ]

            assert kept[0] == kept[1]
            assert head.body == b""


def neutral(reply: Reply, *names: str) -> tuple[int, list[tuple[str, str]], str]:
    """An answer without what is of the one request: its id, its time, what is left of a limit, what was asked for."""
    request_id = reply.need("X-Request-Id")
    dropped = {"date", "x-request-id", "ratelimit", "x-ratelimit-remaining"}
    text = reply.body.decode().replace(request_id, "ID")
    for name in names:
        text = re.sub(rf"(?<=/){re.escape(name)}(?=[/\"?])", "NAME", text)
    headers = [(found.lower(), value) for found, value in reply.headers if found.lower() not in dropped]
    return reply.status, headers, text


def test_what_belongs_to_others_looks_like_what_never_was(world: World, subtests: pytest.Subtests) -> None:
    """Byte for byte, headers included: no client learns which ids exist."""
    for method, path in sorted(where for where in OFFERED if "{id}" in where[1]):
        with subtests.test(method=method, path=path):
            kinds = {
                AUDITS: "audit",
                BATCHES: "batch",
                IGNORES: "ignore",
                KEYS: "key",
                PROFILES: "profile",
                SILENCES: "silence",
                WEBHOOKS: "webhook",
            }
            report = str(world.known[next((kinds[each] for each in kinds if path.startswith(each)), "id")])
            unknown = str(10 ** len(report) - 1)  # of the same length, because it is part of the answer
            foreign, missing = (
                ask(
                    world,
                    method,
                    path,
                    "other account",
                    fill=partial(
                        str.format,
                        id=each,
                        n=20,  # no id of the owner's, which would be taken for it
                        picture="viewport",
                        criterion="1.4.5",
                        delivery=world.known["delivery"],
                        finding=20,
                        page=20,
                    ),
                )
                for each in (report, unknown)
            )

            assert foreign.status == 404
            assert neutral(foreign, report) == neutral(missing, unknown)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_projects_of_others_look_like_those_that_never_were(method: str, world: World) -> None:
    """The same for hosts: no client learns which hosts others analyze."""
    project = world.known["project"]
    unknown = project[:-1] + ("1" if project[-1] != "1" else "2")
    path = "/api/v1/projects/{project}"
    foreign = ask(world, method, path, "other account", fill=lambda p: p.format(project=project))
    missing = ask(world, method, path, "other account", fill=lambda p: p.format(project=unknown))

    assert foreign.status == 404
    assert neutral(foreign, project) == neutral(missing, unknown)


def test_a_list_shows_nothing_of_others(world: World) -> None:
    """Neither items nor totals, whatever the filter."""
    key = world.server.add_account("Charlie")[1]
    paths = ["/api/v1/reports", "/api/v1/reports?search=about", "/api/v1/reports?state=completed", "/api/v1/projects"]
    found: list[Any] = [world.server.call("GET", path, key=key).json for path in paths]

    assert [(document["data"], document["meta"]["total"]) for document in found] == [([], 0)] * len(paths)


def test_every_problem_type_opens(world: World) -> None:
    """A developer who follows ``type`` finds a page about the problem, without a key."""
    known = {"anonymous": "/api/v1/reports", "owner": "/api/v1/reports/0", "read-only key": "/api/v1/reports/1"}
    problems = [world.server.call("DELETE", path, key=world.keys[actor]).json for actor, path in known.items()]
    problems.append(world.server.call("POST", "/api/v1/reports", form={}).json)
    problems.append(world.server.call("GET", "/api/v1/account", headers={"Accept": "text/html"}).json)
    types = {problem["type"].removeprefix(world.server.origin) for problem in problems}
    opened = {path: world.server.call("GET", path, key=None).status for path in types}

    assert len(types) >= 4
    assert set(opened.values()) == {200}
