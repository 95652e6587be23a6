from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pagegrade.gather.browser.errors import RenderingFailed
from pagegrade.gather.browser.trial import Trial, try_browser


def attempt(program: Path) -> Trial:
    """The browser that started."""
    return asyncio.run(try_browser(program))


def test_a_browser_names_itself_and_filters_the_calls_of_its_pages(program: Path) -> None:
    """The second layer of its sandbox is on, as root and as every other user."""
    found = attempt(program)

    assert "/" in found.product
    assert found.sandboxed
    assert found.seconds > 0


@pytest.mark.parametrize("path", ["/bin/true", "/bin/cat", "/no/such/program"])
def test_what_is_no_browser_is_a_failure_with_a_reason(path: str) -> None:
    """It ends, answers nothing that is understood, or is not there."""
    with pytest.raises(RenderingFailed) as found:
        attempt(Path(path))

    assert found.value.code in {"browser_crash", "browser_sandbox", "timeout"}
    assert found.value.detail
