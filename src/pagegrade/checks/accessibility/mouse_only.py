import re
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, counted, evidence_of
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.files.javascript import cancels_all_keys
from pagegrade.parse.page_content import usable_controls

MAX_SCRIPTS: Final = 200
MAX_SCRIPT: Final = 200_000
"""Characters of one."""
_NOTHING_ELSE: Final = re.compile(r"\s*(?:return false|event\.preventDefault\(\))\s*;?\s*")
MANY: Final = 5
"""Elements from which on the page is made for the mouse; fewer may have another way."""


@check(
    id="mouse-only",
    title="Click handlers",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("operable", "What reacts to clicks can be reached by keyboard."),
        State("few", "A few elements react to clicks and cannot be reached by keyboard."),
        State(
            "some",
            "Some elements react to clicks and cannot be reached by keyboard.",
            loss=0.25,
            loss_max=0.5,
            title="Elements that only a mouse can operate",
            why=(
                "People who use a keyboard, a switch, voice control or a screen reader cannot reach these elements, "
                "and do not learn that they do anything."
            ),
            fix="Use `<button>` for what acts and `<a href>` for what leads somewhere.",
            counted=True,
        ),
        State(
            "most",
            "Most of what the page offers reacts to clicks only.",
            loss=1.0,
            title="Elements that only a mouse can operate",
            why=(
                "People who use a keyboard, a switch, voice control or a screen reader cannot reach these elements, "
                "and do not learn that they do anything."
            ),
            fix="Use `<button>` for what acts and `<a href>` for what leads somewhere.",
            counted=True,
        ),
        State(
            "cancelled",
            "A script takes every key that is pressed.",
            loss=1.0,
            title="The page takes the keyboard away",
            why=(
                "No key moves on, scrolls, fills in a field or leaves the page, so nobody who uses a keyboard, a "
                "switch or a screen reader can do anything, and no one can type."
            ),
            fix=(
                "Call `preventDefault()` only for the keys that the script acts on:\n\n"
                "```js\n"
                'document.addEventListener("keydown", (event) => {\n'
                '  if (event.key === "Escape") { closeDialog(); event.preventDefault(); }\n'
                "});\n"
                "```"
            ),
        ),
    ),
    cap=Cap(49, states=("cancelled",)),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/keyboard.html",
        "https://www.w3.org/WAI/WCAG22/Techniques/failures/F59",
    ),
)
def mouse_only(document: Document, accessibility: Accessibility) -> Verdict:
    """Plain elements with a click handler work with a mouse only.

    ## What it checks

    Elements with `onclick` that are neither links, buttons, fields nor labels, that the Tab key does not reach, and
    that hold nothing that it reaches. Handlers that only stop an event do nothing for visitors, and do not count. Five
    and more cost a quarter to a half; fewer may have another way, are shown, and cost nothing. Where they are more than
    the visible links, buttons and fields of the page that have a name, they cost everything. Fields whose form sends to
    another site do not count. Of the handlers that scripts add, only one is seen: one for the whole page that takes
    every key, whichever it is, so that it does nothing; such a page scores 49 at most.

    ## Fails on

    ```html
    <!doctype html><title>Menu</title>
    <!-- the next line 6 times -->
    <div onclick="go('/page{n}')">Page {n}</div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Menu</title>
    <!-- the next line 6 times -->
    <a href="/page{n}" onclick="track(this)">Page {n}</a>
    ```
    """
    scripts = document.running_scripts[:MAX_SCRIPTS] if document.script_marks & {"keydown", "keypress"} else ()
    taking = [one.node for one in scripts if cancels_all_keys(one.text[:MAX_SCRIPT])]
    if document.body is not None and _NOTHING_ELSE.fullmatch(document.body.attrs.get("onkeydown", "")):
        taking.append(document.body.node)
    if taking:
        found = [Offender(one, "takes every key") for one in taking]
        return Outcome("cancelled", value=len(found), evidence=evidence_of(document, found), total=len(found))
    found = [Offender(one.node, "reacts to clicks, takes no focus") for one in accessibility.click_targets]
    links = sum(bool(one.url is not None and one.name) and not one.hidden for one in document.anchors)
    buttons = sum(bool(one.name) and not one.hidden for one in document.named)
    operable = links + buttons + len(usable_controls(document))
    if not found and not operable:
        return NotApplicable("The page has nothing to click.")
    if 0 < len(found) < MANY:
        return Outcome("few", value=len(found), evidence=evidence_of(document, found), total=len(found))
    is_most = len(found) > operable
    return counted(
        document,
        found,
        "operable",
        "most" if is_most else "some",
        "One element reacts to clicks only.",
        "{count} elements react to clicks only.",
        low=1.0 if is_most else 0.25,
        high=1.0 if is_most else 0.5,
        full_at=30,
    )
