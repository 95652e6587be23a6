from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import ManifestFacts, Resource, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Severity

_ERRORS: Final = {
    "empty": "the file is empty",
    "html": "the URL answers with an HTML page",
    "json": "the file is no JSON",
    "no_object": "the file holds no JSON object",
}
_SIZES_PX: Final = (192, 512)


@check(
    id="web-manifest",
    title="Web app manifest",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("complete", "The manifest contains what browsers need to install the page as an app."),
        State(
            "incomplete",
            "The manifest lacks something that browsers need to install the page as an app.",
            title="Complete the web app manifest",
            why="Browsers offer to install a page only when the manifest is complete.",
            fix="Add the listed members, or remove the link if the page is not meant to be installed.",
        ),
        State(
            "unreadable",
            "The page names a manifest that cannot be read.",
            title="Web app manifest cannot be read",
            why="Browsers request the file in vain, and cannot install the page as an app.",
            fix="Serve valid JSON at the URL of the manifest, or remove the link.",
        ),
    ),
    sources=("https://www.w3.org/TR/appmanifest/", "https://web.dev/articles/install-criteria"),
)
def web_manifest(document: Document, resources: Resources) -> Verdict:
    """A manifest defines how browsers present the page as an installed app.

    ## What it checks

    Only where the page names a manifest: whether the file arrives and is JSON, whether it has `name` or `short_name`,
    icons of 192 and of 512 pixels or more (or of any size), a `start_url` on the page's own origin and inside its
    `scope`, and a `display` other than `browser`. Icons count that are PNG, SVG or WebP according to their `type` or
    name, and whose `purpose` is not only `maskable` or `monochrome`. Lengths of names, colors and unknown members are
    not checked: no browser refuses an app for them. This check costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="manifest" href="/site.webmanifest">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/site.webmanifest",
          "kinds": ["manifest"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/site.webmanifest", "status": 200},
          "manifest": {"error": "html"}
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="manifest" href="/site.webmanifest">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/site.webmanifest",
          "kinds": ["manifest"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/site.webmanifest", "status": 200},
          "manifest": {
            "name": "Garden furniture",
            "start_url": "https://example.com/",
            "in_scope": true,
            "display": "standalone",
            "icon_sizes": ["192x192", "512x512"]
          }
        }
      ]
    }
    ```
    """
    link = next((link for link in document.links if "manifest" in link.rel and link.url is not None), None)
    if link is None or link.url is None:
        return NotApplicable("The page names no manifest.")
    resource = resources.by_url().get(link.url.partition("#")[0])
    if resource is None or resource.response is None:
        return NotRun("resources", "The manifest was not fetched.")
    state, faults = _evaluate(resource, resource.response.status)
    if not state:
        return NotRun("resources", "The manifest was not read.")
    return Outcome(
        state,
        value=len(faults),
        evidence=(document.evidence(link, url=link.url), *(Evidence(url=link.url, reason=fault) for fault in faults)),
        details=tuple(Detail(code="fault", actual=fault) for fault in faults),
    )


def _evaluate(resource: Resource, status: int) -> tuple[str, list[str]]:
    """State and what is wrong; "" where the file was not read."""
    if status >= 400:
        return "unreadable", [f"status {status}"]
    manifest = resource.manifest
    if manifest is None:
        return "", []
    if manifest.error:
        return "unreadable", [_ERRORS.get(manifest.error, manifest.error)]
    faults = _faults(manifest)
    return ("incomplete" if faults else "complete"), faults


def _faults(manifest: ManifestFacts) -> list[str]:
    faults: list[str] = []
    if not manifest.name and not manifest.short_name:
        faults.append("no name")
    if manifest.start_url is None:
        faults.append("no start_url")
    elif manifest.in_scope is False:
        faults.append("start_url is on another origin or outside of scope")
    if manifest.display == "browser":
        faults.append("no display as an app")
    widest = max((_width(size) for size in manifest.icon_sizes), default=0)
    faults += [f"no icon of {wanted} pixels or more" for wanted in _SIZES_PX if widest < wanted]
    return faults


def _width(size: str) -> int:
    """Pixels of ``192x192``; many for ``any``; 0 for what is neither."""
    if size == "any":
        return max(_SIZES_PX)
    width, _, height = size.partition("x")
    if not (width.isascii() and width.isdecimal() and height.isascii() and height.isdecimal()):
        return 0
    return min(int(width[:6]), int(height[:6]))
