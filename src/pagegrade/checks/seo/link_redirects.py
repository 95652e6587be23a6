from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import LinkProbes, Probe
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, NotRun, Outcome, Severity


@check(
    id="link-redirects",
    title="Redirected links",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("direct", "No link that was followed leads to a redirect."),
        State(
            "redirected",
            "Links lead to URLs that redirect.",
            title="Links that redirect",
            why="Each click takes an extra round trip to the server, and search engines spend an extra request on it.",
            fix="Link to the final URL that is listed with each link.",
            counted=True,
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.4",),
)
def link_redirects(link_probes: LinkProbes) -> Verdict:
    """A link to a URL that redirects costs visitors a round trip.

    ## What it checks

    The pages that the check for broken links requests: which of them redirect. Temporary redirects, such as those to a
    form for signing in or to the visitor's language, are meant that way and not listed. This check costs nothing.

    ## Fails on

    ```json link_probes
    {
      "items": [
        {
          "url": "https://example.com/about",
          "hops": [
            {
              "url": "https://example.com/about",
              "status": 301,
              "headers": [["Location", "https://example.com/about/"]]
            }
          ],
          "response": {"url": "https://example.com/about/", "status": 200}
        }
      ],
      "found": 1
    }
    ```

    ## Passes on

    ```json link_probes
    {
      "items": [
        {"url": "https://example.com/about/", "response": {"url": "https://example.com/about/", "status": 200}}
      ],
      "found": 1
    }
    ```
    """
    if not link_probes.found:
        return NotApplicable("The page links to no other pages of its host that may be requested.")
    answered = [probe for probe in link_probes.items if probe.response is not None]
    if not answered:
        return NotRun("blocked", "No linked page answered.")
    moved = [probe for probe in answered if _has_moved(probe)]
    return Outcome(
        "redirected" if moved else "direct",
        value=len(moved),
        evidence=tuple(
            Evidence(url=probe.url, value=probe.response.url, reason=f"status {probe.hops[0].status}")
            for probe in moved[:MAX_EVIDENCE]
            if probe.response is not None
        ),
        total=len(moved),
        message=_message(len(moved)),
    )


def _has_moved(probe: Probe) -> bool:
    """Return whether its first redirect is permanent."""
    return bool(probe.hops) and probe.hops[0].status in {301, 308}


def _message(count: int) -> str:
    if not count:
        return "No link that was followed leads to a redirect."
    return "One link leads to a URL that redirects." if count == 1 else f"{count} links lead to URLs that redirect."
