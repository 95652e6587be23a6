"""Evaluate in a child, and pack there too: a large report never becomes objects in the process that serves."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from pagegrade.gather.context import OffloadFailed
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.errors import FAILURE_CODES, InvalidInput
from pagegrade.model.ignores import IgnoreRule
from pagegrade.model.report import Failure, Thresholds
from pagegrade.model.stored import PackedReport
from pagegrade.report.codec import check_packed, pack_report
from pagegrade.sandbox.pool import TaskRunner
from pagegrade.service.runs.analysis import EVALUATION_SECONDS, evaluation_failure
from pagegrade.service.runs.evaluation import evaluate_and_pack, failed_report

logger = logging.getLogger(__name__)


async def evaluate_and_pack_in_child(
    artifacts: Artifacts, thresholds: Thresholds, ignores: Sequence[IgnoreRule] = (), *, children: TaskRunner
) -> PackedReport:
    """The same where a hostile page can do no harm; what kills the parser is a failed analysis.

    What the child answers is stored and handed out as it is, so it is read once here: a child that has been taken over
    can report wrong results about its own page, and nothing else.
    """
    try:
        return check_packed(
            await children.run(evaluate_and_pack, artifacts, thresholds, ignores, timeout_s=EVALUATION_SECONDS)
        )
    except OffloadFailed as error:
        failure = evaluation_failure(error, artifacts)
    except InvalidInput:
        logger.exception("packed_report_refused")
        failure = Failure(
            code="internal",
            message=FAILURE_CODES["internal"][1],
            reason="unreadable_answer",
            retryable=FAILURE_CODES["internal"][0],
        )
    url = artifacts.navigation.requested_url
    return pack_report(failed_report(url, failure, generated_at=artifacts.gathered_at, artifacts=artifacts))
