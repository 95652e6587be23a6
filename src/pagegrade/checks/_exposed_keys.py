"""The keys of providers in a page and its own scripts, with evidence that shows none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, Outcome
from pagegrade.parse.html.exposed_secrets import ExposedSecret, masked_text

T = TypeVar("T", Evidence, Detail, Outcome)


class ExposedKey(msgspec.Struct, frozen=True):
    """A key that every visitor can read."""

    group: str
    kind: str
    evidence: Evidence


def exposed_keys(
    document: Document, secrets: Sequence[ExposedSecret], resources: Resources | NotGathered
) -> list[ExposedKey]:
    """The keys of the page, then those of its own scripts that were fetched, each value once."""
    found = {
        (secret.kind, secret.masked): ExposedKey(secret.group, secret.kind, _evidence(document, secret))
        for secret in secrets
    }
    for resource in resources.items if isinstance(resources, Resources) else ():
        if resource.script is None or not resource.first_party:
            continue
        for group, kind, masked in resource.script.secrets:
            evidence = Evidence(url=resource.url, value=masked, reason=kind)
            found.setdefault((kind, masked), ExposedKey(group, kind, evidence))
    return list(found.values())


def _evidence(document: Document, secret: ExposedSecret) -> Evidence:
    """Its place, without the snippet, which would show it."""
    if secret.node is None:
        return Evidence(line=secret.line, value=secret.masked, reason=secret.kind)
    place = document.evidence_at(secret.node)
    return Evidence(
        selector="" if secret.value in place.selector else place.selector,
        line=place.line,
        column=place.column,
        value=secret.masked,
        reason=secret.kind,
    )


def mask_outcome(outcome: Outcome, secrets: Sequence[ExposedSecret]) -> Outcome:
    """The outcome without any of the keys, wherever a check quotes them."""
    masked = _mask(outcome, secrets)
    return replace(
        masked,
        evidence=tuple(_mask(entry, secrets) for entry in outcome.evidence),
        details=tuple(_mask(entry, secrets) for entry in outcome.details),
    )


def _mask(value: T, secrets: Sequence[ExposedSecret]) -> T:
    """The struct with all its text masked."""
    changed = {
        name: masked
        for name in value.__struct_fields__
        if isinstance(text := getattr(value, name), str) and (masked := masked_text(text, secrets)) != text
    }
    return replace(value, **changed) if changed else value
