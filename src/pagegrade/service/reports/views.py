"""Views of a report: the report, its runs, the comparison of two, and its pictures, for its owner or for others.

Others see no query values of the page's address (``report.masking``). Reading is one transaction; making something
of what was read needs no database, takes some milliseconds, and can be done elsewhere. Pictures are those of the page
and of previews of it, under the privacy of the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Brand, Caller
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.identity import VERSION
from pagegrade.model.monitors import Crossing
from pagegrade.model.report import ManualResult, Report
from pagegrade.model.stored import UNFINISHED, StoredReport, StoredRun
from pagegrade.parse.files.image import shown_type
from pagegrade.report.codec import restore_report
from pagegrade.report.compare import Comparison, compare_reports
from pagegrade.report.fingerprint import page_fingerprint
from pagegrade.report.masking import mask_report, mask_reports
from pagegrade.service.id_lists import Listed
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.length import count_ahead, usual_duration_ms
from pagegrade.store.repositories import run_history as store
from pagegrade.store.repositories.accounts import load_brand
from pagegrade.store.repositories.decisions import load_results
from pagegrade.store.repositories.monitors import list_crossings
from pagegrade.store.repositories.run_history import load_detail, load_picture, load_run


class Two(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of a report, and the reports that they made."""

    before: StoredRun
    after: StoredRun
    older: Report
    newer: Report


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs that a reader chose to compare."""

    before: int | None = None
    """Number of the older run; ``None``: the last one before that compares with the newer."""
    after: int | None = None
    """Number of the newer run; ``None``: the last one that succeeded."""
    errors: Mapping[str, str]
    """``from`` or ``to`` -> code of what is wrong with it."""


class RunResults(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its results."""

    run: StoredRun
    detail: bytes | None
    """JSON object with ``results`` and ``page``; ``None``: there are none."""


class ComparedRuns(msgspec.Struct, frozen=True, kw_only=True):
    """Changes between two runs of a report."""

    report_id: int
    before: int
    """Number of the older run."""
    after: int
    """Number of the newer run."""
    comparison: Comparison


def list_runs(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    page: int = 1,
    per_page: int = 10,
) -> Listed[StoredRun]:
    """A page of the runs of a report, newest first.

    Raises:
        NotFound: There is no such report.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    found, total = store.list_runs(tx, report.id, page, per_page)
    return Listed(items=found, total=total)


def show_run(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, number: int
) -> RunResults:
    """A run of a report with its results.

    Raises:
        NotFound: There is no such report, or it has no such run.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    run = store.load_run(tx, report.id, number)
    if run is None:
        raise NotFound
    return RunResults(run=run, detail=store.load_detail(tx, report.id, number))


