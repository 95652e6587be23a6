"""Read the forms and queries of pages; messages about fields that are not valid, translated for the pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final

from markupsafe import Markup
from pydantic import BaseModel

from pagegrade.model.account import QuotaName
from pagegrade.model.errors import InvalidInput, QuotaExceeded, RateLimited, Refused, ValidationFailed, Violation
from pagegrade.parse.url import host_address, parse_target_url
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.service.reports.validation import ALLOW_NETWORKS, ANY_NETWORK, networks_to_allow
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.web.http.body import (
    MAX_BYTES,
    MULTIPART,
    PAGE_MEDIA_TYPES,
    parse_pairs,
    parse_received,
    parse_upload,
    read_body,
    read_media_type,
)
from pagegrade.web.request import Request


class SaidQuery(BaseModel):
    """Message about the last action."""

    said: str = ""


async def read_form(request: Request, *, max_bytes: int = MAX_BYTES) -> Mapping[str, str]:
    """Return the fields of a form by name, as typed; the last of several with one name counts.

    Raises:
        Rejected: The body is not a form, or too large.
        ClientGone: The browser disconnected.
    """
    kind, boundary, body = await _read(request, max_bytes)
    fields = await parse_received(body, kind, boundary)
    return {name: value for name, value in fields.items() if isinstance(value, str)}


async def read_upload(request: Request, file: str, *, max_bytes: int) -> tuple[Mapping[str, str], bytes]:
    """Return the fields of a form, and the bytes of its file, which are empty if none was chosen.

    Args:
        file: Name of the field with the file.

    Raises:
        Rejected: The body is not a form, has another file, or is too large.
        ClientGone: The browser disconnected.
    """
    kind, boundary, body = await _read(request, max_bytes)
    # Long bodies are parsed in a thread, so that they do not block the event loop.
    if kind == MULTIPART and body:
        return await asyncio.to_thread(parse_upload, body, boundary, file)
    return await asyncio.to_thread(parse_pairs, body, "The form"), b""


async def _read(request: Request, max_bytes: int) -> tuple[str | None, bytes, bytes]:
    """Media type of a form, boundary of its parts, and its bytes."""
    content_type, content_encoding = request.header(b"content-type"), request.header(b"content-encoding")
    kind, boundary = read_media_type(request.method, content_type, content_encoding, PAGE_MEDIA_TYPES)
    return kind, boundary, await read_body(request.receive, request.header(b"content-length"), max_bytes=max_bytes)


def read_query(request: Request) -> Mapping[str, str]:
    """Return the query parameters of a page by name, as typed; the last of several with one name counts.

    Raises:
        Rejected: The query is not UTF-8, or contains a NUL.
    """
    return parse_pairs(request.target.partition("?")[2].encode("latin-1"), "The query")


_URL: Final = ("url", "sitemap")
"""Fields that contain a URL."""
_PATTERNS: Final = N_(
    "A line is no pattern. Write at most 100, each with / or * first and at most 500 characters, such as /blog/*."
)
_TOO_MANY: Final = N_("There are at most 100 patterns. Nothing was saved: take some away.")
_PAGES: Final = N_("Enter a number of pages from 1 up to the most that the hint names, or leave the field empty.")
_RATE: Final = N_("Enter a number of requests a second, above 0 and up to 20, or leave the field empty.")
_DEPTH: Final = N_("Enter a number of clicks from 1 to 250, or leave the field empty.")
SENTENCES: Final[dict[tuple[str, str], str]] = {
    ("url", "required"): N_("Enter the URL of a page."),
    ("url", "empty"): N_("Enter the URL of a page."),
    ("url", "too_long"): N_("The URL is too long. Use one of at most 2,048 characters."),
    ("url", "control_character"): N_("The URL has a space in it. Remove it."),
    ("url", "relative"): N_("The URL has no host name. Enter all of it, like example.com/page."),
    ("url", "bad_host"): N_("A site with this name cannot exist. Check the URL for mistakes."),
    ("url", "unparsable"): N_("This is not a URL. Enter one like example.com/page."),
    ("url", "scheme_not_allowed"): N_("Only URLs that begin with http or https can be analyzed."),
    ("url", "userinfo_not_allowed"): N_("The URL has a user name or a password in it. Remove them."),
    ("url", "host_not_allowed"): N_("This server must not contact that site: its name is one of a private network."),
    ("url", "port_not_allowed"): N_("This server must not contact that port. Use a URL without a port."),
    ("url", "address_not_allowed"): N_("This server must not contact that address: it is not a public one."),
    ("url", "url_not_allowed"): N_("This server must not contact that URL."),
    ("privacy", "not_in"): N_("Choose who may see the report."),
    ("password", "required"): N_("Enter a password, or change who may see the report."),
    ("password", "too_long"): N_("The password is too long. Use at most 128 characters."),
    ("password", "not_text"): N_("The password holds a broken character. Enter it again."),
    ("access", "unknown"): N_(
        "This access profile is not for the page. Choose another, or add the page's origin to it."
    ),
    ("access", "invalid"): N_("There is no such access profile. Choose one of the list."),
    ("outcome", "required"): N_("Choose what you found."),
    ("note", "required"): N_("Say what fails, or why the criterion does not apply."),
    ("note", "too_long"): N_("The note is too long. Use at most 2,000 characters."),
    ("evidence", "too_long"): N_("The evidence is too long. Use at most 2,000 characters."),
    ("reason", "required"): N_("Say why it is ignored."),
    ("reason", "too_long"): N_("The reason is too long. Use at most 500 characters."),
    ("of", "required"): N_("Enter the name of a site, a tag, or the URL of a sitemap."),
    ("tag", "too_long"): N_("The tag is too long. Use at most 40 characters."),
    ("tag", "invalid"): N_("A tag has no commas, and no characters that nobody sees."),
    ("add", "invalid"): N_("A tag has no commas, and no characters that nobody sees."),
    ("parent_id", "conflict"): N_("This is one of the pages of another monitor. Change that one."),
    ("add", "too_many"): N_("A site has at most 20 tags. Nothing was saved: take some away."),
    ("add", "too_long"): N_("A tag is too long. Use at most 40 characters for each."),
    ("selector", "required"): N_("Enter a selector, or choose what else is ignored."),
    ("selector", "too_long"): N_("The selector is too long. Use at most 500 characters."),
    ("selector", "invalid"): N_(
        "This selector cannot be used. Use one as the report shows it, or types, classes, ids and attributes separated "
        "by spaces, such as .banner img."
    ),
    ("schedule", "invalid"): N_(
        "This schedule cannot be used. Enter hourly, daily, weekly, monthly, or a cron expression of five fields that "
        "is due at most every 10 minutes."
    ),
    ("schedule", "too_long"): N_(
        "This schedule cannot be used. Enter hourly, daily, weekly, monthly, or a cron expression of five fields that "
        "is due at most every 10 minutes."
    ),
    ("timezone", "unknown"): N_("There is no such time zone. Enter one such as Europe/Prague."),
    ("budgets", "invalid"): N_(
        "A line is no condition. Enter conditions such as score<80, check.noindex, score drop>=5 or lcp_ms>2500 for 3."
    ),
    ("budgets", "too_many"): N_("A monitor has at most 20 budgets."),
    ("include", "too_many"): _TOO_MANY,
    ("exclude", "too_many"): _TOO_MANY,
    ("exclude", "too_many_kept"): N_(
        "The crawl leaves out as many patterns as it can. Nothing was saved: try again when it has ended."
    ),
    ("include", "invalid"): _PATTERNS,
    ("exclude", "invalid"): _PATTERNS,
    ("include", "too_long"): _PATTERNS,
    ("exclude", "too_long"): _PATTERNS,
    ("scope", "not_in"): N_("Choose one of the scopes."),
    ("max_pages", "type"): _PAGES,
    ("max_pages", "too_small"): _PAGES,
    ("max_pages", "too_large"): _PAGES,
    ("rate", "type"): _RATE,
    ("rate", "too_small"): _RATE,
    ("rate", "too_large"): _RATE,
    ("max_depth", "type"): _DEPTH,
    ("max_depth", "too_small"): _DEPTH,
    ("max_depth", "too_large"): _DEPTH,
    ("search", "too_long"): N_("The search is too long. Search for a shorter part of the URL."),
    ("search", "too_expensive"): N_(
        "The search took too long, so the list is shown without it. Search for another text, or choose a site."
    ),
    ("project", "too_long"): N_("The name of the site is too long."),
    ("result", "not_in"): N_("There is no such result. The list shows all of them."),
    ("state", "not_in"): N_("There is no such state. The list shows all of them."),
    ("sort_by", "not_in"): N_("The list cannot be sorted by that. The newest reports come first."),
    ("sort", "not_in"): N_("The list cannot be sorted in that direction. The newest reports come first."),
    ("per_page", "not_in"): N_("A page of the list can have 10, 25, 50 or 100 rows."),
    ("page", "type"): N_("There is no such page. This is the first one."),
    ("page", "too_small"): N_("There is no such page. This is the first one."),
    ("page", "too_large"): N_("There is no such page. This is the first one."),
}
"""(field, code) -> message."""
START_WITH: Final = N_("If this Pagegrade is yours, start it like this to allow the address:")
ADD_TO_SETTING: Final = N_(
    "If this Pagegrade is yours, add this to the setting %(setting)s and start it again to allow the address:"
)
START_WITH_NETWORK: Final = N_(
    "If this Pagegrade is yours, start it with the network of that site to allow the address, for example:"
)
ACCOUNT_IS_FULL: Final = N_("Your account has as many reports as it may have. Delete some of them first.")
QUOTA_IS_USED: Final[Mapping[QuotaName | None, str]] = {
    "reports": ACCOUNT_IS_FULL,
    "analyses_per_month": N_(
        "This workspace has used its analyses of this month. The next month begins at midnight UTC; an administrator "
        "can allow more."
    ),
    "browser_minutes_per_month": N_(
        "This workspace has used its minutes of the browser for this month. Analyze without a browser."
    ),
    "monitors": N_("This workspace has as many monitors as it may have. Delete one of them first."),
    "audits": N_("This workspace has as many site audits as it may have. Delete one of them first."),
    "audit_pages_per_month": N_(
        "This workspace has used its pages of site audits for this month. The next month begins at midnight UTC; an "
        "administrator can allow more."
    ),
    "stored_mb": N_("This workspace stores as much as it may. Delete reports first."),
}
QUEUE_IS_FULL: Final = N_("Many of your analyses are waiting already. Try again when some of them are done.")
ALL_ARE_BUSY: Final = N_("Pagegrade is busy right now. Try again in half a minute.")


def sentence(texts: Texts, field: str, code: str, message: str) -> str:
    """Return the message for a field.

    Args:
        field: Name as sent.
        message: The API's message, used if there is no translated one.
    """
    known = SENTENCES.get(("url" if field in _URL else field, code))
    return message if known is None else texts.gettext(known)


_DEFAULT_PORT: Final = 8080
"""Of the setting PAGEGRADE_PORT."""


def with_setting(texts: Texts, message: str, typed: str, options: AnalyzeOptions) -> str:
    """Return the message for a URL, with a command for the setting that would allow it, if there is one.

    Networks that are already allowed are never shown, because they are the operator's configuration.

    Args:
        typed: The URL as typed.
        options: Rules for the URLs that may be contacted.
    """
    try:
        networks = networks_to_allow(parse_target_url(typed).url, options)
    except InvalidInput:
        return message
    if not networks:
        return message
    if options.allow_networks:
        how, command = texts.gettext(ADD_TO_SETTING, setting=ALLOW_NETWORKS), networks
    else:
        how = texts.gettext(START_WITH_NETWORK if networks == ANY_NETWORK else START_WITH)
        command = f"{ALLOW_NETWORKS}={networks} make serve{_port_of(options)}"
    return Markup("{} {} <code>{}</code>").format(message, how, command)


def _port_of(options: AnalyzeOptions) -> str:
    """The port of a service that is reached by its own address, where it is not the default one."""
    for name, number in options.own_origins:
        if number != _DEFAULT_PORT and (name == "localhost" or host_address(name) is not None):
            return f" PORT={number}"
    return ""


def problems_of(texts: Texts, violations: Iterable[Violation]) -> dict[str, str]:
    """Return field -> first message about it."""
    found: dict[str, str] = {}
    for violation in violations:
        found.setdefault(violation.field, sentence(texts, violation.field, violation.code, violation.message))
    return found


def problems_of_input(texts: Texts, error: InvalidInput, *, field: str = "url") -> dict[str, str]:
    """Return the messages for an error of the whole input; without a field it is assigned to ``field``."""
    if isinstance(error, ValidationFailed):
        return problems_of(texts, error.violations)
    return {field: sentence(texts, field, error.reason or error.code, error.message)}


def refusal_of(texts: Texts, error: Refused) -> str:
    """Return the message for a request that was valid but refused."""
    if isinstance(error, RateLimited):
        seconds = error.retry_after_s or 1
        return texts.ngettext(
            "You have started many analyses within a minute. Wait %(num)s second and try again.",
            "You have started many analyses within a minute. Wait %(num)s seconds and try again.",
            seconds,
        )
    if isinstance(error, QuotaExceeded):
        # Slots of the queue become free by themselves; what an account keeps does not.
        kept = QUEUE_IS_FULL if error.retry_after_s else ACCOUNT_IS_FULL
        return texts.gettext(QUOTA_IS_USED.get(error.quota, kept))
    return texts.gettext(ALL_ARE_BUSY)
