from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted, evidence_of
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document, Node
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.attributes import ATTRIBUTES


@check(
    id="duplicate-id",
    title="Duplicate ids",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("unique", "No id that is referenced is used twice."),
        State("unused", "Some ids are used twice, but nothing refers to them."),
        State(
            "ambiguous",
            "Labels, links or ARIA attributes refer to duplicate ids.",
            0.5,
            1.0,
            title="Duplicate ids in labels, links or ARIA attributes",
            why=(
                "Only the first element with the id is found: a label names the wrong field, or a link jumps to "
                "the wrong place."
            ),
            fix="Make each id unique, and update the references to it.",
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/dom.html#the-id-attribute",
        "https://www.w3.org/WAI/WCAG22/Understanding/info-and-relationships.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/3ea0c8/",
    ),
)
def duplicate_id(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """An id identifies one element; references to a duplicate id find only the first.

    ## What it checks

    Ids of more than one element. It fails when a label (`for`), an attribute of ARIA, the `headers` of a table cell or
    a link inside the page points to such an id, because only the first element is found. The loss grows from half (one
    id) to everything (ten or more).

    Repeated ids that nothing points to are shown and cost nothing, also those of fields and buttons: four of ten pages
    have some, and they harm only styles and scripts. The success criterion that forbade them was removed in WCAG 2.2.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <label for="mail">E-mail</label><input id="mail"><input id="mail" aria-label="Again">
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <label for="mail">E-mail</label><input id="mail"><input id="mail2" aria-label="Again">
    ```
    """
    doubled = accessibility.doubled
    if not document.ids:
        return NotApplicable("No element of the page has an id.")
    if not doubled:
        return Outcome("unique", value=0)
    pointed = _pointed(document, accessibility)
    found = [
        Offender(facts[0].node, f"{len(facts) + 1} elements have this id, and {pointed[name]} points to it", name)
        for name, facts in doubled.items()
        if name in pointed
    ]
    plain = [
        Offender(facts[0].node, f"{len(facts) + 1} elements have this id", name)
        for name, facts in doubled.items()
        if name not in pointed
    ]
    if found:
        return counted(
            document,
            found,
            "unique",
            "ambiguous",
            "One id that is referenced is used twice.",
            "{count} ids that are referenced are used twice.",
            lesser={"unused": plain},
        )
    return Outcome("unused", value=len(plain), evidence=evidence_of(document, plain), total=len(plain))


def _pointed(document: Document, accessibility: Accessibility) -> dict[str, str]:
    """Ids that something points to, and what does."""
    pointed: dict[str, str] = {}
    for anchor in document.anchors:
        href = (anchor.href or "").strip()
        if href[:1] == "#":
            pointed.setdefault(href[1:], "a link")
    for control in document.controls:
        if any(_attribute(label, "for") for label in control.labels):
            pointed.setdefault(control.attrs.get("id", ""), "a label")
    for element in accessibility.roles:
        for name, value in element.attrs.items():
            attribute = ATTRIBUTES.get(name)
            if attribute is not None and attribute.kind in {"id", "ids"}:
                for target in value.split():
                    pointed.setdefault(target, name)
    for table in accessibility.tables:
        for cell in table.cells:
            for target in cell.headers:
                pointed.setdefault(target, "headers")
    return pointed


def _attribute(node: Node, name: str) -> str:
    value = getattr(node, "attrs", {}).get(name)
    return value if isinstance(value, str) else ""
