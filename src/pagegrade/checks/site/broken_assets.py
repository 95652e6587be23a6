from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="broken-assets",
    title="Broken files of pages",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("loaded", "Every file of pages that was asked for is there."),
        State(
            "broken",
            "Pages load files that are not there.",
            loss=1.0,
            title="Pages with files that are missing",
            why="Pages look or work other than they should, on each of these pages.",
            fix=(
                "Correct the URLs of the files, or put the files back. Each file is listed with the pages that load it."
            ),
            counted=True,
        ),
    ),
    sources=("https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Status/404",),
    over="assets",
    needs=("assets",),
)
def broken_assets() -> str:
    """Looks for style sheets, scripts, fonts and images that are missing.

    ## What it checks

    The files of all pages, each requested once: those that answer with an error.

    ## Fails on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 80, "kind": "asset"}
    ]
    ```

    ```json assets
    [
      {"asset_id": 80, "url": "http://example.com/a.css", "kind": "stylesheet", "status": 404}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 80, "kind": "asset"}
    ]
    ```

    ```json assets
    [
      {"asset_id": 80, "url": "http://example.com/a.css", "kind": "stylesheet", "status": 200}
    ]
    ```
    """
    return """
        SELECT from_id AS page_id, 'broken' AS state, to_id AS target_id, assets.kind || ', status ' || status AS
            value
        FROM links JOIN assets ON to_id = asset_id
        WHERE links.kind = 'asset' AND status >= 400 AND status NOT IN (401, 403, 407, 429, 451, 999)
    """
