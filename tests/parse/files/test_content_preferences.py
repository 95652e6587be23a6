from __future__ import annotations

import pytest

from pagegrade.parse.files.content_preferences import MAX_PREFERENCES, read_content_signal, read_content_usage


@pytest.mark.parametrize(
    ("value", "allowed", "faults"),
    [
        ("search=yes, ai-input=yes, ai-train=no", {"search": True, "ai-input": True, "ai-train": False}, ()),
        ("search=yes,ai-train=no", {"search": True, "ai-train": False}, ()),
        ("AI-Train = NO", {"ai-train": False}, ()),
        ("search=yes, search=yes,", {"search": True}, ()),
        ("ai_train=no", {}, ("ai_train: not a known signal",)),
        ("search=maybe", {}, ("search: neither yes nor no",)),
        ("search", {}, ("search: neither yes nor no",)),
        ("search=yes, search=no", {"search": True}, ("search: both yes and no",)),
        ("", {}, ("no signal",)),
        (" , ", {}, ("no signal",)),
    ],
)
def test_signals_are_yes_or_no(value: str, allowed: dict[str, bool], faults: tuple[str, ...]) -> None:
    """Names and values in any case; what cannot be read is named."""
    read = read_content_signal(value)

    assert (read.allowed, read.faults) == (allowed, faults)


@pytest.mark.parametrize(
    ("value", "allowed", "faults"),
    [
        ("train-ai=n", {"train-ai": False}, ()),
        ("train-ai=n, search=y", {"train-ai": False, "search": True}, ()),
        ("train-ai=n;x=1", {"train-ai": False}, ()),
        ("train-ai", {}, ("train-ai: neither y nor n",)),
        ("train-ai=no", {}, ("train-ai: neither y nor n",)),
        ('train-ai="n"', {}, ("train-ai: neither y nor n",)),
        ("Train-AI=n", {}, ("not a structured field, so it is ignored",)),
        ("train-ai=n search=y", {}, ("not a structured field, so it is ignored",)),
        ("", {}, ("no preference",)),
    ],
)
def test_usage_is_a_structured_field(value: str, allowed: dict[str, bool], faults: tuple[str, ...]) -> None:
    """A mistake in the grammar makes all of it meaningless."""
    read = read_content_usage(value)

    assert (read.allowed, read.faults) == (allowed, faults)


def test_a_rule_of_robots_txt_may_name_a_path() -> None:
    """A header may not."""
    assert read_content_usage("/ai/ train-ai=y", in_robots_txt=True).allowed == {"train-ai": True}
    assert read_content_usage("/ai/ train-ai=y").allowed == {}
    assert read_content_usage("/ai/", in_robots_txt=True).faults


@pytest.mark.parametrize(
    ("count", "faults"), [(MAX_PREFERENCES, MAX_PREFERENCES), (MAX_PREFERENCES + 1, MAX_PREFERENCES)]
)
def test_only_so_many_are_read(count: int, faults: int) -> None:
    """At the limit and one past it."""
    signals = ",".join(f"s{number}=yes" for number in range(count))
    usage = ",".join(f"s{number}=x" for number in range(count))

    assert len(read_content_signal(signals).faults) == faults
    assert len(read_content_usage(usage).faults) == faults
