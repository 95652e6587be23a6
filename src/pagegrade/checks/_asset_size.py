"""Body of the checks that evaluate the size of all stylesheets or scripts of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import Verdict, meter_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome
from pagegrade.parse.assets import Asset, Assets

GOOD_BYTES: Final = 120_000
BAD_BYTES: Final = 500_000
SHOWN: Final = 10


def evaluate_asset_size(
    document: Document,
    assets: Assets,
    files: Sequence[Asset],
    kind: Literal["stylesheet", "script"],
    *,
    bad_decoded_bytes: int | None = None,
) -> Verdict:
    """Evaluate the size of files.

    Args:
        document: Names files that may not have been fetched.
        assets: Of the page.
        files: Those that count.
        kind: Of the files.
        bad_decoded_bytes: More than this after decompression costs everything; ``None``: more than ``BAD_BYTES``
            transferred do.
    """
    named = {found.url for found in document.references if found.kind == kind and not found.lazy}
    unseen = sum(url in assets.unseen for url in named)
    if not files and not unseen:
        return NotApplicable(f"No {kind} was fetched.")
    wire = sum(item.wire_bytes for item in files)
    decoded = sum(item.resource.decoded_bytes or 0 for item in files)
    too_large = wire > BAD_BYTES if bad_decoded_bytes is None else decoded > bad_decoded_bytes
    loss = 1.0 if too_large else 0.8 * meter_loss(wire, GOOD_BYTES, BAD_BYTES, steps=4)
    if loss == 0 and unseen:
        return NotRun("budget", f"{part(unseen, unseen + len(files), kind)} could not be fetched.")
    heaviest = sorted(files, key=lambda item: (-item.wire_bytes, item.url))[:SHOWN] if loss > 0 else []
    size = f"{wire:,} bytes"
    if bad_decoded_bytes is not None and decoded != wire:
        size = f"{wire:,} bytes, {decoded:,} bytes uncompressed"
    counted = amount(len(files), kind)
    return Outcome(
        "light" if loss == 0 else "heavy" if loss < 1 else "very_heavy",
        value=wire,
        evidence=tuple(
            Evidence(
                url=item.url, value=f"{item.wire_bytes:,} bytes", reason="" if item.first_party else "another site"
            )
            for item in heaviest
        ),
        total=len(files) if loss > 0 else 0,
        details=(
            Detail(code="wire_bytes", actual=wire, limit=GOOD_BYTES),
            Detail(code="decoded_bytes", actual=decoded, limit=bad_decoded_bytes),
            Detail(code="third_party_bytes", actual=sum(item.wire_bytes for item in files if not item.first_party)),
            Detail(code="files", actual=len(files)),
        ),
        loss=loss,
        message=f"{counted} transfers {size}." if len(files) == 1 else f"{counted} transfer {size}.",
    )
