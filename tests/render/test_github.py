from __future__ import annotations

import re

import pytest

from pagegrade.render.github import render_github
from tests.report_builders import make_failed_report, make_report, make_result, poisoned_report


def test_findings_are_annotations_and_the_verdict_is_the_last() -> None:
    """High is an error, medium a warning, low a notice."""
    lines = render_github([make_report()]).splitlines()

    assert lines[0].startswith("::error title=HTTPS (https)::https://example.com/pricing%0A")
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 4 + ["::warning", "::notice", "::notice"]
    assert "79 of 100 (decent)" in lines[-1]


def test_a_failed_page_is_an_error() -> None:
    """The job's log says which page and why."""
    assert render_github([make_failed_report()]).startswith("::error title=Pagegrade%3A not analyzed::https://")


@pytest.mark.parametrize(
    "payload",
    [
        "\n::set-output name=x::y",
        "\r\n::error::forged",
        "a,b:c",
        "100%0A::add-mask::x",
        "\u2028::stop-commands::t",
        "::",
    ],
)
def test_page_text_cannot_give_a_command(payload: str) -> None:
    """Every line is one of our own commands, and titles cannot add properties."""
    lines = re.split(r"[\r\n\u2028\u2029\x85]", render_github([poisoned_report(payload)]).rstrip("\n"))

    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) title=[^,:]*::.*", line)
        assert "%0A::add-mask" not in line.replace("%250A", "")


def test_a_per_cent_sign_survives() -> None:
    """Escapes of ours are decoded by the runner; the page's own stay what they were."""
    assert "100%2520 sure" in render_github([make_report(make_result(message="100%20 sure"))])
