from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check, offender_loss
from pagegrade.checks._offenders import lack_of_name
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Anchor, Document, NamedElement
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, Outcome, Severity
from pagegrade.parse.aria.roles import ROLES, first_role
from pagegrade.parse.html.accessibility import NAMED

FULL_AT: Final = 10
FIRST: Final = 0.25
"""Loss for one: a single one is a small omission, and ten shut people out."""
_ELSEWHERE: Final = NAMED | {"button"}
"""A link with one of these roles is a button, a field or a menu item to people, and evaluated as that."""
_ONLY_IMAGES: Final = (
    "The only links without a name hold an image without alternative text, which is a finding of its own."
)
_NOTHING: Final = frozenset({"", "none", "presentation"})
_LINKS: Final = frozenset({"link", "doc-backlink", "doc-biblioref", "doc-glossref", "doc-noteref"})


@check(
    id="link-name",
    title="Link names",
    severity=Severity.HIGH,
    since="0.1.0",
    cause="link-name",
    states=(
        State("named", "Every link has an accessible name."),
        State(
            "nameless",
            "Links have no accessible name.",
            FIRST,
            1.0,
            title="Links without an accessible name",
            why=(
                'Screen readers announce just "link" or read the URL, and voice control cannot address it. '
                "Search engines do not learn what the link is about."
            ),
            fix=(
                "Put text into the link, an `alt` on the image inside, or an `aria-label` on the link:\n\n"
                "```html\n"
                '<a href="/cart" aria-label="Shopping cart"><svg aria-hidden="true">...</svg></a>\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/link-purpose-in-context.html",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/c487ae/",
        "https://www.w3.org/TR/accname-1.2/",
    ),
)
def link_name(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Screen readers announce a link without a name just as "link".

    ## What it checks

    Links and areas of image maps that have an `href`, and elements with `role="link"`. The name comes from text inside,
    the alternative of an image inside, the title of an SVG inside, or from `aria-label`, `aria-labelledby` or `title`.
    A link whose only content is an image with `alt=""` has no name, and a `title` of that image does not give it one.
    Where the image has no `alt` at all, `image-alt` reports it, and the link is not charged again. Anchors without
    `href` are targets, not links. Hidden links are left out, and so are links with the role of a button, a field or a
    menu item, which have checks of their own. Text that a stylesheet adds, glyphs of an icon font and characters
    without width are no name. Text that stylesheets hide on a phone or on a laptop is no name there, as far as the page
    declares its viewport. The loss grows from a quarter (one link) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/"><img src="logo.svg" alt=""></a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/"><img src="logo.svg" alt="Example shop, home"></a>
    ```
    """
    links = list(_links(document))
    if not links:
        return NotApplicable("The page has no links.")
    without = [link for link in links if not link.name or link.node in accessibility.nameless_on]
    nameless = [link for link in without if link.node not in accessibility.named_by_nameless_images]
    if not nameless:
        return NotApplicable(_ONLY_IMAGES) if without else Outcome("named", value=0)
    count = len(nameless)
    return Outcome(
        "nameless",
        value=count,
        evidence=tuple(
            document.evidence(
                link,
                reason=lack_of_name(accessibility.nameless_on.get(link.node)),
                url=(link.url or "") if isinstance(link, Anchor) else "",
            )
            for link in islice(nameless, MAX_EVIDENCE)
        ),
        total=count,
        loss=offender_loss(count, FULL_AT, FIRST),
        message="One link has no accessible name." if count == 1 else f"{count} links have no accessible name.",
    )


def _links(document: Document) -> Iterator[Anchor | NamedElement]:
    for anchor in document.anchors:
        if anchor.href is None or anchor.hidden:
            continue
        role = first_role(anchor.attrs.get("role", ""))
        # What takes the focus stays a link whatever ``none`` says; a menu or a group needs no name.
        if role not in _ELSEWHERE and (role in _NOTHING or ROLES[role].name_required):
            yield anchor
    for element in document.named:
        if element.hidden:
            continue
        if element.role == "link" or (element.role == "button" and first_role(element.attrs.get("role", "")) in _LINKS):
            yield element
