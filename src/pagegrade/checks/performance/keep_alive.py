from collections import defaultdict
from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.artifacts import Resources, Response
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity

FULL_AT: Final = 15


@check(
    id="keep-alive",
    title="Persistent connections (keep-alive)",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("kept", "The server keeps connections open."),
        State(
            "closed",
            "The server closes the connection after each file.",
            loss=0.5,
            loss_max=1.0,
            title="Enable persistent connections",
            why="Connecting and negotiating TLS for each file takes two or three round trips.",
            fix=(
                "Remove `keepalive_timeout 0` in nginx or `KeepAlive Off` in Apache, or enable HTTP/2, which "
                "keeps its connection open."
            ),
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9112#section-9.3",),
)
def keep_alive(response: Response, resources: Resources) -> Verdict:
    """A persistent connection saves the handshake for the next file.

    ## What it checks

    The answers of the site's own hosts over HTTP/1: the page and its files, as far as they came with a status of 200.
    A host counts when at least two of its answers, and at least half of them, say `Connection: close` (or speak
    HTTP/1.0 without `keep-alive`); servers close a connection after a hundred files for good reasons. Two closed
    answers cost half, fifteen everything. HTTP/2 and HTTP/3 keep their connection always, so there is nothing to
    evaluate.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/a.js",
            "status": 200,
            "wire_bytes": 900,
            "headers": [["Connection", "close"]],
            "http_version": "HTTP/1.1"
          }
        },
        {
          "url": "https://example.com/b.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/b.js",
            "status": 200,
            "wire_bytes": 900,
            "headers": [["Connection", "close"]],
            "http_version": "HTTP/1.1"
          }
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/a.js",
            "status": 200,
            "wire_bytes": 900,
            "http_version": "HTTP/1.1"
          }
        },
        {
          "url": "https://example.com/b.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/b.js",
            "status": 200,
            "wire_bytes": 900,
            "http_version": "HTTP/1.1"
          }
        }
      ]
    }
    ```
    """
    answers = [response, *(item.response for item in resources.items if item.first_party and item.response is not None)]
    by_host: dict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        if answer.status == 200 and answer.http_version in ("HTTP/1.0", "HTTP/1.1"):
            by_host[answer.url.split("/", 3)[2]].append(_closes(answer))
    counted = {name: flags for name, flags in by_host.items() if len(flags) > 1}
    if not counted:
        return NotApplicable("No host of the site answered twice over HTTP/1.")
    closed = {name: sum(flags) for name, flags in counted.items() if sum(flags) >= max(2, len(flags) / 2)}
    total = sum(closed.values())
    if not closed:
        return Outcome("kept", value=f"{sum(map(len, counted.values()))} answers")
    return Outcome(
        "closed",
        value=f"{total} answers",
        evidence=tuple(
            Evidence(header="Connection", value="close", reason=f"{number} answers of {name}")
            for name, number in sorted(closed.items())[:MAX_EVIDENCE]
        ),
        details=(Detail(code="closed_connections", actual=total, limit=1),),
        loss=offender_loss(total - 1, FULL_AT - 1),
    )


def _closes(answer: Response) -> bool:
    options = {part.strip() for part in (answer.header("connection") or "").lower().split(",")}
    return "close" in options or (answer.http_version == "HTTP/1.0" and "keep-alive" not in options)
