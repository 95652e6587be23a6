from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.http.headers import parse_tokens

_HEADER: Final = "Referrer-Policy"
_STRICT: Final = frozenset({"no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin"})
_LOOSE: Final = frozenset({"origin", "origin-when-cross-origin", "no-referrer-when-downgrade"})
_UNSAFE: Final = "unsafe-url"
_KNOWN: Final = _STRICT | _LOOSE | {_UNSAFE}
_LEGACY: Final = {
    "never": "no-referrer",
    "default": "strict-origin-when-cross-origin",
    "always": "unsafe-url",
    "origin-when-crossorigin": "origin-when-cross-origin",
}
"""Old words that browsers still take in a ``<meta>``."""


@check(
    id="referrer-policy",
    title="Referrer Policy",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("strict", "Other sites receive at most the origin of the page, and only over HTTPS."),
        State("default", "The page sets no Referrer Policy; browsers send other sites its origin only."),
        State(
            "loose",
            "The Referrer Policy sends more than browsers do by default.",
            loss=0.5,
            title="Tighten the Referrer Policy",
            why="Browsers send the origin also over plain HTTP, or the full URL also to other sites.",
            fix="Remove the policy, or set it to `strict-origin-when-cross-origin`.",
        ),
        State(
            "unknown",
            "The Referrer Policy has no value that browsers know.",
            loss=1.0,
            title="Referrer Policy is invalid",
            why="Browsers ignore the policy and use their default.",
            fix="Send `Referrer-Policy: strict-origin-when-cross-origin`.",
        ),
        State(
            "unsafe",
            "The Referrer Policy sends the full URL of the page to every site.",
            loss=1.0,
            title="Referrer Policy sends full URLs to every site",
            why=(
                "Search terms, account names and secret links in URLs reach every linked site and every "
                "embedded third party, even over plain HTTP."
            ),
            fix="Replace `unsafe-url` by `strict-origin-when-cross-origin`.",
        ),
    ),
    sources=(
        "https://www.w3.org/TR/referrer-policy/#parse-referrer-policy-from-header",
        "https://html.spec.whatwg.org/multipage/semantics.html#meta-referrer",
    ),
)
def referrer_policy(seen_response: Response, document: Document) -> Outcome:
    """The Referrer Policy controls how much of the page's URL other sites learn when visitors follow a link.

    ## What it checks

    The `Referrer-Policy` header, of whose words the last one that browsers know counts, and `<meta name="referrer">`,
    which overrides it and holds a single word: browsers ignore a list there. It passes with `no-referrer`,
    `same-origin`, `strict-origin` or `strict-origin-when-cross-origin`, and without any policy, because the last of
    these is what browsers do by themselves. It costs half with `origin`, `origin-when-cross-origin` and
    `no-referrer-when-downgrade`, and fails with `unsafe-url` and with a header that holds no known word.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Referrer-Policy: unsafe-url

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Referrer-Policy: no-referrer, strict-origin-when-cross-origin

    <!doctype html><title>Example</title>
    ```
    """
    found: tuple[str, Meta] | None = None
    for meta in document.metas:
        if meta.name == "referrer" and (word := _word(meta)) in _KNOWN:
            found = word, meta
    header = seen_response.header(_HEADER)
    headers = () if header is None else (Evidence(header=_HEADER, snippet=header[:200]),)
    if found is not None:
        return Outcome(_state(found[0]), value=found[0], evidence=(document.evidence(found[1]), *headers))
    words = parse_tokens(() if header is None else (header,))
    if not words:
        return Outcome("default", value="", evidence=headers)
    effective = next((word for word in reversed(words) if word in _KNOWN), None)
    if effective is None:
        return Outcome("unknown", value=words[-1][:200], evidence=headers)
    return Outcome(_state(effective), value=effective, evidence=headers)


def _word(meta: Meta) -> str:
    word = meta.content.strip().lower()
    return _LEGACY.get(word, word)


def _state(word: str) -> str:
    if word == _UNSAFE:
        return "unsafe"
    return "strict" if word in _STRICT else "loose"
