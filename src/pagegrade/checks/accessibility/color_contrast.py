from typing import Final

from pagegrade.checks._axe import evaluate_rule
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import AxeNode, Rendering

WHY: Final = (
    "People with low vision, and anyone in bright light, cannot read text that is nearly as bright as its background."
)
FIX: Final = (
    "Darken the text or lighten its background until the contrast is at least 4.5:1, or 3:1 for text "
    "of 24 px and more (18.66 px when bold)."
)


@check(
    id="color-contrast",
    title="Color contrast",
    severity=Severity.HIGH,
    since="0.1.0",
    visible_only=False,
    states=(
        State("enough", "Text stands out from its background."),
        State(
            "partly",
            "Text whose contrast could be measured stands out from its background; other text lies over pictures or "
            "gradients.",
        ),
        State(
            "low",
            "Some text hardly stands out from its background.",
            loss=0.5,
            loss_max=1.0,
            title="Text with too little contrast",
            why=WHY,
            fix=FIX,
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/contrast-minimum.html",
        "https://dequeuniversity.com/rules/axe/4.14/color-contrast",
    ),
)
def color_contrast(rendering: Rendering) -> Verdict:
    """Text needs a minimum contrast with its background to be readable.

    ## What it checks

    The rule `color-contrast` of axe-core, which the browser runs on the rendered page: the computed colors of every
    visible text and of what lies behind it. Required is a contrast of 4.5:1, and of 3:1 for large text. Text in the
    color of its background fails. For text over pictures and gradients the rule cannot decide: it is listed, and where
    there is no other, the contrast is not evaluated.

    ## Why it matters

    People with low vision, and anyone in bright light, cannot read text that is nearly as bright as its
    background.

    ## How to fix

    Darken the text or lighten its background until the contrast is at least 4.5:1, or 3:1 for text of 24 px and
    more (18.66 px when bold).

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "axe": [
        {
          "rule": "color-contrast", "impact": "serious", "help": "", "help_url": "",
          "outcome": "violation", "node_count": 1,
          "nodes": [
            {
              "selector": "main > p", "html": "<p>", "summary": "",
              "data": [
                ["fgColor", "#bbbbbb"],
                ["bgColor", "#ffffff"],
                ["contrastRatio", "1.92"],
                ["expectedContrastRatio", "4.5:1"]
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
        {"rule": "color-contrast", "impact": "", "help": "", "help_url": "", "outcome": "pass"}
      ]
    }
    ```
    """
    return evaluate_rule(
        rendering,
        "color-contrast",
        good="enough",
        bad="low",
        partly="partly",
        broken=_is_invisible,
        values=("contrastRatio", "expectedContrastRatio", "fgColor", "bgColor"),
    )


def _is_invisible(node: AxeNode) -> bool:
    """Text that has the color of its background: axe-core leaves open whether that is meant."""
    return ("messageKey", "equalRatio") in node.data
