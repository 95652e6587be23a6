from __future__ import annotations

import pytest

from pagegrade.checks.technical.deprecated_html import deprecated_html
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome

OBSOLETE = (
    "acronym bgsound big center dir font keygen listing menuitem multicol nextid nobr noembed "
    "noframes plaintext rb rtc spacer strike tt xmp basefont isindex"
).split()


@pytest.mark.parametrize("tag", OBSOLETE)
def test_every_element_that_html_gave_up_is_found(tag: str) -> None:
    """One of them costs half."""
    found = evaluated(deprecated_html, f"<!doctype html><title>t</title><body><p>x</p><{tag}>x</{tag}>")

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss, found.verdict.value) == ("some", 0.5, f"{tag} (1)")
    assert found.verdict.evidence[0].line == 1


@pytest.mark.parametrize("tag", ["applet", "blink", "marquee", "param"])
def test_elements_that_another_check_reports_are_not_charged_twice(tag: str) -> None:
    """``marquee-blink`` and ``obsolete-plugins`` say more about them."""
    assert outcome(deprecated_html, f"<!doctype html><title>t</title><body><p>x</p><{tag}>x</{tag}>").state == "none"


def test_frames_are_found() -> None:
    """They replace the body."""
    found = outcome(deprecated_html, "<!doctype html><html><head></head><frameset><frame src=/a></frameset>")

    assert found.value == "frame (1), frameset (1)"


@pytest.mark.parametrize("tag", ["s", "u", "b", "i", "small", "menu", "hr", "ruby", "rt", "rp", "embed"])
def test_elements_that_are_part_of_html_are_not_counted(tag: str) -> None:
    """``s`` and ``u`` are conforming, whatever older lists say."""
    assert outcome(deprecated_html, f"<p>x</p><{tag}>x</{tag}>").state == "none"


@pytest.mark.parametrize(
    "html",
    [
        "<svg><font><font-face></font-face></font></svg>",
        "<math><mi><mglyph></mglyph></mi></math>",
        "<template><center>x</center></template>",
        "<!-- <center>x</center> -->",
        "<script>'<center>'</script>",
        "<textarea><center></textarea>",
    ],
)
def test_other_namespaces_templates_and_comments_are_not_counted(html: str) -> None:
    """Nothing there is an obsolete element of the page."""
    assert outcome(deprecated_html, html).state == "none"


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (2, 0.5 + 0.5 / 19), (19, 0.5 + 9 / 19), (20, 1), (21, 1)])
def test_each_further_one_costs_more_until_twenty(count: int, loss: float) -> None:
    """A single one is found too, not only several."""
    found = evaluated(deprecated_html, "<center>x</center>" * count)

    assert found.loss == pytest.approx(loss)


def test_replacing_one_never_costs_points() -> None:
    """Loss only falls with their number."""
    losses = [
        evaluated(deprecated_html, "<tt>x</tt>" * count + "<code>x</code>" * (25 - count)).loss or 0
        for count in range(25)
    ]

    assert losses == sorted(losses)
