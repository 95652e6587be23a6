from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.model.rendering import Rendering


@check(
    id="cookies-by-script",
    title="Cookies set by scripts",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "Scripts set no cookies while the page loads."),
        State(
            "set",
            "Scripts set cookies while the page loads.",
            title="Cookies set by scripts",
            why="Every script of the page can read them, and in many countries visitors have to agree first.",
            fix="Set cookies of a login on the server with `HttpOnly`, and those of others only after consent.",
            counted=True,
        ),
    ),
    sources=("https://developer.mozilla.org/en-US/docs/Web/API/Document/cookie",),
)
def cookies_by_script(rendering: Rendering) -> Verdict:
    """Scripts can set cookies that no header shows.

    ## What it checks

    The names of the cookies that the browser holds after it has rendered the page and that no response of a server set.
    It is informative and costs nothing.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "cookies_by_script": ["_visitor"]
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
    names = rendering.cookies_by_script
    if not names:
        return Outcome("none", value=0)
    return Outcome("set", value=len(names), evidence=tuple(Evidence(snippet=name) for name in names))
