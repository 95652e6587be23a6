"""Body of the checks for scripts and style sheets of which the browser used only a part."""

from __future__ import annotations

from typing import Literal

from pagegrade.checks._check import Verdict, meter_loss
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Saving
from pagegrade.model.rendering import Coverage, RenderedRequest, Rendering

SHOWN = 20


def wasted_bytes(file: Coverage, request: RenderedRequest | None) -> int:
    """Return the weight of the unused part of a file on the wire: its share of the file as it was transferred."""
    if file.inline or request is None or request.wire_bytes is None or not file.total_bytes:
        return file.unused_bytes
    return min(file.unused_bytes, round(request.wire_bytes * file.unused_bytes / file.total_bytes))


def evaluate_unused(
    rendering: Rendering,
    kind: Literal["script", "stylesheet"],
    *,
    ignored_bytes: int,
    good_bytes: int,
    bad_bytes: int,
    states: tuple[str, str],
) -> Verdict:
    """Evaluate how many bytes of one kind were transferred and not used.

    Args:
        rendering: With the use of its files.
        kind: Of the files.
        ignored_bytes: Unused bytes of one file that are not worth a change.
        good_bytes: Sum up to which nothing is lost.
        bad_bytes: Sum from which everything is lost.
        states: Without and with a finding, the second graded.
    """
    if rendering.coverage is None:
        return NotRun("not_measured", "The browser did not record which parts of the files were used.")
    transferred = {request.url: request for request in rendering.requests}

    files = sorted(
        (
            (wasted_bytes(one, transferred.get(one.url)), one)
            for one in rendering.coverage
            if one.kind == kind and not one.inline
        ),
        key=lambda pair: (-pair[0], pair[1].url),
    )
    found = [(size, one) for size, one in files if size > ignored_bytes]
    total = sum(size for size, _ in found)
    loss = meter_loss(total, good_bytes, bad_bytes, steps=4)
    if loss == 0:
        return Outcome(states[0], value=total, details=(Detail(code="unused_bytes", actual=total, limit=good_bytes),))
    return Outcome(
        states[1],
        value=total,
        evidence=tuple(
            Evidence(
                url=one.url,
                value=f"{size:,} bytes unused",
                reason=f"{one.unused_bytes / one.total_bytes:.0%} of the file",
            )
            for size, one in found[:SHOWN]
        ),
        total=len(found),
        details=(Detail(code="unused_bytes", actual=total, limit=good_bytes),),
        loss=max(0.2, loss),
        saving=Saving(total, "bytes"),
    )
