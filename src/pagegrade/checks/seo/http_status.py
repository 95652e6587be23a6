from pagegrade.checks._check import Cap, State, check
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import Navigation, NotGathered
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity


@check(
    id="http-status",
    title="HTTP status",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("ok", "The page answers with a success status."),
        State(
            "redirect",
            "The page answers with a redirect that has no usable target.",
            loss=1.0,
            title="Redirect leads nowhere",
            why="Neither browsers nor search engines reach any content.",
            fix="Send a valid `Location` header with the redirect, or answer with status 200 and the page.",
        ),
        State(
            "client_error",
            "The page answers with a client error.",
            loss=1.0,
            title="Page returns a client error",
            why=(
                "Search engines remove pages that answer with 404 or 410, and cannot read pages that need a "
                "login or block them."
            ),
            fix=(
                "For 404 or 410, restore the page or redirect its URL with status 301. For 401, 403 or 429, "
                "check whether a login, a firewall or bot protection blocks visitors. A 407 comes from a proxy that "
                "asks for a login, not from a website: check the proxies in front of the server."
            ),
        ),
        State(
            "server_error",
            "The page answers with a server error.",
            loss=1.0,
            title="Page returns a server error",
            why=(
                "Visitors see an error, and search engines slow down their crawling and drop the page if the "
                "error persists."
            ),
            fix="Check the error log of the server or the application for the cause.",
        ),
        State(
            "unexpected",
            "The page answers with a status that browsers do not expect.",
            loss=1.0,
            title="Unexpected HTTP status",
            why="Browsers and search engines do not know how to treat the response.",
            fix="Make the server answer this URL with status 200.",
        ),
        State(
            "download",
            "The server tells browsers to save the page as a file instead of showing it.",
            loss=1.0,
            title="Browsers download the page instead of showing it",
            why="Visitors who follow a link stay where they are and find a file in their downloads.",
            fix=(
                "Remove `attachment` from the header `Content-Disposition` of pages; it is meant for files that "
                "visitors are to save."
            ),
        ),
    ),
    cap=Cap(49, states=("download",)),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-15",
        "https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
        "https://www.rfc-editor.org/rfc/rfc6266#section-4.2",
    ),
)
def http_status(navigation: Navigation, visitor_view: VisitorView | NotGathered) -> Outcome:
    """The status code shows browsers and search engines whether the page exists.

    ## What it checks

    The status of the last answer, after all redirects. 200 to 299 is success; everything else is a failure. A page
    that fails here gets no score: what came back is an error message and not the page. A page that answers with
    success and with `Content-Disposition: attachment` is saved by browsers and not shown; it scores 49 at most. Where
    an access lets the analysis in, the message names the status that visitors without it get.

    ## Fails on

    ```http
    HTTP/2 404
    content-type: text/html

    <!doctype html><title>Not found</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    content-type: text/html

    <!doctype html><title>Welcome</title>
    ```
    """
    response = navigation.response
    status = response.status
    chain = [
        Evidence(url=hop.url, value=f"status {hop.status}", reason="redirects to the next URL")
        for hop in navigation.hops
    ]
    evidence = (*chain, Evidence(url=response.url, value=f"status {status}", reason="final response"))
    disposition = (response.header("content-disposition") or "")[:200]
    if status in range(200, 300) and disposition.partition(";")[0].strip().lower() == "attachment":
        shown = Evidence(url=response.url, snippet=f"Content-Disposition: {disposition}")
        return Outcome("download", value=status, evidence=(*chain, shown))
    if status in range(200, 300) and isinstance(visitor_view, VisitorView):
        other = Evidence(
            url=visitor_view.url, value=f"status {visitor_view.status}", reason="what visitors get without the access"
        )
        message = f"The page answers with status {status}, and without the access with status {visitor_view.status}."
        return Outcome("ok", value=status, evidence=(*evidence, other), message=message)
    if status in range(200, 300):
        return Outcome("ok", value=status, evidence=evidence)
    state = {3: "redirect", 4: "client_error", 5: "server_error"}.get(status // 100, "unexpected")
    retry_after = (response.header("retry-after") or "")[:100]
    message = f"The page answers with status {status}."
    if retry_after and status in {429, 503}:
        message = f"The page answers with status {status} and asks to come back later (Retry-After: {retry_after})."
    return Outcome(
        state,
        value=status,
        evidence=evidence,
        details=(Detail(code="status", actual=status, limit="200-299"),),
        message=message,
    )
