"""Reports as tests need them: realistic, whole, one line each."""

from __future__ import annotations

import itertools
import random
import string
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from pagegrade.checks import all_checks
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence
from pagegrade.model.report import (
    CATEGORIES,
    AppliedCap,
    Category,
    CategoryScore,
    Counts,
    Failure,
    Ignored,
    LoadedFile,
    NotGathered,
    PageFacts,
    Preview,
    Redirect,
    Report,
    ResourceTotal,
    Result,
    RunFacts,
)
from pagegrade.parse.url import MAX_URL_CHARACTERS

URL = "https://example.com/pricing"
NOW = datetime(2026, 1, 5, 12, 34, 56, 789_000, tzinfo=UTC)


def make_result(check: str = "title-length", **more: Any) -> Result:
    """A failed check of high importance, with evidence."""
    defaults: dict[str, Any] = {
        "check": check,
        "title": check.replace("-", " ").capitalize(),
        "category": "seo",
        "outcome": "failed",
        "state": "too_long",
        "importance": "high",
        "price": 3.1,
        "lost": 3.1,
        "value": "Pricing and plans for every kind of team you could possibly think of | Example",
        "message": "The title has 79 characters; search results cut it near 60.",
        "why": "Search engines cut long titles, and readers choose by the first words.",
        "fix": "Shorten it to 60 characters and keep the topic first: `<title>Pricing | Example</title>`.",
        "errors": (Detail(code="too_long", actual=79, limit=60),),
        "evidence": (
            Evidence(selector="head > title", line=4, column=3, snippet="<title>Pricing and plans for every…</title>"),
        ),
        "evidence_total": 1,
        "name": more.get("title", check.replace("-", " ").capitalize()),
        "learn_more": f"https://github.com/pagegrade/pagegrade/blob/main/docs/reference/checks/{check}.md",
    }
    result = Result(**{**defaults, **more})
    return result if "evidence_total" in more else replace(result, evidence_total=len(result.evidence))


def make_passed(check: str = "language", **more: Any) -> Result:
    """A check that found nothing wrong."""
    defaults: dict[str, Any] = {
        "outcome": "passed",
        "state": "ok",
        "lost": 0.0,
        "price": 1.5,
        "value": "en",
        "message": "The page says its language.",
        "why": "",
        "fix": "",
        "errors": (),
        "evidence": (),
    }
    return make_result(check, **{**defaults, **more})


def make_images(count: int, total: int | None = None) -> tuple[Evidence, ...]:
    """Evidence for images without alternative text."""
    return tuple(
        Evidence(
            selector=f"main > figure:nth-of-type({number}) > img",
            line=100 + number,
            column=9,
            snippet=f'<img src="/img/team-{number}.webp" width="320" height="240">',
            url=f"https://example.com/img/team-{number}.webp",
            reason="The image has no alt attribute.",
        )
        for number in range(1, (total or count) + 1)
    )[:count]


def make_results() -> tuple[Result, ...]:
    """One of every outcome, every importance, a finding that is counted in another one, and a graded one."""
    return (
        make_result(),
        make_passed(),
        make_result(
            "meta-description",
            importance="medium",
            outcome="warning",
            state="short",
            price=1.9,
            lost=0.95,
            value="Plans.",
            message="The meta description has 6 characters.",
            fix="Write one or two sentences that say what the page offers.",
            evidence=(Evidence(selector="head > meta:nth-of-type(3)", line=6, snippet='<meta name="description">'),),
        ),
        make_passed("render-blocking", category="performance", title="Render-blocking resources", value=0),
        make_result(
            "compression",
            category="performance",
            importance="high",
            price=3.4,
            lost=1.7,
            outcome="warning",
            state="partly",
            value=3,
            message="3 text files are sent without compression, 182 kB that could be 41 kB.",
            why="Text shrinks to a third or less; every visitor pays for what is not compressed.",
            fix="Switch on Brotli or gzip for text types.\n\n```nginx\ngzip on;\ngzip_types text/css;\n```",
            evidence=(Evidence(url="https://example.com/app.css", header="Content-Encoding", value="91 kB"),),
        ),
        make_result(
            "https",
            category="security",
            title="HTTPS",
            price=4.0,
            lost=4.0,
            state="insecure",
            value="http",
            message="The page is served over plain HTTP.",
            why="Anyone on the way can read and change the page.",
            fix="Get a certificate and serve every page over HTTPS.",
            evidence=(),
        ),
        make_result(
            "hsts",
            category="security",
            title="Strict-Transport-Security",
            importance="medium",
            price=3.0,
            lost=0.0,
            cause="encryption",
            counted_in="https",
            outcome="failed",
            state="missing",
            message="The answer has no Strict-Transport-Security header.",
            evidence=(),
        ),
        make_result(
            "server-version",
            category="security",
            importance="low",
            price=0.5,
            lost=0.5,
            state="shown",
            value="nginx/1.18.0",
            message="The Server header names a version.",
            evidence=(Evidence(header="Server", snippet="Server: nginx/1.18.0"),),
        ),
        make_result(
            "image-alt",
            category="accessibility",
            title="Alternative text of images",
            importance="high",
            price=2.6,
            lost=2.6,
            state="missing",
            value=14,
            message="14 of 31 images have no alternative text.",
            evidence=make_images(5),
            evidence_total=14,
        ),
        make_passed(
            "frame-title",
            category="accessibility",
            outcome="not_applicable",
            state=None,
            value=None,
            message="",
            reason="no_frames: The page has no frames.",
        ),
        make_passed(
            "tls-version",
            category="technical",
            outcome="not_evaluated",
            state=None,
            value=None,
            message="",
            reason="timeout: The handshake was not answered in time.",
        ),
        make_passed(
            "url-depth",
            category="technical",
            outcome="informative",
            importance="informative",
            price=0.0,
            value=1,
            message="The path has 1 segment.",
        ),
    )


