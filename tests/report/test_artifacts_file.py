from __future__ import annotations

import gzip
import json
from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.artifacts import (
    TLS,
    Artifacts,
    Certificate,
    DNSFacts,
    ImageFacts,
    NotGathered,
    SitemapFile,
    Sitemaps,
    StylesheetReference,
    Timings,
)
from pagegrade.model.errors import InvalidArtifacts
from pagegrade.report import artifacts_file
from pagegrade.report.artifacts_file import load_artifacts, read_artifact, save_artifacts
from tests.builders import NOW, make_artifacts, make_resource, make_resources, make_response, make_well_known


def full_artifacts() -> Artifacts:
    """Artifacts in which nothing is missing."""
    return make_artifacts(
        b"<title>\xff\x00bytes</title>",
        hops=[make_response(url="http://example.com/", status=301, timings=Timings(dns_ms=1.5, total_ms=2.25))],
        robots_txt=make_well_known("User-agent: *", url="https://example.com/robots.txt"),
        sitemaps=Sitemaps(files=(SitemapFile(url="https://example.com/s.xml", source="robots", kind="urlset"),)),
        not_found_probe=make_well_known("", url="https://example.com/zebra", status=404),
        insecure_probe=make_well_known("", url="http://example.com/"),
        sibling_probe=NotGathered(code="dns", detail="The name does not exist."),
        favicon=make_well_known(b"\x00\x00\x01", url="https://example.com/favicon.ico"),
        tls=TLS(
            host="example.com",
            verified=True,
            chain=(Certificate(subject="CN=example.com", issuer="CN=CA", not_before_at=NOW, not_after_at=NOW),),
            versions=(("TLSv1.3", True), ("TLSv1.0", None)),
            checked_at=NOW,
        ),
        dns=DNSFacts(host="example.com", addresses=("93.184.215.14",)),
        resources=make_resources(
            make_resource("https://example.com/a.webp", image=ImageFacts(format="webp", width_px=3)),
            make_resource("https://example.com/b.css", kind="stylesheet", response=None),
            stylesheet_references=(
                StylesheetReference(url="https://example.com/c.woff2", kind="font", stylesheet_url="https://x.test/"),
            ),
            not_fetched=(("https://example.com/z.js", "count"),),
        ),
        load_samples_ms=(12.5, 11.0),
        duration_ms=400.25,
    )


@pytest.mark.parametrize("artifacts", [make_artifacts(), full_artifacts()], ids=["nothing gathered", "everything"])
def test_what_is_saved_loads_back_equal(artifacts: Artifacts) -> None:
    """The ruleset evaluates a saved page exactly as the fresh one."""
    assert load_artifacts(save_artifacts(artifacts)) == artifacts


def test_the_same_artifacts_give_the_same_bytes() -> None:
    """Saving twice, or what was loaded, makes the same file."""
    first = save_artifacts(full_artifacts())

    assert save_artifacts(full_artifacts()) == first
    assert save_artifacts(load_artifacts(first)) == first


def test_the_file_holds_no_clock_and_no_system() -> None:
    """The gzip header has no time (bytes 4 to 7) and an unknown system (byte 9)."""
    header = save_artifacts(make_artifacts())[:10]

    assert header[:2] == b"\x1f\x8b"
    assert header[4:8] == b"\x00" * 4
    assert header[9] == 255


def test_the_names_are_sorted() -> None:
    """Field order in the source does not change the bytes."""
    names = list(json.loads(gzip.decompress(save_artifacts(make_artifacts()))))

    assert names == sorted(names)


def test_plain_json_is_read_too() -> None:
    """An unpacked file still works."""
    artifacts = full_artifacts()

    assert load_artifacts(gzip.decompress(save_artifacts(artifacts))) == artifacts


def test_lone_surrogates_are_saved_as_replacement_characters() -> None:
    """No UTF-8 form exists for them, so they cannot be saved as they are."""
    artifacts = replace(make_artifacts(), vantage="a\ud800b")

    assert load_artifacts(save_artifacts(artifacts)).vantage == "a�b"


def changed(**members: Any) -> bytes:
    """A saved file with members replaced; ``...`` removes one."""
    data = json.loads(gzip.decompress(save_artifacts(make_artifacts()))) | members
    return json.dumps({name: value for name, value in data.items() if value is not ...}).encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a file of saved artifacts"),
        (b" \n<html>", "evaluate it with --html"),
        (b"[]", "not a file of saved artifacts"),
        (b"\xff\xfe", "not a file of saved artifacts"),
        (b"[" * 100_000, "not a file of saved artifacts"),
        (b"\x1f\x8bnot gzip at all", "damaged"),
        (save_artifacts(make_artifacts())[:-9], "cut off"),
        (changed(object="report"), "not a file of saved artifacts"),
        (changed(version=2), "reads 1"),
        (changed(version=...), "reads 1"),
        (changed(navigation=...), "not complete"),
        (changed(navigation={}), "navigation"),
        (changed(tls={"host": 1}), "tls"),
        (changed(tls=None), "tls"),
        (changed(gathered_at="2026-01-01T00:00:00"), "no time zone"),
        (changed(tls={"host": "h", "verified": True, "checked_at": "2026-01-01T00:00:00"}), "no time zone"),
    ],
)
def test_what_is_no_artifacts_file_is_refused_in_words(data: bytes, words: str) -> None:
    """The error says what is wrong and how to get a good file."""
    with pytest.raises(InvalidArtifacts, match=words) as caught:
        load_artifacts(data)

    assert "gather" in caught.value.message.lower() or "pagegrade" in caught.value.message.lower()


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one byte more than the limit is ever held in memory."""
    monkeypatch.setattr(artifacts_file, "MAX_ARTIFACTS_BYTES", 1000)

    with pytest.raises(InvalidArtifacts, match="larger than"):
        load_artifacts(gzip.compress(b" " * 1_000_000))
    with pytest.raises(InvalidArtifacts, match="larger than"):
        load_artifacts(b" " * 1_001)


def test_one_artifact_reads_from_its_saved_form() -> None:
    """Examples in documentation name single artifacts."""
    assert read_artifact("dns", {"host": "example.com"}) == DNSFacts(host="example.com")
    assert read_artifact("dns", {"code": "dns"}) == NotGathered(code="dns")
    assert read_artifact("gathered_at", "2026-01-05T12:00:00Z") == datetime.fromisoformat("2026-01-05T12:00:00Z")
