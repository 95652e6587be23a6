"""Who may see what behind a share link: the same for the page, its runs, its comparisons and its exports.

What is not there, has expired, or is kept private is one and the same page, byte for byte, whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pagegrade.model.errors import NotFound
from pagegrade.model.stored import StoredReport
from pagegrade.service.accounts.passwords import MAX_CHARACTERS
from pagegrade.service.reports.shares import Shared, open_shared
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.operations import Answer
from pagegrade.web.pages.html import go, page
from pagegrade.web.session_cookie import read_cookies

T = TypeVar("T")
VIEWS_PER_MINUTE: Final = 120
"""Pages behind share links that a client address may open: drawing one takes some milliseconds."""


@dataclass(frozen=True, slots=True)
class Visit(Generic[T]):
    """Somebody followed a share link, and there is a report."""

    shared: Shared
    seen: T | None
    """What was looked up for them; ``None``: the password comes first."""


def cookie_of(slug: str) -> str:
    """Name of the cookie that remembers the password of a report, before ``web.session_cookie.cookie_name``."""
    return f"unlock-{slug[:8]}"


async def visit(call: Call, look: Callable[[Transaction, StoredReport], T]) -> Visit[T] | Answer:
    """What is behind the share link of the path for whoever calls, or the page that stands in its place.

    Args:
        call: The request, whose path has a ``slug``.
        look: Reads what is wanted of the report, in the same transaction; ``NotFound`` where it has none of it.
    """
    standing = await call.services.limits.take_now("share pages", limited_as(call.client), VIEWS_PER_MINUTE)
    if not standing.allowed:
        return too_many(call, standing.reset_s)
    slug = call.params["slug"]
    tokens = read_cookies(call.header, cookie_of(slug), call.services.options.base_url)

    def work(tx: Transaction) -> Visit[T] | None:
        shared = open_shared(
            tx,
            slug,
            visitor=call.visitor(tx),
            tokens=tokens,
            options=call.services.options,
            now_ms=call.now_ms,
        )
        if shared is None:
            return None
        if not shared.is_open:
            return Visit(shared, None)
        try:
            return Visit(shared, look(tx, shared.report))
        except NotFound:
            return None

    found = await call.services.database.read(work)
    return not_found(call) if found is None else found


def gate(call: Call, *, wrong: bool = False) -> Answer:
    """The form that asks for the password; it says nothing of the report, not even whether it is finished.

    Args:
        call: The request.
        wrong: The password that was typed before is not it.
    """
    return page(call, "share_gate.html.jinja", status=403 if wrong else 200, max_characters=MAX_CHARACTERS, wrong=wrong)


def to_gate(call: Call) -> Answer:
    """From something of a report to the form that asks for its password."""
    return go(f"/r/{call.params['slug']}")


def not_found(call: Call) -> Answer:
    """There is nothing here for whoever asks."""
    return page(call, "not_found.html.jinja", status=404)


def too_many(call: Call, wait_s: int) -> Answer:
    """The client is to wait."""
    return page(
        call,
        "share_wait.html.jinja",
        status=429,
        minutes=-(-wait_s // 60),
        headers=(("Retry-After", str(wait_s)),),
    )
