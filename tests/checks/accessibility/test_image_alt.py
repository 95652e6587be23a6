from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.button_name import button_name
from pagegrade.checks.accessibility.image_alt import image_alt
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


def test_every_image_with_an_alternative_passes() -> None:
    """The best state names how many images were seen."""
    found = outcome(image_alt, '<img src="a.jpg" alt="A boat"><img src="b.jpg" alt="A tree">')

    assert (found.state, found.value) == ("described", 2)


def test_empty_alternative_is_decoration() -> None:
    """An empty ``alt`` is right markup and must never be called missing."""
    assert outcome(image_alt, '<img src="line.png" alt=""><img src="dot.png" alt>').state == "described"


def test_absent_alternative_is_missing() -> None:
    """One image costs half."""
    found = outcome(image_alt, '<img src="a.jpg">')

    assert (found.state, found.loss, found.total) == ("missing", 0.25, 1)
    assert found.evidence[0].url == "https://example.com/a.jpg"


def test_blank_alternative_is_no_decoration() -> None:
    """White space is neither a text nor the mark of decoration."""
    assert outcome(image_alt, '<img src="a.jpg" alt="  ">').state == "missing"


@pytest.mark.parametrize(
    "name", ['aria-label="Boat"', 'title="Boat"', 'aria-labelledby="x"'], ids=["label", "title", "labelledby"]
)
def test_other_names_count(name: str) -> None:
    """An image can be named without ``alt``."""
    assert outcome(image_alt, f'<p id="x">Boat</p><img src="a.jpg" {name}>').state == "described"


def test_reference_to_nothing_is_no_name() -> None:
    """An ``aria-labelledby`` must lead to text."""
    assert outcome(image_alt, '<img src="a.jpg" aria-labelledby="nowhere">').state == "missing"


@pytest.mark.parametrize(
    "image",
    [
        '<img src="a.jpg" role="presentation">',
        '<img src="a.jpg" role="none">',
        '<img src="a.jpg" aria-hidden="true">',
        '<img src="a.jpg" hidden>',
        '<div style="display:none"><img src="a.jpg"></div>',
        '<img src="https://stats.test/p" width="1" height="1">',
        '<noscript><img src="a.jpg"></noscript>',
        '<map name="m" hidden><area href="/x"></map>',
        '<svg role="img" aria-hidden="true"></svg>',
        "<button></button>",
    ],
)
def test_decoration_pixels_and_hidden_images_are_left_out(image: str) -> None:
    """Images that are not meant to be seen need no text."""
    assert outcome(image_alt, f'<img src="b.jpg" alt="Boat">{image}').state == "described"


def test_lazy_image_without_source_is_still_an_image() -> None:
    """A script will give it its source."""
    assert outcome(image_alt, '<img data-src="a.jpg">').state == "missing"


def test_picture_is_evaluated_by_its_image_alone() -> None:
    """The ``<source>`` elements and the picture itself carry no alternative."""
    html = '<picture><source srcset="a.avif"><source srcset="a.webp"><img src="a.jpg" alt="Boat"></picture>'

    assert outcome(image_alt, html).state == "described"


@pytest.mark.parametrize(
    "element",
    [
        '<div role="img"></div>',
        '<div role="img">text inside</div>',
        '<span role="image"></span>',
        '<img src="a.png" role="none" tabindex="0">',
        '<img src="a.png" role="none" aria-label="">',
        '<img src="a.png" alt=" " title="Boat">',
        '<img src="">',
        "<img>",
    ],
)
def test_other_images_need_a_name(element: str) -> None:
    """``role=img`` makes images as well, what takes the focus is no decoration, and a source may come later."""
    assert outcome(image_alt, element).state == "missing"


@pytest.mark.parametrize(
    "element",
    [
        '<input type="image" src="go.png" alt="Search">',
        '<img src=m.png usemap="#m" alt=Map><map name="m"><area href="/x" alt="North"><area></map>',
        '<div role="img" aria-label="Five stars"></div>',
        '<svg role="img"><title>Boat</title></svg>',
        "<img src=b.jpg alt=Boat><svg><path d='M0 0'/></svg>",
    ],
)
def test_other_images_with_a_name_pass(element: str) -> None:
    """The same with a name; a drawing without a role is decoration."""
    assert outcome(image_alt, element).state == "described"


@pytest.mark.parametrize(
    "alt", ["IMG_0231.JPG", "photo", "Image", "bild1", "Bild 12", "IMG_0231", "foto (3)", "image #2"]
)
def test_alternative_that_says_nothing_is_poor(alt: str) -> None:
    """File names and generic words cost a quarter."""
    assert outcome(image_alt, f'<img src="a.jpg" alt="{alt}">').state == "poor"


