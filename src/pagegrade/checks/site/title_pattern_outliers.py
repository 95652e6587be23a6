from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="title-pattern-outliers",
    title="Titles among siblings",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("even", "Titles of one template follow one pattern."),
        State(
            "other",
            "Titles lack the ending that nearly all others of their template have.",
            loss=1.0,
            title="Pages whose title differs from the pattern of their siblings",
            why="In search results these pages do not look like pages of this site.",
            fix=(
                "Compare the title with those of its siblings: often it was overwritten by hand, or the name of the "
                "site is missing."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/title-link",),
    over="templates",
)
def title_pattern_outliers() -> str:
    """Looks for titles that differ from the pattern of their template.

    ## What it checks

    What follows the last separator (`-`, `|`, `–`, `·`) in the titles of templates with at least ten pages: whether
    at least nine of ten agree, and which do not. A title that says no more than what the others end with is no outlier.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 9, "title": "Tea - Garden"},
      {"page_id": 10, "title": "Untitled"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "repeat": 10, "title": "Tea - Garden"}
    ]
    ```
    """
    return """
        WITH ends AS (
            SELECT page_id, template_id, title, regexp_extract(title, '\\s[-|–—·:]\\s*([^|–—·]{2,60})$', 1) AS
                ending
            FROM originals JOIN templates USING (page_id) WHERE trim(coalesce(title, '')) <> ''
        ), sizes AS (
            SELECT template_id, count(*) AS size FROM ends GROUP BY template_id HAVING count(*) >= 10
        ), usual AS (
            SELECT template_id, ending FROM ends JOIN sizes USING (template_id)
            WHERE ending <> '' GROUP BY template_id, ending HAVING count(*) >= 0.9 * any_value(size)
        )
        SELECT page_id, 'other' AS state, NULL AS target_id, title AS value
        FROM ends JOIN usual USING (template_id)
        WHERE ends.ending <> usual.ending AND lower(trim(title)) <> lower(trim(usual.ending))
    """
