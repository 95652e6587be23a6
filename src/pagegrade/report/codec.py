"""A finished report in the pieces it is stored in: what lists need, what they do not, and back to one object.

Sizes, median of twenty news and reference pages: 1.4 kB of summary and 61 kB of detail, which zstd takes to 14.5 kB.
"""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import is_
from typing import Any, Final, get_args

import msgspec

from pagegrade.model.errors import InvalidInput
from pagegrade.model.rendering import Device
from pagegrade.model.report import Report
from pagegrade.model.stored import GRADES, RATINGS, PackedReport
from pagegrade.report.sanitize import bound_results, encode_storable
from pagegrade.report.serialize import (
    report_from_dict,
    report_members,
    results_from_dict,
    timestamp,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SUMMARY: Final = (
    *("version", "final_url", "uncapped_score", "coverage", "withheld", "analysis", "ignored", "caps", "counts"),
    *("categories", "run"),
)
"""Members of a report that every list shows."""
DETAIL: Final = ("results", "page", "rendered")
"""Members that only the report itself shows."""
LEVEL: Final = 6
"""Of zstd. Over level 3 it saves 7 % of the bytes for 0.4 ms of CPU a run; level 9 would save 2 % more for 0.3 ms."""
MAX_DETAIL_BYTES: Final = 32 << 20
"""Unpacked; more than any report has, less than a bomb."""
SURELY_BOUNDED_BYTES: Final = 200_000
"""Unpacked; so small a detail is cheap to show whatever is in it."""
MAX_SCORE: Final = 100
_PIECE_BYTES: Final = 16_384
_RENDERED: Final = b',"rendered":'
_NOT_RENDERED: Final = b',"rendered":null}'
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_encode: Final[Callable[[Any], bytes]] = msgspec.json.Encoder().encode


class Summary(msgspec.Struct):
    """The members of ``PackedReport.summary``, each as the JSON it is."""

    version: msgspec.Raw
    final_url: msgspec.Raw
    uncapped_score: msgspec.Raw
    coverage: msgspec.Raw
    caps: msgspec.Raw
    counts: msgspec.Raw
    categories: msgspec.Raw
    run: msgspec.Raw
    withheld: msgspec.Raw = msgspec.Raw(b"null")
    """Reports of ruleset 2026.1 do not have it."""
    analysis: msgspec.Raw = msgspec.Raw(b'{"engine":"static","device":null}')
    """Reports from before there was a rendered engine do not have it."""
    ignored: msgspec.Raw = msgspec.Raw(b"null")
    """Reports from before there were ignore rules do not have it."""


class Detail(msgspec.Struct):
    """The members of the unpacked ``PackedReport.detail``, each as the JSON it is."""

    results: msgspec.Raw
    page: msgspec.Raw
    rendered: msgspec.Raw = msgspec.Raw(b"null")
    """Reports from before there was a rendered engine do not have it."""


_read_summary: Final = msgspec.json.Decoder(Summary).decode
_read_detail: Final = msgspec.json.Decoder(Detail).decode
_read_raw: Final = msgspec.json.Decoder(msgspec.Raw).decode


def pack_report(report: Report) -> PackedReport:
    """The report as it is stored.

    An analysis that failed has no counts and no results, only what was seen of the page.
    """
    members = report_members(report)
    members["run"] = msgspec.to_builtins(report.run)
    del members["run"]["number"]
    if report.state == "failed":
        members["counts"] = members["results"] = None
    return PackedReport(
        state=report.state,
        rating=None if report.result is None else RATINGS[report.result],
        score=report.score,
        engine=report.run.engine,
        ruleset=report.run.ruleset,
        summary=encode_storable({name: members[name] for name in SUMMARY}),
        detail=pack_detail(encode_storable({name: members[name] for name in DETAIL})),
        error=None if report.error is None else encode_storable(members["error"]),
        generated_at_ms=_milliseconds(report.generated_at),
        device=report.basis.device,
    )


def pack_detail(plain: bytes) -> bytes:
    """``PackedReport.detail`` of the JSON it stands for; the frame says how large that is."""
    return zstd.compress(plain, LEVEL)


@lru_cache(maxsize=16)
def shown_detail(packed: bytes) -> bytes:
    """The JSON object with the members of ``DETAIL`` as shown: within the bounds of ``pagegrade.report.sanitize``.

    Reports from before there were bounds are as cheap to show as any other, and details from before there was a
    rendered engine get the member that they lack. The last few are kept: a new report is usually requested several
    times in a row.

    Raises:
        InvalidInput: The bytes are damaged, cut off, or unpack to more than 32 MiB; or the results are none.
    """
    plain = unpack_detail(packed)
    if _RENDERED not in plain:  # inside of a string its quotes would be escaped
        plain = plain[:-1] + _NOT_RENDERED
    if len(plain) <= SURELY_BOUNDED_BYTES:
        return plain
    members = msgspec.json.decode(plain)
    whole = results_from_dict(members["results"] or {})
    bounded = bound_results(whole)
    if all(map(is_, whole, bounded)):
        return plain
    for result in bounded:
        members["results"][result.check] |= {
            "errors": result.errors,
            "evidence": result.evidence,
        }
    return _encode(members)


def unpack_detail(packed: bytes) -> bytes:
    """The JSON object with ``results`` and ``page`` behind ``PackedReport.detail``, as it was stored.

    Raises:
        InvalidInput: The bytes are damaged, cut off, or unpack to more than 32 MiB.
    """
    unpacker = zstd.ZstdDecompressor()
    try:
        plain = unpacker.decompress(packed, MAX_DETAIL_BYTES)
    except zstd.ZstdError:
        raise InvalidInput("The stored results are damaged.") from None
    if not unpacker.eof:
        raise InvalidInput("The stored results are cut off or too large.")
    return plain


def unpack_page(packed: bytes) -> bytes:
    """As ``unpack_detail``, with no results, which are most of a report and most of the time that it takes to restore.

    Raises:
        InvalidInput: As ``unpack_detail``; or it is not one JSON object with the members of ``DETAIL``.
    """
    detail = read_detail(unpack_detail(packed))
    return b'{"results":{},"page":%b,"rendered":%b}' % (bytes(detail.page), bytes(detail.rendered))


def unpacked_bytes(packed: bytes) -> int:
    """Return the unpacked size of ``PackedReport.detail`` from its frame header; 0 if the header omits it."""
    try:
        return zstd.get_frame_info(packed).decompressed_size or 0
    except zstd.ZstdError:
        return 0


def read_summary(summary: bytes) -> Summary:
    """The members of a stored summary.

    Raises:
        InvalidInput: It is not one JSON object with those members.
    """
    try:
        return _read_summary(summary)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidInput("The stored summary cannot be read.") from None


def read_detail(plain: bytes) -> Detail:
    """The members of an unpacked detail.

    Raises:
        InvalidInput: It is not one JSON object with those members.
    """
    try:
        return _read_detail(plain)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidInput("The stored results cannot be read.") from None


def detail_members(plain: bytes) -> memoryview:
    """``"results":…,"page":…,"rendered":…`` of ``shown_detail``, for another object.

    Neither parsed nor copied: that would cost more than everything else about showing a report.
    """
    return memoryview(plain)[1:-1]


def restore_report(
    *,
    url: str,
    project: str,
    state: str,
    rating: int | None,
    score: int | None,
    summary: bytes | None,
    detail: bytes | None,
    error: bytes | None,
    engine: str,
    generated_at_ms: int,
) -> Report:
    """Return a report from what is stored of it: the columns of a report or a run, its summary and its detail.

    Args:
        url: Canonical.
        state: ``completed`` or ``failed``.
        rating: One of ``GRADES``; ``None``: it has no result.
        score: 0 to 100; ``None``: it has none.
        summary: ``PackedReport.summary``; ``None``: the analysis left none.
        detail: What ``shown_detail`` returned; ``None``: none is kept.
        error: ``PackedReport.error``; ``None``: the analysis did not fail.
        engine: Version of Pagegrade, where the summary does not say it.

    Raises:
        InvalidInput: What is stored is no report.
    """
    try:
        members: dict[str, Any] = {} if summary is None else msgspec.json.decode(summary)
        members |= {} if detail is None else msgspec.json.decode(detail)
        failure = None if error is None else msgspec.json.decode(error)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidInput("The stored report cannot be read.") from None
    members["results"] = members.get("results") or {}
    members["run"] = members.get("run") or {"engine": engine}
    return report_from_dict(
        {
            **members,
            "object": "report",
            "url": url,
            "project": project,
            "state": state,
            "result": GRADES.get(rating or 0),
            "score": score,
            "error": failure,
            "generated_at": timestamp(generated_at_ms),
        }
    )


def has_rendering(plain: bytes) -> bool:
    """Return whether an unpacked detail, as ``shown_detail`` returns it, is of a page that a browser drew."""
    return _RENDERED in plain and _NOT_RENDERED not in plain


def check_packed(packed: PackedReport) -> PackedReport:
    """The same, once it is certain that all its JSON is well-formed: it will be handed out as it is, unread.

    Raises:
        InvalidInput: A piece is not what ``pack_report`` makes.
    """
    read_summary(_text(packed.summary))
    plain = _text(unpack_detail(packed.detail))
    detail = read_detail(plain)
    members = (bytes(detail.results), bytes(detail.page), bytes(detail.rendered))
    if plain != b'{"results":%b,"page":%b,"rendered":%b}' % members:
        raise InvalidInput("The members of a packed detail are not those three in that order.")
    if (packed.state == "failed") != (packed.error is not None):
        raise InvalidInput("A packed report is either failed with an error, or completed without one.")
    if packed.rating not in {None, *GRADES} or not 0 <= (packed.score or 0) <= MAX_SCORE:
        raise InvalidInput("A packed report has a result or a score that cannot be.")
    if packed.device not in {None, *get_args(Device)}:
        raise InvalidInput("A packed report names a device that there is not.")
    if packed.error is not None:
        _check_json(_text(packed.error))
    return packed


def _text(encoded: bytes) -> bytes:
    """The same bytes, which are UTF-8: what reads JSON into ``Raw`` members looks at everything but that."""
    if encoded.isascii():
        return encoded
    decode = getincrementaldecoder("utf-8")().decode
    try:
        # In pieces: fresh memory for the whole text would take longer than to read it.
        for start in range(0, len(encoded), _PIECE_BYTES):
            decode(encoded[start : start + _PIECE_BYTES])
        decode(b"", final=True)
    except UnicodeDecodeError:
        raise InvalidInput("A packed report holds text that is none.") from None
    return encoded


def _check_json(encoded: bytes) -> None:
    try:
        _read_raw(encoded)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidInput("A packed report holds JSON that is none.") from None


def _milliseconds(moment: datetime) -> int:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(milliseconds=1)
