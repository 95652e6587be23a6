"""What bodies of sub-resources say about themselves."""

from __future__ import annotations

import gzip

from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.artifacts import ImageFacts
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


@given(st.lists(st.builds(Sample, image_head=st.binary(max_size=80), text=st.binary(max_size=80)), max_size=5))
def test_never_raises(samples: list[Sample]) -> None:
    """Any bytes give one measure for each sample."""
    assert len(measure_samples(tuple(samples))) == len(samples)
