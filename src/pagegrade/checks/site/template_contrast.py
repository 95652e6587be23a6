from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="template-contrast",
    title="Contrast by template",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("clear", "On the pages drawn in a browser, text whose contrast could be measured stands out."),
        State(
            "faint",
            "On pages that were drawn in a browser, text hardly stands out from its background.",
            loss=1.0,
            title="Templates with text of too little contrast",
            why=(
                "People with weak eyes cannot read it, and in bright light hardly anyone can. Other pages of the "
                "template look alike."
            ),
            fix=(
                "Make the colors of the named elements differ more: 4.5 to 1, or 3 to 1 for large text. A report of "
                "the page names all elements."
            ),
            counted=True,
        ),
    ),
    sources=("https://www.w3.org/WAI/WCAG22/Understanding/contrast-minimum.html",),
    over="(SELECT page_id FROM rendered WHERE check_id = 'color-contrast')",
    needs=("rendered",),
)
def template_contrast() -> str:
    """Looks for templates whose text is too faint, on a page of each that a browser drew.

    ## What it checks

    The start page and one page of each template are drawn; the check `color-contrast` says which text of them has too
    little contrast. Only the drawn pages cost points: the others of the template were not looked at.

    ## Fails on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json rendered
    [
      {"page_id": 1, "check_id": "color-contrast", "state": "low", "loss": 0.5, "value": "contrast 2.1 <p class=note>"}
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
      {"page_id": 1, "check_id": "color-contrast", "state": "enough", "loss": 0, "value": "Text stands out."}
    ]
    ```
    """
    return """
        SELECT page_id, 'faint' AS state, NULL AS target_id,
            value || '; pages of the template: ' || coalesce(pages, 1) AS value
        FROM rendered LEFT JOIN siblings USING (page_id)
        WHERE check_id = 'color-contrast' AND rendered.state = 'low'
    """
