"""A made crawl has the findings that are known of it, and those alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from devtools.made_crawl import CYCLE, LINKS, compare, expected, targets, write_made
from pagegrade.service.audits.analysis import analyze_ids

SMALLEST = LINKS * CYCLE


def test_the_findings_of_a_made_crawl_are_known(tmp_path: Path) -> None:
    """All of them, page by page; what is not found, or found of other pages, is named."""
    write_made(tmp_path, SMALLEST)
    result, segments, _ = asyncio.run(analyze_ids(tmp_path))
    first, *others = result.findings

    assert {(one.check, one.state) for one in result.findings} == expected(SMALLEST).keys()
    assert compare(result, segments, SMALLEST) == []
    assert compare(replace(result, findings=tuple(others)), segments, SMALLEST) == [f"{first.check}: {first.state}"]
    assert compare(result, {}, SMALLEST) == [f"{check}: {state}" for check, state in sorted(expected(SMALLEST))]


@pytest.mark.parametrize("pages", [0, SMALLEST - CYCLE, SMALLEST + 1, 1_001_000])
def test_other_sizes_are_refused(tmp_path: Path, pages: int) -> None:
    """Too few and too many pages, and those that are no whole thousands."""
    with pytest.raises(ValueError, match="in thousands"):
        write_made(tmp_path, pages)

    assert list(tmp_path.iterdir()) == []


def test_the_links_of_a_page_lead_to_different_ones() -> None:
    """And none of them to itself."""
    for residue in range(CYCLE):
        assert len(set(targets(residue))) == LINKS
        assert residue not in targets(residue)
