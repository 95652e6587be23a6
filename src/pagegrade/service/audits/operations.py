"""Audits of an account: create, show, list, change, delete; and what their crawls found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller
from pagegrade.model.audit import (
    MAX_KEPT_PATTERNS,
    MAX_PATTERN_CHARACTERS,
    MAX_PATTERNS,
    OPEN_STATES,
    Audit,
    AuditFilter,
    AuditSettings,
    Crawl,
    Pattern,
    ScopeKind,
)
from pagegrade.model.audit_result import AuditResult, AuditSummary, SiteFinding
from pagegrade.model.errors import (
    Condition,
    CrawlLimit,
    InvalidInput,
    NotFound,
    URLNotAllowed,
    ValidationFailed,
    Violation,
    refuse_if_changed,
)
from pagegrade.model.stored import ListPart
from pagegrade.parse.files.robots import path_of, path_rule
from pagegrade.parse.url import host, is_nearby, parse_target_url, project_of
from pagegrade.parse.urls.identity import identity
from pagegrade.parse.urls.patterns import excluding
from pagegrade.service.access.operations import find_access
from pagegrade.service.accounts.access import require_project
from pagegrade.service.accounts.quotas import check_count, pages_left
from pagegrade.service.audits.consent import MAX_RATE, UNPROVED_RATE
from pagegrade.service.audits.crawl import begin_crawl, read_start
from pagegrade.service.audits.sharing import share_audit
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.validation import SharingChange, check_allowed
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import audits as store
from pagegrade.store.repositories.crawl_segments import FindingPage, rows_from
from pagegrade.store.repositories.crawl_urls import list_patterns, urls_of

OPEN_CRAWLS: Final = 20
"""Crawls of an account that have not ended."""
SHOWN_PATTERNS: Final = 20
RETRY_AFTER_S: Final = 30
_AS_IT_IS: Final = SharingChange()


class AuditFields(msgspec.Struct, frozen=True, kw_only=True):
    """An audit as it was asked for; ``None`` for what was not."""

    url: str
    scope: ScopeKind = "host"
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    max_pages: int | None = None
    max_depth: int = 50
    rate: float | None = None
    sitemap: bool = True
    urls: Sequence[str] = ()
    drop_parameters: Sequence[str] = ()
    external: bool = False
    render: bool = False
    access: int | str | None = None
    """As ``find_access`` takes it."""


class AuditChange(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of an audit; each of them may be asked for alone."""

    again: bool = False
    """Crawl the site again; a crawl that has not ended is joined."""
    fresh: bool = False
    """Read every page anew then, even if it has not changed."""
    paused: bool | None = None
    cancel: bool = False
    exclude: Sequence[str] | None = None
    """Patterns of what is left out, in place of those until now; ``None``: as until now."""
    leave_out: str = ""
    """A pattern beside them; empty: none."""
    readmit: str = ""
    """One of them that is not left out any more; empty: none."""
    sharing: SharingChange = _AS_IT_IS


class ShownCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl with its progress."""

    crawl: Crawl
    summary: AuditSummary | None
    patterns: tuple[Pattern, ...] = ()
    """Those with the most fetched pages."""
    found: int = 0
    """URLs in scope that are known."""
    rules: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Text of a pattern -> rule that leaves out its URLs, while the crawl has not ended; none that leaves out more than
    half of all, where one that waits behind the others does not count itself."""

    @property
    def pages_per_second(self) -> float | None:
        """While it was worked on; ``None``: nothing was fetched yet."""
        crawl = self.crawl
        return crawl.fetched * 1_000 / crawl.worked_ms if crawl.fetched and crawl.worked_ms else None

    @property
    def left_s(self) -> int | None:
        """Seconds of work that are left, of what is known now; ``None``: it has ended, or nothing was fetched yet."""
        crawl, rate = self.crawl, self.pages_per_second
        if rate is None or crawl.finished_at_ms is not None:
            return None
        return round(max(0, min(self.found, crawl.settings.max_pages) - crawl.fetched) / rate)


