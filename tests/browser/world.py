"""A database with people and reports of every kind, made before a server starts on it.

What pages show is made by the engine itself where that takes no time, and by builders where a history or a rare
failure is wanted.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from argon2 import PasswordHasher
from msgspec.structs import replace
from sqlalchemy import select, update

import pagegrade
from pagegrade.clock import now_ms
from pagegrade.model.access import MAX_NAME
from pagegrade.model.account import Account, Brand, Caller, Role
from pagegrade.model.audit import CrawlState, Pattern, StopReason
from pagegrade.model.audit_result import Template
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.monitors import Budget, PageSet
from pagegrade.model.outcome import MAX_REASON, Evidence, IgnoreRule
from pagegrade.model.rendering import ElementFacts, LoadMetrics, Picture
from pagegrade.model.report import ManualResult, Preview, PreviewPicture, Report
from pagegrade.model.stored import PackedPicture, Privacy, StoredReport
from pagegrade.model.webhooks import Event
from pagegrade.report.build import rendered_page
from pagegrade.report.codec import pack_report
from pagegrade.service.access.operations import KEY_FILE, AccessFields, Vault, create_profile
from pagegrade.service.accounts.operations import MAX_BRAND_NAME, MAX_FOOTER, clean_logo
from pagegrade.service.accounts.sessions import list_open, start_session
from pagegrade.service.accounts.team import create_shared, invite
from pagegrade.service.audits.operations import AuditChange, change_audit, show_audit
from pagegrade.service.sign_in import make_link
from pagegrade.service.sign_up import SECRET, sign_address
from pagegrade.service.webhooks.deliveries import make_key, unsubscribe_token
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import finish_run, set_step
from pagegrade.store.repositories.accounts import add_account, load_account, save_brand, save_password
from pagegrade.store.repositories.audits import save_sharing
from pagegrade.store.repositories.crawl_urls import save_patterns
from pagegrade.store.repositories.crawls import end_crawl
from pagegrade.store.repositories.credentials import add_passkey, save_workspace
from pagegrade.store.repositories.decisions import add_ignore, save_result
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.store.repositories.members import add_membership
from pagegrade.store.repositories.monitors import add_monitor, add_silence, save_monitor
from pagegrade.store.repositories.outbox import add_test_event
from pagegrade.store.repositories.projects import set_tags
from pagegrade.store.repositories.webhooks import add_webhook
from pagegrade.store.schema.migrate import migrate
from pagegrade.store.schema.tables import accounts, deliveries, webhooks
from tests.audit_builders import OPTIONS, claim, fill, make_audit, result_of, ungraded
from tests.browser.hostile_site import serve_hostile_page
from tests.browser.payloads import PAYLOADS, RIGHT_TO_LEFT, VERY_LONG, everything
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report, make_result, poisoned_report
from tests.share_builders import add_shared, run_again
from tests.site.assets import png
from tests.site.pages import good_page
from tests.site.serve import Site
from tests.store_builders import add_key

MINUTE_MS: Final = 60_000
DAY_MS: Final = 86_400_000
PICTURE: Final = base64.b64decode("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
"""A WebP of one pixel."""
RUNS: Final = 12
"""Of the report with a long history."""
PASSWORD: Final = "correct horse"
SECRET_TITLE: Final = "Quarterly figures not public yet"
SECRET_HOST: Final = "secret-project.example"
FILLER: Final = 24
"""Reports of Alice that only make her lists long."""
GOOD_URL: Final = "https://lamp-room.example/"
SPARE: Final = ("Spare-1", "Spare-2", "Spare-3", "Spare-4")
"""People whom something may happen to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Parts of the addresses of pages about a report."""

    id: int
    slug: str
    project: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Contents of the database."""

    folder: Path
    """``DATA_DIR``."""
    key: str
    """Alice's, with every scope."""
    accounts: Mapping[str, Account]
    tokens: Mapping[str, str]
    """Person -> token of a session. Charlie has none."""
    reports: dict[str, Known]
    things: Mapping[str, str]
    """Further parts of addresses: links to sign in, ids of keys and of a session that may end."""