def make_ignored(**more: Any) -> Result:
    """A finding that an ignore rule covers."""
    reason = "The player is replaced in May."
    return make_result(
        "object-alt",
        category="accessibility",
        outcome="ignored",
        importance="low",
        price=1.0,
        lost=0.0,
        reason=f"ignored: {reason}",
        ignored=Ignored(
            outcome="failed",
            reason=reason,
            rules=(12,),
            author="Ann",
            expires_at="2027-05-01T00:00:00.000Z",
            points=1.0,
        ),
        **more,
    )


def make_counts(results: Iterable[Result]) -> Counts:
    """The counts that go with these results."""
    found = list(results)
    findings = [result.importance for result in found if result.passed is False]
    outcomes = [result.outcome for result in found]
    return Counts(
        passed=outcomes.count("passed"),
        high=findings.count("high"),
        medium=findings.count("medium"),
        low=findings.count("low"),
        informative=outcomes.count("informative"),
        not_applicable=outcomes.count("not_applicable"),
        not_evaluated=outcomes.count("not_evaluated"),
    )


def make_category(results: Iterable[Result], name: Category, **more: Any) -> CategoryScore:
    """The line of one category with the sum of its findings."""
    lost = round(sum(result.lost for result in results if result.category == name), 1)
    return CategoryScore(lost=lost, taken=min(lost, CATEGORIES[name]), budget=CATEGORIES[name], **more)


def make_report(*results: Result, **more: Any) -> Report:
    """A finished report; without results it has one of every kind."""
    shown = results or make_results()
    defaults: dict[str, Any] = {
        "url": URL,
        "final_url": URL + "/",
        "project": "example.com",
        "state": "completed",
        "result": "decent",
        "score": 79,
        "uncapped_score": round(100 - sum(result.lost for result in shown), 1),
        "coverage": 0.98,
        "caps": (AppliedCap(check="https", max_score=79), AppliedCap(check="https", max_score=49, category="security")),
        "counts": make_counts(shown),
        "categories": {
            "seo": make_category(shown, "seo", score=81, result="good", passed=20, failed=2),
            "performance": make_category(shown, "performance", score=66, result="decent", passed=11, failed=1),
            "security": make_category(shown, "security", score=49, result="bad", passed=9, failed=3),
            "accessibility": make_category(shown, "accessibility", score=83, result="good", passed=12, failed=1),
            "technical": make_category(shown, "technical", score=100, result="good", passed=8, failed=0),
            "content": make_category(shown, "content", score=92, result="good", passed=5, failed=0),
        },
        "results": shown,
        "page": PageFacts(
            http_status=200,
            redirects=(Redirect(url=URL, status=301, location="/pricing/", total_ms=38.2, http_version="HTTP/2"),),
            http_version="HTTP/2",
            address="93.184.215.14",
            bytes=48_211,
            transfer_bytes=11_873,
            requests=37,
            timing_ms={"dns": 3.1, "connect": 8.0, "tls": 14.2, "first_byte": 41.0, "download": 9.9},
            title="Pricing and plans for every kind of team you could possibly think of | Example",
            language="en",
            server="nginx/1.18.0",
            resources=(
                ResourceTotal(type="document", count=1, transfer_bytes=11_873),
                ResourceTotal(type="script", count=9, failed=1, transfer_bytes=182_440),
                ResourceTotal(type="image", count=27, transfer_bytes=640_000),
            ),
            headers=(("Content-Type", "text/html; charset=utf-8"), ("Set-Cookie", "id=…; Secure; HttpOnly")),
            preview=Preview(
                description="What each plan has, and what it costs.",
                site_name="Example",
                social_title="Pricing and plans",
                social_description="Plans for teams of every size.",
                image_url="https://example.com/share.png",
            ),
        ),
        "run": RunFacts(
            engine="0.1.0",
            duration_ms=1840.0,
            vantage="User-Agent: Pagegrade/0.1.0",
            not_gathered=(NotGathered(artifact="sitemaps", reason="timeout: The site did not answer in time."),),
            notes=("The page is drawn by scripts; what they add was not seen.",),
        ),
        "generated_at": NOW,
    }
    return Report(**{**defaults, **more})


