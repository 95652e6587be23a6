from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Script
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.http.structured_fields import parse_list
from pagegrade.parse.script_json import MAX_SHOWN, Skipped, skipped_of_import_map, skipped_of_speculation_rules

_HEADER: Final = "Speculation-Rules"
_EXTERNAL: Final = Skipped(place="", code="external")
_REASONS: Final = {
    "no_object": "It is no JSON object.",
    "no_list": "The rules are no list.",
    "no_text": "The value is no text.",
    "empty_name": "The name is empty.",
    "no_address": "The URL begins neither with /, ./ or ../ nor with a scheme.",
    "no_slash": "The name ends with a slash, and the URL does not.",
    "bad_integrity": "An integrity is a text, and its key a URL.",
    "no_source": "A rule has either urls or where.",
    "no_list_of_texts": "The header is a list of URLs in double quotes; browsers skip everything else.",
    "external": "Browsers read it only where it stands in the page, not from a file.",
}
_STATES: Final = ("map", "map_parts", "rules")
"""Worst first."""


@check(
    id="script-rules",
    title="Import maps and speculation rules",
    severity=Severity.MEDIUM,
    since="0.1.0",
    visible_only=False,
    states=(
        State("read", "Browsers can read the import maps and speculation rules of the page."),
        State(
            "rules",
            "Browsers skip speculation rules of the page.",
            loss=0.25,
            title="Speculation rules that browsers skip",
            why="The pages that visitors probably open next are not loaded ahead, although they were meant to be.",
            fix="Correct the listed rules. The whole must be JSON: double quotes, no comments, no comma at the end.",
            counted=True,
        ),
        State(
            "map_parts",
            "Browsers skip entries of the import map.",
            loss=0.5,
            title="Entries of the import map that browsers skip",
            why="Scripts that import a module by one of these names stop with an error.",
            fix="Correct the listed entries. URLs begin with `/`, `./`, `../` or a scheme.",
            counted=True,
        ),
        State(
            "map",
            "Browsers cannot read the import map.",
            loss=1.0,
            title="Import map cannot be read",
            why="Every script that imports a module by its name stops with an error.",
            fix=(
                "Correct the JSON in the page: double quotes, no comments, no comma at the end.\n\n"
                "```html\n"
                '<script type="importmap">{"imports": {"cart": "/modules/cart.js"}}</script>\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/webappapis.html#import-maps",
        "https://html.spec.whatwg.org/multipage/speculative-loading.html#speculation-rules",
    ),
)
def script_rules(document: Document, seen_response: Response) -> Verdict:
    """Import maps and speculation rules are JSON for the browser, which skips what it cannot read.

    ## What it checks

    The text of `<script type="importmap">` and `<script type="speculationrules">`, read as browsers read it. An import
    map that is no JSON, or whose parts are of another kind than they have to be, fails: browsers ignore all of it. An
    entry without a usable address costs half. Speculation rules that browsers skip, because they are no JSON or have
    keys or values that none knows, cost a quarter, and so does a `Speculation-Rules` header whose URLs are not in
    double quotes. Such a script with a `src` is never read.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <script type="importmap">{"imports": {"cart": "/cart.js",}}</script>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <script type="importmap">{"imports": {"cart": "/cart.js"}}</script>
    <script type="speculationrules">{"prefetch": [{"where": {"href_matches": "/*"}, "eagerness": "moderate"}]}</script>
    ```
    """
    scripts = [script for script in document.scripts if script.kind in {"importmap", "speculationrules"}]
    header = seen_response.header_values(_HEADER)
    if not scripts and not header:
        return NotApplicable("The page has no import map and no speculation rules.")
    found = [
        (document.evidence_at(script.node, _why(part), value=part.place), state)
        for script in scripts
        for part, state in _skipped_of(script)
    ]
    urls = parse_list(header)
    if urls is None or any(item.kind != "string" for item in urls):
        entry = Evidence(header=_HEADER, value=", ".join(header)[:MAX_SHOWN], reason=_REASONS["no_list_of_texts"])
        found.append((entry, "rules"))
    if not found:
        return Outcome("read", value=len(scripts) + bool(header))
    worst = next(state for state in _STATES if any(state == one for _, one in found))
    worst_first = sorted(found, key=lambda entry: _STATES.index(entry[1]))
    return Outcome(
        worst,
        value=len(found),
        evidence=tuple(
            replace(entry, state="" if state == worst else state) for entry, state in worst_first[:MAX_EVIDENCE]
        ),
        total=len(found),
        count=sum(state == worst for _, state in found),
    )


def _skipped_of(script: Script) -> Iterator[tuple[Skipped, str]]:
    """Parts of a script that browsers skip, with the state of each."""
    is_map = script.kind == "importmap"
    if "src" in script.attrs:
        parts: tuple[Skipped, ...] = (_EXTERNAL,)
    else:
        parts = skipped_of_import_map(script.text) if is_map else skipped_of_speculation_rules(script.text)
    for part in parts:
        yield part, "rules" if not is_map else "map_parts" if part.place else "map"


def _why(part: Skipped) -> str:
    match part.code:
        case "no_json":
            return part.detail
        case "part_no_object":
            return f"What {part.detail} holds is no JSON object."
        case "unknown_key":
            return f"Browsers do not know the key {part.detail or part.place}."
        case "bad_value":
            return f"Browsers do not understand the value of {part.detail}."
        case _:
            return _REASONS[part.code]
