from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Outcome, Severity

LARGE: Final = 100_000


@check(
    id="inline-payload",
    title="Inline scripts, styles and images",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("moderate", "The HTML contains a moderate amount of inline scripts, styles and data."),
        State(
            "large",
            "The HTML contains a large amount of inline scripts, styles and data.",
            title="Move inline scripts, styles and data into files",
            why="Inline data is sent again with every page, while a separate file would already be in the cache.",
            fix=(
                "Move scripts and styles that many pages share into files. Keep inline only what the first "
                "screen needs."
            ),
        ),
    ),
    sources=("https://web.dev/articles/extract-critical-css",),
)
def inline_payload(document: Document) -> Verdict:
    """Data inside the HTML is sent with every page and cannot be cached.

    ## What it checks

    The characters of inline scripts, of data in `<script>` elements, of `<style>` elements, and of images given as
    `data:` in an `<img>`. More than 100,000 are reported. It is informative and costs nothing, because inlining the
    styles of the first screen is good practice.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <!-- the next line 4000 times -->
    <style>.rule-{n} { margin: {n}px 0 0 0 }</style>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <style>p { margin: 0 }</style>
    ```
    """
    scripts = sum(len(script.text) for script in document.scripts)
    styles = sum(len(style.text) for style in document.styles)
    images = sum(len(source) for image in document.images if (source := image.attrs.get("src", "")).startswith("data:"))
    total = scripts + styles + images
    return Outcome(
        "large" if total > LARGE else "moderate",
        value=total,
        details=(
            Detail(code="inline_script_characters", actual=scripts),
            Detail(code="inline_style_characters", actual=styles),
            Detail(code="inline_image_characters", actual=images),
            Detail(code="inline_characters", actual=total, limit=LARGE),
        ),
        message=f"The HTML contains {total:,} characters of inline scripts, styles and images.",
    )
