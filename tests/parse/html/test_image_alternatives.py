"""Images without a text alternative, and the elements that have no name for that reason."""

from __future__ import annotations

import unicodedata

import pytest

from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html import image_alternatives
from pagegrade.parse.html.image_alternatives import (
    MAX_LEVELS,
    drawings_of_nameless_controls,
    images_in_buttons,
    lacks_alternative,
    named_by_nameless_images,
    poor_alternative,
    repeated_images,
)
from tests.builders import make_document


@pytest.mark.parametrize(
    ("image", "lacks"),
    [
        ('<img src="a.png">', True),
        ('<img src="a.png" alt=" ">', True),
        ('<img src="a.png" alt="">', False),
        ('<img src="a.png" alt="A chair">', False),
        ('<img src="a.png" title="A chair">', False),
        ('<img src="a.png" role="presentation">', False),
        ('<img src="a.png" hidden>', False),
        ('<img src="a.png" width="1" height="1">', False),
    ],
)
def test_content_without_a_name_lacks_an_alternative(image: str, *, lacks: bool) -> None:
    """Decoration, tracking pixels and hidden images need none."""
    assert lacks_alternative(make_document(image).images[0]) is lacks


@pytest.mark.parametrize("around", ["a", "summary", "h2"])
def test_elements_that_such_an_image_would_name_are_listed(around: str) -> None:
    """They get their name from their content; one whose image is described is not among them."""
    without = f"<{around}><b><img src=a.png></b></{around}>"
    document = make_document(f"{without}<{around}><img src=b.png alt=B></{around}><p><img src=c.png></p>")

    assert [node.tag for node in named_by_nameless_images(document.images)] == [around]


@pytest.mark.parametrize(("levels", "count"), [(MAX_LEVELS - 1, 1), (MAX_LEVELS, 0)])
def test_only_so_many_elements_around_an_image_are_looked_at(levels: int, count: int) -> None:
    """A deep page costs no more than a flat one."""
    document = make_document(f"<h2>{'<span>' * levels}<img src=a.png>")

    assert len(named_by_nameless_images(document.images)) == count


@pytest.mark.parametrize(
    ("button", "count"),
    [
        ('<button><img src="a.png"></button>', 1),
        ('<a href="/" role="button"><img src="a.png"></a>', 1),
        ('<button role="link"><img src="a.png"></button>', 0),
        ('<button><img src="a.png" alt="Search"></button>', 0),
        ('<a href="/"><img src="a.png"></a>', 0),
    ],
)
def test_images_in_buttons_are_listed(button: str, count: int) -> None:
    """An element is a button by its tag, unless a role makes it something else."""
    assert len(images_in_buttons(make_document(button).images)) == count


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ('<a href="/map"><svg role="img"></svg></a>', 1),
        ('<a href="/map"><b><svg><g role="img"></g></svg></b></a>', 1),
        ('<button><svg role="img"></svg></button>', 1),
        ('<span role="link"><svg role="img"></svg></span>', 1),
        ('<details><summary><svg role="img"></svg></summary></details>', 1),
        ('<a href="/map" aria-label="Map"><svg role="img"></svg></a>', 0),
        ('<a href="/map">Map <svg role="img"></svg></a>', 0),
        ('<a id="map"><svg role="img"></svg></a>', 0),
        ('<a href="/map"></a><svg role="img"></svg>', 0),
        ('<a href="/map"><svg role="img"><title>Map</title></svg></a>', 0),
    ],
)
def test_a_nameless_drawing_belongs_to_the_nameless_control_around_it(html: str, count: int) -> None:
    """Beside text, or where the control has a name of its own, it stays a matter of its own."""
    document = make_document(html)

    assert len(drawings_of_nameless_controls(document.anchors, document.named)) == count


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
    monkeypatch.setattr(image_alternatives, "MAX_STEPS", steps)

    assert len(repeated("<p>" + "<img alt=x>" * 5 + "y<p><img alt=z>z")) == found


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("图片", "generic word"),
        ("圖片 3", "generic word"),
        ("صورة", "generic word"),
        ("ИЗОБРАЖЕНИЕ", "generic word"),
        (unicodedata.normalize("NFD", "obrázek12"), "generic word"),
        ("사진_2", "generic word"),
        ("รูปภาพ", "generic word"),
        ("undefined", "generic word"),
        ("photo_2023-11-05 12.33.11.jpeg", "file name"),
        ("Снимок экрана 2025-01-02.png", "file name"),
        ("pond.webp", "file name"),
        ("{{ image.alt }}", "left by a template"),
        ("{{{alt_text}}}", "left by a template"),
        ("{{ image['alt'] | escape }}", "left by a template"),
        ("{% trans 'Bild' %}", "left by a template"),
        ("${item.title}", "left by a template"),
        ("<%= photo.alt %>", "left by a template"),
        ("{{ изображение }}", "left by a template"),
        ("%product_name%", "left by a template"),
        ("{{ $image->alt }}", "left by a template"),
        ("{{ $item[0]->alt }}", "left by a template"),
        ("{{ image.alt; }}", "left by a template"),
        ('{{ "Foto: " + image.alt }}', "left by a template"),
        ("{{ 'Фото: ' ~ image.name }}", "left by a template"),
        ("{{ __('Photo of :name', ['name' => $name]) }}", "left by a template"),
        ("{{@site.title}}", "left by a template"),
        ("<%= photo->alt; %>", "left by a template"),
        ("[object Object]", "left by a template"),
        ("★★★☆☆", ""),
        ("×", ""),
        ("100%", ""),
        ("Braces {{ and }} in a text", ""),
        ("图片中的池塘", ""),
        ("صورة البركة", ""),
        ("Фотография", ""),
        ("Imagine", ""),
        ("Bilderrahmen", ""),
        ("How to save as .png", ""),
        ("An undefined shape", ""),
        ("Null 8 15", ""),
        ("Null", ""),
        ("null", ""),
        ("{{x}^{2}}-{{y}^{2}}={{z}^{2}}", ""),
        ("{{x}^{2}}", ""),
        (r"{{\left( alpha+beta \right)}^{2}}", ""),
        (r"{{\sin}^{2}}", ""),
        ("{{x_1}}", ""),
        ("{{A}{B}}", ""),
        (r"${\bf xyz}_{1}", ""),
        ("${x}", ""),
        ("{{x > y + z}}", ""),
        (r"{{\alpha > \beta}}", ""),
        ("{{v_{max} > v_{min}}}", ""),
        ("{{sin=cos}}", ""),
        ("${x>0}", ""),
        ("${n+1}", ""),
        ("%d%", ""),
        ("-", ""),
        ("*", ""),
        (".", ""),
        ("|", ""),
        ("…", ""),
        ("•", ""),
        ("***", ""),
        ("... --- ...", ""),
        ("---", ""),
        ("____", ""),
    ],
)
def test_words_and_files_that_say_nothing(name: str, reason: str) -> None:
    """In any script; a word that says what is shown, or is a name, does not count."""
    assert poor_alternative(name, "https://example.org/a.jpg") == reason
