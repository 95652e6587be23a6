from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="template-speed",
    title="Speed by template",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("quick", "The pages that were drawn in a browser appear quickly, stay still and answer at once."),
        State(
            "slow",
            "Pages that were drawn in a browser are slower than they should be.",
            loss=0.25,
            title="Templates that should be faster",
            why="Visitors wait, or the page moves while they read. The rest of the template is built in the same way.",
            fix="A report of the page, made in a browser, names the files and elements that cost the time.",
            counted=True,
        ),
        State(
            "very_slow",
            "Pages that were drawn in a browser are far slower than they should be.",
            loss=1.0,
            title="Templates that should be faster",
            why="Visitors wait, or the page moves while they read. The rest of the template is built in the same way.",
            fix="A report of the page, made in a browser, names the files and elements that cost the time.",
            counted=True,
        ),
    ),
    sources=("https://web.dev/articles/vitals",),
    over=(
        "(SELECT page_id FROM rendered WHERE check_id IN"
        " ('largest-contentful-paint', 'cumulative-layout-shift', 'total-blocking-time'))"
    ),
    needs=("rendered",),
)
def template_speed() -> str:
    """Looks for templates that are slow, on a page of each that a browser drew.

    ## What it checks

    Largest Contentful Paint, Cumulative Layout Shift and Total Blocking Time of the start page and of one page of each
    template, loaded as by a phone on a mobile line, with the limits of the checks of a page. The worst of the three
    decides. Only the drawn pages cost points: the others of the template were not measured.

    ## Fails on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json rendered
    [
      {"page_id": 1, "check_id": "largest-contentful-paint", "state": "very_slow", "loss": 0.4, "value": "LCP 5.1 s"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json rendered
    [
      {"page_id": 1, "check_id": "largest-contentful-paint", "state": "fast", "loss": 0, "value": "LCP 1.1 s"}
    ]
    ```
    """
    return """
        SELECT page_id,
            CASE WHEN bool_or(rendered.state IN ('very_slow', 'far_too_slow', 'very_unstable', 'restless', 'blocked'))
                THEN 'very_slow' ELSE 'slow' END AS state,
            NULL AS target_id,
            string_agg(value, ', ' ORDER BY value) || '; pages of the template: ' || coalesce(any_value(pages), 1)
                AS value
        FROM rendered LEFT JOIN siblings USING (page_id)
        WHERE check_id IN ('largest-contentful-paint', 'cumulative-layout-shift', 'total-blocking-time') AND loss > 0
        GROUP BY page_id
    """
