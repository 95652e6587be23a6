from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import Detail, Outcome, Severity

KINDS: Final = frozenset({"app", "player", "summary", "summary_large_image"})
SHOWN: Final = (
    *("twitter:card", "twitter:title", "twitter:description", "twitter:image"),
    *("og:type", "og:title", "og:description"),
)


@check(
    id="twitter-card",
    title="X (Twitter) card",
    severity=Severity.LOW,
    cause="social-tags",
    since="0.1.0",
    states=(
        State("complete", "A link to the page shows a card on X."),
        State(
            "partial",
            "The page lacks a property for a card on X.",
            loss=0.5,
            title="Complete the X (Twitter) card",
            why="X shows the bare URL, or a card without a title.",
            fix="Add the missing property; a `twitter:card` of a known type and `og:title` are enough.",
        ),
        State(
            "none",
            "The page has no properties from which X could make a card.",
            loss=1.0,
            title="Add an X (Twitter) card",
            why="A shared link on X shows the bare URL.",
            fix=(
                "Add this beside your Open Graph properties:\n\n"
                "```html\n"
                '<meta name="twitter:card" content="summary_large_image">\n'
                "```"
            ),
        ),
    ),
    sources=("https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",),
)
def twitter_card(served_document: Document) -> Outcome:
    """A link to the page on X shows a card with a title, or the bare URL.

    ## What it checks

    Whether there is a `twitter:card` of a kind that X knows (`summary`, `summary_large_image`, `app`, `player`) and a
    title for it, or else the Open Graph properties from which X makes a summary: type, title and description. X takes
    `og:title` where `twitter:title` is missing; an app card needs no title. `name` and `property` both count.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta name="twitter:card" content="summary">
    <meta name="twitter:title" content="Garden furniture">
    ```
    """
    found: dict[str, Meta] = {}
    for meta in served_document.metas:
        for name in (meta.name, meta.property):
            if name.startswith(("twitter:", "og:")) and meta.content.strip():
                found.setdefault(name, meta)
    kind = found["twitter:card"].content.strip().lower() if "twitter:card" in found else ""
    falls_back = all(name in found for name in ("og:type", "og:title", "og:description"))
    has_title = "twitter:title" in found or "og:title" in found or kind == "app"
    evidence = tuple(
        served_document.evidence(found[name], reason=f"{name}: {found[name].content.strip()[:150]}")
        for name in SHOWN
        if name in found
    )
    value = kind or None
    if kind and kind not in KINDS:
        return Outcome(
            "partial", value=value, evidence=evidence, message=f"X does not support cards of type {kind[:50]!r}."
        )
    if (kind and has_title) or falls_back:
        return Outcome("complete", value=value, evidence=evidence)
    if not evidence:
        return Outcome("none", details=(Detail(code="missing_property", actual="twitter:card"),))
    # Without a card ``og:type``, ``og:title`` and ``og:description`` together make one, which takes more.
    missing = ["twitter:title"] if kind else ["twitter:card", *(() if has_title else ("og:title",))]
    return Outcome(
        "partial",
        value=value,
        evidence=evidence,
        details=tuple(Detail(code="missing_property", actual=name) for name in missing),
        message=f"The page lacks {' and '.join(missing)} for a card on X.",
    )
