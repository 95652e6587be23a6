from __future__ import annotations

from msgspec.structs import replace

from tests.web.api.test_monitors import MONITOR


def test_a_paused_monitor_has_no_next_run() -> None:
    """Its due time stays, so that it can be made up for."""
    assert (MONITOR.next_run_at_ms, MONITOR.due_at_ms) == (None, 5)
    assert replace(MONITOR, paused=False).next_run_at_ms == 5
