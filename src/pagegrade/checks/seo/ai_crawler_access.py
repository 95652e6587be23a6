from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.robots import Robots
from pagegrade.parse.url import origin

TRAINING: Final = ("GPTBot", "Google-Extended", "ClaudeBot", "anthropic-ai", "CCBot", "Applebot-Extended")
RETRIEVAL: Final = ("OAI-SearchBot", "ChatGPT-User", "PerplexityBot", "Claude-User", "Claude-SearchBot")


@check(
    id="ai-crawler-access",
    title="Access for AI crawlers",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("open", "The robots.txt file bars no known AI crawler from the page."),
        State("unavailable", "An error of robots.txt makes well-behaved crawlers stay away at first."),
        State("some_barred", "The robots.txt file bars AI crawlers from the page."),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9309#section-2.2",
        "https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers",
    ),
)
def ai_crawler_access(robots: Robots, response: Response) -> Outcome:
    """Whether AI services may read a page is the owner's choice, made in robots.txt.

    ## What it checks

    For each of eleven crawlers whether the robots.txt file allows this page: six that collect texts to train models
    (GPTBot, Google-Extended, ClaudeBot, anthropic-ai, CCBot, Applebot-Extended) and five that look something up to
    answer somebody (OAI-SearchBot, ChatGPT-User, PerplexityBot, Claude-User, Claude-SearchBot). It is shown and costs
    nothing, either way. Whether a crawler obeys is not known.

    ## Why it matters

    Who bars the second kind is not named in the answers of these services; who allows the first gives texts away.

    ## How to fix

    Decide for each kind, and write a group for those to bar into robots.txt: `User-agent: GPTBot` and below it
    `Disallow: /`.

    ## Fails on

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: GPTBot
    Disallow: /
    ```

    ## Passes on

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Disallow: /cart
    ```
    """
    address = origin(response.url) + "/robots.txt"
    if robots.access == "disallow_all":
        return Outcome("unavailable", value=robots.status, evidence=(Evidence(url=address, value=str(robots.status)),))
    decisions = {agent: robots.decide(agent, response.url) for agent in (*TRAINING, *RETRIEVAL)}
    barred = [agent for agent, decision in decisions.items() if not decision.allowed]
    details = tuple(
        Detail(code=agent, actual="allowed" if decision.allowed else "barred") for agent, decision in decisions.items()
    )
    if not barred:
        return Outcome("open", value=0, details=details)
    evidence = tuple(
        Evidence(
            url=address,
            line=decisions[agent].line,
            snippet=decisions[agent].rule,
            value=agent,
            reason="Collects texts to train models." if agent in TRAINING else "Looks something up for an answer.",
        )
        for agent in barred
    )
    return Outcome(
        "some_barred",
        value=len(barred),
        evidence=evidence,
        total=len(barred),
        details=details,
        message=f"The robots.txt file bars {', '.join(barred)}.",
    )
