"""Measurements of bodies of sub-resources."""

from __future__ import annotations

import gzip

from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.artifacts import ImageFacts, ScriptFacts
from pagegrade.parse.measure import Measure, Sample, measure_samples

GIF = b"GIF89a\x05\x00\x04\x00\x00\x00\x00\x3b"


def test_each_sample_gets_its_own_measure() -> None:
    """Images are measured, texts compressed, and what was not asked for stays unknown."""
    text = b"body { color: red }\n" * 200
    image, sheet, nothing = measure_samples((Sample(image_head=GIF), Sample(text=text), Sample()))

    assert image == Measure(image=ImageFacts(format="gif", width_px=5, height_px=4, animated=False))
    assert sheet == Measure(gzip_bytes=len(gzip.compress(text, 6)))
    assert nothing == Measure()


def test_what_is_no_image_has_no_facts() -> None:
    """An error page in place of a picture is not guessed about."""
    assert measure_samples((Sample(image_head=b"<!doctype html>"),)) == (Measure(),)


def test_scripts_are_read_for_what_they_contain() -> None:
    """Their size without comments, copies of jQuery, and calls of document.write."""
    script = b"/*! jQuery v3.6.0 */\n// a comment that goes\ndocument.write( 'x' ) ;\n" * 3
    (found,) = measure_samples((Sample(script=script),))

    assert found.script == ScriptFacts(jquery_versions=("3.6.0",), document_writes=3)
    assert found.minified_bytes is not None
    assert found.minified_bytes < len(script) - 60


def test_stylesheets_are_read_for_their_fonts() -> None:
    """With the address that they came from."""
    sheet = "@FONT-FACE { font-family: Läto; src: url(a.woff2) }".encode()
    (found,) = measure_samples((Sample(stylesheet=sheet, url="https://example.com/a.css", content_type="text/css"),))

    assert [(face.family, face.stylesheet_url) for face in found.font_faces] == [("Läto", "https://example.com/a.css")]
    assert found.minified_bytes is not None
    assert found.script is None


def test_fonts_are_known_by_their_first_bytes() -> None:
    """Whatever their names say."""
    assert measure_samples((Sample(font_head=b"wOF2" + bytes(60)),)) == (Measure(font_format="woff2"),)


@given(
    st.lists(
        st.builds(
            Sample, **dict.fromkeys(("image_head", "text", "font_head", "script", "stylesheet"), st.binary(max_size=80))
        ),
        max_size=5,
    )
)
def test_never_raises(samples: list[Sample]) -> None:
    """Any bytes give one measure for each sample."""
    assert len(measure_samples(tuple(samples))) == len(samples)


def test_manifests_are_read() -> None:
    """Against the page that names them."""
    sample = Sample(manifest=b'{"start_url": "/"}', url="https://example.com/m.json", page_url="https://example.com/")
    (found,) = measure_samples((sample,))

    assert found.manifest is not None
    assert found.manifest.in_scope


def test_scripts_name_their_library() -> None:
    """By their first lines."""
    (found,) = measure_samples((Sample(script=b"/*! jQuery UI - v1.12.1 - 2016 */ x()"),))

    assert found.script is not None
    assert found.script.libraries == (("jquery-ui", "1.12.1"),)


def test_stylesheets_are_read_for_what_they_hide() -> None:
    """The rules are kept, the sheet is not; one that holds none is known to hide nothing."""
    hiding, plain, other = measure_samples(
        (
            Sample(stylesheet=b".a{display:none}img{width:1px;height:1px}", url="https://example.com/a.css"),
            Sample(stylesheet=b"p{color:red}", url="https://example.com/b.css"),
            Sample(script=b"x"),
        )
    )

    assert hiding.visibility_rules is not None
    assert [line.rpartition("\t")[2] for line in hiding.visibility_rules] == [".a"]
    assert plain.visibility_rules == ()
    assert other.visibility_rules is None
    assert (hiding.image_space, plain.image_space) == (("img",), ())


def test_keys_in_a_script_are_kept_masked_only() -> None:
    """Artifacts hold no key."""
    key = "gsk_" + "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj"
    (found,) = measure_samples((Sample(script=f"a('{key}')".encode()),))

    assert found.script is not None
    assert found.script.secrets == (("secret", "Groq key", "gsk_kW9q…Dj"),)
    assert key not in str(found)


def test_newer_features_of_a_stylesheet_are_kept() -> None:
    """By their ids; a script has none."""
    sheet = b"a{width:calc-size(auto,size)}"
    style, script = measure_samples((Sample(stylesheet=sheet, url="https://example.com/a.css"), Sample(script=sheet)))

    assert (style.css_features, script.css_features) == (("calc-size",), ())
