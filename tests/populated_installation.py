"""An installation on SQLite with everything in it that one can have, made by the application itself."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from pagegrade.clock import now_ms
from pagegrade.model.account import Account, Identity, Role
from pagegrade.model.audit import AuditSettings, CrawlHost, NewURL, Pattern, URLState
from pagegrade.model.stored import MAX_ATTEMPTS, PackedPicture
from pagegrade.model.webhooks import EventType
from pagegrade.report.serialize import timestamp
from pagegrade.service.container import Services
from pagegrade.service.sign_in import make_link
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.repositories.accounts import add_identity, load_account
from pagegrade.store.repositories.crawl_segments import PageRow, add_segments, pack_segment
from pagegrade.store.repositories.crawl_urls import add_urls, save_patterns
from pagegrade.store.repositories.crawls import add_crawl, save_hosts
from pagegrade.store.repositories.credentials import add_passkey, revoke_key
from pagegrade.store.repositories.installation import load_or_make_secret, prove_writable
from pagegrade.store.repositories.members import add_invitation, add_membership
from pagegrade.store.repositories.projects import set_tags
from pagegrade.store.repositories.run_history import save_pictures
from pagegrade.store.repositories.webhooks import add_webhook
from pagegrade.web.app import make_app
from tests.report_builders import make_failed_report
from tests.site.assets import png
from tests.store_builders import add_key, add_owner
from tests.web.calling import BASE_URL, OPTIONS, REPORTS, Instance, make_instance
from tests.web.sharing import locked

IDEMPOTENT = {"Idempotency-Key": "key-one"}
BODY = {"url": "https://example.com/idempotent"}


@dataclass(slots=True, kw_only=True)
class Left:
    """Facts that people knew when the old installation was stopped."""

    path: Path
    key: str
    bob_key: str
    revoked_key: str
    cookie: dict[str, str]
    link: str
    """Token that signs in once."""
    locked_slug: str
    open_slug: str
    made_by_key: int
    """Report that was asked for with an Idempotency-Key."""
    waiting: tuple[int, ...]
    """Reports whose runs wait; the second follows the first."""
    under_way: int
    exhausted: int
    deleted: int
    """The greatest id of a report there ever was."""


async def move_in(instance: Instance) -> Left:
    """Make everything."""
    database = instance.services.database
    bob, bob_key = add_owner(database, "Bøb \N{PILE OF POO}")
    _, revoked = add_key(database, instance.alice.id, name="revoked")
    answered = await instance.call("POST", REPORTS, data=BODY, headers=IDEMPOTENT)
    by_key = answered.json()["data"]["id"]
    first = await instance.create("https://example.com/a?q=%C3%BC", project="Ä project")
    await instance.call("POST", REPORTS, data={"url": "https://example.org/"}, key=bob_key)
    await instance.call("POST", "/api/v1/batches", json={"urls": ["https://batch.example/", "nonsense:"]}, key=bob_key)
    await instance.call("POST", "/api/v1/ignores", json={"check": "image-alt", "reason": "Known."}, key=bob_key)
    access = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader", "password": "a password"}
    await instance.call("POST", "/api/v1/access-profiles", json=access, key=bob_key)
    await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/", "privacy": 0}, key=bob_key)
    database.write_here(lambda tx: _add_webhook(tx, instance.alice.id))
    monitor = {"report_id": first["id"], "schedule": "daily", "budgets": ["score<100"]}
    await instance.call("POST", "/api/v1/monitors", json=monitor)
    silence = {"project": "example.com", "reason": "Move.", "until": timestamp(now_ms() + 3_600_000)}
    await instance.call("POST", "/api/v1/silences", json=silence)
    look = {"name": "Acme", "credit": "1"}
    await instance.page("POST", "/team/look", data=look, files={"logo": ("logo.png", png(8, 8), "image/png")})
    await instance.finish()
    done = await instance.page(
        "POST", f"/reports/{first['id']}/criterion", data={"number": "1.4.5", "outcome": "passed", "note": "No text."}
    )
    assert done.status_code == 303
    await instance.create("https://broken.example/")
    await instance.finish(make_failed_report("dns"))
    secret_report = await locked(instance)
    dying = await instance.create("https://dying.example/")
    claim(database)
    under_way = await instance.create("https://slow.example/")
    claim(database)
    leader = await instance.create("https://example.com/leader")
    follower = await instance.create("https://example.com/leader")
    await instance.call("PUT", f"{REPORTS}/{first['id']}", data={"results": "1"})
    gone = await instance.create("https://example.com/gone")
    await instance.call("DELETE", f"{REPORTS}/{gone['id']}")
    cookie = await instance.sign_in()

    def by_hand(tx: Transaction) -> str:
        tx.exec_driver_sql("UPDATE runs SET attempt = ? WHERE report_id = ?", (MAX_ATTEMPTS, dying["id"]))
        revoke_key(tx, 3, now_ms())
        save_pictures(tx, 1, [PackedPicture(name="viewport", body=b"RIFF\0\0\0\0WEBP")])
        load_or_make_secret(tx, "cookies")
        prove_writable(tx, now_ms())
        _add_crawl(tx, instance.alice.id)
        add_membership(tx, bob.id, instance.alice.id, Role.EDITOR, now_ms())
        _add_sign_ins(tx, bob.id)
        later = now_ms() + 3_600_000
        add_invitation(
            tx, bob.id, token_sha256=bytes(32), role=Role.ADMIN, label="Cärol", now_ms=now_ms(), expires_at_ms=later
        )
        return make_link(tx, bob.id, hours=24, now_ms=now_ms())[0]

    link = database.write_here(by_hand)
    assert database.path is not None
    return Left(
        path=database.path,
        key=instance.key,
        bob_key=bob_key,
        revoked_key=revoked,
        cookie=cookie,
        link=link,
        locked_slug=secret_report.slug,
        open_slug=first["share_url"].rpartition("/")[2],
        made_by_key=by_key,
        waiting=(leader["id"], follower["id"], first["id"]),
        under_way=under_way["id"],
        exhausted=dying["id"],
        deleted=gone["id"],
    )


def _add_sign_ins(tx: Transaction, account_id: int) -> None:
    known = Identity(issuer="https://login.example.org", subject="42", email="bob@example.org")
    add_identity(tx, account_id, known, now_ms())
    set_tags(tx, account_id, {"example.com": ("shop",)})
    add_passkey(
        tx,
        account_id,
        name="Läptop",
        credential_id=b"\0\xff",
        credential=b"\xff\0",
        sign_count=2**32 - 1,
        challenged_at_ms=now_ms(),
        now_ms=now_ms(),
    )


def _add_webhook(tx: Transaction, account_id: int) -> None:
    wanted: tuple[EventType, ...] = ("report.completed",)
    add_webhook(tx, account_id, kind="webhook", url="https://hook.example/", events=wanted, project="", now_ms=now_ms())


def _add_crawl(tx: Transaction, account_id: int) -> None:
    crawl = add_crawl(
        tx, "https://example.com/", AuditSettings(), secret=bytes(16), now_ms=now_ms(), account_id=account_id
    )
    save_hosts(tx, crawl.id, [CrawlHost(host_no=0, origin="https://example.com", robots=b"User-agent: *")])
    save_patterns(tx, crawl.id, [Pattern(pattern_no=1, text="example.com/", found=1)])
    add_urls(tx, crawl.id, [NewURL(1, -(1 << 63), 0, 1, 0, 0, URLState.WAITING, "https://example.com/")])
    add_segments(tx, crawl.id, 0, {"pages": pack_segment([PageRow(page_id=1)])})


@contextlib.asynccontextmanager
async def moved_in(folder: Path) -> AsyncIterator[tuple[Instance, Left]]:
    """The application on SQLite with everything in it."""
    async with make_instance(folder) as instance:
        yield instance, await move_in(instance)


@contextlib.asynccontextmanager
async def a_new_instance(url: str, key: str) -> AsyncIterator[Instance]:
    """The application on a filled database."""
    services = Services(database=open_database(url), options=OPTIONS)
    try:
        app = make_app(services)
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 12345))
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as client:
            alice = services.database.read_here(_alice)
            yield Instance(services=services, app=app, client=client, alice=alice, key=key)
    finally:
        services.database.close()
        services.passwords.close()


def _alice(tx: Transaction) -> Account:
    found = load_account(tx, 1)
    assert found is not None
    return found


def claim(database: Database) -> None:
    """A worker takes whatever waits, and is heard of no more."""
    database.write_here(
        lambda tx: claim_runs(
            tx,
            worker="the old one",
            count=100,
            now_ms=now_ms(),
            lease_ms=3_600_000,
            target_runs=100,
            target_runs_per_minute=1_000,
        )
    )
