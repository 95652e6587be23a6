from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Asset, Assets

LARGE_BYTES: Final = 102_400


@check(
    id="animated-gif",
    title="Animated GIFs",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("none", "No large GIF is animated."),
        State(
            "animated",
            "Large GIFs are animated.",
            loss=1.0,
            title="Large animated GIFs",
            why="A few seconds of GIF need megabytes, where a video needs a tenth of that.",
            fix=(
                "Convert each GIF to a muted, looping video, or save it as animated WebP or AVIF:\n\n"
                "```\n"
                '<video src="/dance.mp4" autoplay muted loop playsinline></video>\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=("https://web.dev/articles/replace-gifs-with-videos",),
)
def animated_gif(assets: Assets) -> Verdict:
    """An animation saved as GIF is about ten times as large as the same animation saved as video.

    ## What it checks

    Images whose bytes are those of a GIF with more than one frame and that weigh more than 102,400 bytes. The name does
    not matter, and a GIF with one frame does not count. If the second frame comes too late in the file to be read,
    nothing is reported.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/dance.gif",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/dance.gif", "status": 200, "wire_bytes": 900000},
          "image": {"format": "gif", "width_px": 480, "height_px": 270, "animated": true}
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/logo.gif",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/logo.gif", "status": 200, "wire_bytes": 4000},
          "image": {"format": "gif", "width_px": 80, "height_px": 70, "animated": false}
        }
      ]
    }
    ```
    """
    images = [item for item in assets.of("image") if item.resource.image is not None]
    if not images:
        return NotApplicable("No image was fetched.")
    offenders = [item for item in images if item.wire_bytes > LARGE_BYTES and _moves(item)]
    if not offenders:
        return Outcome("none", value=amount(len(images), "image"))
    return Outcome(
        "animated",
        value=part(len(offenders), len(images), "image"),
        evidence=tuple(
            Evidence(url=item.url, value=f"{item.wire_bytes:,} bytes", reason="GIF with several frames")
            for item in offenders[:MAX_EVIDENCE]
        ),
        total=len(offenders),
        details=(Detail(code="large_animated_gifs", actual=len(offenders), limit=0),),
    )


def _moves(item: Asset) -> bool:
    image = item.resource.image
    return image is not None and image.format == "gif" and image.animated is True
