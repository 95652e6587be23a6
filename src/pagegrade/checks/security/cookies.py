import re
from typing import Final

from pagegrade.checks._check import State, check, offender_loss
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.http.cookies import Cookie, Rejection
from pagegrade.parse.http.hsts import parse_hsts

FULL_AT: Final = 10
MOST_FOR_WEAK: Final = 0.9
_INFRASTRUCTURE: Final = re.compile(
    r"__cf|_cfuvid|cf_|awsalb|awselb|gclb|heroku-session-affinity|arraffinity|tipmix|x-ms-routing-name|incap_ses_"
    r"|visid_incap_|nlbi_|bigipserver|ts01|ak_bmsc|bm_|_abck|aka_a2|akacd_|nsc_|datadome|__ddg"
)
"""Beginnings of names that delivery networks, load balancers and their filters set by themselves."""
_REJECTIONS: Final[dict[Rejection, str]] = {
    "control-character": "browsers drop the cookie: control character",
    "empty": "browsers drop the cookie: empty",
    "too-long": "browsers drop the cookie: too long",
    "host-prefix": "a __Host- cookie needs Secure, Path=/, no Domain, and HTTPS",
    "http-prefix": "a cookie with Http- in its prefix needs Secure, HttpOnly and HTTPS",
    "secure-prefix": "a __Secure- cookie needs Secure and HTTPS",
    "insecure-origin": "Secure is set over plain HTTP, so browsers drop the cookie",
    "foreign-domain": "Domain names another site, so browsers drop the cookie",
    "partitioned": "Partitioned without Secure, so browsers drop the cookie",
}


