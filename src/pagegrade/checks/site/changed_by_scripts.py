from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="changed-by-scripts",
    title="Pages made or changed by scripts",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("same", "The pages that were drawn in a browser say the same as their HTML."),
        State(
            "content",
            "Scripts make the content of pages, or change their metadata.",
            loss=0.25,
            title="Templates whose content or metadata depends on scripts",
            why="Social networks and many services run no scripts: they see an empty page, or the first title of it.",
            fix="Render these pages on the server, or prerender them when the site is built.",
            counted=True,
        ),
        State(
            "canonical",
            "Scripts change the canonical URL of pages.",
            loss=1.0,
            title="Templates whose canonical URL is changed by scripts",
            why="Search engines get two answers to the question which URL to show, and may ignore both.",
            fix="Send the final canonical URL in the HTML, and keep scripts from changing it.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",),
    over="(SELECT page_id FROM rendered WHERE check_id IN ('metadata-by-scripts', 'js-dependent-content'))",
    needs=("rendered",),
)
def changed_by_scripts() -> str:
    """Looks for templates whose pages are others in a browser than in their HTML.

    ## What it checks

    The start page and one page of each template are drawn; the checks `metadata-by-scripts` and `js-dependent-content`
    compare what a browser shows with what the server sends. Only the drawn pages cost points.

    ## Fails on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json rendered
    [
      {"page_id": 1, "check_id": "js-dependent-content", "state": "shell", "loss": 0, "value": "The HTML is empty."}
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
      {"page_id": 1, "check_id": "js-dependent-content", "state": "served", "loss": 0, "value": "It is there."}
    ]
    ```
    """
    return """
        SELECT page_id, CASE WHEN bool_or(rendered.state = 'canonical') THEN 'canonical' ELSE 'content' END AS state,
            NULL AS target_id,
            string_agg(value, ', ' ORDER BY value) || '; pages of the template: ' || coalesce(any_value(pages), 1)
                AS value
        FROM rendered LEFT JOIN siblings USING (page_id)
        WHERE (check_id = 'metadata-by-scripts' AND rendered.state <> 'same')
            OR (check_id = 'js-dependent-content' AND rendered.state <> 'served')
        GROUP BY page_id
    """
