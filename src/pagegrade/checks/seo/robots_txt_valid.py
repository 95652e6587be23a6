from http import HTTPStatus
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.files.robots import MAX_BYTES, Robots

MAX_REDIRECTS: Final = 5
"""RFC 9309 section 2.3.1.2: crawlers should follow at least five; Google then takes the file as missing."""
_SITE_FAILURES: Final = frozenset({"dns", "connect", "tls", "timeout", "protocol"})
"""Failures that a crawler meets too; the others are limits of our own."""
_TOO_LARGE: Final = "larger than the 500 KiB that crawlers read"
_REASONS: Final = {
    "unknown_directive": "No crawler documents this directive.",
    "retired_directive": "No crawler obeys this directive any more; a robots meta tag or header does what it says.",
    "misspelled": "Misspelled; some crawlers skip it.",
    "missing_colon": "The colon is missing; some crawlers skip the line.",
    "no_directive": "This is no directive, so it is skipped.",
    "empty_agent": "It names no crawler.",
    "dollar_not_last": "A dollar sign marks the end only as the last character.",
    "path_not_rooted": "A path that starts with neither / nor * matches nothing.",
    "relative_sitemap": "A Sitemap line needs an absolute URL.",
    "rule_before_group": "No User-agent line comes before this rule, so it binds no one.",
    "invisible_character": "It has an invisible character that crawlers take as a part of the word.",
    "wildcard_in_name": "Names of crawlers are compared letter by letter, so one with * binds none.",
    "several_names": "Crawlers read one name in a line, and nothing behind it.",
    "space_in_address": "Crawlers read the rest of the line as one URL; none has a space, so it has no effect.",
    "several_paths": "Crawlers read the rest of the line as one path.",
}


