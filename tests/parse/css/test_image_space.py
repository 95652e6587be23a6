"""Images whose space the page's own style elements reserve."""

from __future__ import annotations

import pytest
import turbohtml

from pagegrade.parse.css.image_space import MAX_RULES, images_with_space, reserving_selectors


def reserved(sheet: str, body: str = "<div class=card><img class=photo></div>") -> int:
    """Count the images of the body whose space the sheet keeps."""
    tree = turbohtml.parse(f"<!doctype html><body>{body}")
    return len(images_with_space(tree.find_all("img"), [sheet]))


@pytest.mark.parametrize(
    ("sheet", "count"),
    [
        ("img{width:320px;height:200px}", 1),
        (".card > img { WIDTH: 100%; Aspect-Ratio: 16 / 9 }", 1),
        (".photo{position:absolute}", 1),
        ("/* } */ .photo{width:calc(1px + 2em);height:4rem!important}", 1),
        ("@charset 'utf-8'; .photo{width:1em;height:1em}", 1),
        ("p{margin:0} a,img{width:1em;height:1em}", 1),
        ("img{max-width:100%;height:auto}", 0),
        ("img{width:100%}", 0),
        ("img{aspect-ratio:auto;width:100%}", 0),
        (".other{width:1px;height:1px}", 0),
        ("@media print{img{width:1px;height:1px}}", 0),
        ("img:::x{width:1px;height:1px}", 0),
        ("img{width:1px;height:1px", 0),
        ("}}} img{width:1px;height:1px}", 1),
    ],
)
def test_rules_that_keep_space_free(sheet: str, count: int) -> None:
    """Both sides, a side and a ratio, or out of flow; what holds under a condition only is no promise."""
    assert reserved(sheet) == count


def test_only_so_many_rules_are_tried() -> None:
    """A page with thousands of rules and images costs no more than one with two hundred."""
    sheet = ".x{width:1px;height:1px}" * MAX_RULES

    assert reserved(sheet[: -len(".x{width:1px;height:1px}")] + "img{width:1px;height:1px}") == 1
    assert reserved(sheet + "img{width:1px;height:1px}") == 0
    assert reserved("img{width:1px;height:1px}", "<img>" * (MAX_RULES + 1)) == MAX_RULES


def test_rules_of_files_count_like_those_of_the_page() -> None:
    """Their selectors are kept, the files are not."""
    selectors = reserving_selectors(".photo{width:1em;height:1em} .photo{color:red} @media print{img{width:1px}}")
    tree = turbohtml.parse("<!doctype html><body><img class=photo><img>")
    images = tree.find_all("img")

    assert selectors == (".photo",)
    assert images_with_space(images, [], selectors) == {images[0]}
    assert len(reserving_selectors(".a{width:1px;height:1px}" * (MAX_RULES + 1))) == MAX_RULES
