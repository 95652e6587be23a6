from typing import Final

from pagegrade.checks._check import Cap, State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.files.robots import Decision, Robots
from pagegrade.parse.url import origin

AGENTS: Final = ("*", "Googlebot", "bingbot")
"""Crawlers that are tried; ``*`` is one without a group of its own."""
_DECISIVE: Final = ("*", "Googlebot")


@check(
    id="robots-txt-allows",
    title="Crawling allowed by robots.txt",
    severity=Severity.CRITICAL,
    since="0.1.0",
    states=(
        State("allowed", "Search engines may fetch the page."),
        State(
            "unavailable",
            "The robots.txt file returns an error, which search engines treat as a ban at first.",
            loss=0.5,
            title="robots.txt error keeps search engines away",
            why="Search engines stop fetching the site while robots.txt returns a server error.",
            fix="Make `/robots.txt` answer with status 200, or with 404 if the site has no such file.",
        ),
        State(
            "one_bot_blocked",
            "The robots.txt file blocks one search engine from the page.",
            loss=0.5,
            title="robots.txt blocks one search engine",
            why="That search engine cannot read the page and shows it without a description or not at all.",
            fix="Remove the `Disallow` rule from the group of that crawler, unless it is intended.",
        ),
        State(
            "blocked",
            "The robots.txt file blocks search engines from the page.",
            loss=1.0,
            title="robots.txt blocks search engines",
            why="Search engines cannot read the page, so it ranks badly or not at all and never has a description.",
            fix=(
                "Remove the rule that covers this page, or add a longer `Allow` rule for it:\n\n"
                "```text\n"
                "User-agent: *\n"
                "Disallow: /private/\n"
                "Allow: /private/press/\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9309#section-2.2",
        "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt",
    ),
    cap=Cap(59, category_max_score=30),
)
def robots_txt_allows(robots: Robots, response: Response) -> Outcome:
    """The robots.txt file says which URLs crawlers may fetch.

    ## What it checks

    Whether the robots.txt file of the page's own scheme, host and port lets a crawler without a group of its own,
    Googlebot and bingbot fetch the page's URL. Only the most specific group counts for each; in it the longest
    matching rule wins, and `Allow` wins a tie. A missing file (any 4xx) allows everything. A server error is taken as a
    ban at first, so it is a warning here. A file that lets in Googlebot alone fails as well: all other search engines
    stay out. Where crawlers read a file differently, the RFC decides: a line that it does not know ends no group, `*`
    is never a plain character and `$` at the end of a rule neither, and the name of a crawler is made of letters,
    hyphens and underscores. What one crawler alone reads into a file, such as `/index.html` as the folder, is left out.

    While this fails, the score cannot exceed 59, and that of the category 30.

    ## Fails on

    ```url
    https://example.com/shop/shoes
    ```

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Disallow: /shop
    ```

    ## Passes on

    ```url
    https://example.com/shop/shoes
    ```

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Disallow: /shop/cart
    ```
    """
    decisions = {agent: robots.decide(agent, response.url) for agent in AGENTS}
    blocked = [agent for agent, decision in decisions.items() if not decision.allowed]
    if not blocked:
        return Outcome("allowed")
    robots_url = origin(response.url) + "/robots.txt"
    if robots.access == "disallow_all":
        return Outcome(
            "unavailable",
            value=robots.status,
            evidence=(Evidence(url=robots_url, value=f"status {robots.status}"),),
            message=f"The robots.txt file returns status {robots.status}, so search engines stay away at first.",
        )
    evidence = tuple(_evidence(agent, decisions[agent], robots_url) for agent in blocked)
    names = ", ".join("other crawlers" if agent == "*" else agent for agent in sorted(blocked, reverse=True))
    if any(agent in blocked for agent in _DECISIVE):
        line = decisions[blocked[0]].line
        return Outcome(
            "blocked",
            value=names,
            evidence=evidence,
            message=f"Line {line} of robots.txt blocks search engines from the page ({names}).",
        )
    return Outcome("one_bot_blocked", value=names, evidence=evidence, message=f"The robots.txt file blocks {names}.")


def _evidence(agent: str, decision: Decision, robots_url: str) -> Evidence:
    who = "A crawler that is not named" if agent == "*" else agent
    return Evidence(
        url=robots_url,
        line=decision.line,
        snippet=decision.rule,
        reason=f"{who} is blocked by the group for {decision.agent_group}.",
    )
