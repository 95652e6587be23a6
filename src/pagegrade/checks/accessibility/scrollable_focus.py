from typing import Final

from pagegrade.checks._axe import evaluate_rule
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import Rendering

WHY: Final = (
    "In browsers that do not give such a region the focus by themselves, such as Safari, people who use no mouse "
    "cannot read what lies below its visible part."
)
FIX: Final = 'Add `tabindex="0"` to the region, with a role and a name, or put something that takes the focus into it.'


@check(
    id="scrollable-focus",
    title="Keyboard access to scrollable regions",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=False,
    states=(
        State("reachable", "Everything that scrolls can be scrolled with the keyboard in every browser."),
        State(
            "unreachable",
            "Some regions that scroll cannot be reached with the keyboard in every browser.",
            loss=0.5,
            loss_max=1.0,
            title="Scrollable regions without keyboard access",
            why=WHY,
            fix=FIX,
            counted=True,
        ),
    ),
    sources=(
        "https://dequeuniversity.com/rules/axe/4.14/scrollable-region-focusable",
        "https://developer.chrome.com/blog/keyboard-focusable-scrollers",
    ),
)
def scrollable_focus(rendering: Rendering) -> Verdict:
    """A region with a scroll bar of its own has to be reachable with the keyboard.

    ## What it checks

    The rule `scrollable-region-focusable` of axe-core, which the browser runs on the rendered page: boxes that are
    smaller than their content and scroll need the keyboard focus, or something in them that takes it.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "axe": [
        {
          "rule": "scrollable-region-focusable", "impact": "serious", "help": "", "help_url": "",
          "outcome": "violation", "node_count": 1,
          "nodes": [
            {
              "selector": "main > p", "html": "<div class=box>", "summary": "",
              "data": []
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
        {"rule": "scrollable-region-focusable", "impact": "", "help": "", "help_url": "", "outcome": "pass"}
      ]
    }
    ```
    """
    return evaluate_rule(rendering, "scrollable-region-focusable", good="reachable", bad="unreachable")
