"""Use cases of pictures: of the page of a report and for previews of it, under the privacy of the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import StoredReport
from pagegrade.parse.files.image import shown_type
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.run_history import load_picture

MAX_NAME: Final = 16
"""Characters of the name of a picture."""


class ShownPicture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of the run that a report shows."""

    tag: str
    """Differs for every picture that there ever is."""
    media_type: str
    """By its bytes, one of ``SHOWN_TYPES``: what a site declared is never repeated."""
    body: bytes | None
    """``None``: the client has it."""


def find_picture(tx: Transaction, report: StoredReport, name: str, *, is_known: Callable[[str], bool]) -> ShownPicture:
    """Return a picture of a report that was found in this transaction, for a reader who may see it.

    Args:
        tx: Any transaction.
        report: The one that was found.
        name: As in the address, however long or strange.
        is_known: Whether the client has the picture with this tag already.

    Raises:
        NotFound: The run that the report shows has no such picture.
    """
    number = report.run_number
    if number is None or not 0 < len(name) <= MAX_NAME or not name.isascii() or "\0" in name:
        raise NotFound
    body = load_picture(tx, report.id, number, name)
    media_type = None if body is None else shown_type(body)
    if media_type is None:
        raise NotFound
    # The slug and not the id: others are not to know how many reports there are.
    tag = f"{report.slug} {number} {name}"
    return ShownPicture(tag=tag, media_type=media_type, body=None if is_known(tag) else body)


def show_picture(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    name: str,
    is_known: Callable[[str], bool],
) -> ShownPicture:
    """Return a picture of a report of the caller.

    Raises:
        NotFound: There is no such report, or the run that it shows has no such picture.
    """
    return find_picture(tx, find_report(tx, caller, report_id, options, now_ms), name, is_known=is_known)
