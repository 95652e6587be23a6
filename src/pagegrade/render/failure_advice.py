"""Advice for the owner of a page that could not be analyzed: cause, fix, and our User-Agent."""

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

_TEMPORARY: Final = frozenset({"dns_error", "dns_timeout", "connect", "timeout", "http_error", "internal"})
"""Codes and reasons of failures that often pass without a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """The words for one kind of failure."""

    headline: str
    meaning: str
    steps: tuple[str, ...]
    """In the order to try them."""


_NO_ANSWER: Final = WayOut(
    headline=N_("The host name could not be resolved."),
    meaning=N_("The name servers did not give an answer about the IP address of this host name."),
    steps=(
        N_("Check the spelling of the URL."),
        N_("Check that the name servers of the domain are reachable and answer without errors."),
        N_("Analyze the page again in a few minutes."),
    ),
)
_WAYS: Final[Mapping[str, WayOut]] = {
    "dns_error": _NO_ANSWER,
    "dns_timeout": _NO_ANSWER,
    "dns": WayOut(
        headline=N_("The host name was not found."),
        meaning=N_("The domain name system (DNS) has no IP address for this host name."),
        steps=(
            N_("Check the spelling of the URL."),
            N_("If the domain is new or has just moved, wait: DNS changes can take a day to reach every name server."),
            N_("Check with your domain registrar that the domain has not expired and has an A or AAAA record."),
        ),
    ),
    "connect": WayOut(
        headline=N_("The server did not accept the connection."),
        meaning=N_("The host name exists, but the server refused the connection or closed it."),
        steps=(
            N_("Open the URL in a browser. If that fails too, the server is down or its port is closed."),
            N_("If it works in your browser, check whether a firewall allows only certain networks."),
            N_("If the URL contains a port, check that it is correct."),
        ),
    ),
    "tls": WayOut(
        headline=N_("The secure connection could not be set up."),
        meaning=N_(
            "The server responded, but the TLS handshake failed. Browsers often show a warning for the same reason."
        ),
        steps=(
            N_("Open the URL in a browser and check the certificate: its host names and its expiry date."),
            N_("Check that the server sends the complete certificate chain and accepts TLS 1.2 or newer."),
            N_("If the site has no HTTPS, analyze its http:// URL."),
        ),
    ),
    "timeout": WayOut(
        headline=N_("The site took too long to respond."),
        meaning=N_("The analysis waits for a limited time, as visitors do."),
        steps=(
            N_(
                "Open the URL in a browser. If it is slow there too, find out what the server does before it "
                "sends the first byte."
            ),
            N_("If it is slow only at times, analyze it again when there is less traffic."),
            N_("If it is fast for you, check whether a firewall delays automated requests."),
        ),
    ),
    "blocked": WayOut(
        headline=N_("The site blocked the request."),
        meaning=N_(
            "Instead of the page, bot protection sent a challenge or a refusal. That is not evaluated in "
            "place of the page."
        ),
        steps=(
            N_("If it is your site, allow Pagegrade as described below, then analyze it again."),
            N_("If it is not your site, ask its owner to allow Pagegrade, or analyze another page."),
        ),
    ),
    "http_error": WayOut(
        headline=N_("The site responded with an error instead of the page."),
        meaning=N_(
            "According to its status, the response is an error or a notice and not the page, so it is not graded."
        ),
        steps=(
            N_("Open the URL in a private browser window: you may see the same error."),
            N_("Status 404 or 410: check the URL; the page may have moved."),
            N_(
                "Status 401 or 403: the page requires signing in, or the site blocks automated requests. "
                "Only public pages can be analyzed."
            ),
            N_("Status 500 and above: the server failed. Its error log shows the cause."),
        ),
    ),
    "too_large": WayOut(
        headline=N_("The page is too large to analyze."),
        meaning=N_("It exceeds the size limit of an analysis and was not read completely."),
        steps=(
            N_("Check that the URL leads to a page and not to a download."),
            N_("Split long lists into pages, and load data that most visitors do not need on demand."),
        ),
    ),
    "not_html": WayOut(
        headline=N_("The URL does not lead to a web page."),
        meaning=N_("The response is not HTML but, for example, an image, a document or JSON."),
        steps=(
            N_("Enter the URL of a page, as shown in the address bar of a browser."),
            N_(
                "If it is a page, check that the server sends it with Content-Type text/html and the correct "
                "Content-Encoding."
            ),
        ),
    ),
    "redirect_loop": WayOut(
        headline=N_("The redirects never end."),
        meaning=N_(
            "Each response redirected to another URL, and none was a page. Visitors see an error in their browser."
        ),
        steps=(
            N_(
                "Follow them in the network panel of your browser: the loop starts at the first URL that appears twice."
            ),
            N_(
                "Rules that often conflict: http to https, with and without www, with and without a trailing "
                "slash, a CDN and its origin server."
            ),
            N_("If the site redirects visitors until they accept a cookie, make its pages work without cookies."),
        ),
    ),
    "address_not_allowed": WayOut(
        headline=N_("This URL is not allowed."),
        meaning=N_(
            "The host name or a redirect leads to a network that is not public. To protect private networks, "
            "such addresses are never contacted."
        ),
        steps=(
            N_("Check the DNS records of the host name: it may have a private address by mistake."),
            N_(
                "If the page is in your own network, ask the operator of this Pagegrade to add the network "
                "to the setting PAGEGRADE_ALLOW_NETWORKS, for example PAGEGRADE_ALLOW_NETWORKS=10.0.0.0/8."
            ),
        ),
    ),
    "internal": WayOut(
        headline=N_("An internal error occurred."),
        meaning=N_("The page did not cause it. The error has been logged."),
        steps=(
            N_("Analyze the page again in a few minutes."),
            N_("If it happens again, send the URL of the page and the time to the operator of this Pagegrade."),
        ),
    ),
}


def way_out(error: Failure) -> WayOut:
    """The words for this failure, not yet translated; those of ``internal`` for a code from a later version."""
    way = _WAYS.get(error.reason or "") or _WAYS.get(error.code) or _WAYS["internal"]
    step = _step_for(error.http_status) if error.code == "http_error" else None
    return way if step is None else replace(way, steps=(way.steps[0], step))


def _step_for(status: int | None) -> str | None:
    """Return the advice for this status alone; ``None`` if only the general advice applies."""
    match status:
        case 401 | 403:
            return N_(
                "The page requires signing in, or the site blocks automated requests. Only public pages can "
                "be analyzed."
            )
        case 404 | 410:
            return N_("Check the URL; the page may have moved.")
        case int() if status >= 500:  # noqa: PLR2004 - RFC 9110 15.6: the server failed
            return N_("The server failed. Its error log shows the cause.")
    return None


def retry_advice(error: Failure, words: Words = ENGLISH) -> str:
    """State if another analysis can help; a host that does not exist and a refusal do not pass by themselves."""
    if error.retryable and (error.reason in _TEMPORARY or error.code in _TEMPORARY):
        return words.gettext("Analyzing it again later may help: this kind of failure is often temporary.")
    return words.gettext("Analyzing it again will not help until the cause has been fixed.")


def has_to_let_us_in(error: Failure) -> bool:
    """Return whether the site seems to turn us away, so that its owner needs to know how we introduce ourselves."""
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
    """Return the User-Agent of that run; of this version if no request was sent."""
    head, _, rest = report.run.vantage.partition("User-Agent: ")
    return visible(rest.partition("; Accept")[0], 200) if rest and not head.strip() else USER_AGENT
