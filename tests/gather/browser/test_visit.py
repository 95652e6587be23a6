from __future__ import annotations

from pathlib import Path

from tests.gather.browser.pages import PLAIN, draw

MOVING = f"""{PLAIN}<style>
@keyframes grow {{from {{width: 10px}} to {{width: 300px}}}}
@keyframes slide {{from {{translate: 0}} to {{translate: 50px}}}}
.grow {{animation: grow 1s infinite; font-size: 8px}} .slide {{animation: slide 1s infinite}}
.gone {{display: none; font-size: 8px}} .unseen {{visibility: hidden; font-size: 8px}}
.clipped {{position: absolute; width: 1px; height: 1px; overflow: hidden; font-size: 8px}}
</style><div class=grow id=ad>Small words</div><div class=slide>Moved</div>
<p class=gone>absent</p><p class=unseen>absent</p><p class=clipped>absent</p><my-box></my-box>
<svg viewBox="0 0 10 10" width=100><text y=5 font-size=4>scaled</text></svg>
<script>customElements.define("my-box", class extends HTMLElement {{ connectedCallback() {{
this.attachShadow({{mode: "open"}}).innerHTML = "<p style=font-size:11.5px>in shadow</p>" }} }})</script>"""


def test_animations_and_small_text_are_seen(program: Path) -> None:
    """Only what needs the main thread, and only text that is drawn, in shadow trees, too."""
    rendering, _ = draw(program, {"/": MOVING})
    sizes = rendering.text_sizes

    assert [(one.name, one.properties, one.element.selector) for one in rendering.animated_elements] == [
        ("grow", ("width",), "#ad")
    ]
    assert sizes is not None
    assert sizes.characters == len("HelloSometext.SmallwordsMovedinshadow")
    assert sizes.small_characters == len("Smallwordsinshadow")
    assert [(one.html, one.size_px, one.characters) for one in sizes.small] == [
        ('<div class="grow" id="ad">', 8, 10),
        ('<p style="font-size:11.5px">', 11.5, 8),
    ]
