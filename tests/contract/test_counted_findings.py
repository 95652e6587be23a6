"""Numbers about findings are the same in every place, and a score says how much of its category it is about."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.mcp import service_results
from pagegrade.mcp.results import summarize
from pagegrade.render import RenderOptions, render, view
from pagegrade.render.i18n import Texts
from pagegrade.render.pdf_model import sheet
from pagegrade.report.serialize import report_from_dict
from tests.report_builders import make_images, make_passed, make_report, make_result
from tests.web.calling import REPORTS, Instance, with_instance


def test_findings_are_counted_alike_on_pages_and_for_agents(tmp_path: Path) -> None:
    """One that is counted in another is none of its own, and a comparison counts findings, not their places."""
    before = make_report(make_passed("image-alt"), make_passed("h1"))
    after = make_report(
        make_result("image-weight", lost=3.0),
        make_result("image-format", counted_in="image-weight", lost=0.0),
        make_result("image-alt", evidence=make_images(3)),
        make_result("h1"),
    )

    async def script(instance: Instance) -> tuple[dict[str, Any], dict[str, Any], str]:
        await instance.create()
        await instance.finish(before)
        await instance.call("PUT", f"{REPORTS}/1", data={"results": 1})
        await instance.finish(after)
        report = (await instance.call("GET", f"{REPORTS}/1")).json()["data"]
        comparison = (await instance.call("GET", f"{REPORTS}/1/compare")).json()["data"]
        return report, comparison, (await instance.page("GET", "/reports/1/compare")).text

    report, comparison, page = with_instance(tmp_path, script)
    kept = report_from_dict(report)
    of_service = [finding.check for finding in service_results.summarize(report).findings]  # type: ignore[arg-type]

    assert of_service == [finding.result.check for finding in view.findings(kept)]
    assert of_service == [finding.check for finding in summarize(kept, "a").findings]
    assert "image-format" not in of_service
    assert len(comparison["new"]) == 4  # three images and the heading
    assert service_results.compared(comparison).new_count == 2  # type: ignore[arg-type]
    assert re.search(r'<h2 id="new">\s*New <span class="count">2</span>', page)


@pytest.mark.parametrize(("coverage", "shown"), [(0.5, "50% evaluated"), (0.93, "93% evaluated"), (1.0, None)])
def test_a_category_says_how_much_of_it_was_evaluated(coverage: float, shown: str | None) -> None:
    """Beside its score, in every output for people; a whole one says nothing."""
    plain = make_report()
    categories = {name: replace(score, score=100, coverage=coverage) for name, score in plain.categories.items()}
    report = replace(plain, categories=categories)
    outputs = [" ".join(render([report], name, RenderOptions()).split()) for name in ("text", "markdown", "html")]
    outputs.append(json.dumps(sheet(report, Texts("en")), ensure_ascii=False))

    assert [shown is not None and shown in output for output in outputs] == [shown is not None] * 4
    assert shown is not None or not any("100% evaluated" in output for output in outputs)
