"""Advice for the owner of a page that could not be analyzed: cause, fix, and our User-Agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from pagegrade.model.identity import USER_AGENT
from pagegrade.model.report import Failure, Report
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible


class WayOut(msgspec.Struct, frozen=True, kw_only=True):
    """The words for one kind of failure."""

    headline: str
    meaning: str
    steps: tuple[str, ...]
    """In the order to try them."""
    passes: bool = False
    """It often passes without a change."""
    lets_us_in: bool = False
    """The site seems to turn us away, so that its owner needs to know how we introduce ourselves."""


_ALLOW: Final = N_(
    "If it is your site, allow requests whose User-Agent contains Pagegrade/ in its firewall or bot protection, then "
    "analyze it again."
)
_NOT_YOURS: Final = N_("If it is not your site, ask its owner to allow Pagegrade, or analyze another page.")
_OPEN_PRIVATELY: Final = N_("Open the URL in a private browser window: you may see the same error.")
_OWN_NETWORK: Final = N_(
    "If other sites cannot be analyzed either, the machine that Pagegrade runs on has no network or no DNS."
)
_OWN_ADDRESSES: Final = N_(
    "If the page is in your own network, ask the operator of this Pagegrade to add the network "
    "to the setting PAGEGRADE_ALLOW_NETWORKS: 127.0.0.0/8 for pages on its own machine, the network of "
    "the page, such as 10.0.0.0/8, for others."
)
_LATER: Final = N_("Analyze the page again in a few minutes.")

_NO_ANSWER: Final = WayOut(
    headline=N_("The host name could not be resolved."),
    meaning=N_("The name servers did not give an answer about the IP address of this host name."),
    steps=(
        N_("Check the spelling of the URL."),
        _OWN_NETWORK,
        N_("If they can, check that the name servers of the domain are reachable and answer without errors."),
    ),
    passes=True,
)
_SERVER_FAILED: Final = WayOut(
    headline=N_("The server failed."),
    meaning=N_("The response says that the server, or one behind it, could not make the page."),
    steps=(_OPEN_PRIVATELY, N_("If it is your site, its error log shows the cause.")),
    passes=True,
)
_GONE: Final = WayOut(
    headline=N_("There is no page at this URL."),
    meaning=N_("According to its status, the response is a notice that the page is not there."),
    steps=(_OPEN_PRIVATELY, N_("Check the URL; the page may have moved.")),
)
_A_PART: Final = WayOut(
    headline=N_("Only a part of the page arrived."),
    meaning=N_("What has not arrived cannot be evaluated, and a part is not graded in place of the page."),
    steps=(
        N_("Open the URL in a browser, and look whether the end of the page is there."),
        N_(
            "If it is your site, look in the logs of the server and of a proxy before it for what ends or delays "
            "the answer, and for a wrong Content-Length."
        ),
        _LATER,
    ),
    passes=True,
)
_WAYS: Final[Mapping[str, WayOut]] = {
    "truncated_time": _A_PART,
    "truncated_connection": _A_PART,
    "truncated_coding": _A_PART,
    "redirect_refused": WayOut(
        headline=N_("The page redirects to a URL that is not allowed."),
        meaning=N_(
            "Its address was contacted, and answered with a redirect to one that is not: to a private network, to "
            "something that is neither http nor https, or to what cannot be read as a URL."
        ),
        steps=(
            N_("Ask for the URL without following redirects (curl -I), and look where the header Location leads."),
            N_("Correct the redirect, or enter the URL of the page that it should lead to."),
            _OWN_ADDRESSES,
        ),
    ),
    "dns_error": _NO_ANSWER,
    "dns_timeout": _NO_ANSWER,
    "dns": WayOut(
        headline=N_("The host name was not found."),
        meaning=N_("The domain name system (DNS) has no IP address for this host name."),
        steps=(
            N_("Check the spelling of the URL."),
            _OWN_NETWORK,
            N_("If the domain is new or has just moved, wait: DNS changes can take a day to reach every name server."),
            N_("If it is yours, check with its registrar that it has not expired and has an A or AAAA record."),
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
        passes=True,
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
        passes=True,
    ),
    "blocked": WayOut(
        headline=N_("The site blocked the request."),
        meaning=N_(
            "Instead of the page, bot protection sent a challenge or a refusal. That is not evaluated in "
            "place of the page."
        ),
        steps=(_ALLOW, _NOT_YOURS),
        lets_us_in=True,
    ),
    "access_refused": WayOut(
        headline=N_("The access has expired, or is wrong."),
        meaning=N_("The server asks for a sign-in although it was sent what should let Pagegrade in."),
        steps=(
            N_("Sign in with your own browser, and put its new cookie or header in place of the former one."),
            N_("Check the user and password: the server may have others now."),
            N_("In a service, change the access profile of the site; the next analysis uses it."),
        ),
    ),
    "access_not_sent": WayOut(
        headline=N_("The access was not sent: the certificate did not verify."),
        meaning=N_("The page asks for a sign-in, and its server did not prove that it is the one the access is for."),
        steps=(
            N_(
                "If an authority of your own issued the certificate, or the server signed it itself, give it in PEM: "
                "with the access, in the access profile, or in PAGEGRADE_CA_FILE."
            ),
            N_("If the certificate has expired or names another host, replace it on the server."),
        ),
    ),
    "status_401": WayOut(
        headline=N_("The page asks for a sign-in."),
        meaning=N_("The server shows the page only to those who sign in."),
        steps=(
            N_(
                "If you may see the page, give Pagegrade what lets you in: a user and password, a header, or the "
                "cookie of your own browser."
            ),
            N_("If everyone should see the page, remove the password from the server or the directory."),
        ),
    ),
    "status_407": WayOut(
        headline=N_("A proxy asks for a sign-in."),
        meaning=N_("A proxy on the way to the site answered in its place."),
        steps=(
            N_("Run Pagegrade on a machine that reaches the site without a proxy."),
            N_("If you know the proxy, give it with user and password in PAGEGRADE_PROXY."),
            N_("If you operate the proxy, let this machine through without a sign-in."),
        ),
    ),
    "status_403": WayOut(
        headline=N_("The site refused the request."),
        meaning=N_("The server does not show this page, or not to programs or to the network of Pagegrade."),
        steps=(
            N_("Open the URL in a private browser window. If it is refused there too, only some may see it."),
            _ALLOW,
            _NOT_YOURS,
        ),
        lets_us_in=True,
    ),
    "status_429": WayOut(
        headline=N_("The site received too many requests."),
        meaning=N_("Its limit for a client or a network is used up for a while."),
        steps=(
            N_("Wait as long as the site asks for, a few minutes if it does not say, and analyze the page again."),
            N_("If it is your site, exempt requests whose User-Agent contains Pagegrade/ from the limit, or raise it."),
        ),
        passes=True,
        lets_us_in=True,
    ),
    "status_503": WayOut(
        headline=N_("The site is not available at the moment."),
        meaning=N_("The server says that it is overloaded or being maintained."),
        steps=(
            N_("Wait as long as the site asks for, a few minutes if it does not say, and analyze the page again."),
            N_("If the page opens in your browser meanwhile, a bot protection answered: allow Pagegrade in it."),
        ),
        passes=True,
        lets_us_in=True,
    ),
    "status_451": WayOut(
        headline=N_("The page is withheld for legal reasons."),
        meaning=N_("The server refuses it because of a law or an order, which may hold in some countries only."),
        steps=(
            N_("If the page is shown where you are, run Pagegrade in your country, or through a proxy there."),
            N_("If it is your site, read in the answer or in its Link header who demanded it."),
        ),
    ),
    "status_206": WayOut(
        headline=N_("Only a part of the page was sent."),
        meaning=N_(
            "The server answered with a range of the page, as it does for downloads, although none was asked for."
        ),
        steps=(
            N_("If it is your site, find out which part of it answers with status 206: the application or a cache."),
            N_("Let it answer requests without a Range header with status 200 and the whole page."),
        ),
    ),
    "redirect_without_location": WayOut(
        headline=N_("The redirect does not say where to."),
        meaning=N_("The status is that of a redirect, and the header that names the new address is missing."),
        steps=(
            N_("If it is your site, send a Location header with the redirect, or answer with status 200 and the page."),
            N_("If you know where the page is now, analyze that URL."),
        ),
    ),
    "status_404": _GONE,
    "status_410": _GONE,
    "status_5xx": _SERVER_FAILED,
    "proxy_not_used": WayOut(
        headline=N_("The site cannot be reached without the proxy of this machine."),
        meaning=N_("The environment names a proxy, but Pagegrade uses only one that it is given itself."),
        steps=(
            N_("Set PAGEGRADE_PROXY to the URL of the proxy."),
            N_("Check the spelling of the URL: a site that does not exist looks the same from here."),
        ),
    ),
    "proxy_not_resolving": WayOut(
        headline=N_("The name of the site is not known here."),
        meaning=N_("The proxy was not asked: it gets the addresses of sites, and the name servers here gave none."),
        steps=(
            N_("Check the spelling of the URL: a site that does not exist looks the same from here."),
            N_("If no name server here knows the Internet, set PAGEGRADE_PROXY_RESOLVES=1, and the proxy gets names."),
            N_("Name hosts that are reached without the proxy in PAGEGRADE_NO_PROXY."),
        ),
    ),
    "proxy_sign_in": WayOut(
        headline=N_("The proxy of Pagegrade asks for a sign-in."),
        meaning=N_("The site was not asked: the proxy on the way there wants a user and a password, or other ones."),
        steps=(
            N_("Give user and password in PAGEGRADE_PROXY: http://USER:PASSWORD@HOST:PORT."),
            N_("Encode special characters of the password as in every URL."),
        ),
    ),
    "proxy_refused": WayOut(
        headline=N_("The proxy of Pagegrade does not connect to the site."),
        meaning=N_("The site was not reached: its name does not exist for the proxy, or the proxy does not allow it."),
        steps=(
            N_("Allow CONNECT to ports 80 and 443 in the proxy, and to addresses if it resolves no names."),
            N_("Name hosts that are reached without the proxy in PAGEGRADE_NO_PROXY."),
            N_("Check the spelling of the URL: a site that does not exist looks the same from here."),
        ),
    ),
    "proxy_unreachable": WayOut(
        headline=N_("The proxy of Pagegrade cannot be reached."),
        meaning=N_("The site was not asked: what PAGEGRADE_PROXY names does not respond as a proxy."),
        steps=(
            N_("Correct PAGEGRADE_PROXY: its scheme, its host and its port."),
            N_("Check that the proxy is running and lets this machine connect."),
        ),
        passes=True,
    ),
    "http_error": WayOut(
        headline=N_("The site responded with an error instead of the page."),
        meaning=N_(
            "According to its status, the response is an error or a notice and not the page, so it is not graded."
        ),
        steps=(
            _OPEN_PRIVATELY,
            N_("Enter the URL of a page that is shown without signing in, as in the address bar of a browser."),
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
            _OWN_ADDRESSES,
        ),
    ),
    "internal": WayOut(
        headline=N_("An internal error occurred."),
        meaning=N_("The page did not cause it. The error has been logged."),
        steps=(
            _LATER,
            N_("If it happens again, send the URL of the page and the time to the operator of this Pagegrade."),
        ),
        passes=True,
    ),
}


def way_out(error: Failure) -> WayOut:
    """The words for this failure, not yet translated; those of ``internal`` for a code from a later version."""
    names = [error.reason or ""]
    # A challenge has a status too, and is no plain refusal.
    if error.http_status is not None and (error.reason or "status_").startswith("status_"):
        names += [f"status_{error.http_status}", f"status_{error.http_status // 100}xx"]
    return next((_WAYS[name] for name in (*names, error.code) if name in _WAYS), _WAYS["internal"])


def retry_advice(error: Failure, words: Words = ENGLISH) -> str:
    """State if another analysis can help; this never contradicts ``retryable``."""
    if not error.retryable:
        return words.gettext("Analyzing it again will not help until the cause has been fixed.")
    if way_out(error).passes:
        return words.gettext("Analyzing it again later may help: this kind of failure is often temporary.")
    return words.gettext("Analyzing it again may help, but this kind of failure seldom passes by itself.")


def has_to_let_us_in(error: Failure) -> bool:
    """Return whether the site seems to turn us away, so that its owner needs to know how we introduce ourselves."""
    return way_out(error).lets_us_in


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
