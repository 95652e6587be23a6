from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks.security.source_maps_public import source_maps_public
from pagegrade.model.artifacts import NotGathered, Probe, Response, ScriptFacts, SourceMaps
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_resource, make_resources, outcome, run

SCRIPT = "https://example.com/app.js"
MAP = SCRIPT + ".map"
NONE = make_resources()


def maps(status: int = 200, body: bytes = b'{"version":3,') -> SourceMaps:
    """One map that a script names, and its answer."""
    probe = Probe(url=MAP, named_by=SCRIPT, response=Response(url=MAP, status=status, body=body))
    return SourceMaps(items=(probe,), found=1)


@pytest.mark.parametrize(
    ("status", "body", "state"),
    [
        (200, b'{"version":3,', "public"),
        (200, b'\xef\xbb\xbf \n{ "mappings" : "', "public"),
        (200, b')]}\'\n{"sections": [', "public"),
        (200, b'{"error":"There is no such file."}', "private"),
        (200, b'"version":3', "private"),
        (200, b"<!doctype html>", "private"),
        (200, b"", "private"),
        (404, b"{}", "private"),
        (403, b"", "private"),
    ],
)
def test_only_a_map_is_one(status: int, body: bytes, state: str) -> None:
    """An application answers every address with its page."""
    assert outcome(source_maps_public, "<p>", source_maps=maps(status, body), resources=NONE).state == state


def test_a_map_inside_a_script_is_public() -> None:
    """If the script is of the own site."""
    script = make_resource(SCRIPT, kind="script", script=ScriptFacts(source_map="data:"))
    own = make_resources(script)
    foreign = make_resources(replace(script, first_party=False))
    found = outcome(source_maps_public, "<p>", source_maps=SourceMaps(), resources=own)

    assert (found.state, found.evidence[0].url) == ("public", SCRIPT)
    assert isinstance(run(source_maps_public, "<p>", source_maps=SourceMaps(), resources=foreign), NotApplicable)


def test_it_costs_nothing_and_is_not_guessed() -> None:
    """Nothing named, nothing answered, nothing asked for."""
    silent = SourceMaps(items=(Probe(url=MAP, failure=NotGathered(code="timeout")),), found=1)

    assert evaluated(source_maps_public, "<p>", source_maps=maps(), resources=NONE).outcome == "informative"
    assert isinstance(run(source_maps_public, "<p>", source_maps=SourceMaps(), resources=NONE), NotApplicable)
    assert isinstance(run(source_maps_public, "<p>", source_maps=silent, resources=NONE), NotRun)
    assert isinstance(run(source_maps_public, "<p>", resources=NONE), NotRun)


def test_the_message_counts_the_scripts() -> None:
    """One open script of twenty is not all of them."""
    found = outcome(source_maps_public, "<p>", source_maps=maps(), resources=NONE)

    assert found.message == "The source maps of 1 script are public."
