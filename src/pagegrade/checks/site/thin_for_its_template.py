from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="thin-for-its-template",
    title="Thin pages among their siblings",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("even", "Pages of one template have about as much content as their siblings."),
        State(
            "thin",
            "Pages have much less content than the others of their template.",
            loss=1.0,
            title="Pages with much less content than their siblings",
            why="Often the content of these pages is missing: an empty category, a product without text, an error.",
            fix="Fill in what is missing, or take the page out of search with `noindex` until it is there.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/fundamentals/creating-helpful-content",),
    over="templates",
)
def thin_for_its_template() -> str:
    """Looks for pages with much less text than others of their template.

    ## What it checks

    Words of the main text in templates with at least ten pages: fewer than 150, and fewer than a quarter of what
    half of the pages have.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 9, "words": 200},
      {"page_id": 10, "words": 49}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "repeat": 9, "words": 200},
      {"page_id": 10, "words": 50}
    ]
    ```
    """
    return """
        SELECT page_id, 'thin' AS state, NULL AS target_id, words || ' words' AS value
        FROM originals JOIN templates USING (page_id)
        QUALIFY count(*) OVER (PARTITION BY template_id) >= 10 AND words < 150
            AND words * 4 < quantile_disc(words, 0.5) OVER (PARTITION BY template_id)
    """
