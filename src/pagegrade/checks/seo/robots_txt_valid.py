from http import HTTPStatus
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.parse.robots import MAX_BYTES, Robots

MAX_REDIRECTS: Final = 5
"""RFC 9309 section 2.3.1.2: crawlers should follow at least five; Google then takes the file as missing."""
_SITE_FAILURES: Final = frozenset({"dns", "connect", "tls", "timeout", "protocol"})
"""Failures that a crawler meets too; the others are limits of our own."""
_REASONS: Final = {
    "unknown_directive": "No crawler documents this directive.",
    "misspelled": "Misspelled; some crawlers skip it.",
    "missing_colon": "The colon is missing; some crawlers skip the line.",
    "no_directive": "This is no directive, so it is skipped.",
    "empty_agent": "It names no crawler.",
    "dollar_not_last": "A dollar sign marks the end only as the last character.",
    "path_not_rooted": "A path that starts with neither / nor * matches nothing.",
    "relative_sitemap": "A Sitemap line needs a whole address.",
    "rule_before_group": "No User-agent line comes before this rule, so it binds nobody.",
}


@check(
    id="robots-txt-valid",
    title="Readable robots.txt",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("valid", "The robots.txt file can be fetched and read."),
        State("absent", "The site has no robots.txt file, which means that nothing is forbidden."),
        State("odd_lines", "The robots.txt file has lines that crawlers skip or read differently.", loss=0.5),
        State("too_large", "The robots.txt file is larger than the 500 KiB that crawlers read.", loss=0.5),
        State("many_redirects", "The robots.txt file lies behind more than five redirects.", loss=0.5),
        State("rate_limited", "The request for robots.txt was turned away as one too many.", loss=0.5),
        State("rule_before_group", "The robots.txt file has rules that belong to no crawler.", loss=1.0),
        State("html", "A web page comes in place of the robots.txt file.", loss=1.0),
        State("server_error", "The request for robots.txt ends in a server error.", loss=1.0),
        State("unreachable", "The robots.txt file cannot be fetched.", loss=1.0),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
        "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt",
    ),
)
def robots_txt_valid(robots_txt: WellKnown | NotGathered, robots: Robots | NotGathered) -> Verdict:
    """Crawlers ask for /robots.txt before anything else, and a broken file can keep them out.

    ## What it checks

    That `/robots.txt` can be fetched and read. Failures: a server error (crawlers take it as a ban of the whole site at
    first), no answer at all, a web page in place of the text file, and rules before any `User-agent` line. Warnings:
    misspelled or unknown directives, a `$` that is not last, paths that do not start with `/` or `*`, a Sitemap line
    without a whole address, more than 500 KiB (RFC 9309 asks crawlers to read that much, and Google stops there), more
    than five redirects, and an answer of 429. A missing file is fine, and so is an empty one. Directives that the RFC
    does not know but some crawler documents, or did (`Crawl-delay`, `Content-Signal`, `Noindex`), cost nothing.

    ## Why it matters

    While the file answers with a server error, search engines stop fetching the site. A line that is skipped does not
    do what its author meant, in either direction.

    ## How to fix

    Correct the lines in the list: each rule needs a `User-agent` line above it, each path starts with `/`, and a
    sitemap has its whole address. Serve the file as plain text with status 200, or let `/robots.txt` answer 404.

    ```text
    User-agent: *
    Disallow: /cart/

    Sitemap: https://example.com/sitemap.xml
    ```

    ## Fails on

    ```http robots_txt
    HTTP/2 200
    content-type: text/html

    <!doctype html>
    <title>Our shop</title>
    ```

    ## Passes on

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Disallow: /cart/
    Crawl-delay: 2

    Sitemap: https://example.com/sitemap.xml
    ```
    """
    if isinstance(robots_txt, NotGathered):
        if robots_txt.code in _SITE_FAILURES:
            return Outcome("unreachable", value=robots_txt.code, message=f"It cannot be fetched: {robots_txt.detail}")
        return NotRun(robots_txt.code, robots_txt.detail)
    if isinstance(robots, NotGathered):
        return NotRun(robots.code, robots.detail)
    where = Evidence(url=robots_txt.response.url, value=str(robots.status))
    if robots.status == HTTPStatus.TOO_MANY_REQUESTS:
        return Outcome("rate_limited", value=429, evidence=(where,))
    if robots.access == "disallow_all":
        message = f"The request for robots.txt ends with status {robots.status}."
        return Outcome("server_error", value=robots.status, evidence=(where,), message=message)
    if len(robots_txt.hops) > MAX_REDIRECTS or robots.status in range(300, 400):
        hops = len(robots_txt.hops)
        details = (Detail(code="redirects", actual=hops, limit=MAX_REDIRECTS),)
        return Outcome("many_redirects", value=hops, evidence=(where,), details=details)
    if robots.is_html:
        return Outcome("html", value="HTML", evidence=(where,))
    if robots.access == "allow_all":
        return Outcome("absent", value=robots.status)
    return _judge_lines(robots, where)


def _judge_lines(robots: Robots, where: Evidence) -> Outcome:
    total = sum(robots.problem_counts.values())
    worst_first = sorted(robots.problems, key=lambda problem: problem.code != "rule_before_group")
    evidence = tuple(
        Evidence(url=where.url, line=problem.line, snippet=problem.text, reason=_REASONS[problem.code])
        for problem in worst_first
    )
    details = tuple(Detail(code=code, actual=count) for code, count in sorted(robots.problem_counts.items()))
    if "rule_before_group" in robots.problem_counts:
        return Outcome("rule_before_group", value=total, evidence=evidence, total=total, details=details)
    if robots.over_limit:
        size = Detail(code="bytes", actual=robots.bytes, limit=MAX_BYTES)
        return Outcome("too_large", value=robots.bytes, evidence=(where, *evidence), details=(size, *details))
    if total:
        lines = "1 line" if total == 1 else f"{total} lines"
        return Outcome(
            "odd_lines",
            value=total,
            evidence=evidence,
            total=total,
            details=details,
            message=f"The robots.txt file has {lines} that crawlers skip or read differently.",
        )
    return Outcome("valid", value=robots.bytes)
