from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.http.structured_fields import parse_item

_OPENER: Final = "Cross-Origin-Opener-Policy"
_EMBEDDER: Final = "Cross-Origin-Embedder-Policy"
_RESOURCE: Final = "Cross-Origin-Resource-Policy"
_KNOWN: Final = {
    _OPENER: frozenset({"same-origin", "same-origin-allow-popups", "noopener-allow-popups", "unsafe-none"}),
    _EMBEDDER: frozenset({"require-corp", "credentialless", "unsafe-none"}),
    _RESOURCE: frozenset({"same-origin", "same-site", "cross-origin"}),
}


@check(
    id="cross-origin-isolation",
    title="Cross-origin isolation",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("recognised", "The cross-origin headers have valid values."),
        State("absent", "The page sends no cross-origin isolation headers."),
        State(
            "unrecognised",
            "A cross-origin header has a value that browsers do not know.",
            title="Cross-origin headers with an invalid value",
            why="Browsers ignore the header, so the page is not isolated although that was intended.",
            fix=(
                "Correct the value, for example `Cross-Origin-Opener-Policy: same-origin`, without quotes and "
                "sent once."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/browsers.html#cross-origin-opener-policies",
        "https://html.spec.whatwg.org/multipage/browsers.html#coep",
        "https://fetch.spec.whatwg.org/#cross-origin-resource-policy-header",
    ),
)
def cross_origin_isolation(seen_response: Response) -> Outcome:
    """Three headers isolate a page from windows, frames and files of other sites.

    ## What it checks

    The values of `Cross-Origin-Opener-Policy`, `Cross-Origin-Embedder-Policy` and `Cross-Origin-Resource-Policy`, read
    as browsers read them: the first two are structured fields whose value has no quotes, the third is compared letter
    by letter. A header that is sent twice counts as unknown. None of them is required, because they can break payments,
    logins in a new window and embedded content. This check costs nothing.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Cross-Origin-Opener-Policy: sameorigin

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Cross-Origin-Opener-Policy: same-origin
    Cross-Origin-Embedder-Policy: require-corp
    Cross-Origin-Resource-Policy: same-origin

    <!doctype html><title>Example</title>
    ```
    """
    found = list(_read(seen_response))
    if not found:
        return Outcome("absent", value=0)
    unknown = [header for header, _, known in found if not known]
    return Outcome(
        "unrecognised" if unknown else "recognised",
        value=", ".join(unknown or (header for header, _, _ in found)),
        evidence=tuple(
            Evidence(header=header, snippet=value[:200], reason="" if known else "not a value that browsers know")
            for header, value, known in found
        ),
    )


def _read(response: Response) -> Iterator[tuple[str, str, bool]]:
    """Each header that is there: its name, its value, and whether browsers know it."""
    for header, known in _KNOWN.items():
        value = response.header(header)
        if value is None:
            continue
        if header == _RESOURCE:
            yield header, value, value.strip() in known
        else:
            item = parse_item([value])
            yield header, value, item is not None and item.kind == "token" and item.text in known