@check(
    id="robots-txt-valid",
    title="robots.txt syntax",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("valid", "The robots.txt file can be fetched and parsed."),
        State("absent", "The site has no robots.txt file, so nothing is disallowed."),
        State(
            "odd_lines",
            "The robots.txt file has lines that crawlers skip or interpret differently.",
            loss=0.5,
            title="Invalid lines in robots.txt",
            why=(
                "A line that crawlers skip or read differently does not have the intended effect. They may crawl "
                "pages that were to be left out, or miss the sitemap."
            ),
            fix=(
                "Correct the listed lines. Each crawler and each path has a line of its own, each path starts with "
                "`/`, and a `Sitemap` line has an absolute URL."
            ),
            counted=True,
        ),
        State(
            "too_large",
            "The robots.txt file is larger than 500 KiB, the size that crawlers read.",
            loss=0.5,
            title="robots.txt is larger than 500 KiB",
            why="Google ignores everything after the first 500 KiB, so later rules have no effect.",
            fix="Combine rules with shorter paths and the `*` wildcard, and remove outdated ones.",
        ),
        State(
            "many_redirects",
            "The robots.txt file is behind more than five redirects.",
            loss=0.5,
            title="robots.txt is behind more than five redirects",
            why=(
                "Crawlers follow at least five redirects; Google then treats the file as missing and crawls everything."
            ),
            fix="Serve the file directly at `/robots.txt`.",
        ),
        State(
            "rate_limited",
            "The request for robots.txt was rejected with status 429.",
            loss=0.5,
            title="robots.txt request was rate limited",
            why="Google treats status 429 as a server error and stops crawling the site for a while.",
            fix="Exempt `/robots.txt` from rate limits.",
        ),
        State(
            "rule_before_group",
            "The robots.txt file has rules that belong to no crawler.",
            loss=1.0,
            title="robots.txt rules without a User-agent line",
            why="Crawlers ignore rules that come before the first `User-agent` line.",
            fix="Put a `User-agent: *` line above these rules.",
        ),
        State(
            "html",
            "/robots.txt returns a web page instead of a text file.",
            loss=1.0,
            title="robots.txt returns a web page",
            why="Crawlers find no rules in it and crawl everything, whatever was intended.",
            fix="Serve a plain text file at `/robots.txt`, or answer with status 404.",
        ),
        State(
            "server_error",
            "The request for robots.txt ends in a server error.",
            loss=1.0,
            title="robots.txt returns a server error",
            why="Search engines stop crawling the whole site while robots.txt returns a server error.",
            fix="Check the server's error log, and make `/robots.txt` answer with status 200 or 404.",
        ),
        State(
            "unreachable",
            "The robots.txt file cannot be fetched.",
            loss=1.0,
            title="robots.txt cannot be fetched",
            why="Crawlers that cannot reach the file treat the whole site as disallowed.",
            fix="Make sure that the server or firewall answers `/robots.txt` within a few seconds.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
        "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt",
    ),
)
def robots_txt_valid(
    robots_txt: WellKnown | NotGathered,
    robots: Robots | NotGathered,
    not_found_probe: WellKnown | NotGathered,
) -> Verdict:
    """Crawlers request `/robots.txt` before anything else, and a broken file can keep them out.

    ## What it checks

    That `/robots.txt` can be fetched and read. Failures: a server error (crawlers take it as a ban of the whole site at
    first), no answer at all, a web page without rules in place of the text file, and rules before any `User-agent`
    line. Warnings: misspelled or unknown directives, a `$` that is not last, paths that do not start with `/` or `*`,
    several names of crawlers or several paths in one line, `*` within a name, invisible characters such as a no-break
    space (crawlers know the white space of ASCII only), a Sitemap line without an absolute URL, more than 500 KiB (RFC
    9309 asks crawlers to read that much, and Google stops there), more than five redirects, and an answer of 429. A
    missing file is fine, and so is an empty one. Directives that the RFC does not know but some crawler documents
    (`Crawl-delay`, `Content-Signal`) cost nothing; those that none obeys any more (`Noindex`) are listed. Where the
    server answers every URL that does not exist with a page, a page at `/robots.txt` is no fault of its own: that is a
    finding of `not-found-page`.

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
    if isinstance(robots, NotGathered) and robots.code == "not_applicable":
        return NotApplicable(robots.detail)
    if isinstance(robots_txt, NotGathered):
        if robots_txt.code in _SITE_FAILURES:
            return Outcome("unreachable", value=robots_txt.code, message=f"It cannot be fetched: {robots_txt.detail}")
        return NotRun(robots_txt.code, robots_txt.detail)
    if isinstance(robots, NotGathered):
        return NotRun(robots.code, robots.detail)
    where = Evidence(url=robots_txt.response.url, value=f"status {robots.status}")
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
        if isinstance(not_found_probe, WellKnown) and not_found_probe.response.status in range(200, 300):
            return NotApplicable(
                "URLs that do not exist are answered with a page, /robots.txt like any other; see the 404 page."
            )
        return Outcome("html", value="HTML", evidence=(where,))
    if robots.access == "allow_all":
        if robots.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            return Outcome("absent", value=robots.status)
        message = f"The request for robots.txt ends with status {robots.status}, so nothing is disallowed."
        return Outcome("absent", value=robots.status, message=message)
    return _evaluate_lines(robots, where)


def _further(worst: str, state: str) -> str:
    """The state of an entry, where it is not that of the outcome."""
    return "" if state == worst else state


def _evaluate_lines(robots: Robots, where: Evidence) -> Outcome:
    total = sum(robots.problem_counts.values())
    worst_first = sorted(robots.problems, key=lambda problem: problem.code != "rule_before_group")
    state = "rule_before_group" if "rule_before_group" in robots.problem_counts else ""
    state = state or ("too_large" if robots.over_limit else "odd_lines")
    evidence = tuple(
        Evidence(
            url=where.url,
            line=problem.line,
            snippet=problem.text,
            reason=_REASONS[problem.code],
            state=_further(state, "rule_before_group" if problem.code == "rule_before_group" else "odd_lines"),
        )
        for problem in worst_first
    )
    if robots.over_limit:
        size = Evidence(url=where.url, value=where.value, reason=_TOO_LARGE, state=_further(state, "too_large"))
        evidence = (size, *evidence)
        total += 1
    details = tuple(Detail(code=code, actual=count) for code, count in sorted(robots.problem_counts.items()))
    if "rule_before_group" in robots.problem_counts:
        return Outcome("rule_before_group", value=total, evidence=evidence, total=total, details=details)
    if robots.over_limit:
        limit = Detail(code="bytes", actual=robots.bytes, limit=MAX_BYTES)
        return Outcome("too_large", value=robots.bytes, evidence=evidence, total=total, details=(limit, *details))
    if total:
        lines = "1 line" if total == 1 else f"{total} lines"
        return Outcome(
            "odd_lines",
            value=total,
            evidence=evidence,
            total=total,
            details=details,
            message=f"The robots.txt file has {lines} that crawlers skip or interpret differently.",
        )
    return Outcome("valid", value=robots.bytes)
