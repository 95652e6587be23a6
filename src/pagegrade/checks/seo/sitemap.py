from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import msgspec

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response, SitemapFile, Sitemaps
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotRun, Outcome, Severity

_OUR_LIMITS: Final = frozenset({"skipped", "budget", "address_not_allowed", "too_large", "internal", "parser_limit"})
"""Reasons of our own not to read a file; they say nothing about the site."""
_ERROR_REASONS: Final = {
    "html": "A web page is returned instead of the sitemap.",
    "malformed": "It is not well-formed.",
    "doctype": "It declares a document type, which readers of sitemaps refuse.",
    "empty": "It lists nothing.",
}
_SAID_AGAIN: Final = frozenset({"The file is an HTML page.", "The file is empty."})
"""Details that only repeat these reasons."""


@check(
    id="sitemap",
    title="XML sitemap",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("ok", "The site has a sitemap that search engines can find and read."),
        State(
            "undeclared",
            "The sitemap is not declared in robots.txt.",
            loss=0.5,
            title="Declare the sitemap in robots.txt",
            why="Only search engines to which the sitemap was submitted by hand know where it is.",
            fix=("Add its URL to robots.txt:\n\n```text\nSitemap: https://example.com/sitemap.xml\n```"),
        ),
        State(
            "bad_dates",
            "The sitemap contains dates that cannot be parsed.",
            loss=0.5,
            title="Sitemap contains invalid dates",
            why="Search engines ignore an invalid `lastmod` and do not learn which pages changed.",
            fix="Write dates in W3C format: `2026-11-22` or `2026-11-22T10:15:00+00:00`.",
        ),
        State(
            "namespace",
            "The sitemap is not in the namespace of the protocol.",
            loss=0.5,
            title="Sitemap has a wrong namespace",
            why="Search engines compare the namespace letter by letter and report the sitemap as invalid.",
            fix=(
                "Write the root element with the namespace of the protocol, with `http:` as here:\n\n"
                "```xml\n"
                '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
                "```"
            ),
        ),
        State(
            "http_addresses",
            "The sitemap of this https site lists http URLs.",
            loss=0.5,
            title="Sitemap of an https site lists http URLs",
            why="The listed URLs contradict the https URLs of the site. At best, each costs crawlers a redirect.",
            fix=(
                "Generate the sitemap with https URLs. The cause is often a site URL setting that still starts "
                "with `http://`."
            ),
        ),
        State(
            "relative_addresses",
            "The sitemap lists URLs without scheme and host.",
            loss=0.5,
            title="Sitemap lists relative URLs",
            why="The protocol requires absolute URLs; search engines ignore the others.",
            fix="Write every `<loc>` with scheme and host: `https://example.com/chairs`.",
        ),
        State(
            "partly_broken",
            "One of the sitemaps cannot be read.",
            loss=0.5,
            title="One of several sitemaps cannot be read",
            why="Search engines do not learn about the pages in that file.",
            fix="Correct the file or its URL, or remove it from robots.txt or the sitemap index.",
        ),
        State(
            "over_limit",
            "A sitemap exceeds 50,000 URLs or 50 MB.",
            loss=1.0,
            title="Sitemap exceeds the limits of the protocol",
            why="Search engines reject files above the limits of the protocol.",
            fix="Split the file, and list the parts in a sitemap index.",
        ),
        State(
            "broken",
            "The sitemap cannot be read.",
            loss=1.0,
            title="Sitemap cannot be read",
            why="Search engines do not learn about pages that few links lead to.",
            fix="Make the URL answer with status 200 and well-formed XML.",
        ),
        State(
            "missing",
            "The site has no sitemap.",
            loss=1.0,
            title="Add an XML sitemap",
            why="Search engines may miss pages that few links lead to, and do not learn what has changed.",
            fix=(
                "Create a sitemap, which most content management systems can do, and name it in robots.txt:\n\n"
                "```text\n"
                "Sitemap: https://example.com/sitemap.xml\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.sitemaps.org/protocol.html",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    ),
)
def sitemap(sitemaps: Sitemaps, response: Response) -> Verdict:
    """A sitemap lists the pages of a site so that search engines find all of them.

    ## What it checks

    The files that `Sitemap:` lines of robots.txt name, and without any of them `/sitemap.xml` and `/sitemap_index.xml`.
    At least one has to answer with 2xx and be well-formed XML or a text list (gzip is fine) of at most 50,000 URLs and
    50 MB, the limits of the protocol. Warnings: a sitemap that robots.txt does not name, http URLs on an https site,
    relative URLs, a namespace other than that of the protocol, `lastmod` dates that cannot be read, and one broken file
    among good ones. URLs on other hosts are allowed when robots.txt of those hosts names the file, so they cost
    nothing.

    ## Fails on

    ```json sitemaps
    {"files": [{"url": "https://example.com/sitemap.xml", "source": "guessed", "status": 404},
               {"url": "https://example.com/sitemap_index.xml", "source": "guessed", "status": 200, "error": "html"}]}
    ```

    ## Passes on

    ```json sitemaps
    {"files": [{"url": "https://example.com/sitemap.xml", "source": "robots", "status": 200, "kind": "urlset",
                "url_count": 120, "bytes": 18000}],
     "declared_in_robots": ["https://example.com/sitemap.xml"]}
    ```
    """
    files = [file for file in sitemaps.files if file.error not in _OUR_LIMITS]
    good = [file for file in files if _is_good(file)]
    if not good and len(files) < len(sitemaps.files):
        left_out = next(file for file in sitemaps.files if file.error in _OUR_LIMITS)
        return NotRun(left_out.error or "skipped", left_out.error_detail or "The sitemap was not fetched.")
    # A guessed address that answers 404, or with the site's own page, was never meant to be a sitemap.
    broken = [file for file in files if not _is_good(file) and (file.source != "guessed" or _is_damaged(file))]
    faults = list(_faults(files, good, broken, is_https=response.url.startswith("https:")))
    if faults:
        return _outcome(faults)
    if not good:
        return Outcome("missing", evidence=tuple(_evidence(file, "") for file in files[:MAX_EVIDENCE]))
    return Outcome("ok", value=sum(file.url_count for file in good if file.kind != "index"))


class _Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong with some of the files."""

    state: str
    files: Sequence[SitemapFile]
    reason: str = ""
    details: tuple[Detail, ...] = ()


def _faults(
    files: Sequence[SitemapFile], good: Sequence[SitemapFile], broken: Sequence[SitemapFile], *, is_https: bool
) -> Iterator[_Fault]:
    """Everything that is wrong, the worst first; nothing where there are no sitemaps."""
    oversize = [file for file in files if file.over_limit]
    if oversize:
        counts = oversize[0]
        details = (
            Detail(code="urls", actual=counts.url_count, limit=50_000),
            Detail(code="bytes", actual=counts.bytes, limit=52_428_800),
        )
        yield _Fault("over_limit", oversize, "Larger than 50,000 URLs or 50 MB.", details)
    broken = [file for file in broken if not file.over_limit]
    if broken:
        yield _Fault("partly_broken" if good or oversize else "broken", broken)
    readable = [*oversize, *good]
    relative = [file for file in readable if file.relative_url_count]
    if relative:
        yield _Fault("relative_addresses", relative, "Lists URLs without scheme and host.")
    insecure = [file for file in readable if file.http_url_count] if is_https else []
    if insecure:
        count = sum(file.http_url_count for file in insecure)
        yield _Fault("http_addresses", insecure, "Lists http URLs.", (Detail(code="http_urls", actual=count),))
    unnamed = [file for file in readable if file.bad_namespace is not None]
    if unnamed:
        written = unnamed[0].bad_namespace
        reason = f"Its namespace is {written}." if written else "It declares no namespace."
        yield _Fault("namespace", unnamed, reason)
    undated = [file for file in readable if file.bad_lastmod_count]
    if undated:
        count = sum(file.bad_lastmod_count for file in undated)
        yield _Fault("bad_dates", undated, "Has dates that cannot be read.", (Detail(code="dates", actual=count),))
    if readable and all(file.source != "robots" for file in files):
        yield _Fault("undeclared", readable, "Found at a usual URL.")


def _is_good(file: SitemapFile) -> bool:
    return file.error is None and not file.over_limit and file.status in range(200, 300)


def _is_damaged(file: SitemapFile) -> bool:
    return file.status in range(200, 300) and file.error in {"malformed", "doctype", "empty"}


def _outcome(faults: Sequence[_Fault]) -> Outcome:
    """The state of the first fault, with the files of all."""
    worst = faults[0]
    listed = [(file, fault) for fault in faults for file in fault.files]
    return Outcome(
        worst.state,
        value=len(worst.files),
        evidence=tuple(
            _evidence(file, fault.reason, "" if fault is worst else fault.state)
            for file, fault in islice(listed, MAX_EVIDENCE)
        ),
        total=len(listed),
        details=tuple(detail for fault in faults for detail in fault.details),
    )


def _evidence(file: SitemapFile, reason: str, state: str = "") -> Evidence:
    if file.error is not None:
        reason = _ERROR_REASONS.get(file.error, f"It could not be fetched ({file.error}).")
        if file.error_detail not in _SAID_AGAIN:
            reason = f"{reason} {file.error_detail}".strip()
    elif not reason:
        return Evidence(url=file.url, reason=f"It answers with status {file.status}.", state=state)
    value = "" if file.status is None else f"status {file.status}"
    return Evidence(url=file.url, value=value, reason=reason[:300], state=state)
