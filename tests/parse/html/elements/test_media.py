"""Images, pictures and frames."""

from __future__ import annotations

import pytest

from tests.builders import make_document

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


@pytest.mark.parametrize(
    ("html", "decorative", "name"),
    [
        ("<img src=a alt=''>", True, ""),
        ("<img src=a>", False, ""),
        ("<img src=a alt=' '>", False, ""),
        ("<img src=a alt='A cat'>", False, "A cat"),
        ("<img src=a role=none>", True, ""),
        ("<img src=a aria-hidden=true>", True, ""),
        ("<div hidden><img src=a></div>", True, ""),
        ("<img src=a aria-label=Cat>", False, "Cat"),
        ("<img src=a title=Cat>", False, "Cat"),
        ("<img src=a alt='' title=Cat>", True, ""),
        ("<img src=a alt=' ' title=Cat>", False, ""),
        ("<img src=a aria-labeledby=c><p id=c>Cat</p>", False, "Cat"),
        ("<img src=a aria-labelledby=c><p id=c>Cat</p>", False, "Cat"),
    ],
)
def test_image_is_decorative_named_or_neither(html: str, decorative: bool, name: str) -> None:  # noqa: FBT001
    """An empty alternative is an answer; a missing one is not."""
    image = make_document(HEAD + html).images[0]

    assert (image.decorative, image.name) == (decorative, name)


def test_picture_offers_its_candidates_and_types() -> None:
    """The image inside knows what its sources offer, and whether they say their size."""
    document = make_document(
        HEAD + "<picture><source type=image/avif srcset='a.avif, b.avif 2x' width=3 height=2><img src=c.jpg></picture>"
        "<picture><source srcset=d.webp><img src=e.jpg></picture><img src=f.jpg>"
    )
    first, second, third = document.images

    assert [url.rpartition("/")[2] for url in first.candidates] == ["c.jpg", "a.avif", "b.avif"]
    assert first.picture_types == ("image/avif",)
    assert [image.picture_sized for image in (first, second, third)] == [True, False, False]


def test_frame_is_named_by_title_or_label() -> None:
    """And its fallback content is no part of the page."""
    document = make_document(HEAD + "<iframe src=/a title=Map><a href=x>no</a></iframe><iframe src=/b></iframe>")

    assert [(frame.url, frame.name) for frame in document.frames] == [
        ("https://example.com/a", "Map"),
        ("https://example.com/b", ""),
    ]
    assert document.anchors == []
