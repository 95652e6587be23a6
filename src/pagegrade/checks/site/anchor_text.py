from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="anchor-text",
    title="Link texts across the site",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("telling", "Link texts tell their targets apart."),
        State(
            "ambiguous",
            "One link text stands for ten or more different targets.",
            loss=0.5,
            title="Pages with link texts that stand for many targets",
            why="Neither visitors nor search engines learn from the text what is behind the link.",
            fix='Let the text name the target: "All about roses" in place of "Read more".',
            counted=True,
        ),
        State(
            "empty",
            "Links have no text.",
            loss=1.0,
            title="Pages with links without text",
            why="Screen readers read out the URL, and search engines learn nothing about the target.",
            fix="Put text into the link, or describe its image with `alt`.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
    over="hrefs",
    share="links",
)
def anchor_text() -> str:
    """Looks for link texts that say nothing about their target.

    ## What it checks

    Links without text, and texts in the main content that stand for ten or more different pages of the site. A link to
    the page that `rel="next"` or `rel="prev"` names, and one inside its page such as "Skip to content", may have the
    same text everywhere. Links that nobody sees, such as those of a menu that is closed, are not links without text.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2, "anchor": ""}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2, "anchor": "Tea"}
    ]
    ```
    """
    return """
        WITH telling AS (
            SELECT from_id, to_id, anchor, lower(trim(anchor)) AS text FROM links
            JOIN pages AS source ON source.page_id = from_id
            WHERE kind = 'a' AND place = 'main' AND trim(anchor) <> '' AND from_id <> to_id
                AND to_id IS DISTINCT FROM source.next_id AND to_id IS DISTINCT FROM source.prev_id
        )
        SELECT from_id AS page_id, 'empty' AS state, to_id AS target_id, NULL AS value FROM hrefs WHERE anchor = ''
        UNION ALL
        SELECT from_id, 'ambiguous', NULL, anchor FROM telling WHERE text IN (
            SELECT text FROM telling SEMI JOIN pages ON page_id = to_id GROUP BY text HAVING count(DISTINCT to_id) >= 10
        )
    """
