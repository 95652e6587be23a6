"""Fills the numbers into ``docs/explanation/scoring.md``: every block between two markers is made from the code.

A block stands between ``<!-- begin NAME: made from the code, do not edit -->`` and ``<!-- end NAME -->``; what is
around it is written by people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import fill as fill_lines
from typing import Final, Literal

from pagegrade.checks import Check, all_checks
from pagegrade.checks._check import State
from pagegrade.model.artifacts import (
    TLS,
    Artifacts,
    Certificate,
    DNSFacts,
    ImageFacts,
    Navigation,
    Resource,
    Resources,
    Response,
    SitemapFile,
    Sitemaps,
    Timings,
    WellKnown,
)
from pagegrade.model.outcome import Severity
from pagegrade.model.report import (
    CATEGORIES,
    DECENT_FROM,
    GOOD_FROM,
    RULESET,
    Category,
    Report,
    Result,
)
from pagegrade.scoring import Rule, rules_of
from pagegrade.service.runs.evaluation import evaluate_artifacts

SITE: Final = "https://lamps.example"
URL: Final = f"{SITE}/brass-lamps"
NOW: Final = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
HTML_TYPE: Final = ("Content-Type", "text/html; charset=utf-8")
HEADERS: Final = (
    HTML_TYPE,
    ("Cache-Control", "no-cache"),
    ("X-Content-Type-Options", "nosniff"),
    ("Server", "nginx/1.18.0"),
    ("Set-Cookie", "session=1; Path=/"),
)
TEXT: Final = (
    "Every lamp is turned from one bar of brass, fitted with a cotton wick and tested for an hour in our own workshop. "
    "It burns lamp oil or paraffin, stands safely on a ship or on a garden table, and can be opened for cleaning "
    "without tools. "
)
PARAGRAPH: Final = (TEXT * 4).strip()
PAGE: Final = f"""<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>Our lamps</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/style.css">
<script src="/menu.js"></script>
</head>
<body>
<header><a href="/"><img src="/logo.png" alt="Lamps" width="120" height="40"></a></header>
<main>
<h1>Brass lamps</h1>
<p>{PARAGRAPH}</p>
<h3>For ships</h3>
<p>{PARAGRAPH}</p>
<img src="/ship.jpg">
<h3>For gardens</h3>
<p>{PARAGRAPH}</p>
<img src="/garden.jpg">
<form action="/newsletter" method="post"><input type="email" name="email" placeholder="Your address">
<button type="submit"><img src="/arrow.png" width="24" height="24"></button></form>
<p>Brass lamps <a href="/care">need some care</a>, and <a href="/parts">every part can be replaced</a>.</p>
</main>
</body>
</html>
"""
PAGE_PATH: Final = Path("docs/explanation/scoring.md")
NAMES: Final[Mapping[Category, str]] = {"seo": "SEO"}
"""Words for categories that are not just their names."""
MOVING: Final = {
    "load-time": "how fast the line and the server were",
    "ttfb": "how busy the server was",
    "http-requests": "advertisements and tests that are drawn by lot",
    "domains-count": "the same",
    "total-byte-weight": "the same, and pictures that differ from visit to visit",
    "js-size": "the same",
    "asset-errors": "a file that could not be had for a moment",
    "broken-links": "a link whose target gave an error of the server for a moment",
    "robots-txt-valid": "a robots.txt that could not be fetched for once",
    "tls-certificate": "the calendar: certificates run out",
}
"""Checks that can say something else of the same page -> why."""
_MARKER: Final = re.compile(
    r"^<!-- begin ([a-z-]+): made from the code, do not edit -->\n(.*?)^<!-- end \1 -->$", re.MULTILINE | re.DOTALL
)
WIDTH: Final = 118


def example_report() -> Report:
    """The report on the page, evaluated by the real checks."""
    return evaluate_artifacts(_artifacts(PAGE))


def noindex_report() -> Report:
    """The report on the same page with a robots directive that excludes search engines."""
    return evaluate_artifacts(_artifacts(PAGE.replace("<title>", '<meta name="robots" content="noindex">\n<title>')))


def _artifacts(page: str) -> Artifacts:
    body = page.encode()
    insecure = _answer("http://lamps.example/", body, headers=HEADERS)
    missing = _answer(f"{SITE}/zebra-lantern", PAGE.encode(), headers=HEADERS)
    return Artifacts(
        engine="example",
        gathered_at=NOW,
        navigation=Navigation(requested_url=URL, response=_answer(URL, body, headers=HEADERS, wire_bytes=len(body))),
        load_samples_ms=(310.0, 290.0, 300.0),
        robots_txt=_file(
            "robots.txt", f"User-agent: *\nDisallow:\nSitemap: {SITE}/sitemap.xml\n".encode(), "text/plain"
        ),
        sitemaps=Sitemaps(
            files=(
                SitemapFile(
                    url=f"{SITE}/sitemap.xml", source="robots", status=200, kind="urlset", url_count=12, lists_page=True
                ),
            ),
            declared_in_robots=(f"{SITE}/sitemap.xml",),
        ),
        not_found_probe=WellKnown(requested_url=missing.url, response=missing),
        insecure_probe=WellKnown(requested_url=insecure.url, response=insecure),
        sibling_probe=_redirected("https://www.lamps.example/", f"{SITE}/"),
        favicon=_file("favicon.ico", b"\0\0\1\0\1\0\x20\x20\0\0\1\0\x20\0" + b"\0" * 60, "image/x-icon"),
        tls=_tls(),
        dns=DNSFacts(host="lamps.example", addresses=("203.0.113.7",)),
        resources=Resources(
            items=(
                _text("style.css", "stylesheet", "text/css"),
                _text("menu.js", "script", "text/javascript"),
                _image("logo.png", "png", 3_000, 240, 80),
                _image("arrow.png", "png", 600, 48, 48),
                _image("ship.jpg", "jpeg", 240_000, 1600, 1000),
                _image("garden.jpg", "jpeg", 180_000, 1600, 1000),
            )
        ),
    )


def _answer(
    url: str, body: bytes = b"", *, status: int = 200, headers: tuple[tuple[str, str], ...] = (HTML_TYPE,), **more: int
) -> Response:
    return Response(
        url=url,
        status=status,
        headers=headers,
        http_version="HTTP/1.1",
        address="203.0.113.7",
        body=body,
        wire_bytes=more.get("wire_bytes", len(body)),
        header_bytes=400,
        content_encodings=("br",) if ("Content-Encoding", "br") in headers else (),
        timings=Timings(
            dns_ms=5.0, connect_ms=20.0, tls_ms=25.0, first_byte_ms=120.0, download_ms=20.0, total_ms=190.0
        ),
    )


def _file(name: str, body: bytes, kind: str) -> WellKnown:
    url = f"{SITE}/{name}"
    return WellKnown(requested_url=url, response=_answer(url, body, headers=(("Content-Type", kind),)))


def _redirected(url: str, target: str) -> WellKnown:
    hop = _answer(url, status=301, headers=(("Location", target),))
    return WellKnown(requested_url=url, hops=(hop,), response=_answer(target, b"<!doctype html><title>Lamps</title>"))


def _tls() -> TLS:
    certificate = Certificate(
        subject="CN=lamps.example",
        issuer="CN=Example CA",
        names=("lamps.example", "www.lamps.example"),
        not_before_at=NOW - timedelta(days=30),
        not_after_at=NOW + timedelta(days=60),
        key_type="EC",
        key_bits=256,
        signature_algorithm="ecdsa-with-SHA256",
        serial="1",
    )
    return TLS(
        host="lamps.example",
        verified=True,
        chain=(certificate,),
        alpn="http/1.1",
        versions=(("TLSv1.0", False), ("TLSv1.1", False), ("TLSv1.2", True), ("TLSv1.3", True)),
        checked_at=NOW,
    )


def _resource(name: str, media_type: str, wire_bytes: int, *, coded: bool = False) -> Response:
    kept = (("Content-Type", media_type), ("ETag", '"1"'))
    coding = (("Content-Encoding", "br"),) if coded else ()
    return _answer(f"{SITE}/{name}", headers=(*kept, *coding), wire_bytes=wire_bytes)


def _text(name: str, kind: str, media_type: str) -> Resource:
    return Resource(
        url=f"{SITE}/{name}",
        kinds=(kind,),
        initiator_url=URL,
        response=_resource(name, media_type, 4_000, coded=True),
        decoded_bytes=14_000,
        minified_bytes=13_900,
        digest=name,
    )


def _image(name: str, kind: Literal["jpeg", "png"], wire_bytes: int, width_px: int, height_px: int) -> Resource:
    return Resource(
        url=f"{SITE}/{name}",
        kinds=("image",),
        initiator_url=URL,
        response=_resource(name, f"image/{kind}", wire_bytes),
        image=ImageFacts(format=kind, width_px=width_px, height_px=height_px),
        decoded_bytes=wire_bytes,
        digest=name,
    )


class Catalogue:
    """The checks with what each can cost."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self.checks = checks
        self.rules: Mapping[str, Rule] = rules_of(checks.values())
        self.scored = [check for check in checks.values() if check.severity is not Severity.INFO]

    def of(self, category: Category) -> list[Check]:
        """The scored checks of a category, the most expensive first."""
        return sorted(
            (check for check in self.scored if check.category == category),
            key=lambda check: (-self.rules[check.id].price, -check.severity.value, check.id),
        )

    def causes(self) -> dict[str, list[Check]]:
        """Cause -> the checks that name it, by the id of the cause."""
        found: dict[str, list[Check]] = {}
        for check in self.checks.values():
            if check.cause is not None:
                found.setdefault(check.cause, []).append(check)
        return dict(sorted(found.items()))


