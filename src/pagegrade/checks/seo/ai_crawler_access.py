from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.data.ai_crawlers import AI_CRAWLERS
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.url import origin

TRAINING: Final = ("GPTBot", "Google-Extended", "ClaudeBot", "anthropic-ai", "CCBot", "Applebot-Extended")
RETRIEVAL: Final = ("OAI-SearchBot", "ChatGPT-User", "PerplexityBot", "Claude-User", "Claude-SearchBot")
OTHERS: Final = tuple(agent for agent in AI_CRAWLERS if agent not in {*TRAINING, *RETRIEVAL})
"""Evaluated where robots.txt names them."""


@check(
    id="ai-crawler-access",
    title="AI crawler access",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("open", "The robots.txt file blocks no known AI crawler from the page."),
        State(
            "unavailable",
            "The robots.txt file returns an error, which well-behaved crawlers treat as a ban at first.",
            title="AI crawlers may stay away while robots.txt returns an error",
            why=(
                'A server error on robots.txt means "do not crawl" to crawlers that follow RFC 9309, so AI '
                "services may not read the page."
            ),
            fix="Make `/robots.txt` answer with status 200, or with 404 if the site has no such file.",
        ),
        State(
            "some_barred",
            "The robots.txt file blocks AI crawlers from the page.",
            title="AI crawlers blocked by robots.txt",
            why=(
                "Answers of AI services cannot cite a page that their crawlers may not fetch. Blocking crawlers "
                "that collect training data is a choice many publishers make."
            ),
            fix="Keep the rules if they are intended. To admit a crawler, remove its `Disallow` rule from robots.txt.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9309#section-2.2",
        "https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers",
    ),
)
def ai_crawler_access(robots: Robots, response: Response) -> Outcome:
    """Shows which AI crawlers may fetch the page according to robots.txt.

    ## What it checks

    For each of eleven crawlers whether the robots.txt file allows this page: six that collect texts to train models
    (GPTBot, Google-Extended, ClaudeBot, anthropic-ai, CCBot, Applebot-Extended) and five that fetch pages to answer a
    user's question (OAI-SearchBot, ChatGPT-User, PerplexityBot, Claude-User, Claude-SearchBot). Other AI crawlers, such
    as Bytespider or meta-externalagent, are shown if robots.txt names them. It is informative and costs nothing, either
    way. Whether a crawler obeys is not known.

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
        return Outcome(
            "unavailable", value=robots.status, evidence=(Evidence(url=address, value=f"status {robots.status}"),)
        )
    named = (agent for agent in OTHERS if agent.lower() in robots.by_agent)
    decisions = {agent: robots.decide(agent, response.url) for agent in (*TRAINING, *RETRIEVAL, *named)}
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
            reason=_purpose(agent),
        )
        for agent in barred
    )
    return Outcome(
        "some_barred",
        value=len(barred),
        evidence=evidence,
        total=len(barred),
        details=details,
        message=f"The robots.txt file blocks {', '.join(barred)}.",
    )


def _purpose(agent: str) -> str:
    if agent in TRAINING:
        return "Collects texts to train models."
    return "Looks something up for an answer." if agent in RETRIEVAL else "Reads pages for an AI service."
