from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity


@check(
    id="doctype",
    title="Doctype",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("standards", "The doctype selects standards mode."),
        State("limited_quirks", "The doctype triggers limited quirks mode, which changes images in tables only."),
        State(
            "quirks",
            "The doctype triggers quirks mode.",
            loss=1.0,
            title="Doctype triggers quirks mode",
            why=(
                "Browsers imitate bugs of very old browsers: heights, tables and text sizes differ from what "
                "the stylesheet says."
            ),
            fix="Make `<!doctype html>` the very first line of the page, before any text or tag.",
        ),
        State(
            "missing",
            "The page has no doctype.",
            loss=1.0,
            title="Add a doctype",
            why=(
                "Without it browsers use quirks mode: heights, tables and text sizes differ from what the "
                "stylesheet says."
            ),
            fix=("Make this the very first line of the page:\n\n```html\n<!doctype html>\n```"),
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/syntax.html#the-doctype",
        "https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode",
        "https://quirks.spec.whatwg.org/",
    ),
)
def doctype(document: Document) -> Verdict:
    """The doctype decides by which rules browsers lay out the page.

    ## What it checks

    Which mode a browser chooses. `<!doctype html>`, its form with `about:legacy-compat`, and some old strict types give
    the standards mode. Transitional types of XHTML 1.0 and HTML 4.01 give limited quirks, which costs nothing: it
    changes the layout of images in tables only. A missing document type, a broken one (`<!doctype html more>`) and most
    of the older ones give quirks mode and cost everything; so does one that comes after text or elements, because
    browsers ignore it there. Comments before it are fine. So are mistakes that change no mode: a missing space, or a
    second document type, which browsers ignore.

    ## Fails on

    ```html
    <html>
    <title>Garden furniture</title>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html>
    <title>Garden furniture</title>
    ```
    """
    declared = document.doctype
    if declared is None:
        return Outcome("missing", value=document.mode)
    public = "" if declared.public_id is None else f' PUBLIC "{declared.public_id[:100]}"'
    system = f' "{declared.system_id[:100]}"' if declared.system_id else ""
    written = f"<!DOCTYPE {declared.name[:50]}{public}{system}>"
    state = {"no-quirks": "standards", "limited-quirks": "limited_quirks", "quirks": "quirks"}[document.mode]
    return Outcome(
        state,
        value=document.mode,
        evidence=(Evidence(line=declared.line, snippet=written[:200]),),
        details=(Detail(code="mode", actual=document.mode, limit="no-quirks"),),
    )
