from typing import Final

from pagegrade.checks._axe import evaluate_rule
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import Rendering

WHY: Final = "A reader who does not distinguish the two colors does not notice that a word in the text is a link."


@check(
    id="link-in-text-block",
    title="Links within text",
    severity=Severity.MEDIUM,
    since="0.1.0",
    visible_only=False,
    states=(
        State("distinct", "No link within text differs from the text by a similar color alone."),
        State(
            "color_alone",
            "Some links differ from the text around them by their color alone, and by too little of it.",
            loss=0.5,
            loss_max=1.0,
            title="Make links within text recognizable without their color",
            why=WHY,
            fix="Underline links within text, or give them a color with a contrast of 3:1 to the text around them.",
            counted=True,
        ),
    ),
    sources=(
        "https://dequeuniversity.com/rules/axe/4.14/link-in-text-block",
        "https://www.w3.org/WAI/WCAG22/Understanding/use-of-color.html",
    ),
)
def link_in_text_block(rendering: Rendering) -> Verdict:
    """A link within a sentence has to be recognizable without its color.

    ## What it checks

    The rule `link-in-text-block` of axe-core, which the browser runs on the rendered page: a link that has text beside
    it in the same block needs an underline, another weight, a border or the like, or a color whose contrast to that of
    the text is at least 3:1. Links in menus and lists of links have no text beside them.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "axe": [
        {
          "rule": "link-in-text-block", "impact": "serious", "help": "", "help_url": "",
          "outcome": "violation", "node_count": 1,
          "nodes": [
            {
              "selector": "main > p > a", "html": "<a href=/benches class=plain>", "summary": "",
              "data": [
                ["contrastRatio", "1.4"],
                ["nodeColor", "rgb(34,34,34)"],
                ["parentColor", "rgb(0,0,0)"],
                ["requiredContrastRatio", "3"]
              ]
            }
          ]
        }
      ]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "axe": [
        {"rule": "link-in-text-block", "impact": "", "help": "", "help_url": "", "outcome": "pass"}
      ]
    }
    ```
    """
    return evaluate_rule(
        rendering,
        "link-in-text-block",
        good="distinct",
        bad="color_alone",
        values=("contrastRatio", "requiredContrastRatio", "nodeColor", "parentColor"),
    )
