"""The same page by the options of the command and by an access profile of the service: one report, in both engines."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.chromium import program
from tests.cli.site import Site, running_site
from tests.server import COMMAND, Server, running_server

__all__ = ["program"]

USER, HEADER, COOKIES = "reader:n0t-Shown-1", "X-Door: n0t-Shown-2", "a=b; c=d"
"""The access that ``tests.cli.site.DOOR`` asks for, as curl takes it."""
OF_SERVICE: Final = {"id", "privacy", "render", "device", "share_url", "created_at", "updated_at", "generated_at"}
"""Members of a report that are of its keeper, or of its moment."""
TIMED: Final = (
    "first-contentful-paint", "largest-contentful-paint", "load-time", "long-tasks", "main-thread-work", "speed-index",
    "total-blocking-time", "ttfb",
)  # fmt: skip
"""Checks that judge measured times, which are those of one moment."""
SUMS: Final = {"score", "uncapped_score", "result", "counts", "categories", "caps"}
"""Members that depend on the states of those checks as well: where a busy machine led to others, they differ."""
MEASURED: Final = {"timing_ms", "spread", "metrics", "largest_paint", "cpu_s", "peak_memory_bytes"}
RANDOM: Final = re.compile(r"/zebra-lantern-[0-9a-f]+|\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT")
"""The path of a page that is not there, and the header ``Date``."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site with a door."""
    with running_site() as running:
        yield running


@pytest.fixture(scope="module")
def server(site: Site, program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a profile for the site."""
    folder = tmp_path_factory.mktemp("same") / "data"
    with running_server(folder, RENDER="auto", RENDER_LOADS=1, BROWSER=program) as running:
        name, password = USER.split(":")
        profile = {"name": "Staging", "origins": [site.url.rstrip("/")], "user": name, "password": password}
        body = json.dumps(profile | {"headers": [HEADER], "cookies": COOKIES.split("; ")}).encode()
        json_type = {"Content-Type": "application/json"}
        assert running.call("POST", "/api/v1/access-profiles", body=body, headers=json_type).status == 201
        yield running


def by_profile(server: Server, url: str, *, drawn: bool) -> dict[str, Any]:
    """The report that the service makes."""
    made = server.create(url, render=int(drawn), **({"device": "desktop"} if drawn else {}))
    return server.finished(made["id"])


def by_options(server: Server, url: str, *, drawn: bool) -> dict[str, Any]:
    """The report that the command prints, with the settings of the service."""
    engine = ("--render", "--device", "desktop") if drawn else ("--no-render",)
    options = ("--user", USER, "-H", HEADER, "--cookie", COOKIES, *engine)
    done = subprocess.run(
        [*COMMAND, "analyze", url, *options, "--format", "json"],
        env=server.environment,
        capture_output=True,
        check=True,
        timeout=120,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def states(report: dict[str, Any]) -> list[str]:
    """Of the checks that judge times."""
    return [report["results"][check]["state"] for check in TIMED]


def timeless(value: Any) -> Any:
    """A part of a report without what was measured, pictures of the load included, and what is drawn by lot."""
    if isinstance(value, dict):
        kept = {name: part for name, part in value.items() if name not in MEASURED and not name.endswith("_ms")}
        return {name: timeless(part) for name, part in kept.items()}
    if isinstance(value, list):
        return [timeless(part) for part in value if not (isinstance(part, dict) and part.get("kind") == "frame")]
    return RANDOM.sub("", value) if isinstance(value, str) else value


def comparable(report: dict[str, Any], *, with_sums: bool) -> Any:
    """All of a report that does not depend on who keeps it and how quick the machine was."""
    results = {check: result for check, result in report["results"].items() if check not in TIMED}
    run = report["run"] | {"number": None, "notes": report["run"]["notes"][1:]}
    run["access"] = report["run"]["access"] | {"name": ""}
    changed = report | {"results": results, "run": run}
    left_out = OF_SERVICE if with_sums else OF_SERVICE | SUMS
    return timeless({name: part for name, part in changed.items() if name not in left_out})


@pytest.mark.parametrize("engine", ["static", "rendered"])
def test_options_and_profile_give_the_same_report(engine: str, server: Server, site: Site) -> None:
    """Checks, states, points, score, evidence, requests, pictures, and what visitors get; only the name differs."""
    url, drawn = f"{site.url}door", engine == "rendered"
    kept, printed = by_profile(server, url, drawn=drawn), by_options(server, url, drawn=drawn)
    same_states = states(kept) == states(printed)

    assert kept["analysis"]["engine"] == engine
    assert kept["run"]["access"]["visitors"]["status"] == 401
    assert (kept["run"]["access"]["name"], printed["run"]["access"]["name"]) == ("Staging", "")
    assert kept["run"]["notes"][0] == "Analyzed with access profile Staging."
    assert printed["run"]["notes"][0] == "Analyzed with an access that visitors without it do not have."
    assert len(kept["results"]) > 200
    assert comparable(kept, with_sums=same_states) == comparable(printed, with_sums=same_states)
