from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._file_types import CSS, JAVASCRIPT, essence_of, is_nosniff, refuses_script, refuses_style
from pagegrade.model.artifacts import NotGathered, Resource, Resources, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity

FULL_AT: Final = 10
_LOOSE: Final = (0.25, 0.5)
_REFUSED: Final = (0.5, 1.0)
_IMAGES: Final = {
    "jpeg": frozenset({"image/jpeg", "image/jpg", "image/pjpeg"}),
    "png": frozenset({"image/png", "image/x-png", "image/apng", "image/vnd.mozilla.apng"}),
    "ico": frozenset({"image/x-icon", "image/vnd.microsoft.icon", "image/ico", "image/icon"}),
    "bmp": frozenset({"image/bmp", "image/x-ms-bmp", "image/x-bmp"}),
    "heic": frozenset({"image/heic", "image/heif"}),
    "svg": frozenset({"image/svg+xml"}),
}
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})


@check(
    id="mime-types",
    title="MIME types",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("right", "The page's own files have the correct MIME types."),
        State(
            "loose",
            "Files have a wrong or missing MIME type; browsers guess it.",
            *_LOOSE,
            title="Files with a wrong or missing MIME type",
            why=(
                "Browsers detect the type of these files, but caches and filters may guess otherwise, and "
                "`nosniff` would block them."
            ),
            fix="Configure the type by file extension on the server, such as `text/javascript` for `.js`.",
            counted=True,
        ),
        State(
            "refused",
            "Files have a MIME type for which browsers refuse them.",
            *_REFUSED,
            title="Files that browsers refuse because of their MIME type",
            why="A refused stylesheet or script is as good as missing.",
            fix=(
                "Configure the type by file extension on the server. A file that answers with `text/html` is "
                "usually missing, and the application answers in its place."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://mimesniff.spec.whatwg.org/",
        "https://www.rfc-editor.org/rfc/rfc9239",
        "https://fetch.spec.whatwg.org/#should-response-to-request-be-blocked-due-to-nosniff?",
    ),
)
def mime_types(document: Document, resources: Resources, seen_response: Response | NotGathered) -> Verdict:
    """The `Content-Type` header says what a file is, and browsers rely on it rather than on the name.

    ## What it checks

    The `Content-Type` of the site's own scripts, stylesheets and images. Scripts should have a JavaScript type
    (`text/javascript`; the older `application/javascript` is fine), stylesheets `text/css`, and images the type that
    their first bytes show. The page itself counts as a file when it does not say that it is HTML; its encoding is
    evaluated by `charset`. Fonts are not evaluated, because browsers do not look at their type, and neither are files
    of other sites, whose headers the owner of the page cannot change. A missing or needless `charset` is no fault here.

    It costs from half (one file) to everything (ten) when browsers refuse the file: a stylesheet or script of a wrong
    type with `X-Content-Type-Options: nosniff`, a stylesheet of another type (outside quirks mode), a module of another
    type, a script with an image type, an SVG without its type. It costs from a quarter to half when the type is missing
    or wrong and browsers detect it by themselves.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/a.css", "status": 200, "wire_bytes": 900,
            "headers": [["Content-Type", "text/plain"]]
          }
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/a.css", "status": 200, "wire_bytes": 900,
            "headers": [["Content-Type", "text/css; charset=utf-8"]]
          }
        }
      ]
    }
    ```
    """
    seen = [(item, item.response) for item in resources.items if item.response is not None and _is_evaluated(item)]
    page = None if isinstance(seen_response, NotGathered) else _fault_of_page(seen_response)
    if not seen and page is None:
        return NotApplicable("No scripts, stylesheets or images of the site were fetched.")
    modules = {script.url.partition("#")[0] for script in document.scripts if script.kind == "module" and script.url}
    quirks = document.mode == "quirks"
    faults = [
        (item.url, *fault)
        for item, response in seen
        if (fault := _fault(item, response, module=item.url in modules, quirks=quirks)) is not None
    ]
    if page is not None:
        faults.insert(0, (document.url, *page))
    faults.sort(key=lambda entry: not entry[1])
    refused = sum(is_refused for _, is_refused, _ in faults)
    state = "refused" if refused else "loose" if faults else "right"
    low, high = _REFUSED if refused else _LOOSE
    count = refused or len(faults)
    return Outcome(
        state,
        value=part(len(faults), len(seen) + (page is not None), "file"),
        evidence=tuple(
            Evidence(
                header="Content-Type",
                url=url,
                reason=f"{reason}, refused" if is_refused else f"{reason}, guessed",
                state="loose" if refused and not is_refused else "",
            )
            for url, is_refused, reason in faults[:MAX_EVIDENCE]
        ),
        total=len(faults),
        details=(
            Detail(code="refused", actual=refused, limit=0),
            Detail(code="guessed", actual=len(faults) - refused, limit=0),
        ),
        loss=low + (high - low) * min(1.0, (count - 1) / (FULL_AT - 1)) if faults else None,
        count=count,
    )


def _is_evaluated(item: Resource) -> bool:
    """Own files that arrived with something in them and with headers that were seen."""
    response = item.response
    if response is None or not item.first_party or not response.headers_seen:
        return False
    if response.status != 200 or response.wire_bytes == 0 or item.decoded_bytes == 0:
        return False
    return not {"script", "stylesheet", "image"}.isdisjoint(item.kinds)


def _fault_of_page(response: Response) -> tuple[bool, str] | None:
    """The same as below for the page itself, which was read as HTML whatever it says it is."""
    essence = essence_of(response)
    if essence in _PAGES:
        return None
    return bool(essence) or is_nosniff(response), f"page as {essence or 'no type'}"


def _fault(item: Resource, response: Response, *, module: bool, quirks: bool) -> tuple[bool, str] | None:
    """(whether browsers refuse the file, what it says it is); ``None`` when that is right."""
    essence = essence_of(response)
    shown = essence or "no type"
    if "stylesheet" in item.kinds:
        return None if essence == CSS else (refuses_style(response, quirks=quirks), f"stylesheet as {shown}")
    if "script" in item.kinds:
        return None if essence in JAVASCRIPT else (refuses_script(response, module=module), f"script as {shown}")
    image = item.image
    if image is None:
        return None
    if essence in _IMAGES.get(image.format, frozenset({f"image/{image.format}"})):
        return None
    return image.format == "svg", f"{image.format} image as {shown}"
