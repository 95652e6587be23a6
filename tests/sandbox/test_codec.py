"""Artifacts arrive in the child as they were sent."""

from __future__ import annotations

import pickle  # noqa: TID251 - as the child reads it
from datetime import UTC, datetime
from typing import Any, get_args, get_type_hints

import pytest
from msgspec.structs import replace

from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import (
    GATHERED,
    TLS,
    AgentFile,
    AgentFiles,
    AlternatePage,
    Alternates,
    Artifacts,
    Certificate,
    DNSFacts,
    ImageFacts,
    LinkProbes,
    ManifestFacts,
    NotGathered,
    PreviewImage,
    PreviewImages,
    Probe,
    Resources,
    ScriptFacts,
    SitemapFile,
    Sitemaps,
    SourceMaps,
    StylesheetReference,
    Timings,
    WellKnown,
)
from pagegrade.model.rendering import Picture, Span
from pagegrade.model.report import Thresholds
from pagegrade.sandbox.codec import read_artifacts, write_artifacts, write_task
from pagegrade.service.runs.evaluation import evaluate_and_pack
from tests.builders import make_artifacts, make_resource, make_response, make_well_known
from tests.rendering_builders import make_rendering, make_timeline

MISSING = NotGathered(code="timeout", detail="It did not answer in time.", reason="headers_timeout")
MOMENT = datetime(2026, 4, 2, 8, 30, 15, 123456, tzinfo=UTC)


def everything() -> Artifacts:
    """Artifacts of which nothing is missing, with bytes that are no text and every kind of value."""
    url = "https://example.com/"
    hop = make_response(url=url, status=301, headers=(("Location", "/é"), ("X", "\\x07")), notes=("early_hints",))
    answer = make_response(
        url=url,
        body=bytes(range(256)),
        truncated="limit",
        certificate_error="expired",
        timings=Timings(dns_ms=0.1, connect_ms=None, total_ms=12.345678),
    )
    known = make_well_known(b"\xff\x00", url=url, hops=(hop,))
    hints = get_type_hints(Artifacts).items()
    probes: dict[str, Any] = dict.fromkeys((name for name, kind in hints if WellKnown in get_args(kind)), known)
    return make_artifacts(
        gathered_at=MOMENT,
        load_samples_ms=(1.5, 2.25, 0.1),
        **probes,
        sitemaps=Sitemaps(
            files=(SitemapFile(url=url, source="robots", kind="urlset", url_count=3),), declared_in_robots=(url,)
        ),
        tls=TLS(
            host="example.com",
            verified=False,
            verify_error="expired",
            chain=(Certificate(subject="CN=é", issuer="", not_before_at=MOMENT, key_bits=256),),
            versions=(("TLSv1.3", True), ("TLSv1.0", None)),
            checked_at=MOMENT,
        ),
        dns=DNSFacts(host="example.com", addresses=("11.0.0.1",), duration_ms=3.5),
        resources=Resources(
            items=(
                replace(make_resource(url), hops=(hop,), response=answer, image=ImageFacts(format="png", width_px=3)),
                replace(make_resource(url), response=None, failure=MISSING, first_party=False),
                replace(
                    make_resource(url, byte_order_mark=True),
                    manifest=ManifestFacts(name="é", in_scope=False, icon_sizes=("any",)),
                    script=ScriptFacts(libraries=(("moment", "2.29.1"),)),
                ),
            ),
            stylesheet_references=(StylesheetReference(url=url, kind="font", stylesheet_url=url),),
            not_fetched=((url, "count"),),
        ),
        link_probes=LinkProbes(items=(Probe(url=url, hops=(hop,), response=answer),), found=3),
        alternates=Alternates(items=(AlternatePage(url=url, failure=MISSING, links_back=None),), found=1),
        agent_files=AgentFiles(items=(AgentFile(kind="agent-card", url=url, failure=MISSING, faults=("a",)),)),
        source_maps=SourceMaps(items=(Probe(url=url, named_by=url, failure=MISSING),), found=1),
        preview_images=PreviewImages(
            items=(
                PreviewImage(
                    kind="social",
                    url=url,
                    facts=ImageFacts(format="gif", width_px=3, height_px=2),
                    data=bytes(range(256)),
                ),
                PreviewImage(kind="icon", url=url, problem="bytes"),
            )
        ),
        visitor_view=VisitorView(status=401, url=url, is_elsewhere=False, indexable=None),
        rendering=make_rendering(
            make_timeline(long_tasks=(Span(start_ms=0.1, end_ms=None),)),
            pictures=(Picture(kind="frame", width_px=1, height_px=2, data=bytes(range(256)), time_ms=0.5),),
        ),
    )


def test_whole_artifacts_arrive_as_they_are() -> None:
    """Every field of every kind, to the microsecond and the last byte."""
    artifacts = everything()

    assert not any(isinstance(getattr(artifacts, name), NotGathered) for name in GATHERED)
    assert read_artifacts(write_artifacts(artifacts)) == artifacts


@pytest.mark.parametrize("name", GATHERED)
def test_what_is_missing_stays_missing(name: str) -> None:
    """With why it is, and without taking anything else for missing."""
    changes: dict[str, Any] = {name: MISSING}
    artifacts = replace(everything(), **changes)

    assert read_artifacts(write_artifacts(artifacts)) == artifacts


def test_a_task_is_the_call_it_was_written_from() -> None:
    """The function by its name, the artifacts and everything else as they are."""
    artifacts = everything()

    assert pickle.loads(write_task(evaluate_and_pack, (artifacts, Thresholds()))) == (  # noqa: S301 - our own
        evaluate_and_pack,
        (artifacts, Thresholds()),
    )


def test_a_text_that_is_none_crosses_all_the_same() -> None:
    """Half of a surrogate pair has no UTF-8, and may stand in artifacts that were written by hand."""
    artifacts = replace(everything(), vantage="\ud800")
    _, (arrived,) = pickle.loads(write_task(evaluate_and_pack, (artifacts,)))  # noqa: S301 - our own

    assert arrived == artifacts
