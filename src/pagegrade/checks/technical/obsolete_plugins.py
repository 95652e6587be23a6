from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document, ElementFact
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.html.single_elements import parameters
from pagegrade.parse.page_links import path_and_query

_TYPES: Final = {
    "application/x-shockwave-flash": "Flash",
    "application/futuresplash": "Flash",
    "application/x-silverlight": "Silverlight",
    "application/x-silverlight-2": "Silverlight",
    "application/x-java-applet": "Java",
    "application/x-java-bean": "Java",
    "application/x-java-vm": "Java",
    "application/x-director": "Shockwave",
}
_CLASSES: Final = {
    "clsid:d27cdb6e-ae6d-11cf-96b8-444553540000": "Flash",
    "clsid:166b1bca-3f9c-11cf-8075-444553540000": "Shockwave",
    "clsid:8ad9c840-044e-11d1-b3e9-00805f499d93": "Java",
    "clsid:dfeaf541-f3e1-4c24-acac-99c30715084a": "Silverlight",
}
"""The ``classid`` by which Internet Explorer found a plug-in."""
_FILE_PARAMETERS: Final = ("movie", "src", "source", "code", "object")
"""Parameters that name the file of an object without a URL of its own."""
_ENDINGS: Final = {".swf": "Flash", ".spl": "Flash", ".xap": "Silverlight", ".class": "Java", ".dcr": "Shockwave"}


@check(
    id="obsolete-plugins",
    title="Obsolete browser plugins",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("none", "The page needs no obsolete browser plugin."),
        State(
            "some",
            "The page embeds content for a plugin that browsers no longer support.",
            loss=1.0,
            title="Embedded content for obsolete plugins",
            why="Visitors see an empty area or a hint to install something that no longer exists.",
            fix="Replace videos by `<video>` and the rest by current web technology, or remove the element.",
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features",),
)
def obsolete_plugins(document: Document) -> Outcome:
    """Current browsers do not run Flash, Silverlight and Java applets.

    ## What it checks

    `<object>` and `<embed>` whose type, file or class belongs to Flash, Silverlight, Shockwave or Java, and every
    `<applet>`. The file may also be named by a `<param>`. Other types, such as PDF, are fine.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <embed src="/tour.swf" type="application/x-shockwave-flash">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <object data="/catalogue.pdf" type="application/pdf"></object>
    ```
    """
    found = [Offender(fact.node, f"needs {name}", "", url) for fact, name, url in _plugins(document)]
    if not found:
        return Outcome("none", value=0)
    return Outcome("some", value=len(found), evidence=evidence_of(document, found), total=len(found))


def _plugins(document: Document) -> Iterator[tuple[ElementFact, str, str]]:
    for reference in document.references:
        if reference.kind != "object":
            continue
        kind = reference.attrs.get("type", "").partition(";")[0].strip().lower()
        # A type that is named decides, as in browsers; the file only speaks where there is none.
        name = _TYPES.get(kind) if kind else _by_file(path_and_query(reference.url)[0])
        if name is not None:
            yield reference, name, reference.url
    for fact in document.objects:
        # One with an address was looked at above.
        if not fact.attrs.get("data", "").strip():
            kind = fact.attrs.get("type", "").partition(";")[0].strip().lower()
            name = _TYPES.get(kind) or _CLASSES.get(fact.attrs.get("classid", "").strip().lower())
            if name is None and not kind:
                named = parameters(fact.node)
                names = (_by_file(named.get(key, "").partition("?")[0]) for key in _FILE_PARAMETERS)
                name = next(filter(None, names), None)
            if name is not None:
                yield fact, name, ""
    for fact in document.obsolete:
        if fact.node.tag == "applet":
            yield fact, "Java", ""


def _by_file(path: str) -> str | None:
    """The plug-in that a file of this ending needs."""
    lower = path.lower()
    return _ENDINGS.get(lower[lower.rfind(".") :]) if "." in lower else None