def compare_runs(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    before: int | None = None,
    after: int | None = None,
) -> ComparedRuns:
    """Compare two runs of a report.

    Args:
        before: Number of the older run; ``None``: the last one before that compares with the newer, or where there is
            none, the last one that succeeded.
        after: Number of the newer run; ``None``: the last one that succeeded.

    Raises:
        NotFound: There is no such report.
        ValidationFailed: A run is not there, did not succeed, or there are no two.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    two = find_two(tx, report, before=before, after=after)
    return ComparedRuns(
        report_id=report.id,
        before=two.before.number,
        after=two.after.number,
        comparison=compare_reports(two.older, two.newer),
    )


def find_two(tx: Transaction, report: StoredReport, *, before: int | None = None, after: int | None = None) -> Two:
    """Two runs of a report that can be compared.

    Args:
        report: One that its reader may see.
        before: Number of the older run; ``None``: the last one before that compares with the newer, or where there is
            none, the last one that succeeded.
        after: Number of the newer run; ``None``: the last one that succeeded.

    Raises:
        ValidationFailed: A run is not there, did not succeed, or there are no two.
    """
    newer = store.latest_completed(tx, report.id) if after is None else store.load_run(tx, report.id, after)
    if newer is None and after is None:
        raise _unusable("to", "no_run", "No analysis of this report has succeeded yet.")
    new, newer = _report_of(tx, report, newer, "to", after)
    older = (
        store.latest_comparable(tx, newer) or store.latest_completed(tx, report.id, before=newer.number)
        if before is None
        else store.load_run(tx, report.id, before)
    )
    if older is None and before is None:
        raise _unusable("from", "no_run", "No earlier analysis of this report has succeeded.")
    old, older = _report_of(tx, report, older, "from", before)
    return Two(before=older, after=newer, older=old, newer=new)


def report_of_run(report: StoredReport, run: StoredRun, detail: bytes | None) -> Report:
    """The report as a finished run made it.

    Args:
        run: Completed or failed.
        detail: JSON of ``results`` and ``page`` of that run; ``None`` when none is kept.
    """
    return restore_report(
        url=report.url,
        project=report.project,
        state=run.state,
        rating=run.rating,
        score=run.score,
        summary=run.summary,
        detail=detail,
        error=run.error,
        engine=run.engine or VERSION,
        generated_at_ms=run.created_at_ms if run.finished_at_ms is None else run.finished_at_ms,
    )


def _report_of(
    tx: Transaction, report: StoredReport, run: StoredRun | None, field: str, number: int | None
) -> tuple[Report, StoredRun]:
    """The report as that run made it, and the run, which is there."""
    if run is None:
        raise _unusable(field, "unknown_run", f"The report has no run {number}.")
    detail = store.load_detail(tx, report.id, run.number)
    if run.state != "completed" or detail is None:
        raise _unusable(field, "not_comparable", f"Run {run.number} has no results to compare.")
    return report_of_run(report, run, detail), run


def _unusable(field: str, code: str, message: str) -> ValidationFailed:
    return ValidationFailed([Violation(field=field, place="query", code=code, message=message)])


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


MAX_RUNS: Final = 100
"""So many runs of a report's history are shown, the newest ones."""


class Viewed(msgspec.Struct, frozen=True, kw_only=True):
    """A report as one reader may see it."""

    report: StoredReport
    masked: bool
    """The reader is not its owner, or wants to see what others see."""
    runs: tuple[StoredRun, ...]
    """Newest first, at most ``MAX_RUNS``."""
    total_runs: int
    run: StoredRun | None = None
    """The run that was asked for by its number, finished; ``None``: the report as it stands."""
    detail: bytes | None = None
    """JSON of ``results`` and ``page`` of what is shown."""
    crossings: tuple[Crossing, ...] = ()
    """Of its monitors, at these runs; for its owner."""
    manual: tuple[ManualResult, ...] = ()
    """Results that persons recorded of success criteria; for its owner."""
    brand: Brand = Brand()
    """Look that its account chose."""

    @property
    def has_results(self) -> bool:
        """Return whether some analysis has succeeded: its results are shown whatever came after it."""
        return self.report.generated_at_ms is not None

    @property
    def shown_number(self) -> int | None:
        """The run whose outcome is shown; ``None`` while there is none."""
        if self.run is not None:
            return self.run.number
        if self.report.run_number is not None:
            return self.report.run_number
        return next((run.number for run in self.runs if run.state not in UNFINISHED), None)


def view_own(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, number: int | None = None
) -> Viewed:
    """A report of the caller.

    Args:
        number: Of the run to show; ``None``: the report as it stands.

    Raises:
        NotFound: There is no such report, or it has no finished run of that number.
    """
    viewed = view_found(tx, find_report(tx, caller, report_id, options, now_ms), masked=False, number=number)
    return _for_owner(tx, viewed)


def view_each(
    tx: Transaction, caller: Caller, ids: Sequence[int], options: ServiceOptions, now_ms: int
) -> tuple[Viewed, ...]:
    """Return reports of the caller with all that their pages show; raises ``NotFound`` as ``view_own``."""
    return tuple(view_own(tx, caller, report_id, options, now_ms) for report_id in ids)


