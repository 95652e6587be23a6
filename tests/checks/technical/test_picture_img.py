from __future__ import annotations

import pytest

from pagegrade.checks.technical.picture_img import picture_img
from tests.builders import URL, evaluated, make_document, outcome


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ("<picture></picture>", 1),
        ("<picture><source srcset=/a.avif></picture>", 1),
        ("<img src=/a.jpg><picture><source srcset=/a.avif></picture><img src=/b.jpg>", 1),
        ("<picture><img src=/a.jpg></picture>", 0),
        ("<picture><span><img src=/a.jpg></span></picture>", 0),
        ("<picture><noscript><img src=/a.jpg></noscript></picture>", 0),
        ("<noscript>x</noscript><picture></picture>", 1),
        ("<svg><picture></picture></svg>", 0),
        ("<template><picture></picture></template>", 0),
        ("", 0),
    ],
)
def test_pictures_without_an_image(html: str, count: int) -> None:
    """An image beside the picture is not one inside it; the element of a drawing is another one."""
    found = outcome(picture_img, "<picture><img src=/a.png></picture>" + html)

    assert (found.value, found.state) == (count, "bare" if count else "whole")


def test_loss_grows_with_the_number() -> None:
    """From half to everything."""
    assert evaluated(picture_img, "<picture></picture>").loss == 0.5
    assert evaluated(picture_img, "<picture></picture>" * 10).loss == 1


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ("<picture><img src=/a.jpg><source srcset=/a.avif></picture>", 1),
        ("<picture><source src=/a.avif><img src=/a.jpg></picture>", 1),
        ("<picture><source src=/a.avif><img src=/a.jpg><source srcset=/a.webp></picture>", 2),
        ("<picture><source data-srcset=/a.avif><img src=/a.jpg></picture>", 0),
        ("<picture><noscript><img src=/a.jpg></noscript><source srcset=/a.avif></picture>", 0),
        ("<picture><source srcset=/a.avif><img src=/a.jpg></picture><video><source src=/a.mp4></video>", 0),
    ],
)
def test_sources_that_browsers_ignore(html: str, count: int) -> None:
    """Behind the image or without a ``srcset``; those of a video are others."""
    found = outcome(picture_img, "<picture><img src=/a.png></picture>" + html)

    assert (found.value, found.state) == (count, "ignored" if count else "whole")


def test_an_ignored_source_is_no_candidate() -> None:
    """Nothing fetches it."""
    document = make_document("<picture><img src=/a.jpg><source srcset=/a.avif></picture>")

    assert [one.url for one in document.references if one.kind == "image"] == [f"{URL}a.jpg"]
