from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="structured-data-outliers",
    title="Structured data among siblings",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("even", "Pages of one template have the same types of structured data."),
        State(
            "missing",
            "Pages lack a type of structured data that nearly all others of their template have.",
            loss=1.0,
            title="Pages without the structured data of their siblings",
            why="These pages miss the rich results that the others can have.",
            fix=(
                "Compare the page with one of its siblings: often a field is empty, and the template leaves the block"
                " out."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data",),
    over="templates",
)
def structured_data_outliers() -> str:
    """Looks for pages that lack the structured data of their siblings.

    ## What it checks

    Types of structured data that at least nine of ten pages of a template have, in templates with at least ten
    pages.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 9, "types": ["Product"]},
      {"page_id": 10}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "repeat": 10, "types": ["Product"]}
    ]
    ```
    """
    return """
        WITH sizes AS (
            SELECT template_id, count(*) AS size FROM originals JOIN templates USING (page_id) GROUP BY template_id
        ), usual AS (
            SELECT template_id, type, any_value(size) AS size FROM (
                SELECT DISTINCT template_id, page_id, unnest(types) AS type FROM originals JOIN templates USING
                    (page_id)
            ) JOIN sizes USING (template_id)
            GROUP BY template_id, type HAVING any_value(size) >= 10 AND count(*) >= 0.9 * any_value(size)
        )
        SELECT page_id, 'missing' AS state, NULL AS target_id, type AS value
        FROM originals JOIN templates USING (page_id) JOIN usual USING (template_id)
        WHERE NOT coalesce(list_contains(types, type), false)
    """
