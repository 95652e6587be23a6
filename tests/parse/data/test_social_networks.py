"""Profiles on social networks."""

from __future__ import annotations

import pytest

from pagegrade.parse.data.social_networks import network_of_profile


@pytest.mark.parametrize(
    ("url", "network"),
    [
        ("https://www.facebook.com/garden", "Facebook"),
        ("https://de-de.facebook.com/garden/?ref=x", "Facebook"),
        ("http://x.com/garden", "X"),
        ("https://WWW.Instagram.com/garden", "Instagram"),
        ("https://www.linkedin.com/company/garden/", "LinkedIn"),
        ("https://www.linkedin.com/in/alice", "LinkedIn"),
        ("https://www.youtube.com/@garden", "YouTube"),
        ("https://www.youtube.com/channel/UC123", "YouTube"),
        ("https://www.youtube.com/@garden/videos", "YouTube"),
        ("https://www.facebook.com/pages/garden/123", "Facebook"),
        ("https://www.facebook.com/profile.php?id=1", "Facebook"),
        ("https://garden.tumblr.com/", "Tumblr"),
        ("https://github.com/garden", "GitHub"),
        ("https://www.pinterest.co.uk/garden", "Pinterest"),
        ("https://bsky.app/profile/garden.example", "Bluesky"),
        ("https://mastodon.social/@garden", "Mastodon"),
        ("https://t.me/garden", "Telegram"),
        ("https://discord.gg/abc", "Discord"),
        ("https://www.whatsapp.com/channel/0029Va", "WhatsApp"),
    ],
)
def test_profiles_are_recognised_by_host_and_path(url: str, network: str) -> None:
    """With any subdomain, in any case."""
    found = network_of_profile(url)

    assert found == network


@pytest.mark.parametrize(
    "url",
    [
        "https://www.facebook.com/",
        "https://www.facebook.com",
        "https://www.facebook.com/?u=/garden",
        "https://www.facebook.com/sharer.php?u=x",
        "https://www.facebook.com/dialog/share",
        "https://x.com/intent/post?text=x",
        "https://x.com/hashtag/garden",
        "https://www.linkedin.com/sharing/share-offsite/?url=x",
        "https://www.linkedin.com/company",
        "https://www.youtube.com/watch?v=x",
        "https://pinterest.com/pin/create/button/",
        "https://www.instagram.com/p/abc/",
        "https://t.me/share/url?url=x",
        "https://api.whatsapp.com/send?text=x",
        "https://www.whatsapp.com/android",
        "https://x.com/garden/status/123",
        "https://github.com/garden/chairs",
        "https://www.facebook.com/garden/posts/1",
        "https://www.facebook.com/groups",
        "https://www.tumblr.com/",
        "https://netflix.com/garden",
        "https://example.com/x.com/garden",
        "https://facebook.com.evil.example/garden",
        "mailto:garden@x.com",
        "",
    ],
)
def test_everything_else_is_none(url: str) -> None:
    """Share buttons, single posts, the networks' own pages and other sites."""
    found = network_of_profile(url)

    assert found is None
