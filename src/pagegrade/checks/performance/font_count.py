from collections import Counter
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Face

MANY: Final = 4
VERY_MANY: Final = 8


@check(
    id="font-count",
    title="Number of web fonts",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("few", "The page declares few web fonts."),
        State(
            "many",
            "The page declares many web fonts.",
            loss=0.25,
            title="Use fewer web fonts",
            why="Text waits for its font or shifts when it arrives, and each font that is used needs 20 to 100 kB.",
            fix=(
                "Use two weights of one or two families, or a variable font, which has all weights in one file. "
                "Draw icons with SVG instead of a font."
            ),
        ),
        State(
            "very_many",
            "The page declares very many web fonts.",
            loss=0.5,
            title="Use fewer web fonts",
            why="Text waits for its font or shifts when it arrives, and each font that is used needs 20 to 100 kB.",
            fix=(
                "Use two weights of one or two families, or a variable font, which has all weights in one file. "
                "Draw icons with SVG instead of a font."
            ),
        ),
    ),
    sources=("https://web.dev/learn/performance/optimize-web-fonts",),
)
def font_count(font_faces: tuple[Face, ...]) -> Verdict:
    """Every weight and style of a font is a file of its own.

    ## What it checks

    The different web fonts that the page and its stylesheets declare with `@font-face`: family, weight and style
    together make one, in however many formats and alphabets it comes. Up to four are fine, five to eight cost a
    quarter, more cost half. A browser fetches only those that the page really uses, and which these are is known only
    when it is rendered, so it never costs everything. Fonts embedded in the stylesheet count like others.

    ## Fails on

    ```json resources
    {
      "items": [],
      "font_faces": [
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css",
          "weight": "100"
        },
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css",
          "weight": "200"
        },
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css",
          "weight": "300"
        },
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css",
          "weight": "500"
        },
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css",
          "weight": "600"
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [],
      "font_faces": [
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css"
        },
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css",
          "weight": "bold"
        }
      ]
    }
    ```
    """
    if not font_faces:
        return NotApplicable("The page and its stylesheets declare no web fonts.")

    families: Counter[str] = Counter()
    for family, _, _ in {(found.face.family.lower(), found.face.weight, found.face.style) for found in font_faces}:
        families[family] += 1
    count = families.total()
    return Outcome(
        "few" if count <= MANY else "many" if count <= VERY_MANY else "very_many",
        value=count,
        evidence=tuple(
            Evidence(value=f"{number} {'font' if number == 1 else 'fonts'}", reason=family or "unnamed")
            for family, number in sorted(families.items(), key=lambda entry: (-entry[1], entry[0]))[:MAX_EVIDENCE]
        )
        if count > MANY
        else (),
        total=len(families) if count > MANY else None,
        details=(Detail(code="fonts", actual=count, limit=MANY),),
        message=f"The page declares {count} web {'font' if count == 1 else 'fonts'}.",
    )
