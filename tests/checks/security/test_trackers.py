from __future__ import annotations

from pagegrade.checks.security.trackers import MANY, TOO_MANY, trackers
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import RenderedRequest, Rendering
from tests.builders import evaluated
from tests.rendering_builders import make_rendering

NO_BROWSER = NotGathered(code="no_browser", detail="None.")
PAGE = """<!doctype html><title>T</title>
<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
<script async src="https://www.googletagmanager.com/gtm.js"></script>
<script type="text/plain" src="https://static.hotjar.com/c/h.js"></script>
<iframe loading=lazy src="https://ad.doubleclick.net/f"></iframe>
<script defer src="https://plausible.io/js/script.js"></script><script src="/own.js"></script>"""


def evaluate(page: str, rendering: Rendering | NotGathered, url: str = "https://example.com/") -> Outcome:
    """The verdict, which costs next to nothing."""
    found = evaluated(trackers, page, url=url, rendering=rendering)
    assert isinstance(found.verdict, Outcome)
    assert found.loss in {0.0, 0.05}
    return found.verdict


def test_what_the_html_makes_a_browser_fetch_is_seen() -> None:
    """Not what is held back, what loads late, and what recognizes no visitor."""
    found = evaluate(PAGE, NO_BROWSER)

    assert found.state == "contacted"
    assert [(one.value, one.reason) for one in found.evidence] == [
        ("www.googletagmanager.com", "measures what visitors do, 2 requests")
    ]


def test_a_browser_sees_what_scripts_contact() -> None:
    """By host, those with most requests first."""
    urls = ["https://example.com/", "https://region1.google-analytics.com/g/collect", "data:"]
    urls += [f"https://ad.doubleclick.net/{number}" for number in range(3)]
    found = evaluate(PAGE, make_rendering(requests=tuple(RenderedRequest(url=url) for url in urls)))

    assert [(one.value, one.reason) for one in found.evidence] == [
        ("ad.doubleclick.net", "shows or measures advertisements, 3 requests"),
        ("region1.google-analytics.com", "measures what visitors do, 1 request"),
    ]


def test_a_browser_that_contacts_none_decides() -> None:
    """A consent manager held back what the HTML names."""
    assert evaluate(PAGE, make_rendering(requests=(RenderedRequest(url="https://example.com/"),))).state == "none"


def test_a_service_does_not_track_itself() -> None:
    """On its own pages its files are its own."""
    page = '<!doctype html><title>T</title><script src="https://static.hotjar.com/c/h.js"></script>'

    assert evaluate(page, NO_BROWSER, url="https://www.hotjar.com/").state == "none"


def test_code_of_many_companies_costs_points() -> None:
    """From ten on, whatever they are known for; the site's own domain and two hosts of one company count once."""
    own = '<!doctype html><title>T</title><script src="/own.js"></script><script src="https://a.one.example/"></script>'
    scripts = [f'<script async src="https://cdn.company{number}.com/x.js"></script>' for number in range(TOO_MANY)]

    def loss(number: int) -> float:
        return evaluated(trackers, own + "".join(scripts[: number - 1]), rendering=NO_BROWSER).loss or 0.0

    page = f'{own}<script src="https://b.one.example/"></script>{"".join(scripts[: MANY - 2])}'

    assert [loss(number) for number in (MANY - 1, MANY, TOO_MANY - 1, TOO_MANY)] == [0.0, 0.25, 1.0, 1.0]
    assert evaluate(page, NO_BROWSER).state == "none"


def test_code_that_a_browser_fetched_counts_as_well() -> None:
    """By the domains of the scripts."""
    urls = [f"https://ad{number}.company{number}.com/" for number in range(MANY)]
    drawn = make_rendering(requests=tuple(RenderedRequest(url=url, kind="script") for url in urls))

    assert evaluated(trackers, "<!doctype html><title>T</title>", rendering=drawn).loss == 0.25