def analyze(site: Site) -> dict[str, Report]:
    """Real reports on pages of the test site and on a malicious one."""
    with serve_hostile_page() as hostile, ThreadPoolExecutor(4) as threads:
        # In threads: a test before this one may have left an event loop in ours.
        fetched = {
            "poor": f"{site.http}/poor",
            "good": f"{site.http}/many",
            "challenge": f"{site.http}/challenge",
            "real-hostile": hostile,
        }
        waited = {
            name: threads.submit(pagegrade.analyze, url, allow_typed_private=True) for name, url in fetched.items()
        }
        partly = threads.submit(
            pagegrade.evaluate_document, good_page(GOOD_URL.rstrip("/")).encode(), url=GOOD_URL, headers=_CAREFUL
        )
        return {"partly": partly.result(), **{name: future.result() for name, future in waited.items()}}


def build_world(folder: Path, reports: Mapping[str, Report]) -> World:
    """Write everything into a new database.

    Args:
        folder: ``DATA_DIR``; made when missing.
        reports: As ``analyze`` gives them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    database = SQLiteDatabase(f"sqlite:///{folder / DATABASE_NAME}")
    try:
        migrate(database)
        return _Builder(database, now_ms()).build(folder, reports)
    finally:
        database.close()


def add_unfinished(world: World) -> None:
    """Add reports whose analysis waits or runs, once the server has started: what runs before is dead to it."""
    database = SQLiteDatabase(f"sqlite:///{world.folder / DATABASE_NAME}")
    try:
        builder = _Builder(database, now_ms())
        builder.add_unfinished(world.accounts["Alice"])
        world.reports.update(builder.known)
    finally:
        database.close()


def set_language(world: World, locale: str) -> None:
    """Let every account read pages in a language."""
    database = SQLiteDatabase(f"sqlite:///{world.folder / DATABASE_NAME}")
    try:
        database.write_here(lambda tx: tx.execute(update(accounts).values(locale=locale)))
    finally:
        database.close()


_BY_PERSON: Final = ManualResult(
    criterion="1.1.1",
    outcome="failed",
    note=PAYLOADS["J02"],
    evidence=PAYLOADS["J02"],
    author="",
    at_ms=0,
    page_sha256=b"",
)


class _Builder:
    """Fills a database; reports that stay unfinished come last, since finishing one takes whatever waits."""

    def __init__(self, database: Database, moment_ms: int) -> None:
        self._database = database
        self._now_ms = moment_ms
        self.known: dict[str, Known] = {}
        """The reports that it made."""
        self._hashed = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(PASSWORD)
        """Of ``PASSWORD``, made in no time."""

    def build(self, folder: Path, reports: Mapping[str, Report]) -> World:
        """Everything, in one go."""
        names = ("Alice", "Bob", "Dora", "Gone", "Tessa", "Vera", "Nora", *SPARE)
        people = {name: self._person(name, is_admin=name == "Alice") for name in names}
        people["Mallory"] = self._person(PAYLOADS["J02"], email="mallory@example.org")
        alice = people["Alice"]
        tokens = {name: self._session(account) for name, account in people.items() if name != "Gone"}
        tokens["Leaving"] = self._session(people["Bob"])
        key, things = self._things(people, folder)
        things |= self._teams(people)
        self._filler(alice)
        for name, report in reports.items():
            self._add(name, alice, report)
        self._add("drawn", alice, _drawn_report())
        self._add("bad", alice, make_report(result="bad", score=18, url="https://bad.example/"))
        self._failures(alice)
        self._hostile(alice)
        self._database.write_here(
            lambda tx: save_result(tx, Caller(account=alice), self.known["hostile-all"].id, _BY_PERSON)
        )
        self._hidden(alice)
        self._history(alice)
        things |= self._monitors(alice)
        self._add("bobs", people["Bob"], make_report(url="https://bob.example/"))
        self._add("mallorys", people["Mallory"], poisoned_report(PAYLOADS["J02"]), url="https://mallory.example/")
        return World(folder=folder, key=key, accounts=people, tokens=tokens, reports=self.known, things=things)

    def _person(self, name: str, *, email: str = "", is_admin: bool = False) -> Account:
        address = email or f"{name.lower()}@example.org"
        at_ms = self._now_ms - 40 * DAY_MS

        def work(tx: Transaction) -> Account:
            made = add_account(tx, name=name, email=address, now_ms=at_ms, is_admin=is_admin)
            save_password(tx, made.id, self._hashed)
            return load_account(tx, made.id) or made

        return self._database.write_here(work)

    def _session(self, account: Account, agent: str = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0") -> str:
        return self._database.write_here(lambda tx: start_session(tx, account, agent, self._now_ms))

    def _teams(self, people: Mapping[str, Account]) -> dict[str, str]:
        """Invitations to Tessa's account, in which Vera reads and Mallory edits; Nora owns a shared one alone."""
        tessa = Caller(account=people["Tessa"])

        def work(tx: Transaction) -> dict[str, str]:
            for name, role in (("Vera", Role.VIEWER), ("Mallory", Role.EDITOR), ("Gone", Role.ADMIN)):
                add_membership(tx, people["Tessa"].id, people[name].id, role, self._now_ms)
            shared = create_shared(tx, Caller(account=people["Nora"]), name=PAYLOADS["J02"][:200], now_ms=self._now_ms)
            for name, workspace in (("Vera", people["Tessa"]), ("Nora", shared)):
                for session in list_open(tx, people[name].id, self._now_ms):
                    save_workspace(tx, session.id, workspace.id)
            brand = Brand(
                name=PAYLOADS["J02"][:MAX_BRAND_NAME],
                # The hardest color to read on light pages.
                color="#ffdd00",
                footer=PAYLOADS["J02"][:MAX_FOOTER],
                logo=clean_logo(png(180, 60, (30, 90, 200))),
            )
            for owner in (people["Mallory"], shared):
                save_brand(tx, owner.id, brand)
            made = [
                invite(tx, tessa, role=Role.EDITOR, label=PAYLOADS["J02"][:200], now_ms=self._now_ms) for _ in range(3)
            ]
            return {
                "logo_key": brand.logo_key,
                "invitation": made[0][1],
                "invitation_to_use": made[1][1],
                "spare_invitation_id": str(made[2][0].id),
            }

        return self._database.write_here(work)

    def _things(self, people: Mapping[str, Account], folder: Path) -> tuple[str, dict[str, str]]:
        """(Alice's key, what addresses are made of besides reports and accounts)."""
        alice, at_ms = people["Alice"], self._now_ms - DAY_MS
        _, secret = add_key(self._database, alice.id, now_ms=at_ms)
        hostile, _ = add_key(self._database, alice.id, name=PAYLOADS["J02"], scopes=("reports:read",), now_ms=at_ms)
        spare, _ = add_key(self._database, alice.id, name="Spare", now_ms=at_ms)
        for agent in (PAYLOADS["J02"], "To be ended"):
            self._session(alice, agent)

        def work(tx: Transaction) -> dict[str, str]:
            ending = next(each for each in list_open(tx, alice.id, self._now_ms) if each.agent == "To be ended")
            links = [make_link(tx, people[name].id, hours=24, now_ms=self._now_ms)[0] for name in SPARE[:2]]
            hooks = [
                add_webhook(
                    tx,
                    alice.id,
                    kind="webhook",
                    url=f"https://hook.example/{number}",
                    events=("report.regressed",),
                    project="",
                    now_ms=at_ms,
                )
                for number in range(3)
            ]
            add_test_event(tx, Event("webhook.test", alice.id, "", None, None, at_ms, {}), hooks[0].id, "webhook")
            # Nothing is sent to it while the tests run.
            answered = {"state": "failed", "due_at_ms": None, "http_status": 500, "error": "http_status"}
            tx.execute(update(deliveries).values({**answered, "answer": PAYLOADS["J02"].encode(), "attempts": 1}))
            tx.execute(update(webhooks).values(due_at_ms=None))
            (delivery_id,) = tx.execute(select(deliveries.c.id)).scalars()
            hook_ids = {
                "webhook_id": str(hooks[0].id),
                "spare_webhook_id": str(hooks[1].id),
                "delivery_id": str(delivery_id),
                "unsubscribe": unsubscribe_token(make_key(tx), hooks[2]),
            }
            passkeys = [
                add_passkey(
                    tx,
                    alice.id,
                    name=name,
                    credential_id=name.encode(),
                    credential=b"",
                    sign_count=0,
                    challenged_at_ms=at_ms,
                    now_ms=at_ms,
                )
                for name in (PAYLOADS["J02"][:60], "Spare")
            ]
            sign_up = sign_address(load_or_make_secret(tx, SECRET), "gil@example.org", self._now_ms)
            return hook_ids | {
                "sign_up": sign_up,
                "session_id": str(ending.id),
                "passkey_id": str(passkeys[1]),
                "link": links[0],
                "link_to_use": links[1],
            }

        def ignore(tx: Transaction) -> dict[str, str]:
            hostile = IgnoreRule(check="title", reason=PAYLOADS["J02"][:MAX_REASON], selector=PAYLOADS["J02"][:100])
            add_ignore(tx, alice.id, hostile, report_id=None, now_ms=at_ms)
            added = add_ignore(tx, alice.id, replace(hostile, reason="Spare"), report_id=None, now_ms=at_ms)
            silences = [
                add_silence(
                    tx,
                    Caller(account=alice),
                    monitor_id=None,
                    project="a.example",
                    reason=reason,
                    until_ms=self._now_ms + 86_400_000,
                    now_ms=at_ms,
                )
                for reason in (PAYLOADS["J02"][:MAX_REASON], "Spare")
            ]
            return {"ignore_id": str(added.rule.id), "silence_id": str(silences[1].id)}

        def let_in(tx: Transaction) -> dict[str, str]:
            # Of origins without reports, which would become private.
            fields = AccessFields(
                name=PAYLOADS["J02"][:MAX_NAME],
                origins=["https://staging.example", "https://files.staging.example:8443"],
                user=PAYLOADS["J02"].replace(":", ""),
                password="n0t-Shown-1",
                headers=["X-Preview: n0t-Shown-2"],
                cookies=["session=n0t-Shown-3"],
            )
            caller, vault = Caller(account=alice), Vault(file=folder / KEY_FILE)
            made = [create_profile(tx, caller, fields, vault, at_ms).profile.id for _ in range(2)]
            return {"access_id": str(made[0]), "spare_access_id": str(made[1])}

        self._audit(alice)
        made = self._database.write_here(work) | self._database.write_here(ignore) | self._database.write_here(let_in)
        return secret, {**made, "hostile_key_id": str(hostile.id), "spare_key_id": str(spare.id)}

    def _audit(self, alice: Account) -> None:
        """Audits of Alice, from 1: graded, paused by the site, failed, without a grade, hostile; and one to spare."""
        caller, at_ms, hostile = Caller(account=alice), self._now_ms, PAYLOADS["J02"]
        template = Template(
            number=1, name="graded.example/{s}", pages=1, score=70.0, example="https://graded.example/other"
        )
        graded = replace(result_of("https://graded.example/"), templates=(template,))
        (finding,) = graded.findings
        evil = replace(finding, title=hostile, message=hostile, why=hostile, fix=hostile, lost=1.0)
        results = {
            "graded": graded,
            "paused": None,
            "failed": None,
            "ungraded": ungraded("https://ungraded.example/"),
            "hostile": replace(graded, findings=(evil,)),
            "spare": None,
        }
        for name, result in results.items():
            # A name of Hebrew letters, whose text runs from right to left.
            host = "xn--4dbrk0ce.example" if name == "hostile" else f"{name}.example"
            make_audit(self._database, caller, f"https://{host}/", exclude=("/print/*",))
            crawl = claim(self._database, at_ms=at_ms, account_crawls=9)
            if crawl is None:
                raise AssertionError("no crawl was claimed")
            if name == "paused":
                texts = (
                    "paused.example/tag/{s}",
                    "paused.example/about",
                    "paused.example/list?page&sort",
                    "paused.example/{n}",
                )
                patterns = [
                    Pattern(pattern_no=at, text=text, found=9 * at, fetched=at) for at, text in enumerate(texts, 1)
                ]
                self._database.write_here(partial(save_patterns, crawl_id=crawl.id, patterns=patterns))
            if name == "graded":
                # Crawled twice: then it has a hostile finding, which is gone now.
                gone = replace(evil, number=2, fingerprint="f")
                fill(self._database, crawl, replace(graded, findings=(finding, gone), score=94))
                again = AuditChange(again=True)
                self._database.write_here(
                    partial(change_audit, caller=caller, audit_id=1, change=again, options=OPTIONS, now_ms=at_ms)
                )
                crawl = claim(self._database, at_ms=at_ms, account_crawls=9)
                if crawl is None:
                    raise AssertionError("no second crawl was claimed")
            number = crawl.audit_id or 0
            # Failed and spare ones are private; the link of a shared one can be told from its name.
            if name not in {"failed", "spare"}:
                locked = name == "ungraded"
                privacy = Privacy.PASSWORD if locked else Privacy.PUBLIC
                shared = partial(
                    save_sharing,
                    audit=self._database.read_here(partial(show_audit, caller=caller, audit_id=number)),
                    privacy=privacy,
                    password_hash=self._hashed if locked else None,
                    password_version=int(locked),
                    slug=f"{name:_<22}",
                    now_ms=at_ms,
                )
                self._database.write_here(shared)
            if result is not None:
                fill(self._database, crawl, result)
            else:
                state: CrawlState = "paused" if name == "paused" else "failed"
                reason: StopReason = "site_refuses" if name == "paused" else "start_unreachable"
                resume = at_ms + 15 * MINUTE_MS if name == "paused" else None
                self._database.write_here(
                    partial(
                        end_crawl,
                        crawl=crawl,
                        state=state,
                        reason=reason,
                        complete=False,
                        now_ms=at_ms,
                        resume_at_ms=resume,
                    )
                )

    def _add(
        self,
        name: str,
        owner: Account,
        *outcomes: Report,
        url: str = "",
        privacy: Privacy = Privacy.PUBLIC,
        has_password: bool = False,
    ) -> StoredReport:
        """A report with a run for each outcome, a day apart, the last one an hour ago."""
        shown = url or (outcomes[0].url if outcomes else "https://waiting.example/page")
        # What waits has waited for long, so that its page does not ask again while someone looks at it.
        age_ms = len(outcomes) * DAY_MS + 120 * MINUTE_MS
        report = add_shared(
            self._database,
            owner,
            now_ms=self._now_ms - age_ms,
            url=shown,
            privacy=privacy,
            password_hash=self._hashed if has_password else None,
        )
        for number, outcome in enumerate(outcomes):
            at_ms = self._now_ms - (len(outcomes) - number) * DAY_MS + 23 * 60 * MINUTE_MS
            if number:
                report = run_again(self._database, report, now_ms=at_ms - 2000)
            report = self._finish(report, outcome, at_ms)
        self.known[name] = Known(id=report.id, slug=report.slug, project=report.project, revision=report.revision)
        return report

    def _finish(self, report: StoredReport, outcome: Report, at_ms: int) -> StoredReport:
        packed = pack_report(outcome)
        drawn = () if outcome.rendered is None else outcome.rendered.pictures
        names = [picture.name for picture in drawn] or ["viewport"]
        pictures = [PackedPicture(name=each, body=PICTURE) for each in names if packed.state == "completed"]
        preview = None if outcome.page is None else outcome.page.preview
        images = () if preview is None else (preview.image, preview.icon)
        pictures += [PackedPicture(name=each.name, body=png(each.width_px, each.height_px)) for each in images if each]
        packed = replace(packed, generated_at_ms=at_ms, pictures=tuple(pictures))

        def work(tx: Transaction) -> None:
            for run in claim_runs(
                tx,
                worker="test",
                count=9,
                now_ms=at_ms - 1840,
                lease_ms=30 * MINUTE_MS,
                target_runs=99,
                target_runs_per_minute=9_999,
            ):
                finish_run(tx, run, packed, at_ms)

        self._database.write_here(work)
        return report

    def _filler(self, alice: Account) -> None:
        results = (("good", 95), ("decent", 71), ("bad", 33))
        for number in range(FILLER):
            result, score = results[number % 3]
            url = f"https://shop-{number % 7}.example/catalogue/page-{number}"
            self._add(f"filler-{number}", alice, make_report(url=url, final_url=url, result=result, score=score))

    def _failures(self, alice: Account) -> None:
        for code in FAILURE_CODES:
            url = f"https://failing.example/{code}"
            self._add(f"failed-{code}", alice, make_failed_report(code, url=url))
        self._add("failed-later", alice, make_report(), make_failed_report("timeout"))

    def _hostile(self, alice: Account) -> None:
        for row, payload in PAYLOADS.items():
            self._add(f"hostile-{row}", alice, poisoned_report(payload), url=f"https://hostile.example/{row}")
        whole = poisoned_report(everything())
        self._add("hostile-all", alice, whole, whole, url="https://hostile.example/all")
        self._add("right-to-left", alice, poisoned_report(RIGHT_TO_LEFT), url="https://xn--4gbrim.example/")
        long = poisoned_report(VERY_LONG)
        # Why and how are our own words.
        results = tuple(replace(result, why="It is long.", fix="Shorten it.") for result in long.results)
        self._add("very-long", alice, replace(long, results=results), url=f"https://long.example/{'path/' * 300}")

    def _hidden(self, alice: Account) -> None:
        page = make_report().page
        if page is None:
            raise AssertionError("make_report gives page facts")
        url = f"https://{SECRET_HOST}/figures?token=s3cr3t"
        secret = make_report(url=url, final_url=url, page=replace(page, title=SECRET_TITLE))
        self._add("private", alice, secret, secret, privacy=Privacy.PRIVATE)
        self._add("password", alice, secret, secret, privacy=Privacy.PASSWORD, has_password=True)
        self._add("guessed", alice, secret, privacy=Privacy.PASSWORD, has_password=True)

    def _history(self, alice: Account) -> None:
        """Scores that go up and down, a run that failed, and another engine with other rules in the middle."""
        outcomes = []
        for number in range(RUNS):
            score = 40 + (number * 17) % 45
            result = "good" if score >= 80 else "decent" if score >= 50 else "bad"
            run = replace(make_report().run, engine="0.1.0" if number < RUNS // 2 else "0.2.0")
            outcomes.append(make_report(result=result, score=score, run=run))
        outcomes[3] = make_failed_report("timeout")
        self._add("decent", alice, *outcomes)

    def _monitor_of_set(self, tx: Transaction, alice: Account) -> int:
        """One of the sites with a tag, which has looked its pages up."""
        set_tags(tx, alice.id, {"shop-0.example": ("shop", "a client with a name of 40 characters xx")})
        set_tags(tx, alice.id, {"shop-1.example": ("shop",)})
        made = add_monitor(
            tx,
            account_id=alice.id,
            schedule="weekly",
            timezone="UTC",
            jitter=0,
            budgets=(Budget(condition="score<80"),),
            paused=False,
            due_at_ms=self._now_ms + DAY_MS,
            now_ms=self._now_ms - DAY_MS,
            pages=PageSet(kind="tag", value="shop"),
        )
        save_monitor(tx, replace(made, pages_found=2, last_run_at_ms=self._now_ms - DAY_MS))
        return made.id

    def _monitors(self, alice: Account) -> dict[str, str]:
        """One with budgets that are breached, one of a malicious page, and one that may be deleted."""

        def work(tx: Transaction) -> dict[str, str]:
            numbers = []
            for name, state in (("decent", "breached"), ("hostile-J02", "unknown"), ("filler-4", "ok")):
                made = add_monitor(
                    tx,
                    account_id=alice.id,
                    report_id=self.known[name].id,
                    schedule="daily",
                    timezone="UTC",
                    jitter=0,
                    budgets=(Budget(condition="score<80", state=state, since_ms=self._now_ms),),  # type: ignore[arg-type]
                    paused=name == "filler-4",
                    due_at_ms=self._now_ms + DAY_MS,
                    now_ms=self._now_ms - DAY_MS,
                )
                numbers.append(str(made.id))
            of_set = self._monitor_of_set(tx, alice)
            return {"monitor_id": numbers[0], "spare_monitor_id": numbers[2], "set_monitor_id": str(of_set)}

        return self._database.write_here(work)

    def add_unfinished(self, alice: Account) -> None:
        """A report that waits, one that runs, and one with results that waits again."""
        rerun = self._add("rerun", alice, make_report(), url="https://rerun.example/")
        running = self._add("running", alice, url="https://running.example/")

        def start(tx: Transaction) -> None:
            (run,) = claim_runs(
                tx,
                worker="other",
                count=9,
                now_ms=self._now_ms,
                lease_ms=60 * MINUTE_MS,
                target_runs=99,
                target_runs_per_minute=9_999,
            )
            set_step(tx, run, "files")

        self._database.write_here(start)
        run_again(self._database, rerun, now_ms=self._now_ms - 120 * MINUTE_MS)
        self._add("queued", alice, url="https://waiting.example/")
        if running.run_number is not None:
            raise AssertionError("the running report has no result yet")


def _drawn_report() -> Report:
    """A report of a page that a browser drew, with every kind of picture."""
    element = ElementFacts(selector="main > img", html="<img>", x_px=20.0, y_px=80.0, width_px=370.0, height_px=200.0)
    pictures = (
        Picture(kind="viewport", width_px=412, height_px=823, data=PICTURE),
        Picture(kind="full_page", width_px=206, height_px=1_000, data=PICTURE),
        *(Picture(kind="frame", width_px=120, height_px=240, data=PICTURE, time_ms=ms) for ms in range(0, 2_000, 200)),
    )
    metrics = LoadMetrics(fcp_ms=420.0, lcp_ms=1_830.0, cls=0.31, tbt_ms=240.0, si_ms=900.0, load_ms=1_900.0)
    rendering = make_rendering(pictures=pictures, lcp_element=element)
    lcp = make_result("lcp", category="performance", evidence=(Evidence(selector="main > img", snippet="<img>"),))
    report = make_report(url="https://drawn.example/", rendered=rendered_page(rendering, [metrics], metrics))
    if report.page is None:
        raise AssertionError("make_report gives page facts")
    preview = Preview(
        description="Brass lamps, made by hand and repaired for life.",
        site_name="Drawn lamps",
        image_url="https://drawn.example/card.png",
        image=PreviewPicture(name="social", format="png", width_px=1200, height_px=630, bytes=4_711),
        icon=PreviewPicture(name="icon", format="png", width_px=32, height_px=32, bytes=117),
    )
    return replace(report, results=(*report.results, lcp), page=replace(report.page, preview=preview))


_CAREFUL: Final = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Strict-Transport-Security", "max-age=63072000; includeSubDomains; preload"),
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
    ("Content-Encoding", "br"),
    ("Cache-Control", "public, max-age=600"),
)
