from collections.abc import Sequence
from typing import Final

from pagegrade.checks._axe import FULL_AT, evaluate_rule
from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import AxeNode, Rendering

FIRST: Final = 0.25
"""A single one is an omission; ten make a list that a finger cannot use."""
WHY: Final = "People press the wrong one with a finger, and people whose hands tremble press none."
FIX: Final = "Give links and buttons at least 24 by 24 CSS pixels, or so much space around them."


@check(
    id="target-size",
    title="Target size",
    severity=Severity.MEDIUM,
    since="0.1.0",
    visible_only=False,
    states=(
        State("large", "Links and buttons are large enough to be pressed, or far enough apart."),
        State(
            "small",
            "Some links and buttons are too small to be pressed reliably.",
            loss=FIRST,
            loss_max=1.0,
            title="Links and buttons that are too small",
            why=WHY,
            fix=FIX,
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/target-size-minimum.html",
        "https://dequeuniversity.com/rules/axe/4.14/target-size",
    ),
)
def target_size(rendering: Rendering) -> Verdict:
    """Links, buttons and fields need a minimum size, or space around them, to be pressed.

    ## What it checks

    The rule `target-size` of axe-core, which the browser runs on the rendered page: the boxes of everything that can be
    pressed. Required are 24 by 24 CSS pixels, or a circle of that size that meets no other target. Links within a line
    of text are excepted.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "axe": [
        {
          "rule": "target-size", "impact": "serious", "help": "", "help_url": "",
          "outcome": "violation", "node_count": 1,
          "nodes": [
            {
              "selector": "main > p", "html": "<a href=/a>", "summary": "",
              "data": [
                ["width", "12"],
                ["height", "12"],
                ["minSize", "24"]
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
        {"rule": "target-size", "impact": "", "help": "", "help_url": "", "outcome": "pass"}
      ]
    }
    ```
    """
    return evaluate_rule(
        rendering,
        "target-size",
        good="large",
        bad="small",
        values=("width", "height", "minSize"),
        loss=_loss,
    )


def _loss(nodes: Sequence[AxeNode]) -> float:
    return offender_loss(len(nodes), FULL_AT, FIRST)
