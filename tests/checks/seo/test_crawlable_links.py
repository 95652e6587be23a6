"""The traps of ``crawlable-links``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.crawlable_links import MIN_IDLE
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, outcome, run

GOOD = '<title>T</title><a href="/a">A</a>'


@pytest.mark.parametrize(
    "link",
    [
        '<a href="javascript:go()">x</a>',
        '<a href=" JavaScript:void(0)">x</a>',
        '<a href="#" onclick="go()">x</a>',
        '<a onclick="go()">x</a>',
        '<a href="file:///C:/page.html">x</a>',
        '<a href="C:/page.html">x</a>',
        '<a href="javascript : void(0)">x</a>',
        '<a href="ftp://">x</a>',
        '<a target="_blank">x</a>',
        '<a role=" " rel="noopener">x</a>',
        '<a name=" " download>x</a>',
        '<a href="http://[">x</a>',
    ],
)
def test_links_that_crawlers_cannot_follow(link: str) -> None:
    """One of them among good ones costs a quarter."""
    found = evaluated("crawlable-links", GOOD + link)

    assert (found.outcome, found.loss) == ("warning", 0.25)


@pytest.mark.parametrize(
    "link",
    [
        '<a name="top">x</a>',
        '<a id="top"></a>',
        "<a>x</a>",
        '<a aria-current="page">x</a>',
        '<a id="top" rel="bookmark">x</a>',
        '<a role="button" target="_blank">x</a>',
        '<a role="button" href="javascript : void(0)">x</a>',
        '<a href="/javascript">x</a>',
        '<a href="ftp://files.example.com/a">x</a>',
        '<a href="?page=2">x</a>',
        '<a href="">x</a>',
        '<a href="#top">x</a>',
        '<a href="#">x</a>',
        '<a href="#menu" onclick="open()">x</a>',
        '<a href="/b" onclick="window.open(this.href)">x</a>',
        '<a href="javascript:go()" role="button">x</a>',
        '<a href="#" onclick="go()" aria-expanded="false">x</a>',
        '<a href="#" onclick="go()" data-toggle="dropdown">x</a>',
        '<a href="javascript:go()" hidden>x</a>',
        '<a href="tel:+1">x</a>',
        '<a href="mailto:a@example.com">x</a>',
    ],
)
def test_links_that_are_fine(link: str) -> None:
    """Targets of jumps, the page itself, real addresses with scripts, and buttons in disguise."""
    assert outcome("crawlable-links", GOOD + link).state == "crawlable"


def test_ten_cost_half_at_most() -> None:
    """They may be mere buttons, so it never fails while there are good links."""
    assert evaluated("crawlable-links", GOOD + '<a href="javascript:go()">x</a>' * 50).loss == 0.5


def test_a_page_of_scripts_alone_fails() -> None:
    """Nothing leads on for a crawler; a jump within the page changes nothing."""
    found = outcome("crawlable-links", '<title>T</title><a onclick="go()">x</a><a href="#a">y</a>')

    assert (found.state, found.total) == ("only_scripts", 1)


def test_without_links_there_is_nothing_to_evaluate() -> None:
    """A dead end is the business of another check."""
    assert isinstance(run("crawlable-links", '<title>T</title><a name="x"></a>'), NotApplicable)


@pytest.mark.parametrize(
    "attribute", ["tabindex=0", "@click=f()", "ng-click=f()", "data-href=/a", "v-on:click.prevent=f"]
)
def test_clickable_element_without_a_url_cannot_be_followed(attribute: str) -> None:
    """The attributes of frameworks say that a click does something."""
    assert outcome("crawlable-links", f"<a href=/b>x</a><a {attribute}>y</a>").state == "some_scripts"


@pytest.mark.parametrize("attribute", ["class=nav-link", "tabindex=-1", "data-id=4"])
def test_element_without_a_url_and_without_a_click_is_a_placeholder(attribute: str) -> None:
    """It does nothing."""
    assert outcome("crawlable-links", f"<a href=/b>x</a><a {attribute}>y</a>").state == "crawlable"


def test_links_to_the_top_of_the_page_lead_nowhere() -> None:
    """Ten and more, where none leads to another page; a few are switches, and a single page has sections."""
    idle = "".join(f"<a href='#'>ხილი {number}</a>" for number in range(MIN_IDLE))
    sections = "".join(f"<a href='#s{number}'>ხილი {number}</a>" for number in range(MIN_IDLE))

    one = f"<title>ბაღი</title>{idle}<script>open()</script><a href=/1>ვაშლი</a>"

    assert outcome("crawlable-links", f"<title>ბაღი</title>{idle}").state == "nowhere"
    assert outcome("crawlable-links", one).state == "crawlable"
    assert isinstance(run("crawlable-links", f"<title>ბაღი</title>{sections}"), NotApplicable)
    assert isinstance(run("crawlable-links", "<title>ბაღი</title><a href='#'>ხილი</a>"), NotApplicable)


@pytest.mark.parametrize("address", ["#", "javascript:void(0)", "javascript:;", "javascript:"])
@pytest.mark.parametrize(("others", "state"), [(2, "stuck"), (3, "nowhere"), (5, "nowhere"), (6, "")])
def test_most_links_lead_nowhere_without_a_script(address: str, others: int, state: str) -> None:
    """Beside others, by their share; where a script runs, it may follow them."""
    idle = "".join(f"<a href='{address}'>ಹಣ್ಣು {number}</a>" for number in range(MIN_IDLE))
    page = f"<title>ತೋಟ</title>{idle}{''.join(f'<a href=/{number}>ಮರ {number}</a>' for number in range(others))}"
    found = outcome("crawlable-links", page).state

    assert found == state if state else found not in {"stuck", "nowhere"}
    assert outcome("crawlable-links", f"{page}<script>go()</script>").state not in {"stuck", "nowhere"}
