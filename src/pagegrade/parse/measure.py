"""Measurements of fetched sub-resources, and possible savings."""

from __future__ import annotations

import zlib

import msgspec

from pagegrade.model.artifacts import FontFace, ImageFacts, ManifestFacts, ScriptFacts
from pagegrade.parse.cascade.rules import reduce_stylesheet
from pagegrade.parse.css.font_faces import find_font_faces, font_format
from pagegrade.parse.css.image_space import reserving_selectors
from pagegrade.parse.css.ink import ink_rules
from pagegrade.parse.css.minified import minified_stylesheet_bytes
from pagegrade.parse.css.newer_features import find_newer_features
from pagegrade.parse.css.urls import StylesheetURL, decode_stylesheet, find_stylesheet_references
from pagegrade.parse.files.image import read_image
from pagegrade.parse.files.javascript import (
    count_document_writes,
    find_jquery_versions,
    find_source_map,
    minified_script_bytes,
)
from pagegrade.parse.files.javascript_libraries import find_libraries
from pagegrade.parse.files.legacy_javascript import find_legacy_javascript
from pagegrade.parse.files.manifest import read_manifest
from pagegrade.parse.secrets import find_secrets

GZIP_LEVEL = 6
"""Default compression level of servers."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes to look at."""

    image_head: bytes = b""
    """The first bytes of what may be an image; empty: do not look."""
    text: bytes = b""
    """A whole text that came without content coding; empty: do not compress."""
    font_head: bytes = b""
    """The first bytes of what may be a font."""
    script: bytes = b""
    """A whole script."""
    names: tuple[str, ...] = ()
    """Names that are looked for in the script."""
    stylesheet: bytes = b""
    """A whole stylesheet."""
    referring: bytes = b""
    """A whole stylesheet, to be read for what it refers to; the same bytes as ``stylesheet`` where both are wanted."""
    manifest: bytes = b""
    """A whole manifest."""
    url: str = ""
    """Of the stylesheet or the manifest."""
    page_url: str = ""
    """Of the page that names the manifest."""
    content_type: str | None = None
    """Of the stylesheet."""


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """Measurements of one file."""

    image: ImageFacts | None = None
    gzip_bytes: int | None = None
    font_format: str | None = None
    minified_bytes: int | None = None
    script: ScriptFacts | None = None
    font_faces: tuple[FontFace, ...] = ()
    manifest: ManifestFacts | None = None
    references: tuple[StylesheetURL, ...] = ()
    """References of the stylesheet."""
    visibility_rules: tuple[str, ...] | None = None
    ink_rules: tuple[str, ...] | None = None
    image_space: tuple[str, ...] = ()
    css_features: tuple[str, ...] = ()


def measure_samples(samples: tuple[Sample, ...]) -> tuple[Measure, ...]:
    """Look at every sample; never raises, linear in the bytes.

    Returns:
        One measure for each, in order; ``gzip_bytes`` is the size of a whole gzip file of level 6.
    """
    return tuple(map(_measure, samples))


def _measure(sample: Sample) -> Measure:
    minified: int | None = None
    facts: ScriptFacts | None = None
    faces: tuple[FontFace, ...] = ()
    visibility_rules: tuple[str, ...] | None = None
    ink: tuple[str, ...] | None = None
    image_space: tuple[str, ...] = ()
    css_features: tuple[str, ...] = ()
    if sample.script:
        minified = minified_script_bytes(sample.script)
        facts = _script_facts(sample.script, sample.names)
    elif sample.stylesheet:
        minified = minified_stylesheet_bytes(sample.stylesheet)
        text = decode_stylesheet(sample.stylesheet, sample.content_type)
        visibility_rules = reduce_stylesheet(text, base_url=sample.url)
        ink = ink_rules(text)
        image_space = reserving_selectors(text)
        css_features = find_newer_features(sample.stylesheet)
        if b"@font-face" in sample.stylesheet.lower():
            faces = find_font_faces(text, stylesheet_url=sample.url)
    return Measure(
        image=read_image(sample.image_head) if sample.image_head else None,
        gzip_bytes=_gzip_bytes(sample.text) if sample.text else None,
        font_format=font_format(sample.font_head) if sample.font_head else None,
        minified_bytes=minified,
        script=facts,
        font_faces=faces,
        visibility_rules=visibility_rules,
        ink_rules=ink,
        image_space=image_space,
        css_features=css_features,
        manifest=read_manifest(sample.manifest, sample.url, sample.page_url) if sample.manifest else None,
        references=_references(sample) if sample.referring else (),
    )


def _references(sample: Sample) -> tuple[StylesheetURL, ...]:
    return find_stylesheet_references(sample.referring, url=sample.url, content_type=sample.content_type)


def _script_facts(body: bytes, names: tuple[str, ...]) -> ScriptFacts:
    """Marks that only ASCII is needed for; most scripts have none, and are not decoded."""
    versions: tuple[str, ...] = ()
    writes = 0
    if b"jquery" in body or b"jQuery" in body:
        versions = find_jquery_versions(body.decode("latin-1"))
    if b"document.write" in body:
        writes = count_document_writes(body.decode("latin-1"))
    return ScriptFacts(
        jquery_versions=versions,
        document_writes=writes,
        libraries=find_libraries(body),
        legacy=find_legacy_javascript(body),
        secrets=tuple((found.group, found.kind, found.masked) for found in find_secrets(body)),
        source_map=find_source_map(body),
        names_of_main=tuple(name for name in names if name.encode("utf-8", "replace") in body) if names else None,
    )


def _gzip_bytes(text: bytes) -> int:
    """Size after compression, with the wrapper's 18 bytes of header and trailer."""
    compressor = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 31)
    return len(compressor.compress(text)) + len(compressor.flush())
