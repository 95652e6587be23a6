"""URL patterns of profiles on social networks."""

from __future__ import annotations

from typing import Final

SOURCE: Final = "own collection"
LICENSE: Final = "Apache-2.0"
DATE: Final = "2026-11-22"
_NETWORKS: Final[dict[str, str]] = {
    "facebook.com": "Facebook",
    "fb.com": "Facebook",
    "instagram.com": "Instagram",
    "threads.net": "Threads",
    "threads.com": "Threads",
    "twitter.com": "X",
    "x.com": "X",
    "linkedin.com": "LinkedIn",
    "xing.com": "XING",
    "youtube.com": "YouTube",
    "vimeo.com": "Vimeo",
    "tiktok.com": "TikTok",
    "pinterest.com": "Pinterest",
    "pinterest.de": "Pinterest",
    "pinterest.fr": "Pinterest",
    "pinterest.co.uk": "Pinterest",
    "snapchat.com": "Snapchat",
    "reddit.com": "Reddit",
    "tumblr.com": "Tumblr",
    "bsky.app": "Bluesky",
    "mastodon.social": "Mastodon",
    "mastodon.online": "Mastodon",
    "mstdn.social": "Mastodon",
    "fosstodon.org": "Mastodon",
    "github.com": "GitHub",
    "gitlab.com": "GitLab",
    "discord.gg": "Discord",
    "discord.com": "Discord",
    "t.me": "Telegram",
    "telegram.me": "Telegram",
    "wa.me": "WhatsApp",
    "whatsapp.com": "WhatsApp",
    "vk.com": "VK",
    "ok.ru": "OK",
    "weibo.com": "Weibo",
    "medium.com": "Medium",
    "twitch.tv": "Twitch",
    "soundcloud.com": "SoundCloud",
    "flickr.com": "Flickr",
    "behance.net": "Behance",
    "dribbble.com": "Dribbble",
}
_NOT_PROFILES: Final = frozenset(
    (
        "about ads ajax api business dialog direct download embed explore hashtag hashtags help home i intent join "
        "legal "
        "login messages p pin policies privacy reel search settings share share.php sharearticle sharer sharer.php "
        "sharing shareoffsite signup status submit terms tos tr tv upload watch widgets features pricing plugins v cws "
        "send msg"
    ).split(),
)
"""First path segments (lower case) that lead to a share dialog, a single post or the network's own pages."""
_ONLY_BELOW: Final = {
    "linkedin.com": frozenset({"company", "in", "school", "showcase"}),
    "reddit.com": frozenset({"r", "u", "user"}),
    "bsky.app": frozenset({"profile"}),
    "discord.com": frozenset({"invite", "servers"}),
    "xing.com": frozenset({"companies", "pages", "profile"}),
    "whatsapp.com": frozenset({"channel"}),
}
"""Networks whose profiles all lie below one of these segments."""
_ALSO_BELOW: Final = {
    "facebook.com": frozenset({"groups", "pages", "people"}),
    "youtube.com": frozenset({"c", "channel", "user"}),
    "flickr.com": frozenset({"people", "photos"}),
    "weibo.com": frozenset({"n", "p", "u"}),
}
"""Networks where some profiles do, besides those at the root."""
_TABS: Final = frozenset({"about", "featured", "videos"})
"""Views of a profile; any other second segment is a single post, a repository or the like."""
_BY_SUBDOMAIN: Final = frozenset({"medium.com", "tumblr.com"})


def is_of_network(host: str) -> bool:
    """Return whether a host is one of a social network, or below it.

    Args:
        host: As it stands in a canonical address.
    """
    labels = host.split(".")
    return ".".join(labels[-2:]) in _NETWORKS or ".".join(labels[-3:]) in _NETWORKS


def network_of_profile(url: str) -> str | None:
    """The network on which ``url`` is a profile; ``None`` for share buttons, single posts and every other site.

    The host decides, never the text of the address: ``?u=https://facebook.com/x`` is no profile there.

    Args:
        url: Absolute, canonical.
    """
    scheme, _, rest = url.partition("://")
    if scheme not in ("https", "http"):
        return None
    address = rest.partition("#")[0].partition("?")[0]
    host, _, path = address.partition("/")
    labels = host.lower().split(".")
    for size in (2, 3):
        domain = ".".join(labels[-size:])
        name = _NETWORKS.get(domain)
        if name is not None:
            named_by_host = domain in _BY_SUBDOMAIN and len(labels) > size and labels[-size - 1] != "www"
            return name if named_by_host or _is_profile(domain, path) else None
    return None


def _is_profile(domain: str, path: str) -> bool:
    segments = [segment.lower() for segment in path.split("/", 4)[:4] if segment]
    if not segments:
        return False
    first = segments[0]
    if domain in _ONLY_BELOW or first in _ALSO_BELOW.get(domain, ()):
        return len(segments) > 1 and first in _ONLY_BELOW.get(domain, (first,))
    return first not in _NOT_PROFILES and (len(segments) == 1 or (len(segments) == 2 and segments[1] in _TABS))
