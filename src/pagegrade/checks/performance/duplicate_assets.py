from collections import defaultdict
from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Saving, Severity
from pagegrade.parse.assets import Asset, Assets

MIN_BYTES: Final = 1_400
FULL_AT: Final = 15


@check(
    id="duplicate-assets",
    title="Duplicate files",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("unique", "No file is loaded twice under different URLs."),
        State(
            "duplicates",
            "Files are loaded twice under different URLs.",
            loss=0.2,
            loss_max=1.0,
            title="Files loaded twice under different URLs",
            why=(
                "The copies are downloaded although the browser already has the file, and a library that runs "
                "twice may interfere with itself."
            ),
            fix="Use the same URL everywhere. Usually a plugin or a template brings its own copy of a library.",
            counted=True,
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9111#section-2",),
)
def duplicate_assets(assets: Assets) -> Verdict:
    """A browser cannot know that two URLs lead to the same file.

    ## What it checks

    Scripts, stylesheets, images, fonts and other files of 1,400 bytes or more that arrived byte for byte the same from
    different URLs. A URL with another query (`?v=2`) is another URL; two that redirect to the same URL count as one.
    Icons are left out, since a browser takes one of them. The copies cost in five steps, and everything from fifteen
    on.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.js", "status": 200, "wire_bytes": 9000},
          "digest": "5f"
        },
        {
          "url": "https://example.com/b.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/b.js", "status": 200, "wire_bytes": 9000},
          "digest": "5f"
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
          "response": {"url": "https://example.com/a.js", "status": 200, "wire_bytes": 9000},
          "digest": "5f"
        },
        {
          "url": "https://example.com/b.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/b.js", "status": 200, "wire_bytes": 9000},
          "digest": "6f"
        }
      ]
    }
    ```
    """
    groups: dict[str, dict[str, Asset]] = defaultdict(dict)
    evaluated = 0
    for item in assets.items:
        if item.purpose in ("icon", "frame") or not item.resource.digest or item.wire_bytes < MIN_BYTES:
            continue
        evaluated += 1
        groups[item.resource.digest].setdefault(item.response.url, item)
    if not evaluated:
        return NotApplicable("No files were fetched that could be compared.")
    repeated = [list(group.values()) for group in groups.values() if len(group) > 1]
    copies = [(group[0], item) for group in repeated for item in group[1:]]
    wasted = sum(item.wire_bytes for _, item in copies)
    if not copies:
        return Outcome("unique", value=amount(evaluated, "file"))
    copies.sort(key=lambda pair: (-pair[1].wire_bytes, pair[1].url))
    return Outcome(
        "duplicates",
        value=part(len(copies), evaluated, "file"),
        evidence=tuple(
            Evidence(url=item.url, value=f"{item.wire_bytes:,} bytes", reason=f"the same as {first.url}")
            for first, item in copies[:MAX_EVIDENCE]
        ),
        total=len(copies),
        details=(
            Detail(code="duplicate_files", actual=len(copies), limit=0),
            Detail(code="wasted_bytes", actual=wasted),
        ),
        loss=meter_loss(len(copies), 0, FULL_AT),
        saving=Saving(wasted, "bytes"),
    )
