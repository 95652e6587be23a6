from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.files.legacy_javascript import find_legacy_javascript
from pagegrade.parse.party import Parties

MIN_INLINE_CHARS: Final = 2_000
"""A shorter script in the page holds no helpers worth a change."""


@check(
    id="legacy-javascript",
    title="Legacy JavaScript",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "The site's scripts hold no polyfills or compiled syntax for outdated browsers."),
        State(
            "some",
            "The site's scripts hold polyfills or compiled syntax for outdated browsers.",
            title="Scripts compiled for outdated browsers",
            why=(
                "Every visitor loads code that no browser of the last years needs, and compiled syntax runs slower "
                "than what it replaces."
            ),
            fix=(
                "Set the target of the compiler (Babel, SWC, TypeScript, the list of browserslist) to browsers that "
                "know ES2017, and remove polyfills for what those browsers have."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://web.dev/baseline",
        "https://developer.chrome.com/docs/performance/insights/legacy-javascript",
    ),
)
def legacy_javascript(
    document: Document, parties: Parties, resources: Resources | NotGathered, rendering: Rendering | NotGathered
) -> Verdict:
    """Polyfills and compiled syntax are only needed by browsers that hardly anyone uses.

    ## What it checks

    The site's own scripts that were fetched, long scripts in the page, and the scripts that a browser loaded, for the
    traces of core-js, es6-promise and regenerator, and for the helpers that Babel and TypeScript write for classes,
    spread syntax, destructuring and asynchronous functions. All of these are Baseline widely available: every browser
    has had them for years. The traces are fixed texts that no minifier removes. Scripts of other sites are left out,
    because their owners compile them. How much would be saved depends on the build, so no saving is estimated; it is
    informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/app.js"></script>
    ```

    ```json resources
    {"items": [{"url": "https://example.com/app.js", "kinds": ["script"], "initiator_url": "https://example.com/",
      "response": {"url": "https://example.com/app.js", "status": 200},
      "script": {"legacy": ["core-js (polyfills)", "compiled classes"]}}]}
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/app.js"></script>
    ```

    ```json resources
    {"items": [{"url": "https://example.com/app.js", "kinds": ["script"], "initiator_url": "https://example.com/",
      "response": {"url": "https://example.com/app.js", "status": 200}, "script": {}}]}
    ```
    """
    looked_at = 0
    found: list[Evidence] = []
    names: dict[str, None] = {}
    for legacy, evidence in (*_scripts(document, resources), *_loaded(parties, resources, rendering)):
        looked_at += 1
        if legacy:
            names.update(dict.fromkeys(legacy))
            found.append(evidence)
    if not looked_at:
        return NotApplicable("No script of the site was read.")
    return Outcome(
        "some" if found else "none",
        value=", ".join(names) or None,
        evidence=tuple(islice(found, MAX_EVIDENCE)),
        total=len(found),
    )


def _scripts(document: Document, resources: Resources | NotGathered) -> Iterator[tuple[tuple[str, ...], Evidence]]:
    """The kinds of legacy code in each own script."""
    for resource in resources.items if isinstance(resources, Resources) else ():
        if resource.script is not None and resource.first_party:
            legacy = resource.script.legacy
            yield legacy, Evidence(url=resource.url, reason=", ".join(legacy)[:200])
    for script in document.scripts:
        if script.kind in {"classic", "module"} and len(script.text) >= MIN_INLINE_CHARS:
            legacy = find_legacy_javascript(script.text.encode("utf-8", "replace"))
            reason = ", ".join(legacy)
            yield legacy, document.evidence(script, reason=reason) if legacy else Evidence()


def _loaded(
    parties: Parties, resources: Resources | NotGathered, rendering: Rendering | NotGathered
) -> Iterator[tuple[tuple[str, ...], Evidence]]:
    """The kinds of legacy code in each own script that only the browser loaded, because another script asked for it."""
    if isinstance(rendering, NotGathered):
        return
    read = {one.url for one in resources.items if one.script} if isinstance(resources, Resources) else set()
    for file in rendering.coverage or ():
        if file.kind == "script" and not file.inline and file.url not in read and parties.is_own(file.url):
            yield file.legacy, Evidence(url=file.url, reason=", ".join(file.legacy)[:200])
