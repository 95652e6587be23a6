from collections.abc import Sequence
from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.artifacts import Resources
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Face

FULL_AT: Final = 5
_SUPPORTED: Final = frozenset({"woff", "ttf", "otf", "collection"})
"""Older formats that every current browser reads."""


@check(
    id="font-format",
    title="Web font format",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("woff2", "Every web font is available as WOFF2."),
        State(
            "older",
            "Web fonts are available in older formats only.",
            loss=0.25,
            loss_max=0.5,
            title="Web fonts without a WOFF2 version",
            why="The same font needs a third fewer bytes as WOFF2 than as WOFF, and half of what it needs as TTF.",
            fix=(
                "Convert the files, and list WOFF2 first:\n\n"
                "```\n"
                'src: url("/lato.woff2") format("woff2"), url("/lato.woff") format("woff");\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/WOFF2/",
        "https://web.dev/learn/performance/optimize-web-fonts",
    ),
)
def font_format(font_faces: tuple[Face, ...], resources: Resources) -> Verdict:
    """WOFF2 is the smallest font format, and every current browser supports it.

    ## What it checks

    The `@font-face` rules of the page and of stylesheets from the site's own domain. A face is fine when the first of
    its files that browsers read is WOFF2, by its `format()`, its extension or its first bytes; older formats after it
    serve old browsers, and before it they are what all browsers load. A face whose formats are unknown is not
    evaluated, and neither are stylesheets of font services: they give each program the format it knows. Whether a face
    is used is not known here, so the first costs a quarter and five cost half.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 900}
        }
      ],
      "font_faces": [
        {
          "family": "Lato",
          "formats": ["woff", "ttf"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css"
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
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 900}
        }
      ],
      "font_faces": [
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css"
        }
      ]
    }
    ```
    """
    is_modern_file = any(item.font_format == "woff2" and item.first_party for item in resources.items)
    evaluated = [found.face for found in font_faces if found.own and any(found.face.formats)]
    if not evaluated:
        return NotApplicable("The site declares no web font whose format is known.")
    # A file without an extension may be WOFF2: then nothing is claimed about its face.
    offenders = [face for face in evaluated if not _comes_as_woff2(face.formats, is_modern_file=is_modern_file)]
    if not offenders:
        return Outcome("woff2", value=amount(len(evaluated), "font face"))
    return Outcome(
        "older",
        value=part(len(offenders), len(evaluated), "font face"),
        evidence=tuple(
            Evidence(
                value=", ".join(filter(None, face.formats)),
                reason=f"{face.family or 'unnamed'}, {face.weight}",
                url=face.stylesheet_url,
            )
            for face in offenders[:MAX_EVIDENCE]
        ),
        total=len(offenders),
        details=(Detail(code="fonts_without_woff2", actual=len(offenders), limit=0),),
        loss=0.5 * offender_loss(len(offenders), FULL_AT),
    )


def _comes_as_woff2(formats: Sequence[str], *, is_modern_file: bool) -> bool:
    """Return whether browsers fetch WOFF2: they take the first file whose format they know, not the best."""
    if "woff2" not in formats:
        return "" in formats and is_modern_file
    return not any(name in _SUPPORTED for name in formats[: formats.index("woff2")])
