from datetime import datetime
from typing import Final, Literal

from msgspec.structs import replace

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import Artifacts, Resource, Resources
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.http.caching import CachePolicy, read_cache_policy

LONG_S: Final = 30 * 24 * 3600
GOOD_BYTES: Final = 28_000
BAD_BYTES: Final = 585_000
"""Lighthouse gives 90 of 100 for the smaller amount, 50 for 128,000 bytes and 10 for this one."""
STATIC_KINDS: Final = frozenset({"image", "script", "stylesheet", "font", "preload", "media"})
"""Icons have a check of their own that asks for a lifetime, and a manifest may change without a new name."""


@check(
    id="cache-headers",
    title="Cache lifetimes of static files",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("long", "Static files may be cached for a long time."),
        State(
            "short",
            "Static files may be cached for a short time only.",
            loss=0.1,
            loss_max=0.25,
            title="Extend the cache lifetime of static files",
            why="Returning visitors download the files again although they have not changed.",
            fix=(
                "Let files whose name changes with their content be cached for a year:\n\n"
                "```\n"
                "Cache-Control: public, max-age=31536000, immutable\n"
                "```"
            ),
        ),
        State(
            "uncached",
            "Static files have no cache lifetime.",
            loss=0.25,
            loss_max=1.0,
            title="Set a cache lifetime for static files",
            why=(
                "Browsers guess how long they may reuse such a file. Returning visitors often download or "
                "revalidate files that have not changed."
            ),
            fix=(
                "Send a `Cache-Control` header with images, scripts, stylesheets and fonts:\n\n"
                "```\n"
                "Cache-Control: public, max-age=31536000, immutable\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9111#section-4.2",
        "https://www.rfc-editor.org/rfc/rfc8246",
        "https://developer.chrome.com/docs/performance/insights/cache",
    ),
)
def cache_headers(resources: Resources, artifacts: Artifacts) -> Verdict:
    """A file that the browser may cache is not downloaded again on the next page.

    ## What it checks

    Images, scripts, styles, fonts and media that came from the site's own domain; no one can repair those of other
    sites, and icons are evaluated by `favicon`. A lifetime of 30 days or more, by `max-age` or `Expires`, or any with
    the word `immutable`, is fine. Files with a shorter lifetime cost a tenth to a quarter, and so do those whose
    lifetime was already used up in a cache on the way. Files without any stated lifetime, or with one that cannot be
    read and neither `ETag` nor `Last-Modified` to revalidate with, cost a quarter to all. How much depends on the bytes
    of these files, in five steps from 28,000 to 585,000, for which Lighthouse gives 90 and 10 of 100.

    Left out are files whose headers decide against keeping them: `no-store`, `no-cache` (also as `Pragma` alone), a
    lifetime of 0 or in the past, and `private` or `must-revalidate` without a lifetime. With a lifetime these two words
    do not excuse a short one. Neither the word `immutable` nor a hash in the name is required: a URL may stay as long
    as its file does, and whether it does cannot be seen.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/shop.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/shop.js", "status": 200, "wire_bytes": 90000}
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/shop.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/shop.js",
            "status": 200,
            "wire_bytes": 90000,
            "headers": [["Cache-Control", "public, max-age=31536000, immutable"]]
          }
        }
      ]
    }
    ```
    """
    evaluated = 0
    offenders: list[tuple[bool, int, str, Evidence]] = []
    wasted = {"short": 0, "uncached": 0}
    for item in resources.items:
        found = _evaluate(item, artifacts.gathered_at)
        if found is None:
            continue
        evaluated += 1
        verdict, reason, size = found
        if verdict == "long":
            continue
        wasted[verdict] += size
        evidence = Evidence(url=item.url, header="Cache-Control", value=f"{size:,} bytes", reason=reason)
        offenders.append((verdict == "short", -size, item.url, evidence))
    if not evaluated:
        return NotApplicable("No cacheable static file of the site was fetched.")
    if not offenders:
        return Outcome("long", value=amount(evaluated, "file"))
    offenders.sort(key=lambda offender: offender[:3])
    uncached = sum(not short for short, *_ in offenders)
    loss = 0.1 + 0.15 * meter_loss(wasted["short"], GOOD_BYTES, BAD_BYTES)
    if uncached:
        loss = 0.25 + 0.75 * meter_loss(wasted["uncached"], GOOD_BYTES, BAD_BYTES)
    return Outcome(
        "uncached" if uncached else "short",
        value=part(len(offenders), evaluated, "file"),
        evidence=tuple(
            replace(evidence, state="short") if uncached and is_short else evidence
            for is_short, _, _, evidence in offenders[:MAX_EVIDENCE]
        ),
        total=len(offenders),
        details=(
            Detail(code="uncached_files", actual=uncached, limit=0),
            Detail(code="uncached_bytes", actual=wasted["uncached"], limit=GOOD_BYTES),
            Detail(code="short_lived_files", actual=len(offenders) - uncached, limit=0),
            Detail(code="short_lived_bytes", actual=wasted["short"], limit=GOOD_BYTES),
        ),
        loss=loss,
        message=_message(uncached, len(offenders) - uncached),
    )


def _message(uncached: int, short: int) -> str:
    """Count the files without a lifetime and those with a short one; at least one number is not 0."""
    if not uncached:
        return f"{amount(short, 'static file')} may be cached for a short time only."
    lack = "1 static file has no cache lifetime"
    if uncached > 1:
        lack = f"{uncached:,} static files have no cache lifetime"
    return f"{lack}, and {short:,} more may be cached for a short time only." if short else f"{lack}."


def _evaluate(item: Resource, received_at: datetime) -> tuple[Literal["long", "short", "uncached"], str, int] | None:
    """(verdict, reason, bytes) of a file; ``None`` for one that is not evaluated."""
    response = item.response
    if not item.first_party or response is None or response.status != 200 or STATIC_KINDS.isdisjoint(item.kinds):
        return None
    if "html" in (response.header("content-type") or "").lower():
        return None
    policy = read_cache_policy(response, received_at=received_at)
    if _is_deliberate(policy):
        return None
    verdict, reason = _verdict(policy)
    return verdict, reason, response.wire_bytes or 0


def _is_deliberate(policy: CachePolicy) -> bool:
    if policy.no_store or policy.no_cache or policy.stale_by_intent:
        return True
    return policy.lifetime_s is None and (policy.must_revalidate or policy.private)


def _verdict(policy: CachePolicy) -> tuple[Literal["long", "short", "uncached"], str]:
    lifetime = policy.lifetime_s
    if policy.immutable and lifetime:
        return "long", ""
    if lifetime is None:
        return "uncached", "no lifetime is stated"
    if lifetime == 0:
        if policy.has_validator:
            return "short", f"{policy.source} cannot be read; the file has to be asked for again each time"
        return "uncached", f"{policy.source} cannot be read, and there is no ETag or Last-Modified"
    if policy.stale_on_arrival:
        return "short", f"its {_duration(lifetime)} were over on arrival (Age: {policy.age_s})"
    if lifetime >= LONG_S:
        return "long", ""
    return "short", f"{policy.source} gives {_duration(lifetime)}"


def _duration(seconds: int) -> str:
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds // unit} {name}"
    return f"{seconds} seconds"
