"""Body of the checks that look for white space and comments in stylesheets and scripts."""

from __future__ import annotations

from typing import Final, Literal

from pagegrade.checks._amounts import amount, part, rounded
from pagegrade.checks._check import Verdict, meter_loss
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Saving
from pagegrade.parse.assets import Assets

MIN_SAVING_BYTES: Final = 2_048
BAD_BYTES: Final = 60_000


def evaluate_minification(assets: Assets, kind: Literal["stylesheet", "script"], *, min_share: float) -> Verdict:
    """Evaluate how much smaller the site's files of one kind could be.

    Args:
        assets: Of the page.
        kind: Files to evaluate.
        min_share: A file counts if more than this share of it could be saved.
    """
    evaluated = 0
    offenders: list[tuple[int, int, str]] = []
    for item in assets.of(kind):
        decoded, minified = item.resource.decoded_bytes, item.resource.minified_bytes
        if not item.first_party or not decoded or minified is None:
            continue
        evaluated += 1
        share = 1 - minified / decoded
        saving = round(item.wire_bytes * share)
        if share > min_share and saving > MIN_SAVING_BYTES:
            offenders.append((saving, round(100 * share), item.url))
    if not evaluated:
        return NotApplicable(f"No {kind} of the site was read.")
    if not offenders:
        return Outcome("minified", value=amount(evaluated, kind))
    offenders.sort(key=lambda entry: (-entry[0], entry[2]))
    wasted = sum(saving for saving, *_ in offenders)
    return Outcome(
        "unminified",
        value=part(len(offenders), evaluated, kind),
        evidence=tuple(
            Evidence(url=url, value=f"about {rounded(saving)} bytes", reason=f"{share}% is white space and comments")
            for saving, share, url in offenders[:MAX_EVIDENCE]
        ),
        total=len(offenders),
        details=(Detail(code="wasted_bytes", actual=wasted, limit=MIN_SAVING_BYTES),),
        loss=meter_loss(wasted, 0, BAD_BYTES),
        saving=Saving(wasted, "bytes"),
        message=f"Not minified: {part(len(offenders), evaluated, kind)}.",
    )
