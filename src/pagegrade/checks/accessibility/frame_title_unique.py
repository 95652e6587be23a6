from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="frame-title-unique",
    title="Unique frame titles",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("different", "Frames with different content have different titles."),
        State(
            "shared",
            "Frames with different content share a title.",
            title="Frames that share a title",
            why="Screen reader users choose frames from a list of titles and cannot distinguish these.",
            fix="Say in each title what this frame shows.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/4b1c6c/",
    ),
)
def frame_title_unique(document: Document) -> Outcome | NotApplicable:
    """Frames with the same title and different content cannot be distinguished.

    ## What it checks

    Frames that are not hidden and have a title: those whose titles are the same, ignoring case and spaces, while their
    URLs differ by more than a trailing slash. Whether two URLs lead to the same content, and what frames contain,
    cannot be seen in the page. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <iframe src="/a" title="Video"></iframe><iframe src="/b" title="Video"></iframe>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <iframe src="/a" title="Tour"></iframe><iframe src="/b" title="Interview"></iframe>
    ```
    """
    named = [frame for frame in document.frames if frame.name and not frame.hidden]
    if len(named) < 2:
        return NotApplicable("The page has fewer than two frames with a title.")
    addresses: dict[str, set[tuple[str, str]]] = {}
    for frame in named:
        shown = (frame.url or "").rstrip("/"), frame.attrs.get("srcdoc", "")
        addresses.setdefault(frame.name.casefold(), set()).add(shown)
    found = [
        Offender(frame.node, "another frame has this title", frame.name, frame.url or "")
        for frame in named
        if len(addresses[frame.name.casefold()]) > 1
    ]
    return counted(
        document,
        found,
        "different",
        "shared",
        "One frame shares its title.",
        "{count} frames share their titles.",
        low=0,
        high=0,
    )