@check(
    id="cookies",
    title="Cookie attributes",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("protected", "Every cookie that the page sets is protected."),
        State("none", "The page sets no cookies."),
        State(
            "ignored",
            "Browsers ignore attributes of cookies that the page sets.",
            title="Cookie attributes that browsers ignore",
            why="The cookie does not last as long, reach as far or become as safe as the attribute says.",
            fix=(
                "Correct the listed attributes, for example `Expires=Wed, 21 Oct 2026 07:28:00 GMT`, `Max-Age=3600` in "
                "seconds, and a `Path` that begins with `/`."
            ),
            counted=True,
        ),
        State("same-site", "The cookies are protected; some rely on the browser's default for SameSite."),
        State(
            "weak",
            "Cookies lack attributes that would protect them.",
            0.5,
            MOST_FOR_WEAK,
            title="Cookies without Secure or SameSite",
            why=(
                "Without `Secure` a cookie is also sent over plain HTTP. Without `SameSite` some browsers send "
                "a session cookie with requests of other sites."
            ),
            fix="Add to each listed cookie what it lacks of `Secure; SameSite=Lax`.",
            counted=True,
        ),
        State(
            "unsafe",
            "Session cookies lack protection, or browsers drop cookies because of invalid attributes.",
            loss=1.0,
            title="Cookies with missing or invalid security attributes",
            why=(
                "A session cookie without `Secure` or `HttpOnly` can be read on the network or by injected "
                "scripts, which gives access to the account. Browsers drop cookies whose attributes contradict "
                "each other."
            ),
            fix=(
                "Set session cookies with all three attributes, and correct the listed contradictions:\n\n"
                "```\n"
                "Set-Cookie: __Host-session=...; Path=/; Secure; HttpOnly; SameSite=Lax\n"
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6265",
        "https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis",
        "https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Cookies",
    ),
)
def cookies(cookies: tuple[Cookie, ...], artifacts: Artifacts) -> Outcome:
    """Attributes of a cookie decide who can read it, and when browsers send it.

    ## What it checks

    Every `Set-Cookie` line of the page and of the redirects before it, by name and attributes; values are never kept.

    It fails when a cookie that looks like a login (its name holds a word such as `sess`, `login`, `auth`, `token` or
    `sid`) lacks `Secure` or `HttpOnly`, when a cookie against forged requests lacks `SameSite`, and when browsers would
    drop or misread a cookie: `SameSite=None` without `Secure`, an unknown `SameSite` value, a `__Host-`, `__Secure-` or
    `__Http-` name without the attributes that it requires, `Secure` set over plain HTTP, `Domain` of another site,
    `Partitioned` without `Secure`. It costs from half (one) to nine tenths (ten or more) when other cookies lack
    `Secure`, or when one that looks like a login lacks `SameSite`: some browsers take `Lax` for granted then, and
    others do not. Any other cookie without `SameSite` is listed and costs nothing, since it gives access to nothing. A
    login cookie without `Secure` counts as weak rather than unsafe while Strict-Transport-Security keeps browsers on
    HTTPS.

    `HttpOnly` is required of login cookies only, because scripts have to read many others, such as those against forged
    requests. Spelling that browsers forgive is not evaluated: spaces or quotes in a name or value, attributes of older
    standards, old forms of the date. Cookies that delivery networks and load balancers set by themselves are left out,
    and so are lines that delete a cookie. Attributes that browsers ignore, because they are unknown or have a value
    that cannot be read, are listed and cost nothing. A page without cookies loses nothing.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Set-Cookie: PHPSESSID=...; path=/

    <!doctype html><title>Shop</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Set-Cookie: __Host-session=...; Path=/; Secure; HttpOnly; SameSite=Lax

    <!doctype html><title>Shop</title>
    ```
    """
    response = artifacts.navigation.response
    policy = (
        parse_hsts(response.header_values("strict-transport-security")) if response.url.startswith("https:") else None
    )
    https_only = policy is not None and policy.max_age_s > 0
    own = [
        cookie
        for cookie in cookies
        if not _INFRASTRUCTURE.match(cookie.name.lower()) and not cookie.is_deletion(artifacts.gathered_at)
    ]
    if not own:
        return Outcome("none", value=len(cookies))
    unsafe: dict[str, tuple[Cookie, str]] = {}
    weak: dict[str, tuple[Cookie, str]] = {}
    unstated: dict[str, tuple[Cookie, str]] = {}
    ignored: dict[str, tuple[Cookie, str]] = {}
    for cookie in own:
        if reason := _unsafe(cookie, https_only=https_only):
            unsafe.setdefault(cookie.name, (cookie, reason))
        elif reason := _weak(cookie):
            weak.setdefault(cookie.name, (cookie, reason))
        elif cookie.ignored:
            ignored.setdefault(cookie.name, (cookie, f"browsers ignore {', '.join(cookie.ignored)}"))
        elif cookie.same_site is None:
            unstated.setdefault(cookie.name, (cookie, "no SameSite"))
    for name in unsafe:
        weak.pop(name, None)
    if not unsafe and not weak and ignored:
        places = tuple(_evidence(cookie, reason, "") for cookie, reason in ignored.values())
        return Outcome("ignored", value=len(places), evidence=places[:100], total=len(places))
    if not unsafe and not weak and not unstated:
        return Outcome("protected", value=len(own))
    bad = (*unsafe.values(), *weak.values()) or tuple(unstated.values())
    evidence = tuple(
        _evidence(cookie, reason, "weak" if unsafe and cookie.name in weak else "") for cookie, reason in bad
    )
    details = (Detail(code="unsafe", actual=len(unsafe), limit=0), Detail(code="weak", actual=len(weak), limit=0))
    total = len(evidence)
    if not unsafe and not weak:
        return Outcome("same-site", value=total, evidence=evidence[:100], total=total)
    if unsafe:
        count = len(unsafe)
        return Outcome("unsafe", value=total, evidence=evidence[:100], total=total, details=details, count=count)
    loss = min(MOST_FOR_WEAK, offender_loss(len(weak), FULL_AT))
    return Outcome("weak", value=total, evidence=evidence[:100], total=total, details=details, loss=loss)


def _unsafe(cookie: Cookie, *, https_only: bool) -> str:
    """Return the reason why the cookie is unsafe; "" if it is safe."""
    session = cookie.looks_like_login
    if cookie.rejected is not None:
        return _REJECTIONS[cookie.rejected]
    if cookie.invalid_same_site:
        return "SameSite has a value that browsers do not know"
    if cookie.same_site == "none" and not cookie.secure:
        return "SameSite=None without Secure"
    if session and not cookie.http_only:
        return "looks like a login but scripts can read it (no HttpOnly)"
    if session and not cookie.secure and not https_only:
        return "looks like a login but is sent over plain HTTP (no Secure)"
    if cookie.against_forgery and cookie.same_site is None:
        return "protects from forged requests but has no SameSite"
    return ""


def _weak(cookie: Cookie) -> str:
    """Return the protection that the cookie lacks; "" if it has all."""
    if cookie.secure and (cookie.same_site or not cookie.looks_like_login):
        return ""
    missing = [word for word, there in (("Secure", cookie.secure), ("SameSite", cookie.same_site)) if not there]
    return "no Secure and no SameSite" if len(missing) > 1 else f"no {missing[0]}"


def _evidence(cookie: Cookie, reason: str, state: str) -> Evidence:
    where = "the page" if cookie.hop is None else f"redirect {cookie.hop + 1}"
    return Evidence(
        header="Set-Cookie",
        snippet=cookie.described[:200],
        value=cookie.name,
        url=cookie.url,
        reason=f"{reason}; set by {where}",
        state=state,
    )
