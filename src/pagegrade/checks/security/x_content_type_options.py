from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.http.headers import split_outside_quotes

_HEADER: Final = "X-Content-Type-Options"


@check(
    id="x-content-type-options",
    title="X-Content-Type-Options",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("nosniff", "Browsers use the declared types of files."),
        State(
            "unknown",
            "The X-Content-Type-Options header has a value that browsers do not know.",
            loss=1.0,
            title="X-Content-Type-Options is invalid",
            why="Browsers ignore the header and guess the types of files.",
            fix="Send exactly `X-Content-Type-Options: nosniff`.",
        ),
        State(
            "missing",
            "The page does not send X-Content-Type-Options: nosniff.",
            loss=1.0,
            title="Send X-Content-Type-Options: nosniff",
            why="A browser that sniffs types may run an uploaded image or text file as a script.",
            fix=(
                "Send the header with every response. With nginx:\n\n"
                "```\n"
                "add_header X-Content-Type-Options nosniff always;\n"
                "```"
            ),
        ),
    ),
    sources=("https://fetch.spec.whatwg.org/#x-content-type-options-header",),
)
def x_content_type_options(seen_response: Response) -> Outcome:
    """With `nosniff`, a browser uses the declared type of a file and does not guess.

    ## What it checks

    The `X-Content-Type-Options` header of the page. As in browsers, only the first item of the header counts, in any
    case and without the spaces around it, and `nosniff` is the only value there is; so `nosniff, nosniff` passes. The
    header is checked for the page, as by most scanners, and not for each file.

    About half of the most visited sites still lack the header, and browsers guess less than they used to. So it is a
    low check; one line for the whole site fixes it.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    X-Content-Type-Options: nosniff

    <!doctype html><title>Example</title>
    ```
    """
    value = seen_response.header(_HEADER)
    if value is None:
        return Outcome("missing", value="")
    first = split_outside_quotes(value, ",")[0]
    return Outcome(
        "nosniff" if first.lower() == "nosniff" else "unknown",
        value=value[:200],
        evidence=(Evidence(header=_HEADER, snippet=value[:200]),),
    )