class ShownFindings(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of a crawl."""

    crawl: Crawl
    result: AuditResult | None
    """``None``: the crawl was not evaluated, so that nothing is known about its site."""
    listed: Listed[SiteFinding]


class ShownPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a finding."""

    number: int
    """From 1 in the order of the list."""
    page_id: int
    url: str
    target: str | None
    value: str | None


def read_settings(fields: AuditFields, options: ServiceOptions) -> tuple[str, AuditSettings]:
    """The canonical start URL and the settings that fields ask for.

    Raises:
        ValidationFailed: A field cannot be used.
        URLNotAllowed: The site must not be contacted.
    """
    violations: list[Violation] = []
    refuse = partial(_refuse, violations)
    typed = _read_url("url", fields.url, refuse)
    _check_patterns("include", fields.include, refuse)
    _check_patterns("exclude", fields.exclude, refuse)
    most = options.most_crawl_pages
    pages = options.crawl_pages if fields.max_pages is None else fields.max_pages
    if pages > most:
        refuse("max_pages", "too_large", f"Must be at most {most}.")
    if fields.rate is not None and not 0 < fields.rate <= MAX_RATE:
        refuse("rate", "too_large", f"Must be more than 0 and at most {MAX_RATE:g} requests a second.")
    listed = [_read_url("urls", url, refuse) for url in fields.urls]
    if violations or typed is None:
        raise ValidationFailed(violations)
    start, sitemap = read_start(typed)
    check_allowed(start, options.analyze)
    # What the operator allows of the own network is asked as fast as it answers.
    unlimited = is_nearby(host(start)) and fields.rate is None
    return start, AuditSettings(
        scope=fields.scope,
        include=tuple(fields.include),
        exclude=tuple(fields.exclude),
        max_pages=pages,
        max_depth=fields.max_depth,
        rate_per_s=None if unlimited else fields.rate or UNPROVED_RATE,
        sitemaps=fields.sitemap and not listed,
        sitemap=None if listed else sitemap,
        drop_parameters=tuple(fields.drop_parameters),
        urls=tuple(url for url in listed if url is not None),
        follows=not listed,
        access=fields.access,
        external=fields.external,
        render=fields.render,
    )


def _refuse(violations: list[Violation], field: str, code: str, message: str) -> None:
    violations.append(Violation(field=field, place="body", code=code, message=message))


def _check_patterns(
    field: str, patterns: Sequence[str], refuse: Callable[[str, str, str], None], *, known: Sequence[str] = ()
) -> None:
    if len(patterns) > MAX_PATTERNS:
        refuse(field, "too_many", f"At most {MAX_PATTERNS} patterns.")
    if any(
        not one.startswith(("/", "*")) or len(one) > MAX_PATTERN_CHARACTERS or min(one) <= " "
        for one in patterns
        if one not in known
    ):
        refuse(
            field,
            "invalid",
            f"Must be patterns as in robots.txt, with / or * first, without spaces and line breaks, and at most "
            f"{MAX_PATTERN_CHARACTERS} characters: /blog/*, *.pdf$",
        )


def _read_url(field: str, url: str, refuse: Callable[[str, str, str], None]) -> str | None:
    try:
        return parse_target_url(url).document_url
    except InvalidInput as error:
        if field == "url" and isinstance(error, URLNotAllowed):
            raise
        refuse(field, error.reason or error.code, error.message)
        return None


def create_audit(
    tx: Transaction,
    caller: Caller,
    start_url: str,
    settings: AuditSettings,
    *,
    options: ServiceOptions,
    now_ms: int,
    sharing: SharingChange = _AS_IT_IS,
    password_hash: str | None = None,
) -> Audit:
    """Store a new audit of the caller, whose first crawl is queued.

    Args:
        tx: A write transaction.
        caller: Whose it will be.
        start_url: As ``read_settings`` gave it, with the settings.
        settings: Of its crawls.
        options: Of the installation.
        now_ms: The time now.
        sharing: Who may see it; it is private unless that says something else.
        password_hash: Of ``sharing.password``, where ``sharing.needs_hash``.

    Raises:
        OtherProject: The key of the caller is limited to another project.
        QuotaExceeded: It has its quota of audits, or no pages left in this month.
        CrawlLimit: Too many of its crawls have not ended.
        ValidationFailed: It has no such access profile for the site; or privacy 2 comes without a password.
    """
    hold_account(tx, caller.account.id)
    require_project(caller, project_of(start_url))
    settings = replace(settings, access=find_access(tx, caller, start_url, settings.access)[0])
    check_count(caller.account, options, "audits", used=store.count_audits(tx, caller.account.id, AuditFilter()))
    limited = _within_limits(tx, caller.account, settings, options, now_ms)
    start = identity(start_url, settings.drop_parameters)
    audit_id = store.add_audit(
        tx, caller.account.id, start, project=project_of(start_url), settings=settings, now_ms=now_ms
    )
    begin_crawl(tx, start_url, limited, options=options.analyze, account_id=caller.account.id, audit_id=audit_id)
    share_audit(tx, show_audit(tx, caller, audit_id), sharing, password_hash, now_ms)
    return show_audit(tx, caller, audit_id)


def _within_limits(
    tx: Transaction, account: Account, settings: AuditSettings, options: ServiceOptions, now_ms: int
) -> AuditSettings:
    """Return the settings of a crawl that begins now, with as many pages as it may fetch; raises where it may not."""
    if store.count_open_crawls(tx, account.id) >= OPEN_CRAWLS:
        raise CrawlLimit(
            f"An account has at most {OPEN_CRAWLS} crawls that have not ended; wait for one, or cancel one.",
            retry_after_s=RETRY_AFTER_S,
        )
    left = pages_left(tx, account, options, now_ms)
    most = options.most_crawl_pages if left is None else min(left, options.most_crawl_pages)
    return replace(settings, max_pages=min(settings.max_pages, most))


def crawl_again(
    tx: Transaction, account: Account, audit: Audit, options: ServiceOptions, now_ms: int, *, fresh: bool = False
) -> None:
    """Begin the next crawl of an audit, whose last one has ended; raises as ``change_audit``."""
    limited = _within_limits(tx, account, replace(audit.settings, fresh=fresh), options, now_ms)
    crawl = begin_crawl(tx, audit.start_url, limited, options=options.analyze, account_id=account.id, audit_id=audit.id)
    store.note_crawl(tx, crawl, now_ms)


def show_audit(tx: Transaction, caller: Caller, audit_id: int) -> Audit:
    """Return an audit of the caller.

    Raises:
        NotFound: There is no such audit, or it is of another project than the caller's key.
    """
    found = store.load_audit(tx, caller.account.id, audit_id)
    if found is None or not caller.may_use(found.project):
        raise NotFound
    return found


def is_crawled(tx: Transaction, caller: Caller, audit_id: int) -> bool:
    """Return true if no crawl of the audit is under way, or the caller has no such audit."""
    found = store.load_audit(tx, caller.account.id, audit_id)
    return found is None or not caller.may_use(found.project) or found.crawl.state not in OPEN_STATES - {"paused"}


def list_audits(tx: Transaction, caller: Caller, which: AuditFilter, part: ListPart) -> Listed[Audit]:
    """Some of the caller's audits, the newest first."""
    which = _of_caller(caller, which)
    account_id = caller.account.id
    read = partial(store.list_audits, tx, account_id, which)
    return read_part(read, lambda audit: audit.id, part, lambda: store.count_audits(tx, account_id, which))


def _of_caller(caller: Caller, which: AuditFilter) -> AuditFilter:
    if caller.project is None or which.project == caller.project:
        return which
    # An empty project is that of no audit.
    return AuditFilter(project=caller.project if which.project is None else "")


def change_audit(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    change: AuditChange,
    *,
    options: ServiceOptions,
    now_ms: int,
    password_hash: str | None = None,
    changed_tag: Condition[Audit] = None,
) -> Audit:
    """Crawl the site of an audit again, pause, resume or cancel its crawl, change what it leaves out or who sees it.

    Args:
        tx: A write transaction.
        caller: Whose it must be.
        audit_id: Any number.
        change: The changes.
        options: Of the installation.
        now_ms: The time now.
        password_hash: Of ``change.sharing.password``, where ``change.sharing.needs_hash``.

    Raises:
        NotFound: There is no such audit.
        PreconditionFailed: It has changed since the client read it.
        CrawlLimit: Too many crawls of the account have not ended.
        QuotaExceeded: It has no pages left in this month.
        URLNotAllowed: By now the site must not be contacted.
        ValidationFailed: Privacy 2 without any password, a pattern that is none, or too many of them.
    """
    hold_account(tx, caller.account.id)
    audit = show_audit(tx, caller, audit_id)
    refuse_if_changed(audit, changed_tag)
    kept = audit.settings.exclude if change.exclude is None else change.exclude
    wanted = [one for one in kept if not change.readmit or one != change.readmit]
    if change.leave_out and change.leave_out not in wanted:
        wanted.append(change.leave_out)
    violations: list[Violation] = []
    _check_patterns("exclude", wanted, partial(_refuse, violations), known=audit.settings.exclude)
    if violations:
        raise ValidationFailed(violations)
    share_audit(tx, audit, change.sharing, password_hash, now_ms)
    if tuple(wanted) != audit.settings.exclude:
        if store.exclude_pages(tx, audit, wanted, now_ms) > MAX_KEPT_PATTERNS:
            message = f"The crawl under way leaves out at most {MAX_KEPT_PATTERNS} patterns, with those taken back."
            _refuse(violations, "exclude", "too_many_kept", message)
            raise ValidationFailed(violations)
        audit = show_audit(tx, caller, audit_id)
    crawl = audit.crawl
    if change.cancel and crawl.state in OPEN_STATES:
        store.stop_crawl(tx, crawl, "canceled", now_ms)
    elif change.paused and crawl.state in {"queued", "crawling", "paused"}:
        store.stop_crawl(tx, crawl, "paused", now_ms)
    elif change.paused is False and crawl.state == "paused":
        store.stop_crawl(tx, crawl, "queued", now_ms)
    if change.again and (change.cancel or crawl.state not in OPEN_STATES):
        crawl_again(tx, caller.account, audit, options, now_ms, fresh=change.fresh)
    return show_audit(tx, caller, audit_id)


def delete_audit(tx: Transaction, caller: Caller, audit_id: int, *, changed_tag: Condition[Audit] = None) -> None:
    """Delete an audit of the caller with all of its crawls.

    Raises:
        NotFound: There is no such audit.
        PreconditionFailed: It has changed since the client read it.
    """
    refuse_if_changed(show_audit(tx, caller, audit_id), changed_tag)
    store.delete_audit(tx, audit_id)


def list_crawls(tx: Transaction, caller: Caller, audit_id: int, *, page: int, per_page: int) -> Listed[ShownCrawl]:
    """A page of the crawls of an audit, the newest first, without their patterns.

    Raises:
        NotFound: There is no such audit.
    """
    audit = show_audit(tx, caller, audit_id)
    rows = store.list_crawls(tx, audit.id)
    shown = rows[(page - 1) * per_page : page * per_page]
    items = tuple(_shown(tx, crawl, summary, patterns=0) for crawl, summary in shown)
    return Listed(items=items, total=len(rows))


def list_evaluated(
    tx: Transaction, caller: Caller, audit_id: int, *, limit: int
) -> tuple[tuple[Crawl, AuditSummary], ...]:
    """The crawls of an audit that were evaluated, the newest first, with what they came to.

    Raises:
        NotFound: There is no such audit.
    """
    rows = store.list_crawls(tx, show_audit(tx, caller, audit_id).id)
    return tuple((crawl, summary) for crawl, summary in rows if summary is not None)[:limit]


def show_whole(tx: Transaction, caller: Caller, audit_id: int) -> tuple[Audit, ShownCrawl, AuditResult | None]:
    """An audit with the progress of its newest crawl, and the result of the newest that was evaluated.

    Raises:
        NotFound: There is no such audit.
    """
    audit = show_audit(tx, caller, audit_id)
    newest = _shown(tx, audit.crawl, None, patterns=SHOWN_PATTERNS)
    graded = None if audit.graded is None else store.list_crawls(tx, audit.id, number=audit.graded)
    return audit, newest, store.load_result(tx, graded[0][0].id) if graded else None


def show_crawl(tx: Transaction, caller: Caller, audit_id: int, number: int) -> ShownCrawl:
    """A crawl of an audit with its progress.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    crawl, summary = find_crawl(tx, show_audit(tx, caller, audit_id), number)
    return _shown(tx, crawl, summary, patterns=SHOWN_PATTERNS)


def _shown(tx: Transaction, crawl: Crawl, summary: AuditSummary | None, *, patterns: int) -> ShownCrawl:
    known = list_patterns(tx, crawl.id)
    most = sorted(known, key=lambda one: (-one.fetched, -one.found, one.text))[:patterns]
    rules = _rules(most, known) if crawl.state in OPEN_STATES else {}
    return ShownCrawl(
        crawl=crawl, summary=summary, patterns=tuple(most), found=sum(one.found for one in known), rules=rules
    )


def _rules(shown: Sequence[Pattern], known: Sequence[Pattern]) -> dict[str, str]:
    paths = [path_of(f"https://{one.text}") for one in known] if shown else []
    found = sum(one.found for one in known)
    rules = {}
    for pattern in shown:
        rule = excluding(pattern.text)
        if rule is not None:
            # A rule fits what lies below as well: that of /en/{s} all of /en/.
            matches, own = path_rule(rule).matches, pattern.found if pattern.lane else 0
            fitting = sum(one.found for one, path in zip(known, paths, strict=True) if matches(path))
            if 2 * (fitting - own) <= found - own:
                rules[pattern.text] = rule
    return rules


def find_crawl(tx: Transaction, audit: Audit, number: int | None) -> tuple[Crawl, AuditSummary | None]:
    """A crawl of an audit; without a number the newest that was evaluated, or the newest of all.

    Raises:
        NotFound: There is none of this number.
    """
    wanted = number if number is not None else audit.graded or audit.crawl.number
    found = store.list_crawls(tx, audit.id, number=wanted) if wanted <= audit.crawl.number else []
    if not found:
        raise NotFound
    return found[0]


def list_findings(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    *,
    crawl: int | None = None,
    check: str | None = None,
    severity: str | None = None,
    template: int | None = None,
    page: int,
    per_page: int,
) -> ShownFindings:
    """A page of the findings of a crawl, the most expensive first; none where it was not evaluated.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    of, result = find_result(tx, caller, audit_id, crawl)
    found = [
        one
        for one in (() if result is None else result.findings)
        if check in {None, one.check} and severity in {None, one.severity} and template in {None, one.template}
    ]
    shown = tuple(found[(page - 1) * per_page : page * per_page])
    # No findings because of none, and because of no result, are different answers.
    version = f"{of.id} {of.state}" if result is None else ""
    return ShownFindings(crawl=of, result=result, listed=Listed(items=shown, total=len(found), version=version))


def find_result(tx: Transaction, caller: Caller, audit_id: int, number: int | None) -> tuple[Crawl, AuditResult | None]:
    """A crawl as of ``find_crawl``, with what it came to; ``None`` where it was not evaluated.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    crawl, _ = find_crawl(tx, show_audit(tx, caller, audit_id), number)
    return crawl, store.load_result(tx, crawl.id)


def list_finding_pages(
    tx: Transaction, caller: Caller, audit_id: int, finding: int, *, crawl: int | None = None, page: int, per_page: int
) -> Listed[ShownPlace]:
    """A page of the pages of a finding.

    Raises:
        NotFound: There is no such audit, crawl or finding.
    """
    of, result = find_result(tx, caller, audit_id, crawl)
    if result is None or not 0 < finding <= len(result.findings):
        raise NotFound
    first = (page - 1) * per_page
    rows, total = rows_from(tx, of.id, finding, first, per_page)
    return Listed(items=places_of(tx, of, rows, first), total=total)


def places_of(tx: Transaction, crawl: Crawl, rows: Sequence[FindingPage], first: int) -> tuple[ShownPlace, ...]:
    """Pages of a finding with their URLs, of which ``first`` come before."""
    ids = [each for row in rows for each in (row.page_id, row.target_id) if each is not None]
    urls = urls_of(tx, crawl.id, ids)
    return tuple(
        ShownPlace(
            number=first + at,
            page_id=row.page_id,
            url=urls.get(row.page_id, ""),
            target=urls.get(row.target_id or 0),
            value=row.value,
        )
        for at, row in enumerate(rows, 1)
    )
