from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.http.caching import read_cache_policy

SHORT_S: Final = 180


@check(
    id="html-cache-policy",
    title="Cache policy of the HTML",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("checked", "Browsers revalidate a cached copy of the page, or decide by themselves."),
        State(
            "long",
            "Browsers may use a cached copy of the page without asking.",
            title="HTML may be reused without revalidation",
            why="Visitors see an outdated page until the lifetime has expired.",
            fix=(
                "Let browsers cache the page and revalidate it, unless a delay is intended:\n\n"
                "```\n"
                "Cache-Control: no-cache\n"
                "```"
            ),
        ),
        State(
            "no_store",
            "Browsers may not store the page at all.",
            title="Back/forward cache may be disabled by no-store",
            why="Most browsers do not keep such a page in their back/forward cache, so going back loads it again.",
            fix="Keep `no-store` for pages with personal data. For others, `Cache-Control: no-cache` is enough.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2",
        "https://web.dev/articles/bfcache",
    ),
)
def html_cache_policy(seen_response: Response) -> Verdict:
    """The cache policy says how long browsers may use the page without asking for a newer one.

    ## What it checks

    The `Cache-Control` and `Expires` headers of the page. A lifetime of more than three minutes without `no-cache` lets
    visitors see an old page; `no-store` also keeps it out of the back/forward cache. Both may be meant, so the check is
    informative and costs nothing.

    ## Fails on

    ```http
    HTTP/2 200
    Cache-Control: max-age=86400

    <!doctype html><title>Garden furniture</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Cache-Control: no-cache

    <!doctype html><title>Garden furniture</title>
    ```
    """
    policy = read_cache_policy(seen_response)
    lifetime = policy.lifetime_s
    if policy.no_store:
        state = "no_store"
    elif policy.no_cache or lifetime is None or lifetime <= SHORT_S:
        state = "checked"
    else:
        state = "long"
    names = ("Cache-Control", "Expires")
    evidence = tuple(
        Evidence(header=name, value=value[:200]) for name in names if (value := seen_response.header(name)) is not None
    )
    return Outcome(
        state,
        value=evidence[0].value if evidence else "not stated",
        evidence=evidence,
        details=(Detail(code="lifetime_s", actual=lifetime, limit=SHORT_S),),
        message="" if policy.no_store else _message(lifetime, always_asks=policy.no_cache),
    )


def _message(lifetime_s: int | None, *, always_asks: bool) -> str:
    if always_asks or lifetime_s == 0:
        return "Browsers revalidate a cached copy of the page before they use it."
    if lifetime_s is None:
        return "The page has no cache lifetime, so browsers decide by themselves."
    return f"Browsers may use a cached copy of the page for {amount(lifetime_s, 'second')} without asking."
