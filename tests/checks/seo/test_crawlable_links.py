"""The traps of ``crawlable-links``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.crawlable_links import MIN_IDLE
from pagegrade.model.artifacts import LinkProbes, NotGathered, Probe, Resource
from pagegrade.model.outcome import NotApplicable
from tests.builders import URL, evaluated, make_resources, make_response, outcome, run

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


PRIVATE = "".join(f"<a href=http://cms.internal/{number}>ფოთოლი {number}</a>" for number in range(MIN_IDLE))
BUTTONS = "".join(f"<button type=button>ფოთოლი {number}</button>" for number in range(MIN_IDLE))
GONE = "".join(f"<a href=/gone/{number}>ფოთოლი {number}</a>" for number in range(MIN_IDLE))
MIXED = PRIVATE.replace("<a", "<s", MIN_IDLE // 2) + BUTTONS.replace("<button", "<s", MIN_IDLE // 2)
ALL_DEAD = {"private": PRIVATE, "buttons": BUTTONS, "gone": GONE, "mixed": MIXED}


@pytest.mark.parametrize("kind", ALL_DEAD)
@pytest.mark.parametrize(("others", "state"), [(2, "stuck"), (3, "nowhere"), (8, "")])
def test_most_of_what_a_page_offers_does_not_work(kind: str, others: int, state: str) -> None:
    """Addresses that nobody else reaches or that are missing, and buttons without a script, beside links that work."""
    answers = {f"/gone/{number}": 404 for number in range(MIN_IDLE)} | {f"/{number}": 200 for number in range(others)}
    probes = LinkProbes(
        items=tuple(
            Probe(
                url=f"https://example.com{path}",
                response=make_response(url=f"https://example.com{path}", status=status),
            )
            for path, status in answers.items()
        ),
        found=len(answers),
    )
    links = "".join(f"<a href=/{number}>ხე {number}</a>" for number in range(others))
    page = f"<title>ბაღი</title>{ALL_DEAD[kind]}{links}"
    found = outcome("crawlable-links", page, link_probes=probes).state

    assert found == state if state else found not in {"stuck", "nowhere"}


@pytest.mark.parametrize(
    "attribute", ["onclick=f()", "popovertarget=a", "commandfor=a command=show-modal", "form=a type=submit"]
)
def test_button_that_does_something_works(attribute: str) -> None:
    """By an attribute of its own; one in a form sends it, and scripts may do anything."""
    page = f"<title>ბაღი</title><a href=/1>ხე</a>{BUTTONS}"
    sending = page.replace("<button type=button>", "<form><button>").replace("</button>", "</button></form>")

    assert outcome("crawlable-links", page).state == "stuck"
    assert outcome("crawlable-links", page.replace("type=button", attribute)).state == "crawlable"
    assert outcome("crawlable-links", sending).state == "crawlable"
    assert outcome("crawlable-links", f"{page}<script>go()</script>").state == "crawlable"


def test_host_that_does_not_exist_has_no_pages() -> None:
    """Known from a file that the page loads from there."""
    links = PRIVATE.replace("cms.internal", "old.shop.example")
    failure = NotGathered(code="dns", detail="The name does not exist.", reason="dns_nxdomain")
    image = Resource(url="https://old.shop.example/a.png", kinds=("image",), initiator_url=URL, failure=failure)
    page = f"<title>ბაღი</title><img src=https://old.shop.example/a.png alt=a>{links}"

    assert outcome("crawlable-links", page).state == "crawlable"
    assert outcome("crawlable-links", page, resources=make_resources(image)).state == "stuck"


@pytest.mark.parametrize("name", ["old.shop.example", "xn--lodge-4ra.example"])
def test_host_of_most_links_that_is_not_found_has_no_pages(name: str) -> None:
    """After a move all links lead to the domain that was given up; those to another host are not touched by it."""
    for words in ("お品書き", "เมนู", "קטלוג", "Ціни"):
        links = "".join(f"<a href=http://{name}/{number}>{words} {number}</a>" for number in range(MIN_IDLE))
        page = f"<title>{words}</title>{links}"

        for lost, state in ((name, "stuck"), ("www.shop.example", "crawlable"), ("", "crawlable")):
            assert outcome("crawlable-links", page, link_probes=LinkProbes(lost_host=lost)).state == state


def test_links_to_the_top_with_one_name_are_one() -> None:
    """Long pages have one at the end of each section."""
    up = "<h2>ნაწილი</h2><a href='#'>ზემოთ</a>" * 3 * MIN_IDLE

    assert outcome("crawlable-links", f"<title>ბაღი</title><a href=/1>ხე</a>{up}").state == "crawlable"


@pytest.mark.parametrize(("dead", "state"), [(4 * 3, "stuck"), (4 * 3 - 1, "nowhere"), (5, "crawlable")])
def test_files_of_the_page_count_beside_what_can_be_pressed(dead: int, state: str) -> None:
    """Pictures that nobody else gets, beside three links that work."""
    pictures = "".join(f"<img src=http://cms.internal/{number}.png alt=a>" for number in range(dead))
    links = "".join(f"<a href=/{number}>ხე {number}</a>" for number in range(3))

    assert outcome("crawlable-links", f"<title>ბაღი</title>{links}{pictures}").state == state
