from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="session-ids",
    title="Session ids in URLs",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("clean", "No link carries an id of a session."),
        State(
            "session",
            "Links carry ids of sessions.",
            loss=1.0,
            title="Pages that are linked with ids of sessions",
            why="Each visit makes new URLs for the same pages, and who gets such a link may take over the session.",
            fix="Keep sessions in cookies, and switch off rewriting of URLs (`session.use_trans_sid`, `;jsessionid`).",
            counted=True,
        ),
    ),
    sources=("https://owasp.org/www-community/attacks/Session_fixation",),
    over="pages",
    share="rows",
    needs=("traps",),
)
def session_ids() -> str:
    """Looks for links with ids of sessions.

    ## What it checks

    Pages to which links with `;jsessionid`, `PHPSESSID` or a similar parameter with a long random value lead. The
    crawl takes the id away.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "session_id": true}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "session_id": false}
    ]
    ```
    """
    return """
        SELECT page_id, 'session' AS state, NULL AS target_id, NULL AS value FROM pages WHERE session_id
    """
