"""Share pages: a report for whoever has its link, and its password where it has one."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from functools import partial
from typing import Final

from pagegrade.model.identity import VERSION
from pagegrade.model.stored import UNFINISHED, Privacy, StoredReport
from pagegrade.render.html import render_html, report_policy
from pagegrade.render.share import render_gate, render_note, render_waiting, share_policy
from pagegrade.service.clock import now_ms
from pagegrade.service.passwords import MAX_CHARACTERS
from pagegrade.service.shares import UNLOCKED_S, find_shared, is_unlocked, shown_report, sign_unlock
from pagegrade.store.database import Transaction
from pagegrade.store.history import load_detail
from pagegrade.store.installation import load_or_make_secret, load_secret
from pagegrade.store.retention import expired_before_ms
from pagegrade.web.body import judge_media, parse_body, read_body
from pagegrade.web.call import Call
from pagegrade.web.clients import limited_as
from pagegrade.web.conditional import is_unchanged
from pagegrade.web.operations import PAGES, Answer, Operation

PATH: Final = "/r/{slug}"
VIEWS_PER_MINUTE: Final = 120
"""Share pages that a client address may open: drawing one takes some milliseconds."""
MAX_TYPED: Final = 256
"""Characters of what is sent as a password; more is no slip of the hand."""
UNLOCK: Final = "unlock"
"""Name of the secret that signs the cookies."""
HTML: Final = "text/html; charset=utf-8"
UNLISTED: Final = ("X-Robots-Tag", "noindex, nofollow, noarchive")
UNKEPT: Final = ("Cache-Control", "private, no-store")
VARY: Final = ("Vary", "Cookie, Authorization")
_FRAMES: Final = "; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class _Found:
    """What the database says about a share link."""

    report: StoredReport | None
    detail: bytes | None = None
    secret: bytes | None = None
    """Signs cookies; ``None`` while nobody has unlocked anything here."""


async def show_share(call: Call) -> Answer:
    """The page behind a share link."""
    standing = call.services.limits.take("share pages", limited_as(call.client), VIEWS_PER_MINUTE)
    if not standing.allowed:
        return _too_many(standing.reset_s)
    found = await call.services.database.read(lambda tx: _find(tx, call))
    report = found.report
    if report is None:
        return _not_found()
    if report.privacy == Privacy.PASSWORD and not _unlocked(call, report, found.secret):
        return _page(200, render_gate(max_characters=MAX_CHARACTERS))
    shown = await asyncio.to_thread(
        partial(shown_report, report, found.detail, base_url=call.services.options.base_url)
    )
    if shown is None:
        return _page(200, render_waiting())
    headers = [*_standing_headers(report_policy())]
    if report.privacy == Privacy.PUBLIC and report.state not in UNFINISHED:
        etag = _etag(report)
        # Asked about every time, so that a report that is no longer shared is gone at once.
        headers += [("Cache-Control", "no-cache"), ("ETag", etag)]
        if is_unchanged(call.header(b"if-none-match"), None, etag=etag, modified_ms=None):
            return Answer(status=304, headers=tuple(headers))
    else:
        headers.append(UNKEPT)
    html = await asyncio.to_thread(render_html, (shown,))
    return Answer(status=200, body=html.encode(), headers=tuple(headers), media_type=HTML)


async def unlock_share(call: Call) -> Answer:
    """Take the password that was typed into the gate."""
    if not _is_own_form(call):
        return _page(
            403,
            render_note(
                "This form came from elsewhere",
                "Open the link of the report itself and type the password there.",
                "If you did: this server is set to another address than the one you see (PAGEGRADE_BASE_URL).",
            ),
        )
    report = (await call.services.database.read(lambda tx: _find(tx, call))).report
    if report is None:
        return _not_found()
    if report.privacy != Privacy.PASSWORD:
        return _go(call)
    typed = await _typed_password(call)
    if len(typed) > MAX_TYPED:
        return _page(400, render_note("That is no password", f"A password has at most {MAX_CHARACTERS} characters."))
    client = limited_as(call.client)
    wait_s = call.services.guesses.take(report.id, client)
    if wait_s is not None:
        return _too_many(wait_s)
    hashed = report.password_hash
    possible = hashed is not None and 0 < len(typed) <= MAX_CHARACTERS
    if hashed is None or not possible or not await call.services.passwords.verify(hashed, typed):
        return _page(403, render_gate(max_characters=MAX_CHARACTERS, wrong=True))
    call.services.guesses.give_back(report.id, client)
    secret = await call.services.database.write(lambda tx: load_or_make_secret(tx, UNLOCK))
    return _go(call, ("Set-Cookie", _cookie(call, report, sign_unlock(secret, report, now_ms()))))


def _find(tx: Transaction, call: Call) -> _Found:
    options = call.services.options
    before_ms = expired_before_ms(options.retention_days, call.now_ms)
    report = find_shared(tx, call.params["slug"], expired_before_ms=before_ms)
    if report is None:
        return _Found(None)
    secret = load_secret(tx, UNLOCK) if report.privacy == Privacy.PASSWORD else None
    if report.run_number is None or (report.privacy == Privacy.PASSWORD and not _unlocked(call, report, secret)):
        return _Found(report, secret=secret)
    return _Found(report, load_detail(tx, report.id, report.run_number), secret)


def _unlocked(call: Call, report: StoredReport, secret: bytes | None) -> bool:
    name = _cookie_name_of(report.slug, secure=_is_secure(call))
    for pair in (call.header(b"cookie") or "").replace(",", ";").split(";"):
        given, _, value = pair.strip().partition("=")
        if secret is not None and given == name and is_unlocked(secret, report, value, call.now_ms):
            return True
    return False


def _is_secure(call: Call) -> bool:
    return call.services.options.base_url.startswith("https://")


def _cookie_name_of(slug: str, *, secure: bool) -> str:
    # A browser takes the prefix over TLS only; without it the name must be a plain one.
    return f"{'__Host-' if secure else ''}unlock-{slug[:8]}"


def _cookie(call: Call, report: StoredReport, token: str) -> str:
    name = _cookie_name_of(report.slug, secure=_is_secure(call))
    secure = "; Secure" if _is_secure(call) else ""
    return f"{name}={token}; Path=/; Max-Age={UNLOCKED_S}; HttpOnly; SameSite=Lax{secure}"


def _is_own_form(call: Call) -> bool:
    """Whether a form was sent by a page of ours (https://owasp.org: fetch metadata, else the origin)."""
    site = call.header(b"sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    base_url = call.services.options.base_url
    origin = call.header(b"origin")
    if origin is not None:
        return origin == base_url
    return (call.header(b"referer") or "").startswith(f"{base_url}/")


async def _typed_password(call: Call) -> str:
    kind, boundary = judge_media(call.method, call.header(b"content-type"), call.header(b"content-encoding"))
    body = await read_body(call.receive, call.header(b"content-length"))
    typed = parse_body(body, kind, boundary).get("password", "")
    return typed if isinstance(typed, str) else ""


def _etag(report: StoredReport) -> str:
    # Neither the number of the report nor how often it was changed is anybody's business here.
    seen = f"{report.slug} {report.revision} {VERSION}"
    return f'"{hashlib.sha256(seen.encode()).hexdigest()[:32]}"'


def _standing_headers(policy: str) -> tuple[tuple[str, str], ...]:
    return (("Content-Security-Policy", policy + _FRAMES), UNLISTED, VARY)


def _page(status: int, html: str, *more: tuple[str, str]) -> Answer:
    return Answer(
        status=status,
        body=html.encode(),
        headers=(*_standing_headers(share_policy()), UNKEPT, *more),
        media_type=HTML,
    )


def _not_found() -> Answer:
    return _page(
        404,
        render_note(
            "Nothing here",
            "There is no shared report at this address.",
            "If somebody sent you the link, ask whether the report is still shared.",
        ),
    )


def _too_many(wait_s: int) -> Answer:
    minutes = -(-wait_s // 60)
    when = "in a minute" if minutes <= 1 else f"in {minutes} minutes"
    return _page(429, render_note("Too many tries", f"Try again {when}."), ("Retry-After", str(wait_s)))


def _go(call: Call, *more: tuple[str, str]) -> Answer:
    """Back to the page itself, now to be read."""
    place = ("Location", f"/r/{call.params['slug']}")
    return Answer(status=303, headers=(place, UNLISTED, UNKEPT, VARY, *more), media_type=HTML)


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        method="GET",
        path=PATH,
        name="show_share",
        summary="Open a share page",
        description="The report for whoever has the link, or a form for its password.",
        handler=show_share,
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=PATH,
        name="unlock_share",
        summary="Unlock a share page",
        description="Takes the form of a share page that asks for a password.",
        handler=unlock_share,
        tag=PAGES,
    ),
)
