from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Resources, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.css.newer_features import find_newer_features
from pagegrade.parse.data.baseline import FEATURES
from pagegrade.parse.html.newer_features import find_newer_markup

MAX_INLINE_BYTES: Final = 500_000
"""Of style elements and attributes together."""
_Use = tuple[str, Evidence]


@check(
    id="baseline-features",
    title="Baseline browser support",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("widely", "Every recognized feature of CSS and HTML is Baseline widely available."),
        State(
            "newly",
            "The page uses features that browsers have only had for a short time.",
            title="Features that are new in browsers",
            why="Visitors with a browser that is older than the listed month do not get what the feature does.",
            fix=(
                "Look at the page without the feature. Where something important is missing, add a fallback, such as a "
                "second declaration before it or a block of `@supports`."
            ),
            counted=True,
        ),
        State(
            "limited",
            "The page uses features that some browsers lack.",
            title="Features that some browsers lack",
            why="Visitors with the listed browsers do not get what the feature does.",
            fix=(
                "Use the feature only where its absence does no harm, or put it into a block of `@supports` with an "
                "alternative for the other browsers."
            ),
            counted=True,
        ),
    ),
    sources=("https://web.dev/baseline", "https://github.com/web-platform-dx/web-features"),
)
def baseline_features(document: Document, response: Response, resources: Resources | NotGathered) -> Verdict:
    """Features that are not Baseline widely available do not work for all visitors.

    ## What it checks

    The site's own stylesheets that were fetched, the styles in the page and its HTML, for features that not every
    current browser has had for two and a half years (Baseline): at-rules, properties, pseudo-classes, functions and
    keywords of CSS, elements and attributes of HTML that mean nothing else. The data is the WebDX community group's
    (`web-features`, November 2026). A feature with a fallback is left out: inside `@supports`, or with a prefixed form
    in the same stylesheet. So are features whose absence changes a detail of the looks only, such as colors of
    scrollbars or transitions between views. What scripts use is not seen. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <style>.price { color: if(style(--sale): red; else: black) }</style>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <style>.menu { display: grid; gap: 1rem }</style>
    ```
    """
    uses: dict[str, Evidence] = {}
    for feature, evidence in _uses(document, response, resources):
        uses.setdefault(feature, evidence)
    items = resources.items if isinstance(resources, Resources) else ()
    styled = document.styles or document.style_attributes or any("stylesheet" in one.kinds for one in items)
    if not uses and not styled:
        return NotApplicable("The page has no styles, and no newer element.")
    # Features that some browser lacks come first.
    names = sorted((name for name in uses if name in FEATURES), key=lambda name: (FEATURES[name][1] != "", name))
    limited = [name for name in names if not FEATURES[name][1]]
    return Outcome(
        "limited" if limited else "newly" if names else "widely",
        value=", ".join(FEATURES[name][0] for name in names[:10]) or None,
        evidence=tuple(uses[name] for name in islice(names, MAX_EVIDENCE)),
        total=len(names),
        count=len(limited) or len(names) or None,
        details=(
            Detail(code="limited_availability", actual=len(limited)),
            Detail(code="newly_available", actual=len(names) - len(limited)),
        ),
    )


def _uses(document: Document, response: Response, resources: Resources | NotGathered) -> Iterator[_Use]:
    for feature, shown, line in find_newer_markup(response.body):
        yield feature, Evidence(line=line, snippet=shown, value=_name(feature), reason=_support(feature))
    styles = " ".join(style.text for style in document.styles)
    # Attributes hold declarations; braces make rules of them.
    styles += "".join(f" x{{{one.value}}}" for one in document.style_attributes if ":" in one.value)
    for feature in find_newer_features(styles[:MAX_INLINE_BYTES].encode("utf-8", "replace")):
        yield feature, Evidence(value=_name(feature), reason=f"in the page; {_support(feature)}")
    for resource in resources.items if isinstance(resources, Resources) else ():
        if resource.first_party:
            for feature in resource.css_features:
                if feature in FEATURES:
                    yield feature, Evidence(url=resource.url, value=_name(feature), reason=_support(feature))


def _name(feature: str) -> str:
    return FEATURES[feature][0]


def _support(feature: str) -> str:
    _, since, lacking = FEATURES[feature]
    return f"in all browsers since {since}" if since else f"not in {lacking or 'all browsers'}"
