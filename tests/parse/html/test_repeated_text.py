"""Images whose alternative repeats what stands beside them: where text is looked for, and how long."""

from __future__ import annotations

import pytest

from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html import repeated_text
from pagegrade.parse.html.repeated_text import repeated_images
from tests.builders import make_document


def repeated(html: str) -> list[str]:
    """The alternatives that are repeated."""
    return [image.name for image in repeated_images(make_document(html).images, Visibility())]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<a href=/><img alt=Boat>boat</a>", ["Boat"]),
        ("<a href=/><img alt='A  boat'><b>a</b>\n <i>boat</i></a>", ["A boat"]),
        ("<a href=/><img alt=a><img alt=b>b</a>", ["b"]),
        ("<a href=/><img alt=Boat>boats</a>", []),
        ("<a href=/><img alt=Boat>b</a>", []),
        ("<a><img alt=Boat>Boat</a>", []),
        ("<p><a><img alt=Boat></a>Boat", ["Boat"]),
        ("<a href=/><img alt=Boat><script>Boat</script></a>", []),
        ("<span role=link><img alt=Boat>Boat</span>", ["Boat"]),
        ("<span role=note><img alt=Boat>Boat</span>", []),
        ("<p>" + "<b>" * 11 + "<img alt=Boat>Boat", []),
        ("<p aria-hidden=true><img alt=Boat>Boat", []),
    ],
)
def test_text_of_the_nearest_surroundings_is_compared(html: str, found: list[str]) -> None:
    """Case and blanks make no difference, and the text must be all there is."""
    assert repeated(html) == found


@pytest.mark.parametrize(("steps", "found"), [(50, 1), (10, 0)])
def test_many_images_cost_no_more_than_the_budget(monkeypatch: pytest.MonkeyPatch, steps: int, found: int) -> None:
    """Each reads its surroundings from the start, so the nodes of all are counted together."""
    monkeypatch.setattr(repeated_text, "MAX_STEPS", steps)

    assert len(repeated("<p>" + "<img alt=x>" * 5 + "y<p><img alt=z>z")) == found
