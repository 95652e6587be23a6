from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome, Severity

MODERN: Final = frozenset({"br", "zstd"})
SMALL_BYTES: Final = 1_400


@check(
    id="compression-modern",
    title="Brotli or Zstandard compression",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("modern", "The HTML is compressed with Brotli or Zstandard."),
        State(
            "gzip",
            "The HTML is compressed with gzip.",
            title="Compress with Brotli or Zstandard",
            why="Brotli makes text about a sixth smaller than gzip does, and every current browser supports it.",
            fix="Turn on Brotli or Zstandard in addition to gzip on the web server or the CDN.",
        ),
        State("none", "The HTML is not compressed."),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc7932",
        "https://www.rfc-editor.org/rfc/rfc8878",
    ),
)
def compression_modern(response: Response) -> Verdict:
    """Brotli and Zstandard compress text better than gzip.

    ## What it checks

    Which coding the server used for the HTML when gzip, deflate, Brotli and Zstandard were all offered. It is
    informative and costs nothing: gzip is good enough, and `text-compression` evaluates whether anything is compressed
    at all. Browsers accept the newer codings over https only.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html; charset=utf-8
    Content-Encoding: gzip

    <!doctype html><title>Garden furniture</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html; charset=utf-8
    Content-Encoding: br

    <!doctype html><title>Garden furniture</title>
    ```
    """
    if not response.body:
        return NotApplicable("The answer has no body.")
    if not response.url.startswith("https:"):
        return NotApplicable("The page is served over http, where browsers ask for gzip only.")
    header = response.header("content-encoding")
    codings = response.content_encodings or tuple(
        part.strip() for part in (header or "").lower().split(",") if part.strip()
    )
    if not codings and header is None and response.wire_bytes is None:
        return NotRun("not_measured", "The saved page does not include its transfer size.")
    name = ", ".join(codings) or "none"
    state = "none" if codings in ((), ("identity",)) else "gzip" if MODERN.isdisjoint(codings) else "modern"
    if state == "none" and len(response.body) < SMALL_BYTES:
        return NotApplicable("The HTML is so small that compressing it would save nothing noticeable.")
    return Outcome(state, value=name, evidence=(Evidence(header="Content-Encoding", value=name),))
