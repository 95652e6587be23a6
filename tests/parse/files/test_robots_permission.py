"""The rules of robots.txt for our requests."""

from __future__ import annotations

import pytest

from pagegrade.model.artifacts import Response
from pagegrade.parse.files import robots_permission
from pagegrade.parse.files.robots_permission import OWN_TOKEN, crawl_delay, permitted

URLS = ("https://example.com/a", "https://example.com/b?c", "https://example.com/b")


def robots(body: str, *, status: int = 200, truncated: str | None = None) -> Response:
    """The answer to the request for the file."""
    return Response(url="https://example.com/robots.txt", status=status, body=body.encode(), truncated=truncated)


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("", URLS),
        ("User-agent: *\nDisallow: /b", URLS[:1]),
        ("User-agent: *\nDisallow: /\n\nUser-agent: pagegrade\nAllow: /b$", URLS),
        ("User-agent: Pagegrade\nDisallow: /*?", (URLS[0], URLS[2])),
        ("User-agent: *\nDisallow: /", ()),
    ],
)
def test_rules_are_kept(body: str, allowed: tuple[str, ...]) -> None:
    """Those for us by name before the general ones; the order stays."""
    assert permitted(robots(body), URLS) == allowed


@pytest.mark.parametrize(("status", "count"), [(404, 3), (403, 3), (429, 0), (500, 0), (503, 0)])
def test_a_file_that_is_missing_permits_and_one_that_fails_does_not(status: int, count: int) -> None:
    """As RFC 9309 says of crawlers."""
    assert len(permitted(robots("", status=status), URLS)) == count


@pytest.mark.parametrize(("more", "count"), [(0, 2), (1, 1)])
def test_no_more_is_compared_than_takes_a_moment(monkeypatch: pytest.MonkeyPatch, more: int, count: int) -> None:
    """Rules and addresses multiply; what would go beyond the limit is not asked for."""
    body = "User-agent: *\nDisallow: /*x\n"
    urls = ("https://example.com/a", "https://example.com/" + "b" * (1 + more))
    monkeypatch.setattr(robots_permission, "MAX_COMPARED", len(body) * 2 * len(urls[0]))

    assert len(permitted(robots(body), urls)) == count


def test_half_a_file_permits_nothing() -> None:
    """The other half may have forbidden it."""
    assert permitted(robots("User-agent: *\n", truncated="connection"), URLS) == ()


def test_the_name_is_the_one_that_requests_carry() -> None:
    """So that a site can speak of us."""
    assert OWN_TOKEN == "Pagegrade"


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 5\nDisallow: /b", 5.0),
        ("User-agent: *\nCrawl-delay: 5\nAllow: /\n\nUser-agent: Pagegrade\nCrawl-delay: 0.5", 0.5),
        ("User-agent: *\nCrawl-delay: 5\nAllow: /\n\nUser-agent: Pagegrade\nDisallow:", 0.0),
        ("User-agent: other\nCrawl-delay: 5", 0.0),
        ("User-agent: *\nCrawl-delay: soon", 0.0),
        ("Crawl-delay: 5", 0.0),
        ("", 0.0),
    ],
)
def test_the_delay_is_that_of_our_group(body: str, seconds: float) -> None:
    """Our own group alone counts where there is one."""
    assert crawl_delay(robots(body)) == seconds


def test_a_file_that_is_not_there_asks_for_no_delay() -> None:
    """Nor one that broke off."""
    assert crawl_delay(robots("User-agent: *\nCrawl-delay: 5", status=404)) == 0
    assert crawl_delay(robots("User-agent: *\nCrawl-delay: 5", truncated="connection")) == 0
