"""The commands and calls of the README and the how-tos, run in the order of the page against a new server."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from pagegrade.cli.app import run
from tests.server import FORM, Reply, Server, running_server
from tests.site.serve import Site

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "docs/howto/use-the-command-line.md",
    "docs/howto/run-the-service.md",
    "docs/howto/keep-the-service.md",
)
DEPLOYMENT = ("reports:read", "reports:write", "keys")
"""Scopes of the key that the page makes for it."""


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Server]:
    """A server without any report, so that the first one has the number of the page."""
    with running_server(tmp_path / "data") as running:
        yield running


def typed_lines(page: str) -> list[list[str]]:
    """The words of every command in the console blocks of a page, without comments."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.startswith("$ ")]
    return [shlex.split(line[2:], comments=True) for line in lines]


def ask(server: Server, words: list[str], url: str) -> Reply:
    """Do what curl would do, with its options as far as the pages use them; ``url`` is analyzed instead of theirs."""
    method, address = "", ""
    headers: dict[str, str] = {}
    fields: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        match word:
            case "-X":
                method = next(rest)
            case "-H":
                name, _, value = next(rest).partition(": ")
                if "$DEPLOYMENT_KEY" in value:
                    value = value.replace("$DEPLOYMENT_KEY", server.add_key(scopes=DEPLOYMENT))
                headers[name] = value.replace("$KEY", server.key)
            case "-d":
                fields.append(next(rest))
            case "--data-urlencode":
                name, _, value = next(rest).partition("=")
                fields.append(f"{name}={quote_plus(value)}")
            case _:
                address = word
    path = address.replace("$API", "/api/v1")
    if not path.startswith("/api/v1/"):
        raise AssertionError(f"{words} asks for something else than the API")
    body = "&".join(fields).replace("url=https://example.org/", f"url={quote_plus(url)}").encode()
    if fields:
        headers.setdefault("Content-Type", FORM)
    return server.call(method or ("POST" if fields else "GET"), path, key=None, headers=headers, body=body or None)


@pytest.mark.parametrize(("page", "least"), [("README.md", 2), ("docs/howto/run-the-service.md", 8)])
def test_documented_calls_work(fresh: Server, site: Site, page: str, least: int) -> None:
    """In the order of the page; the how-to goes from the first report to its deletion."""
    calls = [words for words in typed_lines(page) if words[0] == "curl"]
    methods = []
    for words in calls:
        reply = ask(fresh, words, site.http + "/")
        methods.append(words[words.index("-X") + 1] if "-X" in words else "")
        assert reply.status in {200, 201}, (words, reply.body[:300])

    assert {"PUT", "DELETE", ""} <= set(methods) or page == "README.md"
    assert len(calls) >= least


def test_documented_commands_exist(
    fresh: Server, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With these very options; those that need something of their own are asked for their help instead."""
    typed = {tuple(words) for page in PAGES for words in typed_lines(page)}
    commands = sorted(words for words in typed if words[0].rpartition("/")[2] == "pagegrade")
    asked: dict[str, set[str]] = {}
    for name, value in fresh.environment.items():
        if name.startswith("PAGEGRADE_"):
            monkeypatch.setenv(name, value)
    for words in commands:
        if words[1] in {"keys", "prune", "migrate"} and words[2] != "revoke":
            assert run(words[1:]) == 0, (words, capfd.readouterr())
        else:
            asked.setdefault(words[1], set()).update(word for word in words[2:] if word.startswith("-"))
    unknown = {}
    for name, options in asked.items():
        run((name, "--help"))
        unknown[name] = options - set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", capfd.readouterr().out))

    assert {name: options for name, options in unknown.items() if options} == {}
    assert {words[1] for words in commands} >= {"keys", "prune", "doctor", "analyze", "evaluate"}


def test_the_way_to_back_up_makes_a_whole_copy(server: Server, site: Site, tmp_path: Path) -> None:
    """The copy has the report that was there, and a server starts on it."""
    made = server.create(site.http + "/")
    (words,) = [words for words in typed_lines("docs/howto/keep-the-service.md") if words[0] == "python3"]
    code = words[words.index("-c") + 1]
    copy = tmp_path / "copy" / "pagegrade.db"
    copy.parent.mkdir(mode=0o700)
    subprocess.run([sys.executable, "-c", code, server.folder / "pagegrade.db", copy], check=True, timeout=60)
    with running_server(copy.parent, key=server.key, WORKERS=0) as restored:
        found = restored.call("GET", f"/api/v1/reports/{made['id']}").data

    assert found["url"] == made["url"]
