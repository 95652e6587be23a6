"""URLs that a site's robots.txt allows this program to request, and how fast."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.model.identity import USER_AGENT
from pagegrade.parse.files.robots import parse_robots_txt

OWN_TOKEN: Final = USER_AGENT.partition("/")[0]
"""The name by which a robots.txt speaks of this program."""
MAX_COMPARED: Final = 4_000_000_000
"""Bytes of robots.txt times characters of addresses: every rule may have to be compared with every character.

About half a second; fifty kilobytes of rules and two hundred addresses of eighty characters are a fifth of it.
"""

_SECONDS: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")


def permitted(robots_txt: Response, urls: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the addresses that may be asked for, in order; none where the file cannot be relied on.

    Args:
        robots_txt: The answer to ``/robots.txt`` after its redirects.
        urls: Absolute, of the origin that the file is about; those that would go beyond ``MAX_COMPARED`` are left out.

    Source: RFC 9309 sections 2.2 and 2.3.1
    """
    robots = parse_robots_txt(robots_txt)
    if isinstance(robots, NotGathered):
        return ()
    left = MAX_COMPARED // max(1, len(robots_txt.body))
    allowed = []
    for url in urls:
        left -= len(url)
        if left < 0:
            break
        if robots.decide(OWN_TOKEN, url).allowed:
            allowed.append(url)
    return tuple(allowed)


def crawl_delay(robots_txt: Response) -> float:
    """Seconds that a robots.txt asks this program to wait between requests; 0 where it does not.

    The group for this program counts, else that for all; of several lines the longest time.
    """
    robots = parse_robots_txt(robots_txt)
    if isinstance(robots, NotGathered):
        return 0.0
    groups = robots.by_agent.get(OWN_TOKEN.lower()) or robots.by_agent.get("*") or ()
    own = {id(group) for group in groups}
    delays = [
        float(line.value)
        for line in robots.extensions
        if line.directive == "crawl-delay"
        and line.group is not None
        and id(robots.groups[line.group]) in own
        and _SECONDS.fullmatch(line.value)
    ]
    return max(delays, default=0.0)
