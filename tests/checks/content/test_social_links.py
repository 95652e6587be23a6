from __future__ import annotations

import json

import pytest

from pagegrade.checks.content.social_links import social_links
from pagegrade.model.outcome import NotRun
from tests.builders import evaluated, outcome, run


@pytest.mark.parametrize(
    "markup",
    [
        "<a href=https://www.facebook.com/garden>f</a>",
        "<a href=//x.com/garden>x</a>",
        "<a href=https://twitter.com/garden>t</a>",
        "<a rel='me noopener' href=https://social.example/@garden>m</a>",
        "<link rel=me href=https://social.example/@garden>",
        "<svg><a href=https://github.com/garden><path></path></a></svg>",
    ],
)
def test_links_to_profiles_are_found(markup: str) -> None:
    """On both names of a network, by rel=me, and around a drawing."""
    found = outcome(social_links, f"<!doctype html><title>t</title>{markup}")

    assert (found.state, found.value) == ("linked", 1)
    assert found.evidence[0].url.startswith("https://")


@pytest.mark.parametrize(
    "href",
    [
        "https://www.facebook.com/sharer/sharer.php?u=https://example.com/",
        "https://twitter.com/intent/tweet?text=x",
        "https://x.com/share?url=x",
        "https://www.linkedin.com/shareArticle?url=x",
        "https://other.example/?u=https://facebook.com/garden",
        "https://notfacebook.com/garden",
        "https://facebook.com.evil.example/garden",
        "https://www.facebook.com/",
        "mailto:facebook.com/garden@example.com",
        "/facebook.com/garden",
    ],
)
def test_share_buttons_and_names_in_addresses_are_no_profiles(href: str) -> None:
    """The host and the path decide, never the text of the address."""
    assert outcome(social_links, f'<!doctype html><title>t</title><a href="{href}">f</a>').state == "none"


def test_profiles_in_structured_data_are_found() -> None:
    """At any place of the data, single or in a list."""
    data = {
        "@graph": [
            {"@type": "Organization", "sameAs": ["https://www.instagram.com/garden", "https://example.org/", 7]},
            {"publisher": {"sameAs": "https://www.youtube.com/@garden"}},
        ],
    }
    found = outcome(social_links, f'<script type="application/ld+json">{json.dumps(data)}</script>')

    assert [(entry.url, entry.reason) for entry in found.evidence] == [
        ("https://www.instagram.com/garden", "Instagram (sameAs)"),
        ("https://www.youtube.com/@garden", "YouTube (sameAs)"),
    ]


def test_the_same_profile_is_listed_once() -> None:
    """Header and footer usually repeat it."""
    assert outcome(social_links, "<a href=https://x.com/garden>a</a>" * 5).value == 1


def test_it_is_shown_and_never_scored() -> None:
    """A site needs no profiles."""
    found = evaluated(social_links, "<!doctype html><title>t</title>")

    assert (found.outcome, found.loss) == ("informative", 0)


def test_pages_that_scripts_fill_are_not_evaluated_unless_a_profile_is_there() -> None:
    """Structured data in the head says enough."""
    shell = "<!doctype html><title>t</title>{}<body><div id=root></div><script src=/a.js></script>"

    assert isinstance(run(social_links, shell.format("")), NotRun)
    assert outcome(social_links, shell.format("<link rel=me href=https://social.example/@a>")).state == "linked"


def test_hostile_structured_data_is_read_in_part() -> None:
    """Depth and number are bounded."""
    names = [f"https://x.com/a{n}" for n in range(3_000)]
    wide = json.dumps([{"sameAs": names[n : n + 50]} for n in range(0, 3_000, 50)])
    deep = '{"a":' * 90 + '{"sameAs": "https://x.com/deep"}' + "}" * 90
    found = outcome(
        social_links,
        f'<script type="application/ld+json">{deep}</script><script type="application/ld+json">{wide}</script>',
    )

    assert found.value == 100
    assert found.evidence[0].url == "https://x.com/deep"