def make_failed_report(code: str = "blocked", **more: Any) -> Report:
    """An analysis that ended without a verdict."""
    retryable, message = FAILURE_CODES[code]
    defaults: dict[str, Any] = {
        "state": "failed",
        "result": None,
        "score": None,
        "uncapped_score": None,
        "coverage": None,
        "caps": (),
        "counts": Counts(),
        "categories": {},
        "results": (),
        "page": None,
        "final_url": None,
        "error": Failure(
            code=code,
            message=message,
            reason="challenge_page" if code == "blocked" else None,
            http_status=403 if code == "blocked" else None,
            retryable=retryable,
        ),
    }
    return make_report(**{**defaults, **more})


def poisoned_report(payload: str) -> Report:
    """A report whose every field a page can reach holds ``payload``."""
    evidence = Evidence(
        selector=payload,
        line=1,
        column=1,
        snippet=payload,
        header=payload,
        url=payload,
        value=payload,
        reason=payload,
    )
    poisoned = [
        replace(
            result,
            title=payload,
            value=payload,
            message=payload,
            reason=payload,
            why=payload,
            fix=payload,
            errors=(Detail(code=payload, actual=payload, limit=payload),),
            evidence=(evidence,),
            evidence_total=3,
            learn_more=payload,
        )
        for result in make_results()
    ]
    report = make_report(*poisoned)
    if report.page is None:
        raise AssertionError("make_report gives page facts")
    page = replace(
        report.page,
        redirects=(Redirect(url=payload, status=301, location=payload, address=payload, http_version=payload),),
        http_version=payload,
        address=payload,
        title=payload,
        language=payload,
        server=payload,
        files=(LoadedFile(url=payload, type="script", initiator_url=payload, first_party=False, failure=payload),),
        headers=((payload, payload),),
        preview=Preview(
            description=payload,
            site_name=payload,
            social_title=payload,
            social_description=payload,
            image_url=payload,
        ),
    )
    run = replace(
        report.run, vantage=payload, not_gathered=(NotGathered(artifact=payload, reason=payload),), notes=(payload,)
    )
    return replace(report, url=payload, final_url=payload, project=payload, page=page, run=run)


def make_hostile_report(entries: int = MAX_EVIDENCE) -> Report:
    """A completed report at all its limits: every check fails, everywhere, and everything holds values of the address.

    Ten redirects have as many query values as fit into their addresses, and all texts nearly hold them.

    Args:
        entries: Of evidence of each check.
    """
    chance = random.Random(12)  # noqa: S311 - the same report every time

    def word(length: int) -> str:
        return "".join(chance.choices(string.ascii_letters + string.digits, k=length))

    def address(number: int) -> str:
        pairs = "&".join(f"{word(3)}={word(6)}" for _ in range(200))
        return f"https://example.com/{number}?{pairs}"[:MAX_URL_CHARACTERS]

    addresses = [address(number) for number in range(11)]
    values = [pair.partition("=")[2] for url in addresses for pair in url.partition("?")[2].split("&")]
    texts = ["&".join(value[:5] for value in chance.choices(values, k=400)) for _ in range(40)]

    def text(length: int) -> str:
        return chance.choice(texts)[:length]

    def entry() -> Evidence:
        return Evidence(
            selector=f"body > {text(500)}",
            line=9,
            column=9,
            snippet=f'<a href="{text(180)}">',
            header="Link",
            url=f"https://example.com/?{text(2_000)}",
            value=text(200),
            reason=text(200),
        )

    results = tuple(
        make_result(
            check.id,
            category=check.category,
            title=check.title,
            value=text(500),
            message=text(500),
            errors=tuple(Detail(code=f"c{number}_bytes", actual=text(400), limit=number) for number in range(50)),
            evidence=tuple(entry() for _ in range(entries)),
            evidence_total=100_000,
        )
        for check in all_checks().values()
    )
    plain = make_report()
    if plain.page is None:
        raise AssertionError("a completed report has a page")
    hops = tuple(
        Redirect(url=url, status=301, location=after, address="192.0.2.1", total_ms=1.5, http_version="1.1")
        for url, after in itertools.pairwise(addresses)
    )
    page = replace(
        plain.page,
        redirects=hops,
        title=text(512),
        server=text(200),
        headers=tuple((text(80), text(400)) for _ in range(60)),
        preview=Preview(
            description=text(400),
            site_name=text(80),
            social_title=text(200),
            social_description=text(400),
            image_url=f"https://example.com/?{text(480)}",
        ),
    )
    return replace(plain, url=addresses[0], final_url=addresses[-1], results=results, page=page)
