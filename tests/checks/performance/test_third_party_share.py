from __future__ import annotations

from pagegrade.checks.performance.third_party_share import third_party_share
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run

PAGE = "<!doctype html><script src=/a.js></script><script src=https://b.example/b.js></script><img src=https://c.b.example/c.png>"


def files(own_bytes: int, *foreign: str, foreign_bytes: int = 100) -> object:
    """One file of its own, and those of others."""
    return make_resources(
        make_resource(URL + "a.js", kind="script", body_bytes=own_bytes),
        *(make_resource(url, body_bytes=foreign_bytes, first_party=False) for url in foreign),
    )


def test_more_requests_of_others_are_major() -> None:
    """The page itself is a request of its own."""
    one = files(9_000, "https://b.example/b.js")
    two = files(9_000, "https://b.example/b.js", "https://c.b.example/c.png")

    assert outcome(third_party_share, PAGE, resources=one).state == "minor"
    assert outcome(third_party_share, PAGE, resources=two).value == "2 of 4 requests"
    assert outcome(third_party_share, PAGE, resources=two).state == "minor"


def test_more_bytes_of_others_are_major() -> None:
    """One large file is enough."""
    found = evaluated(third_party_share, PAGE, resources=files(100, "https://b.example/b.js", foreign_bytes=9_000))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == ("major", "informative")


def test_sites_are_distinguished_by_registrable_domain() -> None:
    """Two hosts of one site are one site."""
    found = outcome(third_party_share, PAGE, resources=files(9, "https://b.example/b.js", "https://c.b.example/c.png"))

    assert [(entry.reason, entry.value) for entry in found.evidence] == [("b.example", "2 requests")]


def test_a_page_without_files_has_no_share() -> None:
    """Nothing to divide, and nothing known without the files."""
    assert isinstance(run(third_party_share, "<p>x", resources=make_resources()), NotApplicable)
    assert isinstance(run(third_party_share, PAGE), NotRun)
