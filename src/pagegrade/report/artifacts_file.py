"""Artifacts as a file, so that a page can be evaluated again without the network.

The file is gzip around one JSON object with sorted names. The same artifacts always give the same bytes: no clock,
no name and no operating system goes into the gzip header (RFC 1952 section 2.3).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from types import UnionType
from typing import Any, Final, get_args, get_type_hints

import msgspec

from pagegrade.model.artifacts import ARTIFACTS_VERSION, TLS, Artifacts, NotGathered
from pagegrade.model.errors import InvalidArtifacts
from pagegrade.report.sanitize import storable

MAX_ARTIFACTS_BYTES: Final = 200_000_000
"""Decompressed; a whole run gathers at most a few tens of megabytes."""
_START: Final = 200
"""Characters at the beginning that distinguish HTML from JSON."""
_GATHER_AGAIN: Final = "Gather the page again with: pagegrade analyze URL --save-artifacts FILE"
_GZIP: Final = 31
"""zlib's window size for gzip framing: 16 + 15 bits."""
_TYPES: Final = get_type_hints(Artifacts)
_ENCODER: Final = msgspec.json.Encoder(order="sorted")


def save_artifacts(artifacts: Artifacts) -> bytes:
    """The artifacts as the bytes of a file, equal for equal artifacts. Lone surrogates become U+FFFD."""
    plain = {"object": "artifacts", **msgspec.to_builtins(artifacts, order="sorted")}
    if artifacts.access is None:
        del plain["access"], plain["visitor_view"]  # Only of those files that need them.
    try:
        encoded = _ENCODER.encode(plain)
    except UnicodeEncodeError:
        encoded = _ENCODER.encode(storable(plain))
    compressor = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
    packed = compressor.compress(encoded) + compressor.flush()
    # Byte 9 names the operating system; 255 is "unknown", so that machines agree.
    return packed[:9] + b"\xff" + packed[10:]


def load_artifacts(data: bytes) -> Artifacts:
    """Read what ``save_artifacts`` made; the plain JSON without gzip is read too.

    Raises:
        InvalidArtifacts: Not such a file, damaged, cut off, of another version, or larger than 200 MB inside.
    """
    plain = _decompress(data) if data[:2] == b"\x1f\x8b" else data
    if len(plain) > MAX_ARTIFACTS_BYTES:
        raise _too_large()
    if plain[:_START].lstrip().startswith(b"<"):
        raise InvalidArtifacts(f"This looks like HTML: evaluate it with --html. {_GATHER_AGAIN}")
    try:
        raw = msgspec.json.decode(plain)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidArtifacts(f"This is not a file of saved artifacts ({error}). {_GATHER_AGAIN}") from error
    if not isinstance(raw, Mapping) or raw.get("object") != "artifacts":
        raise InvalidArtifacts(f"This is not a file of saved artifacts. {_GATHER_AGAIN}")
    if raw.get("version") != ARTIFACTS_VERSION:
        raise InvalidArtifacts(
            f"The artifacts have format version {raw.get('version')!r}; this Pagegrade reads {ARTIFACTS_VERSION}. "
            f"Use the Pagegrade that saved them ({raw.get('engine')!r}), or gather the page again."
        )
    values: dict[str, Any] = {}
    for name in Artifacts.__struct_fields__:
        if name in raw:
            values[name] = read_artifact(name, raw[name])
    try:
        artifacts = Artifacts(**values)
    except TypeError as error:
        raise InvalidArtifacts(f"The artifacts are not complete: {error}. {_GATHER_AGAIN}") from error
    _refuse_naive_times(artifacts)
    return artifacts


def read_artifact(name: str, raw: object) -> object:
    """One artifact from its saved form, e.g. ``read_artifact("dns", {"host": "example.com"})``.

    An object with a ``code`` where something else could stand says why the artifact is missing.

    Raises:
        InvalidArtifacts: The value does not have the shape of that artifact.
        KeyError: No artifact has that name.
    """
    wanted = _TYPES[name]
    if isinstance(wanted, UnionType) and NotGathered in get_args(wanted):
        missing = isinstance(raw, Mapping) and "code" in raw
        wanted = NotGathered if missing else next(kind for kind in get_args(wanted) if kind is not NotGathered)
    try:
        return msgspec.convert(raw, wanted, strict=True)
    except msgspec.ValidationError as error:
        raise InvalidArtifacts(f"The artifact {name!r} cannot be read: {error}. {_GATHER_AGAIN}") from error


def _decompress(data: bytes) -> bytes:
    inflater = zlib.decompressobj(_GZIP)
    try:
        plain = inflater.decompress(data, MAX_ARTIFACTS_BYTES + 1)
    except zlib.error as error:
        raise InvalidArtifacts(f"The file is damaged ({error}). {_GATHER_AGAIN}") from error
    if len(plain) > MAX_ARTIFACTS_BYTES:
        raise _too_large()
    if not inflater.eof:
        raise InvalidArtifacts(f"The file is cut off. Copy it again, or: {_GATHER_AGAIN}")
    return plain


def _too_large() -> InvalidArtifacts:
    return InvalidArtifacts(
        f"The artifacts are larger than {MAX_ARTIFACTS_BYTES // 1_000_000} MB, more than a run ever gathers. "
        f"{_GATHER_AGAIN}"
    )


def _refuse_naive_times(artifacts: Artifacts) -> None:
    """A time without a zone cannot be compared with one that has it, and would make checks stop."""
    times = [artifacts.gathered_at]
    if isinstance(artifacts.tls, TLS):
        times += [time for time in (artifacts.tls.checked_at,) if time is not None]
        for certificate in artifacts.tls.chain:
            times += [time for time in (certificate.not_before_at, certificate.not_after_at) if time is not None]
    if any(time.tzinfo is None for time in times):
        raise InvalidArtifacts(f"A time in the artifacts has no time zone. {_GATHER_AGAIN}")
