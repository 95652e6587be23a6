from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.url import join_url, origin

_SCHEMES: Final = ("https://", "http://")


@check(
    id="robots-license",
    title="License in robots.txt",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("declared", "The robots.txt file names a license for crawlers."),
        State(
            "invalid",
            "The robots.txt file names a license whose URL crawlers cannot use.",
            title="License URLs in robots.txt that cannot be used",
            why="Crawlers that look for a license find none, as if the line were missing.",
            fix="Write the absolute URL of the license file, with `https://` and the host.",
            counted=True,
        ),
    ),
    sources=("https://rslstandard.org/guide/robots-txt",),
)
def robots_license(robots: Robots, response: Response) -> Verdict:
    """A site can name the license under which crawlers may use its content.

    ## What it checks

    The `License` lines of robots.txt, as Really Simple Licensing (RSL) defines them: each needs an absolute `http` or
    `https` URL, on any host. The license itself is not fetched. A site without such a line is not evaluated, and it is
    informative and costs nothing.

    ## Fails on

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    License: /license.xml

    User-agent: *
    Allow: /
    ```

    ## Passes on

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    License: https://example.com/license.xml

    User-agent: *
    Allow: /
    ```
    """
    address = f"{origin(response.url)}/robots.txt"
    lines = [line for line in robots.extensions if line.directive == "license"]
    if not lines:
        return NotApplicable("The robots.txt file names no license.")
    bad = [line for line in lines if not _is_absolute(line.value)]
    evidence = tuple(
        Evidence(
            url=address,
            line=line.line,
            snippet=f"License: {line.value}"[:200],
            reason="not an absolute URL" if bad else "license for crawlers",
        )
        for line in (bad or lines)
    )
    return Outcome(
        "invalid" if bad else "declared", value=(bad or lines)[0].value[:200], evidence=evidence, total=len(evidence)
    )


def _is_absolute(value: str) -> bool:
    return value.lower().startswith(_SCHEMES) and join_url("https://example.com/", value) is not None