def blocks() -> dict[str, str]:
    """Name -> text of every block."""
    catalogue = Catalogue(all_checks())
    return {
        "result": _result(),
        "example": _example(),
        "severities": _severities(catalogue),
        "causes": _causes(catalogue),
        "categories": _categories(catalogue),
        "caps": _caps(catalogue),
        "moving": _moving(catalogue),
        "penalties": _penalties(catalogue),
    }


def fill(text: str, made: Mapping[str, str]) -> str:
    """The page with every block as the code says it.

    Raises:
        ValueError: A block has no markers, is there twice, or is unknown.
    """
    found = [match[1] for match in _MARKER.finditer(text)]
    if sorted(found) != sorted(made):
        raise ValueError(f"{PAGE_PATH} has blocks {sorted(found)}; the code makes {sorted(made)}")
    return _MARKER.sub(lambda match: _between(match[1], made[match[1]]), text)


def _between(name: str, text: str) -> str:
    return f"<!-- begin {name}: made from the code, do not edit -->\n\n{text.strip()}\n\n<!-- end {name} -->"


def _table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]], numbers: Sequence[int]) -> str:
    """A Markdown table; ``numbers`` are the columns to be set to the right."""
    rule = ["---:" if column in numbers else "---" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def _name(category: Category) -> str:
    return NAMES.get(category, category)


def _result() -> str:
    return _wrapped(f"A score from {GOOD_FROM} is **good**, from {DECENT_FROM} **decent**, and below that **bad**.")


def _example() -> str:
    report = example_report()
    found = sorted((result for result in report.results if result.passed is False), key=lambda one: _rank(one, report))
    rows = [
        [
            f"`{result.check}`",
            result.importance,
            _name(result.category),
            f"`{result.state}`",
            f"{result.lost:.1f}" if result.counted_in is None else f"counted in `{result.counted_in}`",
        ]
        for result in found
    ]
    table = _table(["check", "severity", "category", "state", "points lost"], rows, (4,))
    page = PAGE.replace(PARAGRAPH, "(here are four times forty words about lamps)").strip()
    return f"```html\n{page}\n```\n\n{table}\n\n{_sum(report)}\n\n{_example_steps(report)}"


def _rank(result: Result, report: Report) -> tuple[float, float, str, float, str]:
    """Findings by points, each followed by those that are counted in it."""
    carrier = next((one for one in report.results if one.check == result.counted_in), result)
    severity = next(one for one in Severity if one.label == carrier.importance)
    return (-carrier.lost, -severity.value, carrier.check, float(carrier is not result), result.check)


def _sum(report: Report) -> str:
    """The sum, a line for each category."""
    rows = [
        [_name(name), f"{one.lost:.1f}", str(one.budget), f"{one.taken:.1f}", str(one.score)]
        for name, one in report.categories.items()
        if one.lost is not None and one.taken is not None
    ]
    taken = sum(one.taken or 0.0 for one in report.categories.values())
    rows.append(["**together**", "", "", f"**{taken:.1f}**", ""])
    head = ["category", "its findings cost", "it can take", "it takes", "score of the category"]
    return _table(head, rows, (1, 2, 3, 4))


def _wrapped(text: str, indent: str = "") -> str:
    """The text as lines of the usual length; code and percentages stay on one line."""
    return fill_lines(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _example_steps(report: Report) -> str:
    """Return the steps from the sum to the score, one line each."""
    uncapped, coverage = report.uncapped_score or 0.0, report.coverage or 0.0
    # Checks that need a browser are no part of a static report.
    missing = [one for one in report.results if one.outcome == "not_evaluated" and one.price > 0]
    unseen = [one for one in missing if not one.reason.startswith("no_browser")]
    names = " and ".join(f"`{one.check}`" for one in unseen)
    caps = ", ".join(f"that of `{cap.check}` at {cap.max_score}" for cap in report.caps if cap.category is None)
    hidden = noindex_report()
    hidden_cap = next(cap.max_score for cap in hidden.caps if cap.category is None)
    left = hidden.uncapped_score or 0.0
    effect = "changes nothing" if left <= hidden_cap else "lowers that"
    steps = [
        f"100 - {100 - uncapped:.1f} = {uncapped:.1f}. Caps that apply: {caps or 'none'}. The score is "
        f"**{report.score}**, which is **{report.result}**.",
        f"{names} could not be evaluated. That costs nothing, and {coverage:.1%} of the possible penalties were "
        f"evaluated, which is enough for a grade.".replace("%", " %"),
        f"If the page also says `noindex`, that costs {lost_by(hidden, 'noindex'):.1f} points more and leaves "
        f"{left:.1f}. The cap of {hidden_cap} {effect}, so the score is **{hidden.score}**. The score of SEO is "
        f"{hidden.categories['seo'].score}.",
    ]
    return "\n".join(_wrapped(f"- {step}", "  ") for step in steps)


def lost_by(report: Report, name: str) -> float:
    """Return the penalty of one check on a page."""
    return next(result.lost for result in report.results if result.check == name)


def _severities(catalogue: Catalogue) -> str:
    rows = []
    for severity in Severity:
        checks = [check for check in catalogue.checks.values() if check.severity is severity]
        rows.append([severity.label, str(severity.value), str(len(checks))])
    more = f"Ruleset {RULESET} has {len(catalogue.checks)} checks: {len(catalogue.scored)} can cost points."
    return _table(["severity", "points", "checks"], rows, (1, 2)) + "\n\n" + more


def _causes(catalogue: Catalogue) -> str:
    rows = [
        [cause.replace("-", " "), _name(checks[0].category), _ids([check.id for check in checks])]
        for cause, checks in catalogue.causes().items()
    ]
    return _table(["cause", "category", "checks that see it"], rows, ())


def _categories(catalogue: Catalogue) -> str:
    rows = [[_name(category), str(budget), str(len(catalogue.of(category)))] for category, budget in CATEGORIES.items()]
    return _table(["category", "takes at most", "checks that can cost points"], rows, (1, 2))


def _caps(catalogue: Catalogue) -> str:
    rows = []
    for check in sorted(catalogue.checks.values(), key=lambda check: check.id):
        for cap in catalogue.rules[check.id].caps:
            of_category = "" if cap.category_max_score is None else f"{_name(check.category)} {cap.category_max_score}"
            rows.append((cap.max_score, [f"`{check.id}`", _ids(cap.states), str(cap.max_score), of_category]))
    head = ["check", "in these states", "the score is at most", "and that of its category"]
    return _table(head, [row for _, row in sorted(rows)], (2,))


def _moving(catalogue: Catalogue) -> str:
    rows = [[f"`{name}`", f"{catalogue.rules[name].price:.1f}", why] for name, why in MOVING.items()]
    return _table(["check", "costs at most", "what moves it"], rows, (1,))


def _penalties(catalogue: Catalogue) -> str:
    parts = []
    for category, budget in CATEGORIES.items():
        rows = []
        for check in catalogue.of(category):
            rule = catalogue.rules[check.id]
            states = ", ".join(_state(state, rule) for state in check.states if rule.penalty_tenths(state.highest))
            caps = ", ".join(str(cap.max_score) for cap in rule.caps)
            rows.append([f"`{check.id}`", check.severity.label, states, caps])
        name = _name(category)
        table = _table(["check", "severity", "states and the points they cost", "cap"], rows, (3,))
        free = sorted(
            check.id
            for check in catalogue.checks.values()
            if check.category == category and check.severity is Severity.INFO
        )
        more = "\n\n" + _wrapped(f"Informative, so free: {_ids(free)}.") if free else ""
        parts.append(f"### {name[0].upper()}{name[1:]}: at most {budget} points\n\n{table}{more}")
    return "\n\n".join(parts)


def _state(state: State, rule: Rule) -> str:
    low, high = (f"{rule.penalty_tenths(loss) / 10:g}" for loss in (state.loss, state.highest))
    return f"`{state.name}` {low if low == high else f'{low} to {high}'}"


def _ids(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
