from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.assets import Assets
from pagegrade.parse.files.javascript import count_document_writes

FULL_AT: Final = 6


@check(
    id="document-write",
    title="document.write",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("none", "No script of the site calls document.write."),
        State(
            "writes",
            "Scripts of the site may call document.write while the page loads.",
            loss=0.25,
            loss_max=0.5,
            title="Scripts that call document.write",
            why=(
                "The browser stops parsing the page until the written markup has been read. On slow connections "
                "Chrome ignores such calls, so what they write may be missing."
            ),
            fix="Insert elements with `append` or `insertAdjacentHTML`, and load scripts with `<script async>`.",
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/dynamic-markup-insertion.html#document.write()",
        "https://developer.chrome.com/docs/lighthouse/best-practices/no-document-write",
    ),
)
def document_write(document: Document, assets: Assets | NotGathered) -> Verdict:
    """A browser has to stop parsing the page for every `document.write`.

    ## What it checks

    Calls of `document.write` and `document.writeln` in inline scripts and in scripts of the site's own domain that were
    read. Calls in comments and strings do not count, nor do writes into another window, nor the customary fallback
    `window.jQuery || document.write(...)`, which runs only when a file did not arrive. Whether a call is ever reached
    is not known without running it, so the first costs a quarter and six cost half.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script>document.write("<p>Welcome</p>");</script>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script>document.body.append("Welcome");</script>
    ```

    ```json resources
    {"items": []}
    ```
    """
    found: list[tuple[int, Evidence]] = []
    read = 0
    may_write = "document.write" in document.script_marks
    for script in document.scripts:
        if script.text and script.kind in ("classic", "module"):
            read += 1
            calls = count_document_writes(script.text) if may_write else 0
            if calls:
                found.append((calls, document.evidence(script, reason=amount(calls, "call"))))
    for item in () if isinstance(assets, NotGathered) else assets.of("script"):
        facts = item.resource.script
        if item.first_party and facts is not None:
            read += 1
            if facts.document_writes:
                calls = facts.document_writes
                found.append((calls, Evidence(url=item.url, reason=amount(calls, "call"))))
    if not found and isinstance(assets, NotGathered) and any(script.url is not None for script in document.scripts):
        return NotRun(assets.code, assets.detail)
    if not read:
        return NotApplicable("No script of the site was read.")
    calls = sum(number for number, _ in found)
    if not calls:
        return Outcome("none", value=amount(read, "script"))
    return Outcome(
        "writes",
        value=amount(calls, "call"),
        evidence=tuple(evidence for _, evidence in found[:MAX_EVIDENCE]),
        total=len(found),
        details=(Detail(code="calls", actual=calls, limit=0),),
        loss=0.5 * offender_loss(calls, FULL_AT),
    )
