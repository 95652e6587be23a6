from __future__ import annotations

import pytest

from pagegrade.checks.performance.inline_payload import inline_payload
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome


@pytest.mark.parametrize(
    "html",
    [
        "<script>{}</script>",
        "<script type=application/json>{}</script>",
        "<style>{}</style>",
        "<img src='data:image/png;base64,{}'>",
    ],
)
def test_scripts_data_styles_and_images_count(html: str) -> None:
    """Each alone may be large."""
    found = evaluated(inline_payload, html.format("x" * 100_001))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == ("large", "informative")


def test_the_parts_add_up_to_the_limit() -> None:
    """100,000 characters are still moderate."""
    html = f"<script>{'x' * 50_000}</script><style>{'y' * 50_000}</style>"

    assert outcome(inline_payload, html).state == "moderate"
    assert outcome(inline_payload, html + "<style>z</style>").state == "large"


def test_files_of_their_own_and_text_do_not_count() -> None:
    """Only what is written into the page."""
    html = f"<script src=/a.js></script><link rel=stylesheet href=/a.css><img src=/a.png><p>{'x' * 200_000}"

    assert outcome(inline_payload, html).value == 0
