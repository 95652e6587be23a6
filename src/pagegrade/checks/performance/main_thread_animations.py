from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, Outcome, Severity
from pagegrade.model.rendering import Rendering


@check(
    id="main-thread-animations",
    title="Animations",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("smooth", "No animation that was seen needs the main thread."),
        State(
            "main_thread",
            "Animations need the main thread for every frame.",
            title="Animate what needs no layout",
            why="Each frame needs layout or paint, so the animation stutters while scripts run, and takes power.",
            fix=(
                "Animate `transform` and `opacity` instead of the listed properties: move with `translate()`, change "
                "sizes with `scale()`."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://developer.chrome.com/docs/lighthouse/performance/non-composited-animations",
        "https://web.dev/articles/animations-guide",
    ),
)
def main_thread_animations(rendering: Rendering) -> Verdict:
    """Animations of some properties stutter, because each frame needs the main thread.

    ## What it checks

    Animations and transitions in styles that began while the page loaded and that the browser could not leave to its
    compositor, with the properties for which it could not. Those that begin later, on a click or while scrolling, are
    not seen. Browsers differ in what they leave to the compositor; this is what Chromium did.

    It costs nothing: layout that moves what visitors read is charged by `cumulative-layout-shift`.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [{"first_contentful_paint_ms": 900, "animations": [{"name": "slide", "properties": ["left"]}]}],
      "animated_elements": [
        {"name": "slide", "properties": ["left"], "element": {"selector": "main > div", "html": "<div class=ad>"}}
      ]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}]
    }
    ```
    """
    animations = rendering.loads[-1].animations
    if not animations:
        return Outcome("smooth")
    described = rendering.animated_elements[:MAX_EVIDENCE]
    return Outcome(
        "main_thread",
        value=len(animations),
        evidence=tuple(
            Evidence(
                selector=one.element.selector,
                snippet=one.element.html,
                value=", ".join(one.properties),
            )
            for one in described
        )
        # Elements that are gone after the load have no place any more.
        or tuple(Evidence(value=", ".join(one.properties)) for one in animations[:MAX_EVIDENCE]),
        total=len(animations),
    )
