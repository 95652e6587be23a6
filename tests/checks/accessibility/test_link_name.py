from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.image_alt import image_alt
from pagegrade.checks.accessibility.link_name import link_name
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/">Home</a>',
        '<a href="/"><img src="l.png" alt="Home"></a>',
        '<a href="/"><svg><title>Home</title></svg></a>',
        '<a href="/" aria-label="Home"><i class="icon"></i></a>',
        '<a href="/" title="Home"><i class="icon"></i></a>',
        '<b id="h">Home</b><a href="/" aria-labelledby="h"></a>',
        '<map name="m"><area href="/" alt="Home"></map>',
        '<a href="/"><img src="l.png" title="Home"></a>',
        '<b id="h">Home</b><a href="/"><img src="l.png" aria-labelledby="h"></a>',
        '<b id="h">Home</b><a href="/" aria-labeledby="h"></a>',
        '<svg><a href="/"><title>Home</title><path/></a></svg>',
        "<button role=link>Home</button>",
        '<span role="link" tabindex="0">Home</span>',
    ],
)
def test_link_with_a_name_passes(link: str) -> None:
    """Every source of a name that needs no stylesheet counts."""
    assert outcome(link_name, '<a href="/">Home</a>' + link).state == "named"


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/"></a>',
        '<a href="/" role="link"></a>',
        '<a role="link"></a>',
        '<a href=""></a>',
        '<a href="/"><img src="l.png" alt=""></a>',
        '<a href="/"><i class="fa fa-home"></i></a>',
        '<a href="/"><span hidden>Home</span></a>',
        '<a href="/" aria-label=" "> </a>',
        '<map name="m"><area href="/"></map>',
        '<span role="link" tabindex="0"></span>',
        "<button role=link></button>",
        '<a href="/" role="none"></a>',
        '<a href="/" role="doc-biblioref"><img src="l.png" alt=""></a>',
        '<a href="/" role="tab"></a>',
        '<a href="/"><img src="l.png" alt="" title="Home"></a>',
        '<a href="/"><img src="l.png" alt="Home" role="none"></a>',
        '<a href="/"><svg><desc>Home</desc></svg></a>',
        '<a href="/"><span inert>Home</span></a>',
        '<a href="/"><dialog>Home</dialog></a>',
    ],
)
def test_link_without_a_name_is_found(link: str) -> None:
    """An image with an empty alternative is a fault of the link, not of the image."""
    found = outcome(link_name, link)

    assert (found.state, found.loss, found.total) == ("nameless", 0.25, 1)
    assert found.evidence[0].line == 1
    assert found.message == "One link has no accessible name."


@pytest.mark.parametrize(
    "link",
    [
        '<a name="top"></a>',
        '<a id="top"></a>',
        '<a href="/" aria-hidden="true" tabindex="-1"></a>',
        '<div hidden><a href="/"></a></div>',
        '<a href="/" style="display: none"></a>',
        '<nav popover><a href="/"></a></nav>',
        '<map name="m"><area></map>',
        '<span role="link" hidden></span>',
        '<a href="/" role="menu"><b>Language</b></a>',
        "<button></button><svg role='img'></svg>",
    ],
)
def test_targets_and_hidden_links_are_left_out(link: str) -> None:
    """Anchors without an address and hidden duplicates are not exposed as links."""
    assert outcome(link_name, '<a href="/">Home</a>' + link).state == "named"


@pytest.mark.parametrize("role", ["button", "menuitem", "checkbox"])
def test_link_that_acts_as_something_else_is_left_to_another_check(role: str) -> None:
    """One fault is not charged twice."""
    assert outcome(link_name, f'<a href="/">Home</a><a href="#" role="{role}"></a>').state == "named"


@pytest.mark.parametrize(("count", "loss"), [(2, 0.25 + 0.75 / 9), (10, 1.0), (11, 1.0)])
def test_loss_grows_with_the_number(count: int, loss: float) -> None:
    """Everything is lost from ten links on."""
    found = outcome(link_name, '<a href="/"></a>' * count)

    assert found.loss == pytest.approx(loss)
    assert found.message == f"{count} links have no accessible name."


def test_address_of_the_link_is_evidence() -> None:
    """Resolved, so that the owner can open it."""
    assert outcome(link_name, '<a href="/cart"></a>').evidence[0].url == "https://example.com/cart"


def test_link_around_an_image_without_alternative_is_no_second_fault() -> None:
    """The image is reported, and its alternative would name the link; other links are counted as ever."""
    link = '<a href="/"><img src="a.png"></a>'

    assert isinstance(run(link_name, link), NotApplicable)
    assert outcome(link_name, link + '<a href="/b"></a>').total == 1
    assert outcome(image_alt, link).state == "missing"


def test_link_keeps_its_fault_when_the_image_gets_an_empty_alternative() -> None:
    """Marking the only content of a link as decoration moves the fault to the link, at the same cost."""
    before, after = (
        outcome(image_alt, '<a href="/"><img src="a.png"></a>'),
        outcome(link_name, '<a href="/"><img alt=""></a>'),
    )

    assert after.loss == before.loss


RESPONSIVE = (
    '<meta name="viewport" content="width=device-width, initial-scale=1"><style>.wide{display:none}.off{display:none}'
    "@media (min-width:600px){.wide{display:inline}.narrow{display:none}}</style>"
)


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ('<a href="/"><i></i><span class="wide">Home</span></a>', "no accessible name on a narrow screen"),
        ('<a href="/"><b><span class="narrow">Home</span></b></a>', "no accessible name on a wide screen"),
        ('<a href="/"><img class="wide" src="l.png" alt="Home"></a>', "no accessible name on a narrow screen"),
        ('<span role="link" tabindex="0"><b class="wide">Home</b></span>', "no accessible name on a narrow screen"),
        ('<a href="/"><span class="wide off">Home</span></a>', "no accessible name on a narrow screen"),
    ],
)
def test_link_with_a_name_on_one_screen_only_is_reported(link: str, reason: str) -> None:
    """It is shown there without its text."""
    found = outcome(link_name, RESPONSIVE + link)

    assert (found.state, [one.reason for one in found.evidence]) == ("nameless", [reason])


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/"><span class="wide">Start page</span><span class="narrow">Home</span></a>',
        '<a href="/" aria-label="Home"><span class="wide">Home</span></a>',
        '<a href="/" title="Home"><span class="wide">Home</span></a>',
        '<a href="/" class="wide"><span class="wide">Home</span></a>',
        '<p class="wide"><a href="/"><span class="wide">Home</span></a></p>',
        '<a href="/">Ho<span class="wide">me</span></a>',
        '<a href="/" hidden><span class="wide">Home</span></a>',
    ],
)
def test_link_with_a_name_wherever_it_is_shown_passes(link: str) -> None:
    """Different texts are names, and a screen without the link needs none."""
    assert outcome(link_name, RESPONSIVE + '<a href="/">Home</a>' + link).state == "named"


def test_narrow_screen_is_unknown_without_a_viewport() -> None:
    """Phones lay such a page out as a desktop does."""
    page = RESPONSIVE.partition(">")[2] + '<a href="/"><span class="wide">Home</span></a>'

    assert outcome(link_name, page).state == "named"


def test_link_that_is_invisible_on_a_screen_needs_no_name_there() -> None:
    """Its text may be without it."""
    style = "<style>@media (max-width:600px){.v{visibility:hidden}}</style>"
    page = RESPONSIVE + style + '<p class="v"><a href="/"><span class="wide">Home</span></a></p>'

    assert outcome(link_name, page).state == "named"
