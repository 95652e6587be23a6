"""Evaluated and packed in a child, and read once before it is stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from pagegrade.model.artifacts import Artifacts
from pagegrade.model.report import Thresholds
from pagegrade.model.stored import PackedReport
from pagegrade.report.codec import pack_report, read_detail, unpack_detail
from pagegrade.sandbox.pool import Children
from pagegrade.service.runs import packed_evaluation
from pagegrade.service.runs.evaluation import evaluate_and_pack, evaluate_artifacts
from pagegrade.service.runs.packed_evaluation import evaluate_and_pack_in_child
from tests.builders import make_artifacts
from tests.service.tasks import die_evaluation, lie_about_json, stumble_evaluation

ROOT = Path(__file__).resolve().parents[3]
PAGE = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Cats</title></head><body><h1>Cats</h1>"


def packed_by_child(artifacts: Artifacts) -> PackedReport:
    """The packed result of a child for a page."""

    async def main() -> PackedReport:
        async with Children(1) as children:
            return await evaluate_and_pack_in_child(artifacts, Thresholds(), children=children)

    return asyncio.run(main())


def test_a_child_packs_what_evaluation_here_would_give() -> None:
    """The same bytes, on whichever side of the pipe."""
    artifacts = make_artifacts(PAGE)

    assert packed_by_child(artifacts) == pack_report(evaluate_artifacts(artifacts))


def test_a_page_that_was_not_seen_is_packed_as_failed() -> None:
    """It has an error and no results."""
    artifacts = make_artifacts(PAGE, status=404)
    packed = evaluate_and_pack(artifacts, Thresholds())

    assert packed.state == "failed"
    assert packed.error is not None
    assert msgspec.json.decode(packed.error)["code"] == "http_error"


@pytest.mark.parametrize(
    ("task", "code", "reason"),
    [
        (die_evaluation, "too_large", "parser_limit"),
        (stumble_evaluation, "internal", None),
        (lie_about_json, "internal", "unreadable_answer"),
    ],
)
def test_whatever_becomes_of_the_child_is_a_failed_analysis(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    task: Callable[..., PackedReport],
    code: str,
    reason: str | None,
) -> None:
    """A child that dies, errs or lies costs its page, and nothing it says is stored unread."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the child imports the task from the tests
    monkeypatch.setattr(packed_evaluation, "evaluate_and_pack", task)
    with caplog.at_level(logging.CRITICAL):
        packed = packed_by_child(make_artifacts(PAGE))

    error = msgspec.json.decode(packed.error or b"null")

    assert (packed.state, error["code"], error["reason"]) == ("failed", code, reason)
    assert bytes(read_detail(unpack_detail(packed.detail)).results) == b"null"