@pytest.mark.parametrize(
    ("image", "state"),
    [
        ('<img src="/i/94251e110d24a4.jpg" alt="94251E110D24A4">', "poor"),
        ('<img src="/i/DSC_0231?w=100" alt="dsc_0231">', "poor"),
        ('<img src="/i/nyhavn.jpg" alt="Nyhavn">', "described"),
        ('<img src="/i/a320.jpg" alt="A320">', "described"),
        ('<img src="/i/boat.jpg" alt="Boat 12345">', "described"),
        ('<img data-src="/i/12345.jpg" alt="12345">', "described"),
    ],
)
def test_number_that_is_the_name_of_the_file_is_poor(image: str, state: str) -> None:
    """Software writes such alternatives; a word may well name both the file and what it shows."""
    assert outcome(image_alt, image).state == state


@pytest.mark.parametrize("alt", ["Photo of the harbour", "Images", "How to open a .png file", "x" * 500])
def test_alternative_that_says_something_is_not_poor(alt: str) -> None:
    """Only the whole text counts, and its length does not."""
    assert outcome(image_alt, f'<img src="a.jpg" alt="{alt}">').state == "described"


@pytest.mark.parametrize("alt", ["2041", "Airbus A320", "Photo finish 2024", "chair2", "Image of chair 2"])
def test_number_after_other_words_is_not_poor(alt: str) -> None:
    """Only a filler word with a number says nothing."""
    assert outcome(image_alt, f'<img src="a.jpg" alt="{alt}">').state == "described"


@pytest.mark.parametrize("more", ["role=none", "aria-label='The harbour'"])
def test_unexposed_text_is_not_poor(more: str) -> None:
    """Decoration is silent, and a label takes the place of the alternative."""
    assert outcome(image_alt, f'<img src="a.jpg" alt="a.jpg" {more}>').state == "described"


@pytest.mark.parametrize(("count", "loss"), [(1, 0.25), (9, 0.25 + 0.75 * 8 / 9), (10, 1.0), (300, 1.0)])
def test_loss_grows_with_the_number(count: int, loss: float) -> None:
    """Half for the first, everything from the tenth, and at most a hundred pieces of evidence."""
    found = outcome(image_alt, '<img src="a.jpg">' * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
    assert len(found.evidence) == min(count, 100)


def test_removing_a_good_image_changes_nothing() -> None:
    """A count is evaluated, not a ratio."""
    bad = '<img src="a.jpg">'
    good = '<img src="b.jpg" alt="Boat">'

    assert outcome(image_alt, bad + good * 9).loss == outcome(image_alt, bad).loss


def test_giving_a_bad_text_is_not_worse_than_none() -> None:
    """A file name as alternative never costs more than no alternative."""
    without = outcome(image_alt, '<img src="a.jpg">')
    poor = outcome(image_alt, '<img src="a.jpg" alt="a.jpg">')

    assert without.loss is not None
    assert poor.state == "poor"
    assert image_alt.state("poor").loss <= without.loss


@pytest.mark.parametrize("image", ['<img src="a.png" width="1" height="300">', '<img srcset="a.png 1x">'])
def test_thin_images_and_candidates_are_images(image: str) -> None:
    """A line may mean something, and a source can be named in several ways."""
    assert outcome(image_alt, image).state == "missing"


def test_message_counts_images() -> None:
    """One and many."""
    assert outcome(image_alt, '<img src="a.png">').message == "One image has no text alternative."
    assert outcome(image_alt, '<img src="a.png">' * 2).message == "2 images have no text alternative."


def test_message_counts_the_useless_texts_too() -> None:
    """They stand in the same list of evidence."""
    missing, poor = '<img src="a.png">', '<img src="b.png" alt="b.png">'

    assert outcome(image_alt, missing + poor).message == (
        "One image has no text alternative. One more has a file name or a filler word."
    )
    assert outcome(image_alt, missing + poor * 2).message.endswith(" 2 more have a file name or a filler word.")


@pytest.mark.parametrize("html", ["<p>Text", "<svg><path d='M0 0'/></svg>", "<noscript><img src=a.jpg></noscript>"])
def test_a_page_without_images_has_none_to_describe(html: str) -> None:
    """A drawing without a role is decoration."""
    assert isinstance(run(image_alt, html), NotApplicable)


def test_image_in_a_button_is_left_to_the_button() -> None:
    """Of a button only its name is read, which the check of buttons looks at."""
    button = '<button><img src="a.png"></button>'

    assert outcome(image_alt, button).state == "described"
    assert outcome(button_name, button).state == "nameless"
    assert outcome(image_alt, button + '<img src="b.png">').total == 1
