from collections import Counter
from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Assets
from pagegrade.parse.url import host, registrable_domain

SHOWN: Final = 10


@check(
    id="third-party-share",
    title="Third-party share",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("minor", "Most of the page comes from the site itself."),
        State(
            "major",
            "Most of the page comes from other sites.",
            title="Reduce third-party resources",
            why=(
                "Third-party files can fail, slow down or change without your doing, and their hosts learn who "
                "visits the page."
            ),
            fix=(
                "Review the list of sites and drop what is not needed. Fonts and libraries can usually be "
                "served from your own host."
            ),
        ),
    ),
    sources=("https://web.dev/articles/third-party-javascript",),
)
def third_party_share(response: Response, assets: Assets) -> Verdict:
    """Shows how much of the page comes from other sites.

    ## What it checks

    Requests and bytes of the files that the HTML makes a browser fetch at once, split by whose they are. The site's own
    are those on its registrable domain, on a domain of the same name with another suffix or a word such as `cdn`, on
    the delivery network of the platform that the page names as its generator, and on the domain that most of its styles
    and scripts come from. Services that many sites share never are. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="https://widgets.example.net/a.js" defer></script>
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://widgets.example.net/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://widgets.example.net/a.js", "status": 200, "wire_bytes": 90000},
          "first_party": false
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/a.js" defer></script>
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.js", "status": 200, "wire_bytes": 90000}
        }
      ]
    }
    ```
    """
    counted = [item for item in assets.items if item.certain]
    if not counted:
        return NotApplicable("The page loads no files that were fetched.")
    foreign = [item for item in counted if not item.first_party]
    own_bytes = (response.wire_bytes or 0) + sum(item.wire_bytes for item in counted if item.first_party)
    foreign_bytes = sum(item.wire_bytes for item in foreign)
    own = len(counted) - len(foreign) + 1
    sites = Counter(registrable_domain(host(item.url)) for item in foreign)
    is_major = len(foreign) > own or foreign_bytes > own_bytes
    return Outcome(
        "major" if is_major else "minor",
        value=part(len(foreign), len(counted) + 1, "request"),
        evidence=tuple(
            Evidence(value=amount(number, "request"), reason=name) for name, number in sites.most_common(SHOWN)
        ),
        total=len(sites),
        details=(
            Detail(code="third_party_requests", actual=len(foreign)),
            Detail(code="third_party_bytes", actual=foreign_bytes),
            Detail(code="own_requests", actual=own),
            Detail(code="own_bytes", actual=own_bytes),
        ),
        message=f"{len(foreign)} of {len(counted) + 1} requests and {foreign_bytes:,} of "
        f"{foreign_bytes + own_bytes:,} bytes come from other sites.",
    )
