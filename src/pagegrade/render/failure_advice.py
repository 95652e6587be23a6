"""What to tell the owner of a page that could not be analysed: what happened, what to do, who we are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pagegrade.model.identity import USER_AGENT
from pagegrade.model.report import Failure, Report
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible

_FORBIDDEN: Final = frozenset({401, 403, 406, 418, 429, 451, 503})
"""Statuses by which sites turn programs away that a browser would not get."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """The words for one kind of failure."""

    headline: str
    meaning: str
    steps: tuple[str, ...]
    """In the order to try them."""


_WAYS: Final[Mapping[str, WayOut]] = {
    "dns": WayOut(
        headline=N_("The host name was not found."),
        meaning=N_(
            "Every address begins with a name that the domain name system turns into numbers. It knew no numbers "
            "for this name."
        ),
        steps=(
            N_("Check the spelling of the address."),
            N_("If the domain is new or has just moved, wait: it can take a day until every name server knows."),
            N_("Check at your domain registrar that the domain is paid for and has an A or AAAA record."),
        ),
    ),
    "connect": WayOut(
        headline=N_("The server did not let us connect."),
        meaning=N_("The name leads to a server, but the server took no connection, or broke it off."),
        steps=(
            N_("Open the address in a browser. If that fails too, the server is down or its port is closed."),
            N_("If it works in your browser, check whether a firewall only lets some networks through."),
            N_("If the address has a port in it, check that this is the right one."),
        ),
    ),
    "tls": WayOut(
        headline=N_("The secure connection could not be set up."),
        meaning=N_(
            "The server answered, but it and we could not agree on how to encrypt. Browsers often show a warning "
            "for the same reason."
        ),
        steps=(
            N_("Open the address in a browser and look at its certificate: who it is for, and until when it is valid."),
            N_("Check that the server sends the whole chain of certificates and accepts TLS 1.2 or newer."),
            N_("If the site has no HTTPS at all, analyse the address that begins with http://."),
        ),
    ),
    "timeout": WayOut(
        headline=N_("The site took too long to answer."),
        meaning=N_("There is a limit to how long an analysis waits, as there is to the patience of visitors."),
        steps=(
            N_(
                "Open the address in a browser. If it is slow there too, look at what the server does before it "
                "sends the first byte."
            ),
            N_("If it is only slow at times, analyse it again at a quieter hour."),
            N_("If it is fast for you, check whether a firewall holds back requests of programs."),
        ),
    ),
    "blocked": WayOut(
        headline=N_("The site did not let us see the page."),
        meaning=N_(
            "Instead of the page it sent a challenge or a refusal, as bot protection does with programs it does not "
            "know. Judging that instead of the page would be wrong."
        ),
        steps=(
            N_("If it is your site, let us through as described below, and analyse it again."),
            N_("If it is somebody else’s, ask them to, or analyse another page."),
        ),
    ),
    "http_error": WayOut(
        headline=N_("The site answered with an error instead of the page."),
        meaning=N_(
            "The status says that the response is an error or a notice and not a page for visitors, so it is not "
            "graded."
        ),
        steps=(
            N_("Open the address in a private window of your browser: you may see the same error."),
            N_("Status 404 or 410: check the address; the page may have moved."),
            N_(
                "Status 401 or 403: the page needs a sign-in, or the site refuses programs. Only pages that anyone "
                "can open can be analysed."
            ),
            N_("Status 500 and above: something is broken on the server. Its error log says what."),
        ),
    ),
    "too_large": WayOut(
        headline=N_("The page is too large to analyse."),
        meaning=N_("It is larger than any page visitors would wait for, so it was not read to its end."),
        steps=(
            N_("Check that the address leads to a page and not to a download."),
            N_(
                "Split a list that never ends into pages, and load data that most visitors never need only when "
                "they ask for it."
            ),
        ),
    ),
    "not_html": WayOut(
        headline=N_("The address does not lead to a web page."),
        meaning=N_("What the server sent is not HTML: perhaps a picture, a document or data for programs."),
        steps=(
            N_("Give the address of a page, as a browser shows it in its address bar."),
            N_(
                "If it is a page, check that the server sends it with the Content-Type text/html and a Content- "
                "Encoding that it really uses."
            ),
        ),
    ),
    "redirect_loop": WayOut(
        headline=N_("The redirects never end."),
        meaning=N_(
            "Each answer pointed to another address, and none of them was a page. Visitors see an error in their "
            "browser."
        ),
        steps=(
            N_(
                "Follow them in the network panel of your browser: the first address that comes twice is where they "
                "turn."
            ),
            N_(
                "Rules that often work against each other: http to https, with and without www, with and without a "
                "slash at the end, a content delivery network and the server behind it."
            ),
            N_("If the site sends visitors on until they accept a cookie, let pages be read without one."),
        ),
    ),
    "address_not_allowed": WayOut(
        headline=N_("This address may not be analysed."),
        meaning=N_(
            "The name leads, or a redirect leads, to a network that is not public. So that nobody can look into "
            "other people’s networks from here, such addresses are never contacted."
        ),
        steps=(
            N_("Check where the name leads: it may have a private address by mistake."),
            N_(
                "If the page is in a network of your own, let the operator of this Pagegrade add that network to the "
                "setting PAGEGRADE_ALLOW_NETWORKS, for example PAGEGRADE_ALLOW_NETWORKS=10.0.0.0/8."
            ),
        ),
    ),
    "internal": WayOut(
        headline=N_("Something went wrong on our side."),
        meaning=N_("This is not the fault of the page. It has been written to the log."),
        steps=(
            N_("Analyse the page again in a few minutes."),
            N_("If it happens again, tell whoever runs this Pagegrade the address of the page and the time."),
        ),
    ),
}


def way_out(error: Failure) -> WayOut:
    """The words for this failure, not yet translated; those of ``internal`` for a code from a later version."""
    way = _WAYS.get(error.code, _WAYS["internal"])
    step = _step_for(error.http_status) if error.code == "http_error" else None
    return way if step is None else replace(way, steps=(way.steps[0], step))


def _step_for(status: int | None) -> str | None:
    """What to do about this status alone; ``None`` where only all of them together say it."""
    match status:
        case 401 | 403:
            return N_(
                "The page needs a sign-in, or the site refuses programs. Only pages that anyone can open can be "
                "analysed."
            )
        case 404 | 410:
            return N_("Check the address; the page may have moved.")
        case int() if status >= 500:  # noqa: PLR2004 - RFC 9110 15.6: the server failed
            return N_("Something is broken on the server. Its error log says what.")
    return None


def has_to_let_us_in(error: Failure) -> bool:
    """Whether the site seems to turn us away, so that its owner needs to know how we introduce ourselves."""
    return error.code == "blocked" or (error.code == "http_error" and error.http_status in _FORBIDDEN)


def cause(error: Failure, words: Words = ENGLISH) -> str:
    """The machine's words for it, for those who report it further: code, finer reason, status."""
    parts = [visible(error.code, 40)]
    if error.reason and error.reason != error.code:
        parts.append(visible(error.reason, 80))
    if error.http_status is not None:
        parts.append(words.gettext("HTTP status %(status)s", status=error.http_status))
    return ", ".join(parts)


def user_agent(report: Report) -> str:
    """How we introduced ourselves in that run; how this version does where nobody asked."""
    head, _, rest = report.run.vantage.partition("User-Agent: ")
    return visible(rest.partition("; Accept")[0], 200) if rest and not head.strip() else USER_AGENT
