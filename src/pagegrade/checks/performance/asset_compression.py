from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Saving, Severity
from pagegrade.parse.assets import Asset, Assets

MIN_SAVING_BYTES: Final = 1_400
GOOD_BYTES: Final = 20_000
BAD_BYTES: Final = 200_000
PACKED_FORMATS: Final = frozenset({"jpeg", "png", "gif", "webp", "avif", "jxl", "heic"})


@check(
    id="asset-compression",
    title="Compression of CSS, JavaScript and other text files",
    severity=Severity.HIGH,
    cause="compression",
    since="0.1.0",
    states=(
        State("compressed", "The site compresses its text files."),
        State(
            "mostly",
            "The site serves a few small text files uncompressed.",
            loss=0.1,
            title="Compress all text files",
            why="The files are small, so the gain is too; each of them still arrives later than necessary.",
            fix="Add the content types of the listed files to what the server compresses.",
        ),
        State(
            "needless",
            "The site compresses files whose format is already compressed.",
            loss=0.25,
            title="Do not compress files that are already compressed",
            why=(
                "Compressing JPEG, PNG, WebP, WOFF2 or ZIP a second time costs processor time on both sides and "
                "saves nothing."
            ),
            fix=(
                "Limit compression to text types, such as `text/css`, `text/javascript`, `application/json` and "
                "`image/svg+xml`."
            ),
        ),
        State(
            "uncompressed",
            "The site serves text files uncompressed.",
            loss=0.25,
            loss_max=1.0,
            title="Compress CSS, JavaScript and other text files",
            why=(
                "Text shrinks to about a third when it is compressed. Every visitor downloads the difference, "
                "and the page is shown later."
            ),
            fix=(
                "Turn on gzip or Brotli for these types on the server or CDN. For nginx:\n\n"
                "```\n"
                "gzip on;\n"
                "gzip_types text/css text/javascript application/json image/svg+xml application/wasm font/ttf;\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-8.4",
        "https://developer.chrome.com/docs/lighthouse/performance/uses-text-compression",
    ),
)
def asset_compression(assets: Assets) -> Verdict:
    """Scripts, stylesheets and SVG images shrink to about a third when the server compresses them.

    ## What it checks

    Scripts, stylesheets, SVG, JSON, XML, WebAssembly and uncompressed fonts that came from the site's own domain, have
    1,400 bytes or more, and arrived without compression although gzip, Brotli and Zstandard were offered. Icons of the
    site are left out: a browser asks for them when all else is there.
    Each was compressed with gzip to see what it would have saved; a file counts when that is 1,400 bytes or more, about
    one packet. Savings of up to 20,000 bytes in all cost a tenth; up to 200,000 they cost more and more in five steps.

    Files whose format is compressed already (JPEG, PNG, WebP, AVIF, WOFF, WOFF2, ZIP) and that the server compresses
    once more cost a quarter, because that work has no effect. Files of other sites are not evaluated, since their
    owners have to act.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/shop.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/shop.js", "status": 200, "wire_bytes": 180000},
          "gzip_bytes": 60000
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/shop.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/shop.js",
            "status": 200,
            "wire_bytes": 60000,
            "headers": [["Content-Encoding", "gzip"]]
          }
        }
      ]
    }
    ```
    """
    own = [item for item in assets.items if item.first_party and not _is_left_out(item)]
    plain: list[tuple[int, Asset]] = []
    needless: list[Asset] = []
    for item in own:
        packed = item.resource.gzip_bytes
        if packed is not None and item.wire_bytes - packed >= MIN_SAVING_BYTES:
            plain.append((item.wire_bytes - packed, item))
        elif item.response.content_encodings and _is_packed_already(item):
            needless.append(item)
    if not own:
        return NotApplicable("No file of the site was fetched.")
    plain.sort(key=lambda entry: (-entry[0], entry[1].url))
    wasted = sum(saving for saving, _ in plain)
    loss = meter_loss(wasted, GOOD_BYTES, BAD_BYTES)
    details = (
        Detail(code="wasted_bytes", actual=wasted, limit=GOOD_BYTES),
        Detail(code="uncompressed_files", actual=len(plain)),
        Detail(code="needlessly_compressed_files", actual=len(needless), limit=0),
    )
    if loss > 0 or (plain and not needless):
        evidence = tuple(
            Evidence(url=item.url, value=f"{item.wire_bytes:,} bytes", reason=f"gzip would save {saving:,} bytes")
            for saving, item in plain[:MAX_EVIDENCE]
        )
        return Outcome(
            "uncompressed" if loss > 0 else "mostly",
            value=f"{wasted:,} bytes",
            evidence=evidence,
            total=len(plain),
            details=details,
            loss=max(0.25, loss) if loss > 0 else None,
            message="1 text file is served uncompressed."
            if len(plain) == 1
            else f"{len(plain):,} text files are served uncompressed.",
            saving=Saving(wasted, "bytes"),
        )
    if needless:
        return Outcome(
            "needless",
            value=amount(len(needless), "file"),
            evidence=tuple(
                Evidence(url=item.url, header="Content-Encoding", value=", ".join(item.response.content_encodings))
                for item in needless[:MAX_EVIDENCE]
            ),
            total=len(needless),
            details=details,
        )
    return Outcome("compressed", value=amount(len(own), "file"), details=details)


def _is_left_out(item: Asset) -> bool:
    """Return whether its bytes hold nothing up: a browser asks for icons of the site when all else is there."""
    return item.purpose in ("frame", "media") or item.resource.kinds == ("icon",)


def _is_packed_already(item: Asset) -> bool:
    image = item.resource.image
    if image is not None:
        return image.format in PACKED_FORMATS
    return item.resource.font_format in ("woff", "woff2") or item.media_type in ("application/zip", "application/gzip")
