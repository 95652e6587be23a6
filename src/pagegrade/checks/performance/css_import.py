from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, NotRun, Outcome, Severity


@check(
    id="css-import",
    title="CSS @import",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("none", "No stylesheet imports another."),
        State(
            "imports",
            "Stylesheets import other stylesheets.",
            loss=1.0,
            title="Stylesheets loaded with @import",
            why=(
                "An imported stylesheet is requested only after the one that imports it has arrived, so the "
                "page is shown a round trip later."
            ),
            fix=(
                'Load the stylesheet with `<link rel="stylesheet">` in the page, or let the build tool combine '
                "the files."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/css-cascade-5/#at-import",
        "https://web.dev/articles/critical-rendering-path/page-speed-rules-and-recommendations",
    ),
)
def css_import(document: Document, resources: Resources | NotGathered) -> Verdict:
    """An imported stylesheet is requested only after the stylesheet that imports it has arrived.

    ## What it checks

    The `@import` rules in the `<style>` elements of the page and in the stylesheets that were fetched from the site's
    own domain; imports in stylesheets of other sites are not the owner's. Rules that browsers ignore, because they
    follow other rules, are not counted. Imports of preloaded sheets count as well: few pages do that.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <style>@import url("/base.css"); p { margin: 0 }</style>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <style>p { margin: 0 }</style>
    ```
    """
    found = [
        document.evidence(reference, reason="imported in a style element", url=reference.url)
        for reference in document.references
        if reference.kind == "stylesheet" and reference.node.tag == "style"
    ]
    foreign = 0
    if isinstance(resources, Resources):
        own = {item.url: item.first_party for item in resources.items}
        for named in resources.stylesheet_references:
            if named.kind != "stylesheet":
                continue
            if own.get(named.stylesheet_url, False):
                found.append(Evidence(url=named.url, reason=f"imported by {named.stylesheet_url}"))
            else:
                foreign += 1
    if not found:
        if isinstance(resources, NotGathered) and any("stylesheet" in link.rel for link in document.links):
            return NotRun(resources.code, resources.detail)
        if not document.styles and not any("stylesheet" in link.rel for link in document.links):
            return NotApplicable("The page has no stylesheets.")
    return Outcome(
        "imports" if found else "none",
        value=len(found),
        evidence=tuple(found[:MAX_EVIDENCE]),
        total=len(found) if found else None,
        details=(
            Detail(code="imports", actual=len(found), limit=0),
            Detail(code="imports_of_other_sites", actual=foreign),
        ),
    )
