"""What the bodies of fetched sub-resources say about themselves: image facts, and what gzip would save."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from pagegrade.model.artifacts import ImageFacts
from pagegrade.parse.image import read_image

GZIP_LEVEL = 6
"""What servers use by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Bytes to look at."""

    image_head: bytes = b""
    """The first bytes of what may be an image; empty: do not look."""
    text: bytes = b""
    """A whole text that came without content coding; empty: do not compress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What was found."""

    image: ImageFacts | None = None
    gzip_bytes: int | None = None


def measure_samples(samples: tuple[Sample, ...]) -> tuple[Measure, ...]:
    """Look at every sample; never raises, linear in the bytes.

    Returns:
        One measure for each, in order; ``gzip_bytes`` is the size of a whole gzip file of level 6.
    """
    return tuple(
        Measure(
            image=read_image(sample.image_head) if sample.image_head else None,
            gzip_bytes=_gzip_bytes(sample.text) if sample.text else None,
        )
        for sample in samples
    )


def _gzip_bytes(text: bytes) -> int:
    """Size after compression, with the wrapper's 18 bytes of header and trailer."""
    compressor = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 31)
    return len(compressor.compress(text)) + len(compressor.flush())
