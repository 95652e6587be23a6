"""The JSON object of a monitor."""

from __future__ import annotations

import json

import msgspec
import pytest

from pagegrade.model.monitors import Budget, Monitor, Silence
from pagegrade.web.schemas import monitor as schema
from pagegrade.web.schemas.monitor import Monitor as Description
from pagegrade.web.schemas.monitor import monitor_object
from tests.api_shapes import assert_described
from tests.store_builders import NOW_MS

MONITOR = Monitor(
    id=7,
    account_id=1,
    report_id=1042,
    schedule="daily",
    timezone="UTC",
    jitter=3,
    budgets=(Budget(condition="score<80"), Budget(condition="high>0", state="breached", since_ms=1, in_a_row=0)),
    paused=True,
    due_at_ms=5,
    last_due_at_ms=None,
    last_run_at_ms=None,
    failures=0,
    unreachable_since_ms=None,
    created_at_ms=0,
    updated_at_ms=1,
    revision=2,
)


def test_every_member_of_the_description_is_there() -> None:
    """In its order; a paused monitor has no next run."""
    members = msgspec.json.decode(monitor_object(MONITOR))

    assert list(members) == list(Description.__struct_encode_fields__)
    assert {name for name, value in members.items() if value is None} == {
        *("audit_id", "next_run_at", "last_run_at", "unreachable_since"),
    }
    assert members["budgets"] == [
        {"condition": "score<80", "state": "unknown", "since": None, "analysis": None, "unmeasured_since": None},
        {
            "condition": "high>0",
            "state": "breached",
            "since": "1970-01-01T00:00:00.001Z",
            "analysis": None,
            "unmeasured_since": None,
        },
    ]


@pytest.mark.parametrize(("monitor_id", "project"), [(7, ""), (None, "example.com")])
def test_the_object_is_as_described(monitor_id: int | None, project: str) -> None:
    """Of a monitor, and of a site."""
    made = schema.silence_object(
        Silence(
            id=1,
            monitor_id=monitor_id,
            project=project,
            reason="x",
            author="A",
            until_ms=NOW_MS + 1,
            created_at_ms=NOW_MS,
        )
    )
    data = json.loads(made)

    assert_described(schema.Silence, data)

    assert set(data) == set(schema.Silence.__struct_encode_fields__)
    assert (data["monitor_id"], data["project"]) == (monitor_id, project or None)
