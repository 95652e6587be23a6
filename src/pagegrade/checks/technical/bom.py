from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, Outcome, Severity
from pagegrade.parse.assets import Assets


@check(
    id="bom",
    title="Byte order mark",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("absent", "Neither the page nor its scripts and styles begin with a byte order mark."),
        State(
            "present",
            "The page, a script or a stylesheet begins with a byte order mark.",
            title="Remove the byte order mark",
            why="It is not needed where the encoding is declared otherwise, and can break concatenated files and JSON.",
            fix=(
                "Save the file as UTF-8 without a byte order mark, and declare the encoding in the "
                "`Content-Type` header."
            ),
        ),
    ),
    sources=(
        "https://encoding.spec.whatwg.org/#bom-sniff",
        "https://www.w3.org/International/questions/qa-byte-order-mark",
    ),
)
def bom(document: Document, assets: Assets | NotGathered) -> Outcome:
    """A byte order mark is an invisible character at the beginning of a text that declares its encoding.

    ## What it checks

    Whether the page begins with one, or one of its scripts, stylesheets and manifests does with the one of UTF-8. In
    HTML, CSS and JavaScript it is allowed and even overrules the header, so the check is informative and costs nothing.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200},
          "byte_order_mark": true
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <meta charset="utf-8">
    <title>Garden furniture</title>
    ```
    """
    found: list[Evidence] = []
    if any(declaration.source == "bom" for declaration in document.charset_declarations):
        found.append(Evidence(url=document.url, line=1, column=1, reason="the page"))
    if not isinstance(assets, NotGathered):
        found += [
            Evidence(url=item.url, reason=item.purpose)
            for item in assets.of("script", "stylesheet", "manifest")
            if item.resource.byte_order_mark
        ]
    return Outcome(
        "present" if found else "absent", value=len(found), evidence=tuple(found[:MAX_EVIDENCE]), total=len(found)
    )
