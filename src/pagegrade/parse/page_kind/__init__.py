"""Recognizes pages that stand in the place of the page that was asked for: they get no grade.

Each kind has a module with one function that adds up points of independent signals. What needs no language comes first
(``structure``): how little is said, where the page leads, what it asks, and what it repeats of the request. Phrases
support what is there already and never decide alone. Every function is pure and takes time linear in a bounded part of
the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from pagegrade.model.artifacts import Navigation, NotGathered, WellKnown
from pagegrade.model.document import Document
from pagegrade.model.identity import USER_AGENT
from pagegrade.model.rendering import RenderedRequest, Rendering
from pagegrade.parse.likeness import ALIKE
from pagegrade.parse.page_kind.bot_challenge import score_bot_challenge
from pagegrade.parse.page_kind.consent_wall import score_consent_wall
from pagegrade.parse.page_kind.login_wall import score_login_wall
from pagegrade.parse.page_kind.maintenance import score_maintenance
from pagegrade.parse.page_kind.notice import score_notice
from pagegrade.parse.page_kind.parked_domain import score_parked_domain
from pagegrade.parse.page_kind.server_default_page import score_server_default_page
from pagegrade.parse.page_kind.sketch import MAX_WORDS, THRESHOLD, Kind
from pagegrade.parse.page_kind.soft_404 import score_soft_404
from pagegrade.parse.page_kind.structure import Structure
from pagegrade.parse.page_kind.suspended_account import score_suspended_account
from pagegrade.parse.page_links import same_page_key
from pagegrade.parse.refreshes import next_page

_MAX_ERROR: Final = 160
_DETECTORS: Final[tuple[tuple[Kind, Callable[[Structure], int]], ...]] = (
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
            "A page that asks for consent, an age or a subscription was served in place of the content.",
            "Serve the content together with the dialog, or exempt the analyzer from the page that asks.",
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
            "The page that a web server or framework comes with was served: it has not been replaced by a website yet.",
            "Upload the website or replace the starting page of the project, or correct the server's configuration "
            "for this host name (document root, virtual host).",
        ),
        PageKind(
            "soft_404",
            "What the site says where a page does not exist was served, although with a success status.",
            "Check the URL. If the page is gone for good, answer with status 404 or 410 instead of 200.",
        ),
        PageKind(
            "notice",
            "A notice was served in place of the page: it says little, and not what was asked for.",
            "Open the URL in a private window, and from another network, to see what visitors get. Let the analyzer "
            "through to the page itself, then retry. If this is the page itself, link from it to the other pages of "
            "the site.",
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


HIDDEN_UNTIL_SCRIPTS: Final = PageKind(
    "empty_shell",
    "The page hides all of itself with its styles until its scripts show it, so nothing of it was seen.",
    _KINDS["empty_shell"].fix,
)
"""Not an empty page, for all that is known without a browser, and no page that was seen, either."""


def recognize_page_kind(
    navigation: Navigation,
    document: Document,
    *,
    likeness: float = 0.0,
    not_found_probe: WellKnown | NotGathered | None = None,
) -> PageKind | None:
    """Identify what was served in place of the requested page.

    Args:
        navigation: How the document was reached, and its answer.
        document: The parsed document.
        likeness: Share of its words that it has in common with what answers where nothing can be
            (``parse.likeness``); 0 where that is unknown.
        not_found_probe: What answers there; ``None`` or not gathered where it is unknown.

    Returns:
        ``None`` when the document is the page.
    """
    if document.word_count <= MAX_WORDS or likeness >= ALIKE:
        leads_here = (
            isinstance(not_found_probe, WellKnown)
            and bool(not_found_probe.hops)
            and same_page_key(not_found_probe.response.url) == same_page_key(navigation.main_document_url)
        )
        page = Structure(
            document=document,
            navigation=navigation,
            likeness=0.0 if leads_here else likeness,
            missing_leads_here=leads_here,
        )
        best, kind = max(((detect(page), -number) for number, (_, detect) in enumerate(_DETECTORS)))
        found = _DETECTORS[-kind][0]
        if best >= THRESHOLD and not (document.client_rendered and found == "consent_wall"):
            # A shell may say something about cookies while it waits.
            return _KINDS[found]
        if not document.client_rendered and score_notice(page) >= THRESHOLD:
            return _KINDS["notice"]
    return _KINDS["empty_shell"] if document.client_rendered else None


def leads_on(navigation: Navigation, document: Document) -> PageKind | None:
    """Explain that a page which shows nothing is only there to lead on to another one, as a browser would follow it."""
    target = next_page(document, navigation.response)
    if target is None or same_page_key(target) == same_page_key(navigation.response.url):
        return None
    return PageKind(
        "leads_on",
        f"The page shows nothing itself: after a refresh it leads on, to {target[:300]}.",
        "Analyze the other page by its own URL. If the address has changed for good, redirect with a response of the "
        "server (status 301) in place of the meta element or the Refresh header.",
    )


def empty_in_browser(rendering: Rendering) -> PageKind:
    """Explain why a page is still without its content although a browser has run its scripts."""
    missing = next((one for one in rendering.requests if _is_missing_script(one)), None)
    error = next((one for one in rendering.console if one.level == "error" and one.source == "exception"), None)
    if error is not None:
        said = " ".join(error.text.split())[:_MAX_ERROR]
        return PageKind(
            "empty_shell",
            f"The page stays empty in the browser: its script fails with “{said}”.",
            "Open the page in a browser, fix the script that its console names, and analyze again. Let the server "
            "send the content, so that it does not depend on scripts.",
        )
    if missing is not None:
        why = missing.failure or f"status {missing.status}"
        return PageKind(
            "empty_shell",
            f"The page stays empty in the browser: its script {missing.url[:_MAX_ERROR]} cannot be loaded ({why}).",
            "Put the script back, or correct its URL, and analyze again. Let the server send the content, so that "
            "it does not depend on scripts.",
        )
    if not {"load_timeout", "requests_open", "unfinished"}.isdisjoint(rendering.notes):
        return PageKind(
            "empty_shell",
            "The page stays empty in the browser: it was still loading when the time for it was over.",
            "Find out what the page waits for, and analyze again when its content appears within seconds. Let the "
            "server send the content, so that it does not depend on scripts.",
        )
    return PageKind(
        "empty_shell",
        "The page stays empty in the browser, although its scripts report no error.",
        "Open the URL in a private window to see what visitors get: the content may need a sign-in, a consent or an "
        "address that the page cannot reach. Let the server send the content.",
    )


def _is_missing_script(request: RenderedRequest) -> bool:
    """Return whether a script was asked for and did not come."""
    refused = request.status is not None and request.status >= 400
    return request.kind == "script" and (refused or bool(request.failure))
