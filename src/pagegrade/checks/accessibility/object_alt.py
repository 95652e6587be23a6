from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document, NamedElement
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import keeps_role

_DEAD: Final = frozenset(
    {
        "application/x-shockwave-flash",
        "application/java-archive",
        "application/x-silverlight-2",
        "application/futuresplash",
    }
)
_TEXT: Final = (".htm", ".html", ".txt", ".php")


@check(
    id="object-alt",
    title="Embedded object alternative text",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("named", "Every embedded object has an accessible name."),
        State(
            "nameless",
            "Embedded objects have no accessible name.",
            0.5,
            1.0,
            title="Embedded objects without a name",
            why='Screen readers announce only "object" or read its URL.',
            fix="Give the object a `title` or an `aria-label` that says what it shows.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/8fc3b6/",
        "https://html.spec.whatwg.org/multipage/iframe-embed-object.html#the-object-element",
    ),
)
def object_alt(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """An image, video or document that is embedded with `<object>` needs a name like any other image.

    ## What it checks

    Elements `<object>` with a `data` URL that are not hidden and not marked with `role="none"`. Each needs a `title`,
    an `aria-label` or an `aria-labelledby` that leads to text; an `alt` is no name here. The content of the element is
    shown only when the object cannot be, so it is no name either. Objects that hold text or a page, and plugins that no
    browser runs any more, are left out. The loss grows from half (one object) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <object data="/img/plan.svg" type="image/svg+xml"></object>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <object data="/img/plan.svg" type="image/svg+xml" title="Plan of the building"></object>
    ```
    """
    objects = [
        one
        for one in accessibility.objects
        if (one.role not in {"none", "presentation"} or keeps_role("object", one.attrs)) and _is_embedded(one)
    ]
    if not objects:
        return NotApplicable("The page embeds no objects that need a name.")
    found = [
        Offender(one.node, "no accessible name", url=one.attrs.get("data", "")[:200]) for one in objects if not one.name
    ]
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One embedded object has no accessible name.",
        "{count} embedded objects have no accessible name.",
    )


def _is_embedded(one: NamedElement) -> bool:
    """Return whether a browser shows the object itself, and it is no text."""
    kind = one.attrs.get("type", "").partition(";")[0].strip().lower()
    path = one.attrs.get("data", "").partition("?")[0].partition("#")[0].lower()
    if kind in _DEAD or "classid" in one.attrs or path.endswith(".swf"):
        return False
    return not kind.startswith("text/") and not (not kind and path.endswith(_TEXT))
