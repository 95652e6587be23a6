"""Reads the examples in a check's documentation and turns them into artifacts.

A section ("Fails on", "Passes on") is one example: all its fenced blocks together.

```html            the body of the page
```http            the page's answer: optional status line, header lines, and after an empty line its body
```http NAME       the answer to a probe, which is any artifact that is a ``WellKnown`` (robots_txt, favicon ...);
                   an optional first line ``GET url``, then as above; several answers in one block, separated
                   by a line ``--``, are redirects followed by the last
```json NAME       any other artifact (tls, dns, sitemaps, resources, load_samples_ms, navigation ...) in its saved form
```url             the page's URL (https://example.com/ by default)

In HTML, ``<!-- the next line N times -->`` stands for N copies of the line below it, with ``{n}`` counting from 1.
"""

from __future__ import annotations

import re
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from pagegrade.model.artifacts import Artifacts, NotGathered, Response, WellKnown
from tests.builders import URL, make_artifacts

FENCE = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REPEATED = re.compile(r"^<!-- the next line (\d+) times -->\n(.*)$", re.MULTILINE)
PROBE_URLS = {
    "robots_txt": URL + "robots.txt",
    "not_found_probe": URL + "zebra-lantern",
    "insecure_probe": "http://example.com/",
    "sibling_probe": "https://www.example.com/",
    "favicon": URL + "favicon.ico",
    "security_txt": URL + ".well-known/security.txt",
    "cors_probe": URL,
    "llms_txt": URL + "llms.txt",
    "markdown_probe": URL,
    "canonical_probe": URL + "main",
}
"""URLs that an example need not name; any other probe has its own name as path."""


def _gathered_type(hint: Any) -> Any:
    """The type of an artifact that was gathered: an example never shows the other case."""
    parts = get_args(hint)
    return next(part for part in parts if part is not NotGathered) if NotGathered in parts else hint


ARTIFACT_TYPES = {name: _gathered_type(hint) for name, hint in get_type_hints(Artifacts).items()}


def artifacts_of_example(section: str) -> Artifacts:
    """Artifacts of one documented example.

    Raises:
        ValueError: The section holds no fenced block, or one of an unknown kind.
    """
    blocks = FENCE.findall(section)
    if not blocks:
        raise ValueError("the section has no fenced example")
    url = next((body.strip() for kind, _, body in blocks if kind == "url"), URL)
    html = next((_repeat(body) for kind, name, body in blocks if kind == "html"), None)
    more: dict[str, Any] = {}
    responses: list[Response] = []
    for kind, name, body in blocks:
        match kind, name:
            case "url", _:
                continue
            case "html", "":
                continue
            case "http", "":
                responses = _answers(body, url)
            case "http", _ if ARTIFACT_TYPES.get(name) is WellKnown:
                answers = _answers(body, PROBE_URLS.get(name, URL + name))
                more[name] = WellKnown(requested_url=answers[0].url, hops=tuple(answers[:-1]), response=answers[-1])
            case "json", _ if name in ARTIFACT_TYPES:
                more[name] = msgspec.convert(msgspec.json.decode(body), ARTIFACT_TYPES[name], strict=False)
            case _:
                raise ValueError(f"unknown block {kind} {name}")
    if "navigation" in more:
        return make_artifacts(**more)
    if responses:
        last = responses[-1]
        if html is not None:
            last = replace(last, body=html.encode(), wire_bytes=len(html.encode()))
        return make_artifacts(hops=responses[:-1], response=last, **more)
    return make_artifacts(html if html is not None else "<!doctype html><title>Example</title>", url=url, **more)


def _repeat(html: str) -> str:
    return REPEATED.sub(
        lambda match: "\n".join(match[2].replace("{n}", str(n)) for n in range(1, int(match[1]) + 1)), html
    )


def _answers(block: str, url: str) -> list[Response]:
    answers: list[Response] = []
    for part in re.split(r"^--$\n?", block, flags=re.MULTILINE):
        head, _, body = part.partition("\n\n")
        lines = [line for line in head.split("\n") if line.strip()]
        status = 200
        if lines and lines[0].startswith("GET "):
            url = lines.pop(0)[4:].strip()
        version = "HTTP/2"
        if lines and lines[0].startswith("HTTP/"):
            version, code, *_ = lines.pop(0).split()
            status = int(code)
        headers = [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        if status < 300 and not any(name.lower() == "content-type" for name, _ in headers):
            headers.append(("Content-Type", "text/html; charset=utf-8"))
        data = body.encode()
        answers.append(
            Response(
                url=url,
                status=status,
                headers=tuple(headers),
                http_version=version,
                body=data,
                wire_bytes=len(data),
            )
        )
    return answers
