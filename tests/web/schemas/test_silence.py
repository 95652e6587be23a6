from __future__ import annotations

import json

import pytest

from pagegrade.model.monitors import Silence
from pagegrade.web.schemas import silence as schema
from tests.api_shapes import assert_described
from tests.store_builders import NOW_MS


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
