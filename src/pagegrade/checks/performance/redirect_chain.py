from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Navigation, Response
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Saving, Severity
from pagegrade.parse.url import host

LONG: Final = 3
TEMPORARY: Final = frozenset({302, 303, 307})


@check(
    id="redirect-chain",
    title="Redirects to the page",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("direct", "The page loads without redirects."),
        State("canonical_hop", "One permanent redirect leads to the canonical URL."),
        State(
            "single",
            "One redirect precedes the page.",
            loss=0.25,
            title="Avoid the redirect to the page",
            why="The redirect costs every visitor who uses this URL another round trip before the page starts to load.",
            fix="Link to the final URL. If the redirect goes to a start page below `/`, serve that page at `/` itself.",
        ),
        State(
            "temporary",
            "A temporary redirect leads to a URL that is permanent.",
            loss=0.5,
            title="Make the redirect permanent",
            why="Search engines keep the old URL in their index, and browsers do not remember the redirect.",
            fix="Answer with status 301 or 308 instead of 302, 303 or 307.",
        ),
        State(
            "several",
            "Two redirects precede the page.",
            loss=0.5,
            title="Combine the two redirects into one",
            why=(
                "Each redirect costs another round trip, a tenth of a second or more on a phone, in which "
                "nothing happens."
            ),
            fix="Let one rule build the final URL with https, host and trailing slash, and redirect to it in one step.",
        ),
        State(
            "long",
            "Three or more redirects precede the page.",
            loss=1.0,
            title="Shorten the redirect chain",
            why="Each redirect costs another round trip in which nothing happens, and crawlers give up on long chains.",
            fix="Redirect every old URL in one step, with status 301, to the final one, and link to that directly.",
        ),
        State(
            "loop",
            "The redirects visit the same URL twice.",
            loss=1.0,
            title="Redirects visit the same URL twice",
            why="Visitors lose several round trips, and browsers without the cookies set on the way may never arrive.",
            fix=(
                "Find the rule that sends visitors back, often a cookie or language check, and answer the first "
                "request with the page itself."
            ),
        ),
        State(
            "cookie_wall",
            "The page answers only those who send its cookie back.",
            loss=1.0,
            title="Answer the page without requiring a cookie",
            why=(
                "Search engines and most other crawlers keep no cookies: for them the redirect leads back to itself "
                "again and again, and never to the page."
            ),
            fix="Answer the first request with the page itself, and set the cookie with that answer.",
        ),
        State(
            "downgrade",
            "A redirect leads from https to http.",
            loss=1.0,
            title="Redirect from https to http",
            why="The rest of the visit is unencrypted: others on the network can read and change the page.",
            fix="Redirect to the https URL instead, and correct the rule or site URL setting that produces `http://`.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.4",
        "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    ),
)
def redirect_chain(navigation: Navigation) -> Verdict:
    """Each redirect is another round trip before the page can start to load.

    ## What it checks

    The redirects between the requested URL and the page. None is best, and one permanent redirect from http to https,
    or between the names with and without `www`, is just as good. One of another kind costs a quarter, two cost half,
    and so does a temporary redirect (302, 303, 307) for a move to https or to the other name, which is permanent. Three
    or more, a URL that is visited twice, with a cookie set in between or without, and a step from https back to http
    cost everything. When the URL was typed without `http://` or `https://`, a step that only changes this is not
    counted. Redirects by `<meta>` or scripts are not seen here.

    ## Fails on

    ```http
    GET http://example.com/
    HTTP/1.1 301
    Location: https://example.com/
    --
    GET https://example.com/
    HTTP/2 301
    Location: https://www.example.com/
    --
    GET https://www.example.com/
    HTTP/2 301
    Location: https://www.example.com/en/
    --
    GET https://www.example.com/en/
    HTTP/2 200

    <!doctype html><title>Garden furniture</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200

    <!doctype html><title>Garden furniture</title>
    ```
    """
    answers = (*navigation.hops, navigation.response)
    steps = [(answer, after.url) for answer, after in zip(navigation.hops, answers[1:], strict=True)]
    if navigation.typed_without_scheme:
        ours = next((i for i, (answer, target) in enumerate(steps) if _rest(answer.url) == _rest(target)), None)
        if ours is not None and steps[ours][0].url != steps[ours][1]:
            del steps[ours]
    addresses = [answer.url for answer in answers]
    if len(set(addresses)) < len(addresses):
        state = "cookie_wall" if _waits_for_cookie(answers) else "loop"
    elif any(answer.url.startswith("https:") and target.startswith("http:") for answer, target in steps):
        state = "downgrade"
    elif len(steps) >= LONG:
        state = "long"
    elif len(steps) > 1:
        state = "several"
    elif not steps:
        state = "direct"
    elif not _is_canonical(*steps[0]):
        state = "single"
    elif steps[0][0].status in TEMPORARY:
        state = "temporary"
    else:
        state = "canonical_hop"
    milder = _milder(state, steps)
    return Outcome(
        state,
        value=len(steps),
        evidence=tuple(
            replace(_evidence(answer, target), state=name)
            for (answer, target), name in zip(steps[:MAX_EVIDENCE], milder, strict=False)
        ),
        details=(Detail(code="redirects", actual=len(steps), limit=1),),
        saving=_saving([answer for answer, _ in steps]) if state in {"several", "long"} else None,
    )


def _milder(worst: str, steps: Sequence[tuple[Response, str]]) -> list[str]:
    """The state that each step shows, where it is not that of the outcome."""
    insecure = [answer.url.startswith("https:") and target.startswith("http:") for answer, target in steps]
    if worst in {"loop", "cookie_wall"}:
        return ["downgrade" if one else "" for one in insecure]
    if worst == "downgrade" and len(steps) > 1:
        number = "long" if len(steps) >= LONG else "several"
        return ["" if one else number for one in insecure]
    return [""] * len(steps)


def _waits_for_cookie(answers: Sequence[Response]) -> bool:
    """Return whether a cookie was set before the first URL that is visited again answered otherwise."""
    seen: dict[str, int] = {}
    for index, answer in enumerate(answers):
        if answer.url in seen:
            return any(one.header_values("set-cookie") for one in answers[seen[answer.url] : index])
        seen[answer.url] = index
    return False


def _saving(answers: Sequence[Response]) -> Saving | None:
    """The time of all redirects but the longest: one step remains where they are combined."""
    times = [answer.timings.total_ms for answer in answers]
    return Saving(sum(times) - max(times), "ms") if all(times) else None


def _rest(url: str) -> str:
    """The URL without its scheme."""
    return url.partition(":")[2]


def _is_canonical(answer: Response, target: str) -> bool:
    """A step to https, or between a name with and without ``www``, that leads to the same path or deeper."""
    before, after = host(answer.url), host(target)
    if before.removeprefix("www.") != after.removeprefix("www."):
        return False
    upgraded = answer.url.startswith("http:") and target.startswith("https:")
    return upgraded or before != after


def _evidence(answer: Response, target: str) -> Evidence:
    reason = f"status {answer.status}"
    if answer.timings.total_ms:
        reason = f"{reason}, {answer.timings.total_ms:,.0f} ms"
    if answer.header_values("set-cookie"):
        reason = f"{reason}, sets a cookie"
    return Evidence(url=answer.url, header="Location", value=target, reason=reason)
