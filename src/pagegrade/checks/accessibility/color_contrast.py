from collections.abc import Sequence
from typing import Final

from pagegrade.checks._axe import evaluate_rule
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import AxeNode, Rendering

FIRST: Final = 0.25
"""A single word costs as much as a single image without alternative text."""
GOOD_CHARACTERS: Final = 100
BAD_CHARACTERS: Final = 1_000
"""Three paragraphs."""
READABLE_RATIO: Final = 3.0
"""Recommended by ISO 9241-3 for people who see well; WCAG asks for half as much again, for those who do not."""
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
            loss=FIRST,
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

    What it costs depends on how much text is hard to read, and for whom. A word costs a quarter. From 100 characters
    to 1,000, about three paragraphs, that grows in five steps to everything. Text of 3:1 and more, which people who see
    well can read, counts half. Blanks are not counted, and of a long list the thirty elements with most text are. So a
    pale color for comments in listings of code costs less than a pale text, however many elements have it.

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
              "selector": "main > p", "html": "<p>", "summary": "", "characters": 240,
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
        loss=_loss,
        values=("contrastRatio", "expectedContrastRatio", "fgColor", "bgColor"),
    )


def _is_invisible(node: AxeNode) -> bool:
    """Text that has the color of its background: axe-core leaves open whether that is meant."""
    return ("messageKey", "equalRatio") in node.data


def _loss(nodes: Sequence[AxeNode]) -> float:
    """Loss by the amount of text in these elements."""
    characters = sum(node.characters / 2 if _is_readable(node) else node.characters for node in nodes)
    return FIRST + (1 - FIRST) * meter_loss(characters, GOOD_CHARACTERS, BAD_CHARACTERS)


def _is_readable(node: AxeNode) -> bool:
    """Return whether people who see well can read it."""
    try:
        return float(dict(node.data).get("contrastRatio", 1)) >= READABLE_RATIO
    except ValueError:
        return False
