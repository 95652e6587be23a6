from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.files.content_preferences import Preferences, read_content_signal, read_content_usage
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.url import origin

_NAMES: Final = {"content-signal": "Content-Signal", "content-usage": "Content-Usage"}
_Stated = tuple[Preferences, Evidence]


@check(
    id="content-signals",
    title="Content signals",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("declared", "The site states what its content may be used for."),
        State(
            "unreadable",
            "The site states what its content may be used for in a way that programs cannot read.",
            title="Content preferences that programs cannot read",
            why="Crawlers that respect such preferences ignore what they cannot read, as if nothing were stated.",
            fix=(
                "Write `Content-Signal: search=yes, ai-input=yes, ai-train=no` below a `User-agent` line, or "
                "`Content-Usage: train-ai=n`, with the values that you want."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://contentsignals.org/",
        "https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/",
    ),
)
def content_signals(robots: Robots | NotGathered, response: Response) -> Verdict:
    """A site can state whether AI services may use its content for search, answers or training.

    ## What it checks

    The `Content-Signal` lines (contentsignals.org) and the `Content-Usage` lines (a draft of the IETF) in robots.txt,
    and the `Content-Usage` header of the page: whether programs can read them. Known signals are `search`, `ai-input`
    and `ai-train`, each `yes` or `no`; values of `Content-Usage` are `y` or `n`, and its names are not checked, because
    the draft still changes. What is stated is listed with the crawlers it is addressed to. It is a statement, not a
    barrier: whether a crawler respects it is not known. A site that states nothing is not evaluated, and any choice is
    fine, so this is informative and costs nothing.

    ## Fails on

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Content-Signal: ai_train: no
    ```

    ## Passes on

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Content-Signal: search=yes, ai-train=no
    ```
    """
    stated = list(islice(_stated(robots, response), MAX_EVIDENCE))
    if not stated and isinstance(robots, NotGathered):
        return NotRun(robots.code, robots.detail)
    if not stated:
        return NotApplicable("The site does not state what its content may be used for.")
    bad = [entry for entry in stated if entry[0].faults]
    shown = tuple(evidence for _, evidence in (bad or stated))
    details = tuple(
        Detail(code=name, actual="allowed" if allowed else "not allowed")
        for preferences, _ in stated
        for name, allowed in preferences.allowed.items()
    )
    return Outcome(
        "unreadable" if bad else "declared",
        value=", ".join(dict.fromkeys(f"{one.code} {one.actual}" for one in details)) or None,
        evidence=shown,
        total=len(shown),
        details=details[:MAX_EVIDENCE],
    )


def _stated(robots: Robots | NotGathered, response: Response) -> Iterator[_Stated]:
    """Each line and each header with what it states."""
    if isinstance(robots, Robots):
        address = f"{origin(response.url)}/robots.txt"
        for line in robots.extensions:
            if line.directive not in _NAMES:
                continue
            signal = line.directive == "content-signal"
            read = read_content_signal(line.value) if signal else read_content_usage(line.value, in_robots_txt=True)
            agents = "all crawlers" if line.group is None else ", ".join(robots.groups[line.group].agents[:5])
            yield (
                read,
                Evidence(
                    url=address,
                    line=line.line,
                    snippet=f"{_NAMES[line.directive]}: {line.value}"[:200],
                    reason="; ".join(read.faults)[:200] or f"addressed to {agents[:150]}",
                ),
            )
    for value in response.header_values("content-usage"):
        read = read_content_usage(value[:2_000])
        reason = "; ".join(read.faults)[:200] or "for this page"
        yield read, Evidence(header="Content-Usage", snippet=value[:200], reason=reason)