def view_unless(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    is_known: Callable[[StoredReport], bool],
) -> StoredReport | Viewed:
    """A report of the caller; only its row where the client has this state of it already.

    Raises:
        NotFound: There is no such report.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    return report if is_known(report) else _for_owner(tx, view_found(tx, report, masked=False))


def view_found(tx: Transaction, report: StoredReport, *, masked: bool, number: int | None = None) -> Viewed:
    """Return a report that was found in this transaction, for a reader who may see it.

    Args:
        masked: Whether the values in its address are not for the reader.
        number: Of the run to show; ``None``: the report as it stands.

    Raises:
        NotFound: It has no finished run of that number.
    """
    runs, total = store.list_runs(tx, report.id, 1, MAX_RUNS)
    run = None
    shown = report.run_number
    if number is not None:
        run = load_run(tx, report.id, number)
        if run is None or run.state in UNFINISHED:
            raise NotFound
        shown = number
    detail = None if shown is None else load_detail(tx, report.id, shown)
    brand = load_brand(tx, report.account_id)
    return Viewed(report=report, masked=masked, runs=runs, total_runs=total, run=run, detail=detail, brand=brand)


def _for_owner(tx: Transaction, viewed: Viewed) -> Viewed:
    if not viewed.runs:
        return viewed
    crossings = list_crossings(tx, viewed.report.id, from_run=viewed.runs[-1].number)
    return replace(viewed, crossings=crossings, manual=load_results(tx, viewed.report.id))


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """A report and two of its runs, or what is wrong with the choice of them."""

    viewed: Viewed
    two: Two | None
    choice: Choice
    """Names the two runs where they were found."""


def compare_own(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, choice: Choice
) -> Compared:
    """Read two runs of a report of the caller.

    Raises:
        NotFound: There is no such report.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    return compare_found(tx, report, choice=choice, masked=False)


def compare_found(tx: Transaction, report: StoredReport, *, choice: Choice, masked: bool) -> Compared:
    """Read two runs of a report that was found in this transaction; arguments as for ``view_found``."""
    viewed = view_found(tx, report, masked=masked)
    if choice.errors:
        return Compared(viewed=viewed, two=None, choice=choice)
    try:
        two = find_two(tx, report, before=choice.before, after=choice.after)
    except ValidationFailed as failed:
        errors = {violation.field: violation.code for violation in failed.violations}
        return Compared(viewed=viewed, two=None, choice=replace(choice, errors=errors))
    found = Choice(before=two.before.number, after=two.after.number, errors={})
    return Compared(viewed=viewed, two=two, choice=found)


def shown_report(viewed: Viewed) -> Report | None:
    """Return the run to show: the requested one, else the last good results, else the failure.

    Returns:
        ``None`` while the first analysis is under way.
    """
    stored = viewed.report
    if viewed.run is not None:
        made = report_of_run(stored, viewed.run, viewed.detail)
    elif not viewed.has_results and stored.state in UNFINISHED:
        return None
    else:
        made = restore_report(
            url=stored.url,
            project=stored.project,
            state="completed" if viewed.has_results else stored.state,
            rating=stored.rating,
            score=stored.score,
            summary=stored.summary,
            detail=viewed.detail,
            error=None if viewed.has_results else stored.error,
            engine=VERSION,
            generated_at_ms=stored.updated_at_ms if stored.generated_at_ms is None else stored.generated_at_ms,
        )
    return mask_report(made) if viewed.masked else _with_manual(made, viewed.manual)


def _with_manual(report: Report, manual: tuple[ManualResult, ...]) -> Report:
    """Return a report with what persons recorded, marked where it is of another state of the page."""
    if not manual:
        return report
    known = page_fingerprint(report)
    return replace(report, manual=tuple(replace(each, is_stale=each.page_sha256 != known) for each in manual))


def compare_two(two: Two, *, masked: bool) -> Comparison:
    """Compare two runs, without the URL's query values if the reader may not see them."""
    older, newer = mask_reports((two.older, two.newer)) if masked else (two.older, two.newer)
    return compare_reports(older, newer)


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """Place and usual time of an analysis under way."""

    ahead: int
    """Analyses of the same account that start before; 0 once it runs."""
    usual_ms: int | None
    """Median time of the account's newest results; ``None`` while it has none."""


def find_wait(tx: Transaction, caller: Caller, viewed: Viewed) -> Wait | None:
    """Return what is known about the newest run of a report of the caller; ``None`` if none is under way."""
    newest = viewed.runs[0] if viewed.runs else None
    if newest is None or newest.state not in UNFINISHED:
        return None
    ahead = count_ahead(tx, newest.id) if newest.state == "queued" else 0
    return Wait(ahead=ahead, usual_ms=usual_duration_ms(tx, caller.account.id))
