from __future__ import annotations

import json

import pytest

from pagegrade.render.jsonl import render_json, render_jsonl
from pagegrade.report.serialize import report_to_dict
from tests.report_builders import make_failed_report, make_report, make_result, poisoned_report


def test_one_report_is_an_object_and_several_are_a_list() -> None:
    """A script that analyses one page need not unpack a list."""
    assert json.loads(render_json([make_report()])) == report_to_dict(make_report())
    assert len(json.loads(render_json([make_report(), make_failed_report()]))) == 2


def test_every_report_is_one_line() -> None:
    """Line tools work on it, whatever line breaks a page holds."""
    lines = render_jsonl([poisoned_report("a\nb\r\u2028\u2029\x85"), make_report()]).splitlines()

    assert [json.loads(line)["state"] for line in lines] == ["completed", "completed"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_leaves_valid_json(number: float) -> None:
    """RFC 8259 has no word for it: it becomes ``null``."""
    text = render_json([make_report(make_result("a", value=number), coverage=number, uncapped_score=number)])
    read = json.loads(text, parse_constant=pytest.fail)

    assert (read["coverage"], read["uncapped_score"], read["results"]["a"]["value"]) == (None, None, None)


@pytest.mark.parametrize(
    "payload", ["</script><script>alert(1)</script>", '"><svg onload=alert(1)>', "{{7*7}}", "%s%n{0.__class__}", '"\\']
)
def test_page_text_is_a_value_and_nothing_else(payload: str) -> None:
    """Read again it is the same text, in every member a page can reach."""
    read = json.loads(render_json([poisoned_report(payload)]))

    assert (read["url"], read["page"]["title"], read["run"]["notes"]) == (payload, payload, [payload])
    assert {(r["title"], r["message"], r["evidence"][0]["snippet"]) for r in read["results"].values()} == {
        (payload, payload, payload)
    }


@pytest.mark.parametrize("payload", ["\x1b[31m", "\x9b", "\u202e", "\u2028", "\x00", "\ud800"])
def test_json_on_a_terminal_is_harmless(payload: str) -> None:
    """Control characters stand as escapes, and the value is the same."""
    text = render_json([poisoned_report(payload)])

    assert payload not in text
    expected = payload if payload not in {"\x00", "\ud800"} else "�"

    assert json.loads(text)["run"]["notes"] == [expected]
