from __future__ import annotations

import pytest

from pagegrade.checks._metrics import format_metric


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("fcp_ms", 999.4, "999 ms"),
        ("fcp_ms", 1_000.0, "1.0 s"),
        ("tbt_ms", 0.0, "0 ms"),
        ("cls", 0.0, "0"),
        ("cls", 0.1, "0.1"),
        ("cls", 0.1234, "0.123"),
    ],
)
def test_values_have_their_unit(name: str, value: float, text: str) -> None:
    """Seconds from one second on; a layout shift has none."""
    assert format_metric(name, value) == text
