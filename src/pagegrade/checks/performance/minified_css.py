from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._minification import evaluate_minification
from pagegrade.model.outcome import Severity
from pagegrade.parse.assets import Assets


@check(
    id="minified-css",
    title="CSS minification",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("minified", "The site's stylesheets are minified."),
        State(
            "unminified",
            "The site has stylesheets that are not minified.",
            loss=0.2,
            loss_max=1.0,
            title="Minify CSS",
            why="White space and comments are downloaded and parsed by every visitor.",
            fix="Let the build tool, a plugin or the CDN minify stylesheets; most have a switch.",
        ),
    ),
    sources=("https://developer.chrome.com/docs/lighthouse/performance/unminified-css",),
)
def minified_css(assets: Assets) -> Verdict:
    """Minification removes white space and comments, which browsers do not need.

    ## What it checks

    Stylesheets of the site's own domain. How much of each is white space and comments is computed from its text, never
    from a `.min.` in its name; comments that are meant to be kept, such as licenses, do not count. A file counts when a
    twentieth of it, and more than 2,048 of the transferred bytes, could be saved. All savings together cost from a
    fifth, in five steps up to 60,000 bytes. Shorter names for variables would save more and are not required. Files of
    other sites are left out, and so are very large ones that were not read.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 60000},
          "decoded_bytes": 60000,
          "minified_bytes": 30000
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 30000},
          "decoded_bytes": 30000,
          "minified_bytes": 30000
        }
      ]
    }
    ```
    """
    return evaluate_minification(assets, "stylesheet", min_share=0.05)
