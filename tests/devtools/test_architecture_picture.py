from __future__ import annotations

from xml.etree import ElementTree as ET

from devtools.architecture_picture import PICTURE, draw, layers


def test_the_picture_shows_the_contract_as_it_is() -> None:
    """Run ``python -m devtools.architecture_picture`` where this fails."""
    assert PICTURE.read_text(encoding="utf-8") == draw(layers())


def test_every_package_has_its_box_in_the_row_of_its_layer() -> None:
    """And is named once."""
    drawn = ET.fromstring(draw([["cli"], ["web", "a<b"]]))  # noqa: S314 - our own
    texts = [(node.text, node.get("y")) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]

    assert [text for text, _ in texts] == ["cli", "web", "a<b"]
    assert len({y for _, y in texts}) == 2
