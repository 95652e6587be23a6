from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="area-alt",
    title="Image map alternative text",
    severity=Severity.LOW,
    since="0.1.0",
    cause="link-name",
    states=(
        State("named", "Every area of an image map has a text alternative."),
        State(
            "nameless",
            "Areas of image maps have no text alternative.",
            0.5,
            1.0,
            title="Image map areas without alternative text",
            why="Screen readers announce such an area as a link without a name, and voice control cannot address it.",
            fix="Write into the `alt` of each `<area>` where it leads.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/c487ae/",
        "https://html.spec.whatwg.org/multipage/image-maps.html#the-area-element",
    ),
)
def area_alt(document: Document) -> Outcome | NotApplicable:
    """An area of an image map is a link without text, so it needs a text alternative.

    ## What it checks

    Elements `<area>` with an `href` that are not hidden. Each needs an `alt`, an `aria-label`, an `aria-labelledby`
    that leads to text, or a `title`. They count among the links of `link-name` too, because they are links, and cost
    only once. Whether an image uses the map is not checked, because a script may add it. The loss grows from half (one
    area) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <img src="map.png" alt="Map of our shops" usemap="#m">
    <map name="m"><area shape="rect" coords="0,0,9,9" href="/north"></map>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <img src="map.png" alt="Map of our shops" usemap="#m">
    <map name="m"><area shape="rect" coords="0,0,9,9" href="/north" alt="North"></map>
    ```
    """
    areas = [one for one in document.anchors if one.node.tag == "area" and one.href is not None and not one.hidden]
    if not areas:
        return NotApplicable("The page has no image maps with links.")
    found = [Offender(one.node, "no accessible name", url=one.url or "") for one in areas if not one.name]
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One area of an image map has no text alternative.",
        "{count} areas of image maps have no text alternative.",
    )
