from collections.abc import Iterator

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.css.colors import is_css_color


@check(
    id="theme-color",
    title="Theme color",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("set", "The page declares a theme color."),
        State("absent", "The page declares no theme color."),
        State(
            "repeated",
            "The page declares more than one theme color for the same case; browsers use the first.",
            title="Duplicate theme color",
            why="The later value has no effect.",
            fix="Keep one color, or one each for light and dark mode with a `media` attribute.",
        ),
        State(
            "unreadable",
            "The theme color is not a valid CSS color.",
            title="Theme color is invalid",
            why="Browsers ignore the value and keep their default color.",
            fix='Write a CSS color: `<meta name="theme-color" content="#202020">`.',
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/semantics.html#meta-theme-color",),
)
def theme_color(document: Document) -> Outcome:
    """Mobile browsers paint their address bar in the theme color of the page.

    ## What it checks

    `<meta name="theme-color">`: whether its content is a CSS color, and whether there is only one for each `media`. A
    missing color is no fault: more than half of well-known pages name none, and browsers then choose one. This check
    costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta name="theme-color" content="336699">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta name="theme-color" content="#336699">
    ```
    """
    metas = [meta for meta in document.metas if meta.name == "theme-color"]
    if not metas:
        return Outcome("absent")
    unreadable = [Offender(meta.node, "no CSS color") for meta in metas if not is_css_color(meta.content)]
    repeated = list(_repeated(metas))
    found = [*unreadable, *repeated]
    return Outcome(
        "unreadable" if unreadable else "repeated" if repeated else "set",
        value=metas[0].content.strip()[:100],
        evidence=evidence_of(document, found or [Offender(meta.node, "") for meta in metas]),
        total=len(found or metas),
    )


def _repeated(metas: list[Meta]) -> Iterator[Offender]:
    seen: set[str] = set()
    for meta in metas:
        media = " ".join(meta.attrs.get("media", "").lower().split())
        if media in seen:
            yield Offender(meta.node, "another one for the same media")
        seen.add(media)
