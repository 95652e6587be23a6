"""Artifacts on their way to a child: written and read in C, field by field as they are declared.

Pickle asks Python for the fields of every value, and makes them again one by one: for a page with thirty sub-resources
that takes several times as long, in the process that serves all clients and once more in the child.
"""

from __future__ import annotations

import io
import pickle  # noqa: TID251 - one way only, from the parent to its own child
from collections.abc import Callable
from functools import cache
from typing import Any, Final, get_args, get_type_hints

import msgspec

from pagegrade.model.artifacts import Artifacts, NotGathered, WellKnown

_KINDS: Final[dict[str, Any]] = get_type_hints(Artifacts)
_GATHERED: Final = {
    name: next(each for each in get_args(kind) if each is not NotGathered)
    for name, kind in _KINDS.items()
    if NotGathered in get_args(kind)
}
"""Fields that may be ``NotGathered`` instead, which is written beside them: MessagePack has no names for types."""
_ALWAYS: Final = {name: kind for name, kind in _KINDS.items() if name not in _GATHERED}
"""Fields that are there whatever happened."""
SMALL_BYTES: Final = 262_144
"""Of all bodies together: larger ones are not copied once more for the sake of the rest."""
_encode: Final = msgspec.msgpack.Encoder().encode


def write_task(function: Callable[..., Any], arguments: tuple[object, ...]) -> bytes:
    """A call for a child, which reads it with ``pickle.loads``."""
    if not any(isinstance(each, Artifacts) and _body_bytes(each) <= SMALL_BYTES for each in arguments):
        return pickle.dumps((function, arguments), protocol=pickle.HIGHEST_PROTOCOL)
    written = io.BytesIO()
    pickler = pickle.Pickler(written, protocol=pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {Artifacts: _reduce}
    pickler.dump((function, arguments))
    return written.getvalue()


def _body_bytes(artifacts: Artifacts) -> int:
    known = (getattr(artifacts, name) for name in _GATHERED)
    beside = sum(len(each.response.body) for each in known if isinstance(each, WellKnown))
    return len(artifacts.navigation.response.body) + beside


def write_artifacts(artifacts: Artifacts) -> bytes:
    """The artifacts as ``read_artifacts`` takes them.

    Raises:
        UnicodeEncodeError: A text holds half of a surrogate pair.
        OverflowError: A number needs more than 64 bits.
    """
    always = [getattr(artifacts, name) for name in _ALWAYS]
    gathered = [getattr(artifacts, name) for name in _GATHERED]
    return _encode((always, [(isinstance(value, NotGathered), value) for value in gathered]))


def read_artifacts(written: bytes) -> Artifacts:
    """Decode the output of ``write_artifacts``."""
    always, gathered = _decoder(_BOTH).decode(written)
    known = dict(zip(_ALWAYS, always, strict=True))
    for (name, kind), (missing, value) in zip(_GATHERED.items(), gathered, strict=True):
        known[name] = _decoder(NotGathered if missing else kind).decode(value)
    return Artifacts(**known)


_BOTH: Final = tuple[tuple[*_ALWAYS.values()], list[tuple[bool, msgspec.Raw]]]  # type: ignore[misc]


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)


def _reduce(artifacts: Artifacts) -> Any:
    try:
        return read_artifacts, (write_artifacts(artifacts),)
    except (UnicodeEncodeError, OverflowError):
        # Nothing that is gathered holds such a text or number; who evaluates artifacts of their own may have one.
        return artifacts.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
