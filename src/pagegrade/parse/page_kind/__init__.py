"""Recognizes pages that stand in the place of the page that was asked for: they get no grade.

Each kind has a module with one function that adds up points of independent signals: what title and headings say, what
the text says, what is missing, and which files are named. Every function is pure and takes time linear in a bounded
part of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from pagegrade.model.artifacts import Navigation, NotGathered, WellKnown
from pagegrade.model.document import Document
from pagegrade.model.identity import USER_AGENT
from pagegrade.parse.page_kind.bot_challenge import score_bot_challenge
from pagegrade.parse.page_kind.consent_wall import score_consent_wall
from pagegrade.parse.page_kind.login_wall import score_login_wall
from pagegrade.parse.page_kind.maintenance import score_maintenance
from pagegrade.parse.page_kind.parked_domain import score_parked_domain
from pagegrade.parse.page_kind.server_default_page import score_server_default_page
from pagegrade.parse.page_kind.sketch import MAX_WORDS, THRESHOLD, Kind, Sketch, fold
from pagegrade.parse.page_kind.soft_404 import score_soft_404
from pagegrade.parse.page_kind.suspended_account import score_suspended_account

_TITLE_BYTES: Final = 20_000
_DETECTORS: Final[tuple[tuple[Kind, Callable[[Sketch], int]], ...]] = (
    ("bot_challenge", score_bot_challenge),
    ("suspended_account", score_suspended_account),
    ("parked_domain", score_parked_domain),
    ("server_default_page", score_server_default_page),
    ("soft_404", score_soft_404),
    ("maintenance", score_maintenance),
    ("login_wall", score_login_wall),
    ("consent_wall", score_consent_wall),
)
"""In the order in which they win where the points are equal."""


class PageKind(msgspec.Struct, frozen=True, gc=False):
    """The kind of page that was served in place of the requested one, and the remedy."""

    kind: Kind
    message: str
    """One sentence: what was received."""
    fix: str
    """Change that makes the page accessible to an analysis."""


_KINDS: Final[dict[Kind, PageKind]] = {
    one.kind: one
    for one in (
        PageKind(
            "bot_challenge",
            "A page that checks for bots was served in place of the site's own page.",
            f"Allow the user agent {USER_AGENT.split(' ', 1)[0]} in the bot protection or firewall, then retry.",
        ),
        PageKind(
            "login_wall",
            "A sign-in page was served in place of the page that was requested.",
            "Analyze a page that needs no sign-in. To grade the sign-in page itself, enter its own URL.",
        ),
        PageKind(
            "consent_wall",
            "A page that asks for consent or a subscription was served in place of the content.",
            "Serve the content together with the consent dialog, or exempt the analyzer from the consent page.",
        ),
        PageKind(
            "maintenance",
            "A notice was served that the site is under maintenance or not open yet.",
            "Analyze again when the site is online. Until then, answer with status 503 and a Retry-After header, so "
            "that "
            "search engines keep the real pages.",
        ),
        PageKind(
            "parked_domain",
            "The domain is parked or for sale: there is no website at this URL.",
            "Check the spelling of the URL. If the domain is yours, point it to your website.",
        ),
        PageKind(
            "suspended_account",
            "The hosting provider has suspended this website and shows a notice instead.",
            "Ask the hosting provider why the account is suspended, and analyze again when the website is back.",
        ),
        PageKind(
            "server_default_page",
            "The default page of the web server was served: no website has been set up at this URL.",
            "Upload the website, or correct the server's configuration for this host name (document root, virtual "
            "host).",
        ),
        PageKind(
            "soft_404",
            "The page says that it does not exist, although it was answered with a success status.",
            "Check the URL. If the page is gone for good, answer with status 404 or 410 instead of 200.",
        ),
        PageKind(
            "empty_shell",
            "The HTML was served without its content, which scripts add in the browser.",
            "Let the server send the content (server-side rendering or pages built in advance). To grade the page as "
            "it is, analyze it in a browser: choose that engine in the settings of the report, or add --render to the "
            "command.",
        ),
    )
}


def recognize_page_kind(
    navigation: Navigation, document: Document, not_found_probe: WellKnown | NotGathered | None = None
) -> PageKind | None:
    """Identify what was served in place of the requested page.

    Args:
        navigation: How the document was reached, and its answer.
        document: The parsed document.
        not_found_probe: What answers for an address that cannot exist; ``None`` or not gathered where it is unknown.

    Returns:
        ``None`` when the document is the page.
    """
    if document.word_count <= MAX_WORDS:
        sketch = Sketch(document=document, navigation=navigation, probe_title=_title_of(not_found_probe))
        best, kind = max(((detect(sketch), -number) for number, (_, detect) in enumerate(_DETECTORS)))
        if best >= THRESHOLD:
            return _KINDS[_DETECTORS[-kind][0]]
    return _KINDS["empty_shell"] if document.client_rendered else None


def _title_of(probe: WellKnown | NotGathered | None) -> str:
    """The title of a page that answers with a success where nothing can be; "" for every other answer."""
    if not isinstance(probe, WellKnown) or not 200 <= probe.response.status < 300:  # RFC 9110 15.3
        return ""
    body = probe.response.body[:_TITLE_BYTES]
    start = body.lower().find(b"<title")
    opened = body.find(b">", start) if start >= 0 else -1
    closed = body.find(b"<", opened) if opened >= 0 else -1
    return fold(body[opened + 1 : closed].decode("utf-8", "replace")[:300]) if closed > 0 else ""
