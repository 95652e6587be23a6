from __future__ import annotations

import pytest

from pagegrade.checks.technical.empty_src import empty_src
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome


@pytest.mark.parametrize(
    "html",
    [
        "<img src='' alt=''>",
        "<img src>",
        "<img src=' \t'>",
        "<script src=''></script>",
        "<iframe src='' title=x></iframe>",
        "<link rel=stylesheet href=''>",
        "<img src='' data-src=/a.jpg>",
        "<img src='#' alt=''>",
        "<img src=' #photo' alt=''>",
        "<script src='#'></script>",
        "<link rel=stylesheet href='#'>",
        "<link rel='shortcut icon' href='#'>",
        "<video><source src='#'></video>",
    ],
)
def test_empty_and_blank_addresses_are_found(html: str) -> None:
    """Even where a script will fill them in."""
    found = evaluated(empty_src, html)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("empty", 0.5)
    assert found.verdict.evidence[0].selector
    assert (
        found.verdict.message
        == "The URL of one image, script, stylesheet, frame or player is empty or only a fragment."
    )


@pytest.mark.parametrize(
    "html",
    [
        "<a href=''>top</a>",
        "<img src='' srcset='/a.jpg 1x'>",
        "<img data-src=/a.jpg>",
        "<iframe srcdoc='<p>x' src='' title=x></iframe>",
        "<script type=text/template src=''></script>",
        "<form action=''></form>",
        "<template><img src=''></template><noscript><img src=''></noscript>",
        "<!-- <img src=''> -->",
        "<a href='#'>top</a>",
        "<img src='#' srcset='/a.jpg 1x'>",
        "<link rel=license href='#license'>",
        "<img src='/sprite.svg#cart'>",
        "<svg><use href='#cart'/></svg>",
    ],
)
def test_what_is_allowed_or_does_nothing_is_fine(html: str) -> None:
    """Links to the page itself, candidates, inert content."""
    assert outcome(empty_src, "<img src=/a.png>" + html).state == "filled"


def test_five_cost_everything() -> None:
    """Counts, not shares."""
    assert evaluated(empty_src, "<img src=''>" * 5).loss == 1
    assert evaluated(empty_src, "<img src=''>" * 3).loss == 0.75


@pytest.mark.parametrize(
    "html",
    [
        "<embed src=''>",
        "<input type=image src=' ' alt=x>",
        "<video src=''></video>",
        "<audio><source src=''></audio>",
        "<picture><source srcset=''><img src=a alt=x></picture>",
    ],
)
def test_other_elements_that_name_files_count_too(html: str) -> None:
    """Plugins, graphical buttons, players and candidates."""
    found = outcome(empty_src, html)

    assert (found.state, found.value) == ("empty", 1)


def test_elements_without_the_attribute_are_fine() -> None:
    """A script may fill them, or a source inside."""
    html = "<embed><input type=image alt=x><input src=''><video><source src=a></video><source src=x>"

    assert outcome(empty_src, "<img src=/a.png>" + html).state == "filled"
