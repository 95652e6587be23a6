"""A report in the pieces it is stored in."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Detail, Evidence
from pagegrade.report.codec import (
    DETAIL,
    MAX_DETAIL_BYTES,
    SUMMARY,
    SURELY_BOUNDED_BYTES,
    check_packed,
    detail_members,
    has_rendering,
    pack_detail,
    pack_report,
    read_detail,
    read_summary,
    shown_detail,
    unpack_detail,
    unpack_page,
    unpacked_bytes,
)
from pagegrade.report.serialize import report_to_dict
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report


def test_a_page_is_unpacked_without_results() -> None:
    """All else is as in the whole detail."""
    packed = pack_report(make_report())
    whole = msgspec.json.decode(unpack_detail(packed.detail))

    assert msgspec.json.decode(unpack_page(packed.detail)) == {**whole, "results": {}}
    assert whole["results"]


@pytest.mark.parametrize("packed", [b"", b"no zstd", pack_detail(b"[]"), pack_detail(b"{}")])
def test_a_damaged_page_is_not_unpacked(packed: bytes) -> None:
    """As a damaged detail."""
    with pytest.raises(InvalidInput):
        unpack_page(packed)


def test_the_pieces_hold_everything_a_report_says() -> None:
    """No member of a report is lost: what is not in a column is in the summary or in the detail."""
    report = make_report()
    packed = pack_report(report)
    members = report_to_dict(report)
    members["run"].pop("number")

    assert msgspec.json.decode(packed.summary) == {name: members[name] for name in SUMMARY}
    assert msgspec.json.decode(unpack_detail(packed.detail)) == {name: members[name] for name in DETAIL}
    assert (packed.state, packed.rating, packed.score, packed.error) == ("completed", 2, report.score, None)
    assert (packed.engine, packed.ruleset) == (report.run.engine, report.run.ruleset)
    assert packed.generated_at_ms == 1_767_616_496_789


def test_the_members_of_a_detail_can_stand_in_another_object() -> None:
    """Put between two others they make valid JSON, and say the same."""
    report = make_report()
    around = b'{"id":1,' + detail_members(unpack_detail(pack_report(report).detail)) + b',"run":null}'
    members = report_to_dict(report)

    assert msgspec.json.decode(around) == {
        "id": 1, "results": members["results"], "page": members["page"], "rendered": None, "run": None
    }  # fmt: skip


def test_a_detail_from_before_the_rendered_engine_gets_its_member() -> None:
    """Every report has the same members."""
    before, rendered = b'{"results":{},"page":null}', b'{"results":{},"page":null,"rendered":{}}'

    assert shown_detail(pack_detail(before)) == b'{"results":{},"page":null,"rendered":null}'
    assert shown_detail(pack_detail(rendered)) == rendered


@pytest.mark.parametrize(
    ("rendered", "expected"), [(b"", False), (b',"rendered":null', False), (b',"rendered":{}', True)]
)
def test_a_detail_says_whether_a_browser_drew_the_page(rendered: bytes, expected: bool) -> None:  # noqa: FBT001
    """Without the member, or with nothing in it, none did."""
    assert has_rendering(b'{"results":{},"page":null%b}' % rendered) is expected


def test_a_failed_analysis_has_no_counts_and_no_results() -> None:
    """Checks that were not evaluated are null, and the reason is there."""
    packed = pack_report(make_failed_report("blocked"))

    assert packed.state == "failed"
    assert (packed.rating, packed.score) == (None, None)
    assert packed.error is not None
    assert msgspec.json.decode(packed.error)["code"] == "blocked"
    assert bytes(read_summary(packed.summary).counts) == b"null"
    assert bytes(read_detail(unpack_detail(packed.detail)).results) == b"null"


def test_the_same_report_packs_to_the_same_bytes() -> None:
    """Nothing in a packed report depends on when or where it was packed."""
    assert pack_report(make_report()) == pack_report(make_report())


def test_packed_reports_survive_their_own_check() -> None:
    """Whatever a page puts into a report, its JSON is well-formed."""
    for report in (make_report(), make_failed_report("dns"), poisoned_report('"\\\x00\ud800</script>{')):
        assert check_packed(pack_report(report)) == pack_report(report)


@pytest.mark.parametrize(
    "damage",
    [
        {"summary": b"{}"},
        {"summary": b"not JSON"},
        {"summary": b"[" * 100_000},
        {"detail": b"no frame"},
        {"detail": pack_detail(b"{}")},
        {"detail": pack_detail(b'{"results":{},"page":nul}')},
        {"detail": pack_detail(b'{"results":{"a":1}},"page":null}')},
        {"detail": pack_detail(b'{"results":"\xff","page":null}')},
        {"detail": pack_detail(b'{"page":null,"results":{}}')},
        {"detail": pack_detail(b'{"results":{},"page":null,"score":100}')},
        {"detail": pack_detail(b'{"results":{},"results":{},"page":null}')},
        {"detail": pack_detail(b' {"results":{},"page":null}')},
        {"detail": pack_detail(b'{"results":"\xff","page":null,"rendered":null}')},
        {"detail": pack_detail(b'{"results":{"a":nul},"page":null,"rendered":null}')},
        {"detail": pack_detail(b'{"results":{"a":"\\q"},"page":null,"rendered":null}')},
        {"detail": pack_detail(b'{"results":{"a":"\\ud800"},"page":null,"rendered":null}')},
        {"detail": pack_detail(b'{"results":{"a":"\n"},"page":null,"rendered":null}')},
        {"summary": pack_report(make_report()).summary.replace(b"null", b"nul", 1)},
        {"summary": pack_report(make_report()).summary.replace(b"null", b'"\xff"', 1)},
        {"error": b"{}"},
        {"state": "failed"},
        {"state": "failed", "error": b"}"},
        {"state": "failed", "error": b'"\xff"'},
        {"rating": 7},
        {"score": 101},
        {"score": -1},
    ],
)
def test_what_pack_report_would_not_make_is_refused(damage: dict[str, object]) -> None:
    """Stored JSON is handed out unread, so it is read once before it is stored."""
    packed = replace(pack_report(make_report()), **damage)

    with pytest.raises(InvalidInput):
        check_packed(packed)


def test_a_detail_from_before_there_were_bounds_is_shown_within_them() -> None:
    """Its evidence and its causes; everything else of it stays, and so does what is stored."""
    whole = make_result(evidence=(Evidence(url="u" * 5_000),) * 100, errors=(Detail(code="c", actual="a" * 300),) * 60)
    packed = pack_report(make_report(results=(whole, make_passed("passed")))).detail
    stored, shown = (msgspec.json.decode(read(packed)) for read in (unpack_detail, shown_detail))
    changed = [stored["results"][whole.check].pop(name) for name in ("errors", "evidence")]
    bounded = [shown["results"][whole.check].pop(name) for name in ("errors", "evidence")]

    assert list(map(len, changed)) == [60, 100]
    assert list(map(len, bounded)) == [40, 100]
    assert {entry["url"] for entry in bounded[1]} == {"u" * 2_047 + "…"}
    assert shown == stored
    assert list(shown["results"]) == list(stored["results"])


@pytest.mark.parametrize("over", [0, 1])
def test_only_a_large_detail_is_read_before_it_is_shown(over: int) -> None:
    """At the limit, and one byte past it."""
    around = b'{"results":{"a":1},"page":"%b","rendered":null}'
    plain = around % (b"x" * (SURELY_BOUNDED_BYTES - len(around) + 2 + over))
    packed = pack_detail(plain)

    assert len(plain) == SURELY_BOUNDED_BYTES + over
    if over:
        with pytest.raises(InvalidInput):
            shown_detail(packed)
    else:
        assert shown_detail(packed) == plain


def test_a_detail_within_bounds_is_shown_as_it_was_stored() -> None:
    """Byte for byte, however large it is."""
    packed = pack_report(make_report(results=(make_result(message="m" * SURELY_BOUNDED_BYTES),))).detail

    assert shown_detail(packed) == unpack_detail(packed)


def test_a_detail_that_unpacks_to_too_much_is_refused() -> None:
    """A bomb is not unpacked to its end."""
    bomb = pack_detail(bytes(MAX_DETAIL_BYTES + 1))

    with pytest.raises(InvalidInput):
        unpack_detail(bomb)


def test_a_detail_that_is_cut_off_is_refused() -> None:
    """Half a frame is no detail."""
    packed = pack_report(make_report()).detail

    with pytest.raises(InvalidInput):
        unpack_detail(packed[: len(packed) // 2])


def test_a_frame_says_how_large_it_unpacks() -> None:
    """The size is known without unpacking; what is no frame has none."""
    assert unpacked_bytes(pack_detail(b"x" * 12_345)) == 12_345
    assert unpacked_bytes(b"no frame") == 0
