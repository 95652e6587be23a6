"""Reports of Alice behind their share links, and Charlie, who has nothing but the link."""

from __future__ import annotations

import re
from typing import Any

import httpx

from pagegrade.clock import now_ms
from pagegrade.model.stored import Privacy, StoredReport
from tests.share_builders import add_shared, seen
from tests.web.calling import Instance

PASSWORD = " pâss wörd "
OWN = {"Sec-Fetch-Site": "same-origin"}
OPENED = "<article"
"""Stands on a page that shows a report, and on no other."""
LINKS = re.compile(r'<a [^>]*href="https?://[^>]*>')
PAGE = {
    "x-robots-tag": "noindex, nofollow, noarchive",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "vary": "Cookie, Accept-Language, Accept-Encoding",
    "content-type": "text/html; charset=utf-8",
}
"""Headers of every page behind a share link, and of the page in its place."""


def shared(instance: Instance, privacy: Privacy = Privacy.PUBLIC, **more: Any) -> StoredReport:
    """A finished report of Alice, shared like that."""
    more.setdefault("outcome", seen())
    return add_shared(instance.services.database, instance.alice, now_ms=now_ms(), privacy=privacy, **more)


async def locked(instance: Instance, **more: Any) -> StoredReport:
    """A finished report of Alice with a password."""
    hashed = await instance.services.passwords.hash(PASSWORD)
    return shared(instance, Privacy.PASSWORD, password_hash=hashed, **more)


async def see(
    instance: Instance, report: StoredReport | str, method: str = "GET", *, below: str = "", **more: Any
) -> httpx.Response:
    """The answer for Charlie, who has no key; or for a client with the given headers."""
    slug = report if isinstance(report, str) else report.slug
    instance.client.cookies.clear()
    return await instance.call(method, f"/r/{slug}{below}", key=None, **more)


async def guess(
    instance: Instance, report: StoredReport | str, password: str = PASSWORD, *, headers: dict[str, str] | None = None
) -> httpx.Response:
    """The answer for Charlie after typing a password."""
    return await see(instance, report, "POST", data={"password": password}, headers=OWN if headers is None else headers)


def cookie_of(answer: httpx.Response) -> dict[str, str]:
    """The cookie as the browser sends it back."""
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
