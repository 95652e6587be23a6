"""The proof of a site by command, against sites that are served."""

from __future__ import annotations

import pytest

from pagegrade.gather.guard import Guard
from pagegrade.service.audits.consent import PROOF_PATH
from tests.cli.command_line import CommandLine
from tests.site_world.server import serving
from tests.site_world.world import make_world


def token_of(said: str) -> str:
    """The token that the command shows."""
    lines = said.splitlines()
    return lines[next(at for at, line in enumerate(lines) if line.startswith("File ")) + 1].strip()


@pytest.mark.parametrize("place", ["", "file", "meta"])
def test_the_places_are_shown_and_looked_at(
    command_line: CommandLine, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The exit code says that none of them has the token."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", "127.0.0.0/8")
    monkeypatch.setattr(Guard, "is_inside", lambda _self, _url: False)
    command_line("migrate")
    with serving(make_world(51, pages=3)) as site:
        missing = command_line("prove-site", site.origin)
        token = token_of(missing.out)
        if place == "file":
            site.files = {PROOF_PATH: f"{token}\n"}
        if place == "meta":
            site.head = f'<meta name="pagegrade-site-verification" content="{token}">'
        said = command_line("prove-site", site.origin)

    assert missing.code == 1
    assert missing.out.endswith("None of them is there.\n")
    assert f"{site.origin}{PROOF_PATH}" in missing.out
    assert token_of(said.out) == token
    assert said.code == (0 if place else 1)
    assert ("is there: the host and its www sibling are proved." in said.out) is bool(place)


def test_a_site_of_the_own_network_needs_no_proof(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for its crawls."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", "127.0.0.0/8")
    command_line("migrate")
    with serving(make_world(51, pages=3)) as site:
        said = command_line("prove-site", site.origin)

    assert (said.code, said.out.splitlines()[-1]) == (
        0,
        "The host lies in a network of this installation, so it needs no proof.",
    )


def test_without_robots_txt_nothing_is_asked_for(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so instead of that there is no proof."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", "127.0.0.0/8")
    command_line("migrate")
    said = command_line("prove-site", "http://127.0.0.1:9/")

    assert said.code == 2
    assert "robots.txt of 127.0.0.1 cannot be had" in said.err
