import zlib
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check, meter_loss
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Saving, Severity
from pagegrade.parse.http.caching import read_cache_policy
from pagegrade.parse.http.headers import REGISTERED_CODINGS

MIN_SAVING_BYTES: Final = 1_400
"""About one TCP segment: saving less brings nothing earlier."""
FIRST_ROUND_TRIP_BYTES: Final = 14_600
"""Ten TCP segments, which a server sends before it waits for an answer (RFC 6928): HTML that fits in is not delayed."""
ALL_SAVING_BYTES: Final = 30_000
"""A saving from which everything is lost: twenty packets, more than a first round trip carries."""
SAMPLE_BYTES: Final = 65_536
"""As much of a body is compressed to estimate the rest."""
GOOD_CODINGS: Final = frozenset({"gzip", "x-gzip", "br", "zstd"})


@check(
    id="text-compression",
    title="Compression of the HTML",
    severity=Severity.HIGH,
    cause="compression",
    since="0.1.0",
    states=(
        State("compressed", "The HTML is compressed."),
        State("small", "The HTML is so small that compressing it would save nothing noticeable."),
        State(
            "short_uncompressed",
            "The HTML is not compressed, but so short that it arrives in one round trip.",
            loss=0.25,
            title="Compress the HTML",
            why=(
                "Compressed HTML is often a quarter of its size. Every visitor downloads the difference before "
                "anything is shown."
            ),
            fix=("Turn on gzip or Brotli on the server or CDN. For nginx:\n\n```\ngzip on;\ngzip_vary on;\n```"),
        ),
        State(
            "vary_missing",
            "The HTML is compressed, but the response has no Vary: Accept-Encoding.",
            loss=0.25,
            title="Add Vary: Accept-Encoding",
            why="A shared cache may send the compressed bytes to a client that cannot read them.",
            fix="Send `Vary: Accept-Encoding` with compressed responses. In nginx this is `gzip_vary on;`.",
        ),
        State(
            "no_coding",
            "The Content-Encoding header names no compression that exists.",
            loss=0.25,
            title="Correct the Content-Encoding header",
            why=(
                "Browsers pass the content on as it is, but other programs give up, because they cannot know what was "
                "done to it."
            ),
            fix=(
                "Remove the `Content-Encoding` header, or turn on gzip or Brotli. An encoding of characters such as "
                "UTF-8 belongs in the `Content-Type` header."
            ),
        ),
        State(
            "deflate",
            "The HTML is compressed with deflate only.",
            loss=0.5,
            title="Replace deflate by gzip or Brotli",
            why="Servers and clients disagree about what deflate means, so some clients cannot read the page.",
            fix="Turn on gzip or Brotli on the server or CDN, and turn off deflate.",
        ),
        State(
            "uncompressed",
            "The HTML is not compressed.",
            loss=0.5,
            loss_max=1.0,
            title="Compress the HTML",
            why=(
                "Compressed HTML is often a quarter of its size. Every visitor downloads the difference before "
                "anything is shown."
            ),
            fix=("Turn on gzip or Brotli on the server or CDN. For nginx:\n\n```\ngzip on;\ngzip_vary on;\n```"),
        ),
        State(
            "not_coded",
            "The Content-Encoding header declares a compression that the HTML does not have.",
            loss=1.0,
            title="The page is not compressed as its header says",
            why="Browsers cannot decompress what is not compressed, and show an error instead of the page.",
            fix=(
                "Remove the `Content-Encoding` header where the content is not compressed. Often a cache or a script "
                "adds the header, or a proxy decompresses the content and keeps it."
            ),
        ),
    ),
    cap=Cap(49, states=("not_coded",)),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-8.4",
        "https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3",
        "https://www.rfc-editor.org/rfc/rfc7932",
        "https://www.rfc-editor.org/rfc/rfc8878",
    ),
)
def text_compression(response: Response) -> Verdict:
    """Compressed HTML is often a quarter of its size.

    ## What it checks

    Which content coding the server used for the HTML when gzip, deflate, Brotli and Zstandard were all offered. gzip,
    Brotli (`br`) and Zstandard (`zstd`) are equally fine. `deflate` alone costs half, because servers disagree about
    what it means. Uncompressed HTML that gzip would make at least 1,400 bytes smaller, which is about one network
    packet, costs a quarter if it fits into the first round trip (14,600 bytes). Longer HTML costs half, and everything
    where 30,000 bytes would be saved. A compressed answer that shared caches may keep (a lifetime above 0, not
    `private`, `no-store` or `no-cache`) also needs `Vary: Accept-Encoding`, without which it costs a quarter. A header
    that declares a compression which the content does not have costs everything and limits the score, because browsers
    do not show such a page. One that names no compression at all, such as `UTF-8`, costs a quarter.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html; charset=utf-8
    Content-Encoding: deflate

    <!doctype html><title>Garden furniture</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html; charset=utf-8
    Content-Encoding: br
    Vary: Accept-Encoding

    <!doctype html><title>Garden furniture</title>
    ```
    """
    if not response.body:
        return NotApplicable("The answer has no body.")
    header = response.header("content-encoding")
    codings = response.content_encodings or tuple(
        coding for part in (header or "").lower().split(",") if (coding := part.strip())
    )
    codings = tuple(coding for coding in codings if coding != "identity")
    declared = (Evidence(header="Content-Encoding", value=", ".join(codings)[:200]),)
    if "plain_body" in response.notes:
        return Outcome("not_coded", value=", ".join(codings)[:200], evidence=declared)
    if codings and REGISTERED_CODINGS.isdisjoint(codings):
        return Outcome("no_coding", value=", ".join(codings)[:200], evidence=declared)
    if not codings and header is None and response.wire_bytes is None:
        return NotRun("not_measured", "The saved page does not include its transfer size.")
    name = ", ".join(codings) or "none"
    evidence = (Evidence(header="Content-Encoding", value=name),)
    details = _sizes(response)
    if GOOD_CODINGS.intersection(codings):
        policy = read_cache_policy(response)
        if policy.shared_lifetime_s > 0 and not policy.vary & {"accept-encoding", "*"}:
            vary = Evidence(header="Vary", value=", ".join(sorted(policy.vary)) or "absent")
            return Outcome("vary_missing", value=name, evidence=(*evidence, vary), details=details)
        return Outcome("compressed", value=name, evidence=evidence, details=details)
    if "deflate" in codings:
        return Outcome("deflate", value=name, evidence=evidence, details=details)
    compressed = _compressed_size(response.body)
    saving = len(response.body) - compressed
    if saving < MIN_SAVING_BYTES:
        return Outcome("small", value=name, evidence=evidence, details=details)
    is_short = len(response.body) <= FIRST_ROUND_TRIP_BYTES
    return Outcome(
        "short_uncompressed" if is_short else "uncompressed",
        value=name,
        evidence=evidence,
        details=(*details, Detail(code="saving_bytes", actual=saving, limit=MIN_SAVING_BYTES)),
        message=f"The HTML is not compressed: gzip would reduce {len(response.body):,} bytes to {compressed:,}.",
        saving=Saving(saving, "bytes"),
        loss=None if is_short else 0.5 + 0.5 * meter_loss(saving, MIN_SAVING_BYTES, ALL_SAVING_BYTES),
    )


def _sizes(response: Response) -> tuple[Detail, ...]:
    return (
        Detail(code="wire_bytes", actual=response.wire_bytes),
        Detail(code="decoded_bytes", actual=len(response.body)),
    )


def _compressed_size(body: bytes) -> int:
    """Compress the text with gzip -6; only its start if it is long."""
    if len(body) <= MIN_SAVING_BYTES:
        return len(body)
    sample = body[:SAMPLE_BYTES]
    return len(zlib.compress(sample, 6)) * len(body) // len(sample)
